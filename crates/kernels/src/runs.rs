//! Connected components of a mask as runs of pixels: the one union-find behind labelling, area filters, selection and
//! filling.

use crate::bits;
use crate::{Connectivity, ON, View, ViewMut};

/// The runs of a mask, row by row from the left, each with its component; as scratch it may be used again for another
/// mask, and then needs no new memory. The time grows with the number of runs.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    runs: Vec<Linked>,
    /// Where each row's runs begin in `runs`, and where the last row's end.
    row_starts: Vec<usize>,
    components: usize,
    /// What an operation found out about each component.
    areas: Vec<u64>,
    /// One row as bits, and the columns where they change.
    words: Vec<u64>,
    edges: Vec<u32>,
}

/// Neighbouring pixels of one row, `start` inclusive and `end` exclusive.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Components count from 0 in raster order of their first pixels.
    pub(crate) component: usize,
}

/// A run in little memory. Until the numbers are given, `component` is a link to an earlier run of the same component, or
/// the run's own index.
#[derive(Clone, Copy, Debug)]
struct Linked {
    start: u32,
    end: u32,
    component: u32,
}

impl Linked {
    #[inline(always)]
    fn component(self) -> usize {
        self.component as usize
    }

    #[inline(always)]
    fn run(self) -> Run {
        Run { start: self.start as usize, end: self.end as usize, component: self.component() }
    }
}

/// Which pixels' components are sought.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Foreground,
    Background,
}

impl Runs {
    /// The components of the pixels that are not 0.
    pub(crate) fn of_foreground(mask: View<'_, u8>, connectivity: Connectivity) -> Self {
        let mut runs = Self::default();
        runs.find_foreground(mask, connectivity);
        runs
    }

    /// Finds the components of the pixels that are not 0.
    pub(crate) fn find_foreground(&mut self, mask: View<'_, u8>, connectivity: Connectivity) {
        self.find(mask, connectivity, Side::Foreground);
    }

    /// Finds the components of the pixels that are 0.
    pub(crate) fn find_background(&mut self, mask: View<'_, u8>, connectivity: Connectivity) {
        self.find(mask, connectivity, Side::Background);
    }

    fn find(&mut self, mask: View<'_, u8>, connectivity: Connectivity, side: Side) {
        self.runs.clear();
        self.row_starts.clear();
        self.row_starts.push(0);
        let mut previous = 0;
        for row in mask.rows() {
            let current = self.runs.len();
            self.append_row(row, side);
            join_rows(&mut self.runs, previous, current, connectivity);
            previous = current;
            self.row_starts.push(self.runs.len());
        }
        self.components = number_components(&mut self.runs);
    }

    /// Adds one row's runs, each a component of its own.
    fn append_row(&mut self, row: &[u8], side: Side) {
        bits::pack(row, &mut self.words);
        if side == Side::Background {
            bits::invert(&mut self.words, row.len());
        }
        bits::edges(&self.words, row.len(), &mut self.edges);
        let from = self.runs.len() as u32;
        let numbered = self.edges.as_chunks().0.iter().zip(from..);
        self.runs.extend(numbered.map(|(&[start, end], component)| Linked { start, end, component }));
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
    #[inline(always)]
    pub(crate) fn row(&self, y: usize) -> impl Iterator<Item = Run> + '_ {
        self.runs[self.row_starts[y]..self.row_starts[y + 1]].iter().map(|run| run.run())
    }

    /// Every run with its row, in raster order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, Run)> + '_ {
        (0..self.height()).flat_map(move |y| self.row(y).map(move |run| (y, run)))
    }

    /// Sums up a number over the runs of each component.
    pub(crate) fn sum(&mut self, of: impl Fn(usize, Run) -> u64) {
        let mut areas = std::mem::take(&mut self.areas);
        areas.clear();
        areas.resize(self.components, 0);
        self.iter().for_each(|(y, run)| areas[run.component] += of(y, run));
        self.areas = areas;
    }

    /// The same, with the bits of another mask's row at hand.
    pub(crate) fn sum_by_row(
        &mut self,
        mut pack: impl FnMut(usize, &mut Vec<u64>),
        of: impl Fn(&[u64], Run) -> u64,
    ) {
        self.areas.clear();
        self.areas.resize(self.components, 0);
        for (y, row) in self.row_starts.windows(2).enumerate() {
            pack(y, &mut self.words);
            for run in &self.runs[row[0]..row[1]] {
                self.areas[run.component()] += of(&self.words, run.run());
            }
        }
    }

    /// Writes a mask of the components whose sum `keep` accepts, or of everything else.
    pub(crate) fn paint(&self, mut target: ViewMut<'_, u8>, keep: impl Fn(u64) -> bool, inside: u8) {
        for y in 0..self.height() {
            let row = target.row_mut(y);
            row.fill(ON - inside);
            for run in self.row(y).filter(|run| keep(self.areas[run.component])) {
                row[run.start..run.end].fill(inside);
            }
        }
    }
}

/// Joins the runs from `current` on with those of the row above that touch them.
fn join_rows(runs: &mut [Linked], previous: usize, current: usize, connectivity: Connectivity) {
    let reach = connectivity.reach() as u32;
    let mut above = previous;
    for below in current..runs.len() {
        let Linked { start, end, .. } = runs[below];
        while above < current && runs[above].end + reach <= start {
            above += 1;
        }
        // The last run above that touches may touch the next one below as well.
        while above < current && runs[above].start < end + reach {
            join(runs, above, below);
            if runs[above].end >= end + reach {
                break;
            }
            above += 1;
        }
    }
}

/// Links the later of two first runs to the earlier one, so that a component's first run stays its first in raster order.
#[inline(always)]
fn join(runs: &mut [Linked], one: usize, other: usize) {
    let (one, other) = (first_run(runs, one), first_run(runs, other));
    runs[one.max(other)].component = one.min(other) as u32;
}

/// Follows the links to the first run, and halves the way for those who come later.
#[inline(always)]
fn first_run(runs: &mut [Linked], mut index: usize) -> usize {
    while runs[index].component() != index {
        let next = runs[runs[index].component()].component();
        runs[index].component = next as u32;
        index = next;
    }
    index
}

/// Replaces links by numbers; a link leads to an earlier run, which has its number already.
fn number_components(runs: &mut [Linked]) -> usize {
    let mut components = 0;
    for index in 0..runs.len() {
        let link = runs[index].component();
        runs[index].component = if link == index { components } else { runs[link].component };
        components += u32::from(link == index);
    }
    components as usize
}
