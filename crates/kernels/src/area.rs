//! Components kept by their size.

use crate::runs::Runs;
use crate::{Connectivity, ON, Plane, View, ViewMut};

/// Keeps the components of `mask` with `lowest <= pixels < end`; without an `end` every larger one stays.
pub fn filter_area(
    mask: View<'_, u8>,
    lowest: i64,
    end: Option<i64>,
    connectivity: Connectivity,
) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    filter_area_into(mask, lowest, end, connectivity, result.view_mut(), &mut Runs::default());
    result
}

/// [`filter_area`] into memory that exists.
pub fn filter_area_into(
    mask: View<'_, u8>,
    lowest: i64,
    end: Option<i64>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.find_foreground(mask, connectivity);
    scratch.sum(|_, run| (run.end - run.start) as u64);
    scratch.paint(target, |area| lowest <= area as i64 && end.is_none_or(|end| (area as i64) < end), ON);
}
