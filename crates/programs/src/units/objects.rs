//! Objects of a region: the 8-connected components of a mask, or the numbers of an image of labels.

use std::collections::BTreeMap;

use onceflow_kernels::dense::{grey, labels};
use onceflow_kernels::{Connectivity, Objects};
use onceflow_region::Dense;

use super::set::{Unit, UnitRun};

/// The objects of a mask or an image of labels; none for other pixels.
pub(super) fn objects(dense: &Dense) -> Option<Vec<Unit>> {
    if let Some(mask) = grey(dense) {
        let found = Objects::of(mask, Connectivity::Eight);
        let run = |(y, columns): (usize, std::ops::Range<usize>)| UnitRun::new(y, columns.start, columns.end);
        let object = |object| Unit::new(0, found.rows(object).map(run).collect());
        return Some((0..found.len()).map(object).collect());
    }
    let plane = labels(dense)?;
    let mut numbered: BTreeMap<u32, Vec<UnitRun>> = BTreeMap::new();
    for y in 0..plane.height() {
        let mut start = 0;
        for same in plane.row(y).chunk_by(|one, other| one == other) {
            let end = start + same.len();
            if let Some(label) = same.first().filter(|label| **label != 0) {
                numbered.entry(*label).or_default().push(UnitRun::new(y, start, end));
            }
            start = end;
        }
    }
    Some(numbered.into_iter().map(|(label, runs)| Unit::new(label, runs)).collect())
}
