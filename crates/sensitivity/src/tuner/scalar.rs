//! One loss in place of several: methods for one objective look along another direction for every row.

use super::history::{TuneBoard, TuneState};
use super::ranking::front_of;
use crate::random::RandomStream;

/// How losses become one number.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    weights: Vec<f64>,
    ideal: Vec<f64>,
    scales: Vec<f64>,
    worst: f64,
}

/// Share of the weighted sum beside the largest weighted loss, which keeps points that others dominate from being equal.
const SUM_SHARE: f64 = 0.05;

impl Direction {
    /// A direction for the next row; with one objective there is only one.
    pub(super) fn next(board: &TuneBoard, stream: &mut RandomStream) -> Option<Self> {
        if board.objectives < 2 {
            return None;
        }
        let mut weights: Vec<f64> =
            (0..board.objectives).map(|_| -libm::log(1.0 - stream.unit()) + 1e-9).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let losses: Vec<&Vec<f64>> = told_losses(board).collect();
        let front: Vec<&Vec<f64>> = front_of(&losses).into_iter().map(|place| losses[place]).collect();
        let least = |of: &[&Vec<f64>], i: usize| of.iter().map(|l| l[i]).fold(f64::INFINITY, f64::min);
        let most = |of: &[&Vec<f64>], i: usize| of.iter().map(|l| l[i]).fold(f64::NEG_INFINITY, f64::max);
        let ideal: Vec<f64> = (0..board.objectives).map(|i| least(&front, i)).collect();
        let scale = |i: usize| {
            let front_range = most(&front, i) - ideal[i];
            let range = if front_range > 0.0 { front_range } else { most(&losses, i) - ideal[i] };
            if range > 0.0 { range } else { 1.0 }
        };
        let scales = (0..board.objectives).map(scale).collect();
        let mut direction = Self { weights, ideal, scales, worst: 0.0 };
        direction.worst = losses.iter().map(|l| direction.scalar(l)).fold(0.0, f64::max);
        Some(direction)
    }

    /// The loss of a row.
    pub(super) fn loss(&self, board: &TuneBoard, row: usize) -> f64 {
        match &board.history.rows()[row].outcome {
            TuneState::Losses(losses) => self.scalar(losses),
            _ => self.worst,
        }
    }

    fn scalar(&self, losses: &[f64]) -> f64 {
        let parts = (0..losses.len()).map(|i| self.weights[i] * (losses[i] - self.ideal[i]) / self.scales[i]);
        let (most, sum) = parts.fold((f64::NEG_INFINITY, 0.0), |(most, sum), x| (f64::max(most, x), sum + x));
        most + SUM_SHARE * sum
    }
}

/// The losses of all rows that have some.
pub(super) fn told_losses(board: &TuneBoard) -> impl Iterator<Item = &Vec<f64>> {
    board.history.told().iter().filter_map(|row| match &board.history.rows()[*row].outcome {
        TuneState::Losses(losses) => Some(losses),
        _ => None,
    })
}
