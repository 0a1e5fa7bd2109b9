//! What a tuner knows: the rows it proposed or was told of, in the order of their numbers.

use std::collections::HashMap;

use super::grid::{GridPoint, TuneGrid};
use crate::random::RandomStream;

/// All rows.
#[derive(Clone, Debug, Default)]
pub(super) struct TuneHistory {
    rows: Vec<TuneRow>,
    by_point: HashMap<GridPoint, usize>,
    /// Rows that were told, in the order in which methods learn of them.
    told: Vec<usize>,
    /// The row with the least loss.
    best: Option<(usize, f64)>,
    /// The largest loss.
    worst: f64,
}

/// A row.
#[derive(Clone, Debug)]
pub(super) struct TuneRow {
    /// Its point; `None` when one of its values is in no list.
    pub(super) point: Option<GridPoint>,
    /// Where it lies among the points.
    pub(super) at: Vec<f64>,
    /// What became of it.
    pub(super) outcome: TuneState,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TuneState {
    /// It was proposed.
    Pending,
    /// One loss for each objective; less is better.
    Losses(Vec<f64>),
    /// It has no value.
    Failed,
}

impl TuneRow {
    /// The loss that methods for one objective look at: a failure is worse than everything.
    pub(super) fn loss(&self) -> Option<f64> {
        match &self.outcome {
            TuneState::Pending => None,
            TuneState::Losses(losses) => losses.first().copied(),
            TuneState::Failed => Some(f64::INFINITY),
        }
    }
}

impl TuneHistory {
    pub(super) fn rows(&self) -> &[TuneRow] {
        &self.rows
    }

    /// The rows that were told.
    pub(super) fn told(&self) -> &[usize] {
        &self.told
    }

    /// Adds a row; its number is its place.
    pub(super) fn add(&mut self, row: TuneRow) -> usize {
        let number = self.rows.len();
        if let Some(point) = &row.point {
            self.by_point.entry(point.clone()).or_insert(number);
        }
        self.rows.push(row);
        number
    }

    /// Says what became of a row. Methods learn of it by [`TuneHistory::publish`].
    pub(super) fn set(&mut self, row: usize, outcome: TuneState) {
        self.rows[row].outcome = outcome;
    }

    /// Adds a row that has its outcome to those that methods know.
    pub(super) fn publish(&mut self, row: usize) {
        self.told.push(row);
        let Some(loss) = self.rows[row].loss().filter(|loss| loss.is_finite()) else { return };
        self.worst = if self.best.is_none() { loss } else { self.worst.max(loss) };
        if self.best.is_none_or(|(_, best)| loss < best) {
            self.best = Some((row, loss));
        }
    }

    /// The told row with the least loss: of equal ones the first.
    pub(super) fn best(&self) -> Option<(usize, f64)> {
        self.best
    }

    /// The loss of a row for methods that compute with it: a failure has the largest loss that was seen.
    pub(super) fn finite_loss(&self, row: usize) -> f64 {
        self.rows[row].loss().filter(|loss| loss.is_finite()).unwrap_or(self.worst)
    }

    pub(super) fn row_at(&self, point: &[u32]) -> Option<usize> {
        self.by_point.get(point).copied()
    }

    pub(super) fn has(&self, point: &[u32]) -> bool {
        self.by_point.contains_key(point)
    }
}

/// What methods see.
#[derive(Clone, Debug)]
pub(super) struct TuneBoard {
    pub(super) grid: TuneGrid,
    pub(super) history: TuneHistory,
    pub(super) objectives: usize,
    pub(super) seed: u64,
}

impl TuneBoard {
    /// Whether a point may be proposed.
    pub(super) fn is_free(&self, point: &[u32]) -> bool {
        !self.history.has(point) && self.grid.allows(point)
    }

    /// A random point that may be proposed.
    pub(super) fn random(&self, stream: &mut RandomStream) -> Option<GridPoint> {
        /// In a space that is nearly used up, scanning finds the rest.
        const TRIES: usize = 200;
        (0..TRIES).filter_map(|_| self.grid.any(stream)).find(|point| !self.history.has(point))
    }

    /// A free point near another one: one to three of its values change.
    pub(super) fn near(&self, point: &[u32], stream: &mut RandomStream) -> Option<GridPoint> {
        const TRIES: usize = 100;
        let moved = |stream: &mut RandomStream| {
            let mut moved: GridPoint = point.into();
            for _ in 0..=stream.below(3) {
                let axis = stream.below(moved.len() as u64) as usize;
                moved[axis] = self.step(axis, moved[axis], stream);
            }
            moved
        };
        (0..TRIES).map(|_| moved(stream)).find(|point| self.is_free(point))
    }

    /// Another value of a parameter: near ones more often, where near has a meaning.
    pub(super) fn step(&self, axis: usize, place: u32, stream: &mut RandomStream) -> u32 {
        let axis = &self.grid.axes()[axis];
        let count = axis.count() as u64;
        if !axis.ordered || count < 3 {
            let other = stream.below(count.max(2) - 1) as u32;
            return (other + u32::from(other >= place)).min(axis.last());
        }
        let reach = 1 + (stream.unit() * stream.unit() * (count as f64 / 4.0)) as u32;
        let up = stream.bits() & 1 == 0;
        let moved = if up { place.saturating_add(reach) } else { place.saturating_sub(reach) };
        moved.min(axis.last())
    }
}
