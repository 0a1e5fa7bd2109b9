//! Connected components of a mask, numbered and measured.

use crate::components::runs::Runs;
use crate::{Connectivity, Cpu, Plane, View, ViewMut};

/// A mask's connected components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledComponents {
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
pub fn label(mask: View<'_, u8>, connectivity: Connectivity) -> LabelledComponents {
    let mut plane = Plane::filled(0, mask.width(), mask.height());
    let mut components = Vec::new();
    let (cpu, mut scratch) = (Cpu::default(), Runs::default());
    label_into(cpu, mask, connectivity, plane.view_mut(), &mut components, &mut scratch);
    LabelledComponents { plane, components }
}

/// [`label`] into existing memory: the components replace the content of `components`.
///
/// The time grows with the number of runs of pixels in a row, some 7 ns for each. Tissue has few; masks with a run at every
/// second pixel (combs, checkerboards) take about seven times as long as tissue, because each run's ends, label and box are
/// found one by one.
pub fn label_into(
    cpu: Cpu,
    mask: View<'_, u8>,
    connectivity: Connectivity,
    target: ViewMut<'_, u32>,
    components: &mut Vec<Component>,
    scratch: &mut Runs,
) {
    scratch.label(cpu, mask.into(), connectivity, target, components);
}
