//! Holes of a mask become part of it.

use crate::runs::Runs;
use crate::{Connectivity, ON, Plane, View};

/// Turns every part of the background that does not reach the image border into foreground; `background` says which
/// pixels of the background are neighbours.
pub fn fill_holes(mask: View<'_, u8>, background: Connectivity) -> Plane<u8> {
    let runs = Runs::of_background(mask, background);
    let open = open_components(&runs, mask.width());
    let mut filled = runs.paint(|component| open[component]);
    filled.pixels_mut().iter_mut().for_each(|pixel| *pixel = ON - *pixel);
    filled
}

fn open_components(runs: &Runs, width: usize) -> Vec<bool> {
    let mut open = vec![false; runs.components()];
    for (y, run) in runs.iter() {
        let row_on_border = y == 0 || y + 1 == runs.height();
        open[run.component] |= row_on_border || run.start == 0 || run.end == width;
    }
    open
}
