//! Components kept by their size.

use crate::runs::Runs;
use crate::{Connectivity, Plane, View};

/// Keeps the components of `mask` with `lowest <= pixels < end`; without an `end` every larger one stays.
pub fn filter_area(
    mask: View<'_, u8>,
    lowest: i64,
    end: Option<i64>,
    connectivity: Connectivity,
) -> Plane<u8> {
    let runs = Runs::of_foreground(mask, connectivity);
    let areas = areas(&runs);
    runs.paint(|component| lowest <= areas[component] && end.is_none_or(|end| areas[component] < end))
}

fn areas(runs: &Runs) -> Vec<i64> {
    let mut areas = vec![0; runs.components()];
    runs.iter().for_each(|(_, run)| areas[run.component] += (run.end - run.start) as i64);
    areas
}
