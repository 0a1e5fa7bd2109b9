//! Objects of a region: the 8-connected components of a mask, or the numbers of an image of labels.

use std::collections::BTreeMap;

use onceflow_kernels::{Connectivity, Objects, Window};
use onceflow_region::Dense;

use super::cut::{Run, Unit};
use crate::view::{grey, labels};

/// The objects of a mask or an image of labels; none when it is something else.
pub(super) fn objects(dense: &Dense) -> Option<Vec<Unit>> {
    if let Some(mask) = grey(dense) {
        let found = Objects::of(mask, Connectivity::Eight);
        let run = |(y, columns): (usize, std::ops::Range<usize>)| run(y, columns.start, columns.end);
        let object = |object| unit(0, found.rows(object).map(run).collect());
        return Some((0..found.len()).map(object).collect());
    }
    let plane = labels(dense)?;
    let mut numbered: BTreeMap<u32, Vec<Run>> = BTreeMap::new();
    for y in 0..plane.height() {
        let mut start = 0;
        for same in plane.row(y).chunk_by(|one, other| one == other) {
            let end = start + same.len();
            if let Some(label) = same.first().filter(|label| **label != 0) {
                numbered.entry(*label).or_default().push(run(y, start, end));
            }
            start = end;
        }
    }
    Some(numbered.into_iter().map(|(label, runs)| unit(label, runs)).collect())
}

/// A unit with these pixels.
pub(super) fn unit(label: u32, runs: Vec<Run>) -> Unit {
    let first = |of: fn(&Run) -> u32| runs.iter().map(of).min().unwrap_or(0) as usize;
    let last = |of: fn(&Run) -> u32| runs.iter().map(of).max().unwrap_or(0) as usize;
    let (left, top) = (first(|run| run.start), first(|run| run.y));
    let (width, height) = (last(|run| run.end) - left, last(|run| run.y + 1) - top);
    Unit { label, bounds: Window { left, top, width, height }, runs }
}

/// Parts have fewer pixels than 32 bits can count.
pub(super) fn run(y: usize, start: usize, end: usize) -> Run {
    Run { y: y as u32, start: start as u32, end: end as u32 }
}
