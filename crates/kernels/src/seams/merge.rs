//! Components of a mask given tile by tile: numbered within tiles, and joined where they touch across seams.

use super::SeamGrid;
use crate::components::{ComponentRun, Runs};
use crate::{Component, Connectivity, View, ViewMut, Window};

/// A fact about a component, merged from the facts about its pieces.
pub(super) trait Fact: Copy {
    fn join(self, other: Self) -> Self;
}

/// An amount: the sum over the pieces.
impl Fact for u64 {
    fn join(self, other: Self) -> Self {
        self + other
    }
}

/// A condition: true if it is true for a piece.
impl Fact for bool {
    fn join(self, other: Self) -> Self {
        self | other
    }
}

impl Fact for Component {
    fn join(self, other: Self) -> Self {
        let earlier = (self.first.1, self.first.0) < (other.first.1, other.first.0);
        Self {
            area: self.area + other.area,
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
            first: if earlier { self.first } else { other.first },
        }
    }
}

/// Whether components of the foreground or of the background are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileSide {
    Foreground,
    Background,
}

/// The first pass over the tiles.
#[derive(Clone, Debug)]
pub(super) struct ComponentMerger<F> {
    grid: SeamGrid,
    connectivity: Connectivity,
    side: TileSide,
    pieces: TilePieces<F>,
    /// The lowest row of the tiles above, column by column of the image, and that of the tiles of this row so far.
    above: Vec<Option<usize>>,
    lowest: Vec<Option<usize>>,
    /// The last column of the tile to the left.
    left: Vec<Option<usize>>,
    runs: Runs,
}

/// Components within tiles, in the order of visits.
#[derive(Clone, Debug)]
struct TilePieces<F> {
    /// For each an earlier one of the same component, or itself.
    links: Vec<usize>,
    facts: Vec<F>,
    /// The first piece of each tile.
    starts: Vec<usize>,
}

impl<F: Fact> ComponentMerger<F> {
    pub(super) fn new(grid: &SeamGrid, connectivity: Connectivity, side: TileSide) -> Self {
        let pieces = TilePieces { links: Vec::new(), facts: Vec::new(), starts: Vec::new() };
        let width = grid.image().width;
        let (above, lowest) = (vec![None; width], vec![None; width]);
        let (left, runs) = (Vec::new(), Runs::default());
        Self { grid: grid.clone(), connectivity, side, pieces, above, lowest, left, runs }
    }

    /// Adds the next tile; `fact` gives the fact about one run of pixels, whose row and columns are relative to the tile's
    /// window.
    pub(super) fn visit(&mut self, mask: View<'_, u8>, fact: impl Fn(Window, usize, ComponentRun) -> F) {
        let tile = self.pieces.starts.len();
        let window = self.grid.window(tile);
        if tile.is_multiple_of(self.grid.across()) {
            std::mem::swap(&mut self.above, &mut self.lowest);
            self.left.clear();
        }
        find(&mut self.runs, mask, self.connectivity, self.side);
        self.pieces.append(&self.runs, |y, run| fact(window, y, run));
        if !mask.is_empty() {
            self.join_above(window);
            self.join_left(window);
            self.remember(window);
        }
    }

    /// Joins the first row with the row above it, also at the corners of the tile.
    fn join_above(&mut self, window: Window) {
        if window.top == 0 {
            return;
        }
        let reach = self.connectivity.reach();
        let start = self.pieces.last_start();
        for run in self.runs.row(0) {
            let from = (window.left + run.start).saturating_sub(reach);
            let to = (window.left + run.end + reach).min(self.above.len());
            let touching = self.above[from..to].iter().flatten();
            touching.for_each(|piece| self.pieces.join(*piece, start + run.component));
        }
    }

    /// Joins the first column with the last one of the tile to the left.
    fn join_left(&mut self, window: Window) {
        if window.left == 0 {
            return;
        }
        let reach = self.connectivity.reach();
        let start = self.pieces.last_start();
        for y in 0..window.height {
            let Some(run) = self.runs.row(y).next().filter(|run| run.start == 0) else { continue };
            let touching = self.left[y.saturating_sub(reach)..(y + reach + 1).min(window.height)].iter();
            touching.flatten().for_each(|piece| self.pieces.join(*piece, start + run.component));
        }
    }

    /// Keeps the last row and the last column for the tiles to come.
    fn remember(&mut self, window: Window) {
        let start = self.pieces.last_start();
        let lowest = &mut self.lowest[window.left..window.left + window.width];
        lowest.fill(None);
        for run in self.runs.row(window.height - 1) {
            lowest[run.start..run.end].fill(Some(start + run.component));
        }
        let last = |y| self.runs.row(y).last().filter(|run| run.end == window.width);
        self.left.clear();
        self.left.extend((0..window.height).map(|y| last(y).map(|run| start + run.component)));
    }

    /// Bytes of memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.pieces.bytes() + (self.above.len() + self.lowest.len()) * size_of::<Option<usize>>()
    }

    /// The merged components, after all tiles were visited.
    pub(super) fn merged(self) -> MergedComponents<F> {
        let Self { connectivity, side, mut pieces, .. } = self;
        pieces.resolve();
        MergedComponents { connectivity, side, pieces }
    }
}

impl<F: Fact> TilePieces<F> {
    fn bytes(&self) -> usize {
        self.links.capacity() * size_of::<usize>() + self.facts.capacity() * size_of::<F>()
    }

    fn append(&mut self, runs: &Runs, fact: impl Fn(usize, ComponentRun) -> F) {
        let start = self.links.len();
        self.starts.push(start);
        self.links.extend(start..start + runs.components());
        for (y, run) in runs.iter() {
            // Components count in the order of their first runs.
            match self.facts.get_mut(start + run.component) {
                Some(known) => *known = known.join(fact(y, run)),
                None => self.facts.push(fact(y, run)),
            }
        }
    }

    fn last_start(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first(one), self.first(other));
        self.links[one.max(other)] = one.min(other);
    }

    /// Follows the links to the first piece, with path halving.
    fn first(&mut self, mut piece: usize) -> usize {
        while self.links[piece] != piece {
            self.links[piece] = self.links[self.links[piece]];
            piece = self.links[piece];
        }
        piece
    }

    /// Links every piece to the first of its component, and merges their facts there.
    fn resolve(&mut self) {
        for piece in 0..self.links.len() {
            // An earlier piece has its final link already.
            let first = self.links[self.links[piece]];
            self.links[piece] = first;
            if first != piece {
                self.facts[first] = self.facts[first].join(self.facts[piece]);
            }
        }
    }
}

/// The merged components, for the second pass.
#[derive(Clone, Debug)]
pub(super) struct MergedComponents<F> {
    connectivity: Connectivity,
    side: TileSide,
    pieces: TilePieces<F>,
}

impl<F: Fact> MergedComponents<F> {
    /// The components, each with the number of its first piece.
    pub(super) fn components(&self) -> impl Iterator<Item = (usize, &F)> {
        let pieces = self.pieces.links.iter().zip(&self.pieces.facts).enumerate();
        pieces.filter(|(piece, (link, _))| piece == *link).map(|(piece, (_, fact))| (piece, fact))
    }

    /// Bytes of memory in use.
    pub(super) fn bytes(&self) -> usize {
        self.pieces.bytes()
    }

    /// Number of pieces.
    pub(super) fn pieces(&self) -> usize {
        self.pieces.links.len()
    }

    /// Calls `give` for each run of a tile with the first piece of its component; the mask is that of the first pass.
    pub(super) fn each_run(
        &self,
        tile: usize,
        mask: View<'_, u8>,
        mut give: impl FnMut(usize, ComponentRun, usize),
    ) {
        let mut runs = Runs::default();
        find(&mut runs, mask, self.connectivity, self.side);
        let start = self.pieces.starts[tile];
        runs.iter().for_each(|(y, run)| give(y, run, self.pieces.links[start + run.component]));
    }

    /// Sets the pixels of the components that `keep` accepts to `value`.
    pub(super) fn paint(
        &self,
        tile: usize,
        mask: View<'_, u8>,
        mut target: ViewMut<'_, u8>,
        value: u8,
        keep: impl Fn(F) -> bool,
    ) {
        self.each_run(tile, mask, |y, run, first| {
            if keep(self.pieces.facts[first]) {
                target.row_mut(y)[run.start..run.end].fill(value);
            }
        });
    }
}

fn find(runs: &mut Runs, mask: View<'_, u8>, connectivity: Connectivity, side: TileSide) {
    match side {
        TileSide::Foreground => runs.find_foreground(mask.into(), connectivity),
        TileSide::Background => runs.find_background(mask.into(), connectivity),
    }
}
