//! Connected components of a mask as runs of pixels: the one union-find behind labelling, area filters, selection and
//! filling.

use crate::{Connectivity, ON, Plane, View};

/// The runs of a mask, row by row from the left, each with its component.
pub(crate) struct Runs {
    width: usize,
    runs: Vec<Run>,
    /// Where each row's runs begin in `runs`, and where the last row's end.
    row_starts: Vec<usize>,
    components: usize,
}

/// Neighbouring pixels of one row, `start` inclusive and `end` exclusive.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Components count from 0 in raster order of their first pixels.
    pub(crate) component: usize,
}

impl Runs {
    /// The components of the pixels that are not 0.
    pub(crate) fn of_foreground(mask: View<'_, u8>, connectivity: Connectivity) -> Self {
        Self::of(mask, connectivity, |pixel| pixel != 0)
    }

    /// The components of the pixels that are 0.
    pub(crate) fn of_background(mask: View<'_, u8>, connectivity: Connectivity) -> Self {
        Self::of(mask, connectivity, |pixel| pixel == 0)
    }

    fn of(mask: View<'_, u8>, connectivity: Connectivity, member: impl Fn(u8) -> bool + Copy) -> Self {
        let mut runs = Vec::new();
        let mut row_starts = vec![0];
        let mut previous = 0..0;
        for row in mask.rows() {
            let current = runs.len();
            append_row(&mut runs, row, member);
            join_rows(&mut runs, previous, current, connectivity);
            previous = current..runs.len();
            row_starts.push(runs.len());
        }
        let components = number_components(&mut runs);
        Self { width: mask.width(), runs, row_starts, components }
    }

    /// How many components there are.
    pub(crate) fn components(&self) -> usize {
        self.components
    }

    /// Height of the mask.
    pub(crate) fn height(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// The runs of row `y`, from the left.
    pub(crate) fn row(&self, y: usize) -> &[Run] {
        &self.runs[self.row_starts[y]..self.row_starts[y + 1]]
    }

    /// Every run with its row, in raster order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Run)> + '_ {
        (0..self.height()).flat_map(move |y| self.row(y).iter().map(move |run| (y, *run)))
    }

    /// A mask of the components that `keep` names.
    pub(crate) fn paint(&self, keep: impl Fn(usize) -> bool) -> Plane<u8> {
        let mut mask = Plane::filled(0, self.width, self.height());
        for (y, run) in self.iter().filter(|(_, run)| keep(run.component)) {
            mask.view_mut().row_mut(y)[run.start..run.end].fill(ON);
        }
        mask
    }
}

/// Adds one row's runs, each a component of its own: until the numbers are given, `component` is a link to an earlier
/// run of the same component, or the run's own index.
fn append_row(runs: &mut Vec<Run>, row: &[u8], member: impl Fn(u8) -> bool) {
    let mut from = 0;
    while let Some(gap) = row[from..].iter().position(|pixel| member(*pixel)) {
        let start = from + gap;
        let length = row[start..].iter().position(|pixel| !member(*pixel));
        let end = length.map_or(row.len(), |length| start + length);
        runs.push(Run { start, end, component: runs.len() });
        from = end;
    }
}

/// Joins the runs from `current` on with those of the row above that touch them.
fn join_rows(runs: &mut [Run], previous: std::ops::Range<usize>, current: usize, connectivity: Connectivity) {
    let reach = connectivity.reach();
    let mut above = previous.start;
    for below in current..runs.len() {
        let Run { start, end, .. } = runs[below];
        while above < previous.end && runs[above].end + reach <= start {
            above += 1;
        }
        let mut touching = above;
        while touching < previous.end && runs[touching].start < end + reach {
            join(runs, touching, below);
            touching += 1;
        }
    }
}

/// Links the later of two first runs to the earlier one, so that a component's first run stays its first in raster order.
fn join(runs: &mut [Run], one: usize, other: usize) {
    let (one, other) = (first_run(runs, one), first_run(runs, other));
    runs[one.max(other)].component = one.min(other);
}

/// Follows the links to the first run, and halves the way for those who come later.
fn first_run(runs: &mut [Run], mut index: usize) -> usize {
    while runs[index].component != index {
        let next = runs[runs[index].component].component;
        runs[index].component = next;
        index = next;
    }
    index
}

/// Replaces links by numbers; a link leads to an earlier run, which has its number already.
fn number_components(runs: &mut [Run]) -> usize {
    let mut components = 0;
    for index in 0..runs.len() {
        let link = runs[index].component;
        runs[index].component = if link == index { components } else { runs[link].component };
        components += usize::from(link == index);
    }
    components
}
