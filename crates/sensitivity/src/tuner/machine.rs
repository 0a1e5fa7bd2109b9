//! Methods that go from step to step and know which points they need before the next one. Points that were run before are
//! known and cost nothing.

use super::AskPoints;
use super::grid::GridPoint;
use super::history::{TuneBoard, TuneState};
use crate::random::RandomStream;

/// An algorithm over points of the unit cube.
pub(super) trait Steps: std::fmt::Debug + Send {
    /// The points whose losses the next step needs.
    fn needs(&self) -> &[Vec<f64>];
    /// The next step, with these losses.
    fn step(&mut self, losses: &[f64]);
    /// Whether its points are so near to each other that nothing will change.
    fn is_over(&self, board: &TuneBoard) -> bool;
    /// Begins anew somewhere else.
    fn restart(&mut self, board: &TuneBoard, stream: &mut RandomStream);
}

/// Runs an algorithm on the grid.
#[derive(Debug)]
pub(super) struct Machine<S> {
    steps: S,
}

/// Steps among known points before it gives up for now.
const MOST_STEPS: usize = 300;

impl<S: Steps> Machine<S> {
    pub(super) fn new(steps: S) -> Self {
        Self { steps }
    }
}

impl<S: Steps> AskPoints for Machine<S> {
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        for _ in 0..MOST_STEPS {
            let points: Vec<GridPoint> = self.steps.needs().iter().map(|unit| to_grid(board, unit)).collect();
            if let Some(free) = points.iter().find(|point| board.is_free(point)) {
                return Some(free.clone());
            }
            let losses: Option<Vec<f64>> = points.iter().map(|point| loss(board, point)).collect();
            self.steps.step(&losses?);
            if self.steps.is_over(board) {
                self.steps.restart(board, stream);
            }
        }
        self.steps.restart(board, stream);
        None
    }
}

/// The loss of a point that is known; one that a constraint excludes is worse than all.
fn loss(board: &TuneBoard, point: &GridPoint) -> Option<f64> {
    let Some(row) = board.history.row_at(point) else { return Some(f64::INFINITY) };
    match &board.history.rows()[row].outcome {
        TuneState::Pending => None,
        TuneState::Failed => Some(f64::INFINITY),
        TuneState::Losses(losses) => losses.first().copied(),
    }
}

/// The point of the grid in whose cell a point of the unit cube lies.
pub(super) fn to_grid(board: &TuneBoard, unit: &[f64]) -> GridPoint {
    let place = |(axis, unit): (&super::grid::TuneAxis, &f64)| {
        ((unit * axis.count() as f64).max(0.0) as u32).min(axis.last())
    };
    board.grid.axes().iter().zip(unit).map(place).collect()
}

/// The middle of the cell of a place.
pub(super) fn to_unit(board: &TuneBoard, at: &[f64]) -> Vec<f64> {
    let unit = |(axis, at): (&super::grid::TuneAxis, &f64)| {
        ((at + 0.5) / axis.count() as f64).clamp(0.0, 1.0 - 1e-9)
    };
    board.grid.axes().iter().zip(at).map(unit).collect()
}

/// Where a search begins: at the best row, else in the middle.
pub(super) fn origin(board: &TuneBoard) -> Vec<f64> {
    match board.history.best() {
        Some((row, _)) => to_unit(board, &board.history.rows()[row].at),
        None => vec![0.5; board.grid.axes().len()],
    }
}

/// Whether points lie in one cell of the grid.
pub(super) fn is_one_cell(board: &TuneBoard, points: &[&Vec<f64>]) -> bool {
    let first = points.first().map(|point| to_grid(board, point));
    points.iter().all(|point| Some(to_grid(board, point)) == first)
}
