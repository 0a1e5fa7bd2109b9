//! Connected components of a mask, numbered and measured.

use crate::runs::{Run, Runs};
use crate::{Connectivity, Plane, View, ViewMut};

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
    let mut runs = Runs::default();
    runs.find_foreground(mask, connectivity);
    write(&runs, plane.view_mut(), &mut components, |_| ());
    Labels { plane, components }
}

/// [`label`] into memory that exists: the components replace what `components` held.
pub fn label_into(
    mask: View<'_, u8>,
    connectivity: Connectivity,
    target: ViewMut<'_, u32>,
    components: &mut Vec<Component>,
    scratch: &mut Runs,
) {
    scratch.find_foreground(mask, connectivity);
    write(scratch, target, components, |row| row.fill(0));
}

/// Writes and measures components; `clear` makes a row empty.
fn write(
    runs: &Runs,
    mut target: ViewMut<'_, u32>,
    components: &mut Vec<Component>,
    clear: impl Fn(&mut [u32]),
) {
    components.clear();
    components.reserve(runs.components());
    for y in 0..runs.height() {
        let row = target.row_mut(y);
        clear(row);
        for run in runs.row(y) {
            row[run.start..run.end].fill(run.component as u32 + 1);
            match components.get_mut(run.component) {
                Some(component) => component.extend(y, run),
                None => components.push(Component::new(y, run)),
            }
        }
    }
}

impl Component {
    fn new(y: usize, run: Run) -> Self {
        let area = (run.end - run.start) as u64;
        Self { area, left: run.start, top: y, right: run.end, bottom: y + 1, first: (run.start, y) }
    }

    fn extend(&mut self, y: usize, run: Run) {
        self.area += (run.end - run.start) as u64;
        self.left = self.left.min(run.start);
        self.right = self.right.max(run.end);
        self.bottom = y + 1;
    }
}
