//! Connected components of a mask, numbered and measured.

use crate::runs::Runs;
use crate::{Connectivity, Machine, Plane, View, ViewMut};

/// A mask's connected components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// 0 outside the mask; inside it `n` for the component at `n - 1` of `components`.
    pub plane: Plane<u32>,
    /// In raster order of their first pixels.
    pub components: Vec<Component>,
}

/// One connected component: its size and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Number of pixels.
    pub area: u64,
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Column after the last.
    pub right: usize,
    /// Row after the last.
    pub bottom: usize,
    /// Column and row of the first pixel in raster order.
    pub first: (usize, usize),
}

/// Numbers the connected components of the pixels that are not 0; a plane holds up to 2³² − 1 of them.
pub fn label(mask: View<'_, u8>, connectivity: Connectivity) -> Labels {
    let mut plane = Plane::filled(0, mask.width(), mask.height());
    let mut components = Vec::new();
    let (machine, mut scratch) = (Machine::default(), Runs::default());
    label_into(machine, mask, connectivity, plane.view_mut(), &mut components, &mut scratch);
    Labels { plane, components }
}

/// [`label`] into memory that exists: the components replace what `components` held.
///
/// The time grows with the number of runs of pixels in a row, some 7 ns for each. Tissue has few; masks with a run at every
/// second pixel (combs, checkerboards) take about seven times as long as tissue, because each run's ends, label and box are
/// found one by one.
pub fn label_into(
    machine: Machine,
    mask: View<'_, u8>,
    connectivity: Connectivity,
    target: ViewMut<'_, u32>,
    components: &mut Vec<Component>,
    scratch: &mut Runs,
) {
    scratch.label(machine, mask.into(), connectivity, target, components);
}
