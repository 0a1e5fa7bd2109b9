//! Tuners: rows that look for the best values, by ask and tell.
//!
//! A tuner proposes rows in batches and is told what they gave. Its proposals follow from the space, the options and what
//! was told before the batch: not from the order in which rows of a batch are told, and not from who computes them. No row is
//! proposed twice, and none that a constraint excludes.

mod auto;
mod cma;
mod coordinates;
mod exploring;
mod flips;
mod gain;
mod gaussian;
mod genetic;
mod grid;
mod history;
mod hypervolume;
mod machine;
mod parzen;
mod rank_ordering;
mod ranking;
mod scalar;
mod simplex;
mod start;

use std::collections::BTreeMap;

use onceflow_study::{Space, TuneMethod, Value};

use crate::SampleError;
use crate::random::{RandomStream, StreamPurpose};
pub use flips::TuneFlip;
pub use gain::{GainInterval, LEAST_SLIDES, gain_interval};
use grid::{GridPoint, TuneGrid, default_values};
use history::{TuneBoard, TuneHistory, TuneRow, TuneState};
pub use hypervolume::hypervolume;
pub use ranking::pareto_front;

/// What a tuner is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct TunerOptions {
    /// How rows are proposed.
    pub method: TuneMethod,
    /// Seed of everything random.
    pub seed: u64,
    /// For each objective whether more is better.
    pub maximize: Vec<bool>,
    /// For each parameter how early the workflow reads it: parameters of late tasks change at less cost.
    pub stages: Vec<usize>,
    /// Whether the defaults are proposed first; else they are told, or not of interest.
    pub defaults_first: bool,
    /// Parameters that matter most, the first most, where an earlier analysis says so.
    pub ranking: Vec<String>,
}

impl TunerOptions {
    /// The mix of methods for one objective of which more is better.
    pub fn new(seed: u64) -> Self {
        Self {
            method: TuneMethod::Auto,
            seed,
            maximize: vec![true],
            stages: Vec::new(),
            defaults_first: true,
            ranking: Vec::new(),
        }
    }
}

/// A row to run.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneProposal {
    /// Its number: 0, 1, 2, … in the order of the proposals.
    pub number: u64,
    /// One value per parameter of the space.
    pub values: Vec<Value>,
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum TuneOutcome {
    /// One value for each objective; one that is not finite is a failure.
    Values(Vec<f64>),
    /// It has no value.
    Failed,
}

/// Why a row cannot be told.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TellError {
    /// There is no such proposal.
    #[error("expected the number of a proposed row, found {0}; to do: tell each row that `ask` gave")]
    Unknown(u64),
    /// It was told before.
    #[error("expected one result for row {0}, found another one; to do: tell each row once")]
    Twice(u64),
    /// It has not one value per objective, or per parameter.
    #[error("expected {expected} values, found {found}; to do: tell one for each")]
    Length {
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

/// Proposes rows, and learns from what they gave.
#[derive(Debug)]
pub struct Tuner {
    board: TuneBoard,
    maximize: Vec<bool>,
    method: Box<dyn AskPoints>,
    /// Rows by the numbers of their proposals.
    proposed: Vec<usize>,
    /// Told since the last batch, by the places of their rows.
    fresh: BTreeMap<usize, ()>,
    first: Option<Vec<Value>>,
    scanned: u128,
}

/// A method: told of rows in the order of their numbers, and asked for one point after the other.
trait AskPoints: std::fmt::Debug + Send {
    /// A row was told.
    fn told(&mut self, _board: &TuneBoard, _row: usize) {}

    /// The point to run next; `None` while it waits for rows that are pending, or when it has no idea.
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint>;
}

impl Tuner {
    /// A tuner of a space.
    ///
    /// # Errors
    /// When a distribution does not fit its domain, or the constraints leave too little of the space.
    pub fn new(space: &Space, options: &TunerOptions) -> Result<Self, SampleError> {
        let grid = TuneGrid::new(space, &options.stages)?;
        let first = default_values(space).filter(|_| options.defaults_first);
        let objectives = options.maximize.len().max(1);
        let board = TuneBoard { grid, history: TuneHistory::default(), objectives, seed: options.seed };
        let ranking = options.ranking.iter().filter_map(|name| space.index_of(name)).collect();
        let method = method(options, &board, ranking);
        let maximize = options.maximize.clone();
        Ok(Self { board, maximize, method, proposed: Vec::new(), fresh: BTreeMap::new(), first, scanned: 0 })
    }

    /// At most so many rows to run at once; fewer where a method must know some before it can choose others, none when
    /// every point was proposed.
    pub fn ask(&mut self, most: usize) -> Vec<TuneProposal> {
        self.learn_fresh();
        (0..most).map_while(|_| self.propose()).collect()
    }

    /// Says what became of a proposed row.
    ///
    /// # Errors
    /// When it was not proposed, was told before, or has not one value per objective.
    pub fn tell(&mut self, number: u64, outcome: &TuneOutcome) -> Result<(), TellError> {
        let row = usize::try_from(number).ok().and_then(|number| self.proposed.get(number).copied());
        let row = row.ok_or(TellError::Unknown(number))?;
        if self.board.history.rows()[row].outcome != TuneState::Pending {
            return Err(TellError::Twice(number));
        }
        let state = self.state(outcome)?;
        self.board.history.set(row, state);
        self.fresh.insert(row, ());
        Ok(())
    }

    /// Tells of a row that was not proposed, whatever its values.
    ///
    /// # Errors
    /// When it has not one value per parameter and per objective.
    pub fn learn(&mut self, values: &[Value], outcome: &TuneOutcome) -> Result<(), TellError> {
        let expected = self.board.grid.axes().len();
        if values.len() != expected {
            return Err(TellError::Length { expected, found: values.len() });
        }
        let outcome = self.state(outcome)?;
        let point = self.board.grid.point_of(values);
        let row = TuneRow { point, at: self.board.grid.locate(values), outcome };
        let row = self.board.history.add(row);
        self.fresh.insert(row, ());
        Ok(())
    }

    fn state(&self, outcome: &TuneOutcome) -> Result<TuneState, TellError> {
        let TuneOutcome::Values(values) = outcome else { return Ok(TuneState::Failed) };
        let expected = self.maximize.len();
        if values.len() != expected {
            return Err(TellError::Length { expected, found: values.len() });
        }
        if values.iter().any(|value| !value.is_finite()) {
            return Ok(TuneState::Failed);
        }
        let loss = |(value, more): (&f64, &bool)| if *more { -value } else { *value };
        Ok(TuneState::Losses(values.iter().zip(&self.maximize).map(loss).collect()))
    }

    fn learn_fresh(&mut self) {
        for row in std::mem::take(&mut self.fresh).into_keys() {
            self.board.history.publish(row);
            self.method.told(&self.board, row);
        }
    }

    fn propose(&mut self) -> Option<TuneProposal> {
        if let Some(values) = self.first.take() {
            let point = self.board.grid.point_of(&values);
            let at = self.board.grid.locate(&values);
            return Some(self.add(TuneRow { point, at, outcome: TuneState::Pending }, values));
        }
        let number = self.board.history.rows().len() as u64;
        let mut stream = RandomStream::new(self.board.seed, StreamPurpose::Tuning, number, 1);
        let wanted = self.method.ask(&self.board, &mut stream).filter(|point| self.board.is_free(point));
        let point = wanted.or_else(|| self.fallback(&mut stream))?;
        let values = self.board.grid.values(&point);
        let at = point.iter().map(|place| f64::from(*place)).collect();
        Some(self.add(TuneRow { point: Some(point), at, outcome: TuneState::Pending }, values))
    }

    fn add(&mut self, row: TuneRow, values: Vec<Value>) -> TuneProposal {
        let number = self.proposed.len() as u64;
        let row = self.board.history.add(row);
        self.proposed.push(row);
        TuneProposal { number, values }
    }

    /// A method that waits for pending rows is given time; one that has no idea gets a random point, and at the end the
    /// points that are left.
    fn fallback(&mut self, stream: &mut RandomStream) -> Option<GridPoint> {
        let history = &self.board.history;
        if history.rows().iter().rev().take(MOST_PENDING).any(|row| row.outcome == TuneState::Pending) {
            return None;
        }
        self.board.random(stream).or_else(|| {
            let history = &self.board.history;
            let (point, next) = self.board.grid.scan(self.scanned, |point| !history.has(point))?;
            self.scanned = next;
            Some(point)
        })
    }
}

/// Puts things into an order that a seed chooses.
pub fn shuffled<T>(seed: u64, things: &mut [T]) {
    RandomStream::new(seed, StreamPurpose::Tuning, 0, 3).shuffle(things);
}

/// So many rows are looked at for one that is pending.
const MOST_PENDING: usize = 4096;

fn method(options: &TunerOptions, board: &TuneBoard, ranking: Vec<usize>) -> Box<dyn AskPoints> {
    let start = || start::Start::new(board, start::rows(board));
    match options.method {
        TuneMethod::Auto => Box::new(auto::Mix::new(board, ranking)),
        TuneMethod::Random => Box::new(exploring::RandomPoints),
        TuneMethod::Tpe => Box::new(exploring::After::new(start(), parzen::Parzen::default())),
        TuneMethod::CmaEs => Box::new(cma::CmaEs::new(board)),
        TuneMethod::Gp => Box::new(exploring::After::new(start(), gaussian::Gaussian::default())),
        TuneMethod::Coordinate => {
            Box::new(exploring::After::new(start(), coordinates::Coordinates::new(ranking)))
        }
        TuneMethod::Ga => Box::new(genetic::Genetic::new(board)),
        TuneMethod::NelderMead => Box::new(machine::Machine::new(simplex::Simplex::new(board))),
        TuneMethod::Pro => Box::new(machine::Machine::new(rank_ordering::RankOrdering::new(board))),
    }
}

#[cfg(test)]
mod tests;
