//! Reconstruction of masks: components that contain a seed.

use crate::runs::Runs;
use crate::{Connectivity, Plane, View};

/// The union of the components of `mask` that contain a pixel of `seeds`; both are of one size.
pub fn select(mask: View<'_, u8>, seeds: View<'_, u8>, connectivity: Connectivity) -> Plane<u8> {
    let runs = Runs::of_foreground(mask, connectivity);
    let mut chosen = vec![false; runs.components()];
    for (y, run) in runs.iter() {
        chosen[run.component] |= seeds.row(y)[run.start..run.end].iter().any(|seed| *seed != 0);
    }
    runs.paint(|component| chosen[component])
}
