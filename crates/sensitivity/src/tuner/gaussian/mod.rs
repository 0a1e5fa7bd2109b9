//! A Gaussian process over the points: the next row is the one of which the largest improvement is expected.

mod acquisition;
mod cholesky;
mod kernel;
mod posterior;

use super::AskPoints;
use super::grid::GridPoint;
use super::history::TuneBoard;
use super::parzen::pending;
use super::scalar::Direction;
use crate::random::RandomStream;
use acquisition::Acquisition;
use kernel::{Features, KernelScales};
use posterior::Posterior;

/// The process: what it learned of the lengths over which parameters matter.
#[derive(Debug, Default)]
pub(super) struct Gaussian {
    scales: Option<KernelScales>,
    /// Rows when the lengths were fitted last.
    fitted: usize,
}

/// Lengths are fitted with at most so many rows: the best and the newest.
const MOST_FITTED: usize = 200;
/// The process itself has at most so many rows.
const MOST_ROWS: usize = 600;

impl Gaussian {
    /// The rows that the model stands on, and their losses, so that the best is 0 and most lie around 1.
    fn data(board: &TuneBoard, direction: Option<&Direction>) -> (Vec<usize>, Vec<f64>) {
        let history = &board.history;
        let loss = |row: usize| match direction {
            Some(direction) => direction.loss(board, row),
            None => history.finite_loss(row),
        };
        let mut rows: Vec<(f64, usize)> = history.told().iter().map(|row| (loss(*row), *row)).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        rows.truncate(MOST_ROWS);
        let losses = warped(&rows.iter().map(|(loss, _)| *loss).collect::<Vec<_>>());
        (rows.into_iter().map(|(_, row)| row).collect(), losses)
    }

    /// Learns the lengths from the rows, best first; every row while there are few, later now and then.
    fn fit(&mut self, board: &TuneBoard, features: &Features, losses: &[f64], told: usize) {
        let due = self.fitted + (told / 50).max(1);
        let dimensions = board.grid.axes().len();
        let fresh = self.scales.is_none();
        if !fresh && told < due {
            return;
        }
        self.fitted = told;
        let mut scales = self.scales.take().unwrap_or_else(|| KernelScales::new(dimensions));
        let taken = losses.len().min(MOST_FITTED);
        let places = fitted_places(losses.len(), taken);
        let part = features.subset(&places);
        let targets: Vec<f64> = places.iter().map(|place| losses[*place]).collect();
        let steps = if fresh { 60 } else { 8 };
        scales.fit(&part, &targets, steps);
        self.scales = Some(scales);
    }
}

/// Half of them the best, the others evenly spread over the rest.
fn fitted_places(all: usize, taken: usize) -> Vec<usize> {
    if all == taken {
        return (0..all).collect();
    }
    let best = taken / 2;
    let rest = taken - best;
    (0..best).chain((0..rest).map(|i| best + i * (all - best) / rest)).collect()
}

/// From so many of these units on losses count half.
const FAR: f64 = 2.0;
/// An improvement counts from so many standard deviations of the losses below the best one: a search that is content with
/// less stays near a good row that is not the best. For every third row each improvement counts, so that its end is found.
const LEAST_GAIN: f64 = 0.03;
const CONTENT: usize = 3;

/// Losses in units of the distance between the best and the median; how much worse than the median hardly matters.
fn warped(sorted: &[f64]) -> Vec<f64> {
    let (best, median) = (sorted[0], sorted[sorted.len() / 2]);
    let scale = if median > best { median - best } else { sorted[sorted.len() - 1] - best };
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let warp = |loss: &f64| {
        let x = (loss - best) / scale;
        if x <= FAR { x } else { FAR + 0.5 * (x - FAR) }
    };
    sorted.iter().map(warp).collect()
}

/// The standard deviation of losses.
fn deviation(losses: &[f64]) -> f64 {
    let count = losses.len().max(1) as f64;
    let mean = losses.iter().sum::<f64>() / count;
    (losses.iter().map(|loss| (loss - mean) * (loss - mean)).sum::<f64>() / count).sqrt()
}

impl AskPoints for Gaussian {
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        if board.history.told().is_empty() {
            return None;
        }
        let direction = Direction::next(board, stream);
        let (rows, losses) = Self::data(board, direction.as_ref());
        let features = Features::of_rows(board, &rows);
        self.fit(board, &features, &losses, board.history.told().len());
        let scales = self.scales.clone()?;
        let mut posterior = Posterior::new(features, &losses, &scales)?;
        // What is pending is believed to give what is expected of it: the next proposal goes elsewhere.
        for row in pending(board) {
            posterior.believe(&Features::of_row(board, row));
        }
        let incumbents: Vec<GridPoint> =
            rows.iter().take(5).map(|row| board.grid.nearest(&board.history.rows()[*row].at)).collect();
        let is_content = board.history.rows().len().is_multiple_of(CONTENT);
        let least = if is_content { 0.0 } else { LEAST_GAIN * deviation(&losses) };
        let best = losses.first().copied().unwrap_or(0.0) - least;
        Acquisition::new(board, &posterior, best).maximise(&incumbents, stream)
    }
}
