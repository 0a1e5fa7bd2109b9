//! Components kept by their size.

use crate::components::runs::{Runs, is_within};
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// Keeps the components of `mask` with `lowest <= pixels < end`; without an `end` every larger one stays.
pub fn filter_area(
    mask: View<'_, u8>,
    lowest: i64,
    end: Option<i64>,
    connectivity: Connectivity,
) -> Plane<u8> {
    let mut result = Plane::filled(0, mask.width(), mask.height());
    let (cpu, mut scratch) = (Cpu::default(), Runs::default());
    filter_area_into(cpu, mask, lowest, end, connectivity, result.view_mut(), &mut scratch);
    result
}

/// [`filter_area`] into existing memory. As with [`crate::label_into`] the time grows with the number of runs.
pub fn filter_area_into(
    cpu: Cpu,
    mask: View<'_, u8>,
    lowest: i64,
    end: Option<i64>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut Runs,
) {
    scratch.keep(cpu, mask.into(), connectivity, |area| is_within(area, lowest, end), target);
}
