//! What the process expects at a point, and how sure it is.

use super::cholesky::Cholesky;
use super::kernel::{Features, KernelScales, matern, scaled_squares, square};
use crate::sums::{dot, sum_of_squares};

/// The process, given the rows.
#[derive(Clone, Debug)]
pub(super) struct Posterior {
    features: Features,
    weights: Vec<f64>,
    noise: f64,
    factor: Cholesky,
    alpha: Vec<f64>,
    targets: Vec<f64>,
    centre: f64,
    height: f64,
}

impl Posterior {
    pub(super) fn new(features: Features, targets: &[f64], scales: &KernelScales) -> Option<Self> {
        let (weights, noise, n) = (scales.weights(), scales.noise(), features.rows);
        let mut matrix: Vec<f64> =
            scaled_squares(&features, &weights).iter().map(|square| matern(*square)).collect();
        (0..n).for_each(|i| matrix[i * n + i] += noise);
        let factor = Cholesky::new(matrix, n)?;
        let solve = |right: &[f64]| factor.backward(factor.forward(right));
        let ones = solve(&vec![1.0; n]);
        let centre = dot(&ones, targets) / ones.iter().sum::<f64>();
        let residuals: Vec<f64> = targets.iter().map(|target| target - centre).collect();
        let alpha = solve(&residuals);
        let height = (dot(&alpha, &residuals) / n as f64).max(1e-12);
        Some(Self { features, weights, noise, factor, alpha, targets: targets.to_vec(), centre, height })
    }

    /// Takes the expectation at a point for what the point gives.
    pub(super) fn believe(&mut self, point: &[f64]) {
        let squares = self.squares(point);
        let (expected, _) = self.predict(&squares);
        let mut row: Vec<f64> = squares.iter().map(|square| matern(*square)).collect();
        row.push(1.0 + self.noise);
        if self.factor.push(&row).is_some() {
            self.features.push(point);
            self.targets.push(expected);
            let residuals: Vec<f64> = self.targets.iter().map(|target| target - self.centre).collect();
            self.alpha = self.factor.backward(self.factor.forward(&residuals));
        }
    }

    /// The squared scaled distances of a point to all rows.
    pub(super) fn squares(&self, point: &[f64]) -> Vec<f64> {
        let mut squares = vec![0.0; self.features.rows];
        (0..point.len()).for_each(|axis| self.add_axis(&mut squares, axis, point[axis], 1.0));
        squares
    }

    /// The same with one feature changed.
    pub(super) fn moved(&self, squares: &[f64], axis: usize, from: f64, to: f64, moved: &mut Vec<f64>) {
        moved.clear();
        let (column, weight) = (&self.features.columns[axis], self.weights[axis]);
        let ordered = self.features.ordered[axis];
        moved.extend(
            squares
                .iter()
                .zip(column)
                .map(|(s, x)| (s + weight * (square(ordered, to, *x) - square(ordered, from, *x))).max(0.0)),
        );
    }

    fn add_axis(&self, squares: &mut [f64], axis: usize, x: f64, sign: f64) {
        let (column, weight) = (&self.features.columns[axis], sign * self.weights[axis]);
        let ordered = self.features.ordered[axis];
        squares.iter_mut().zip(column).for_each(|(s, other)| *s += weight * square(ordered, x, *other));
    }

    /// The mean alone, which takes much less time.
    pub(super) fn mean(&self, squares: &[f64]) -> f64 {
        let likeness: Vec<f64> = squares.iter().map(|square| matern(*square)).collect();
        self.centre + dot(&likeness, &self.alpha)
    }

    /// Mean and standard deviation.
    pub(super) fn predict(&self, squares: &[f64]) -> (f64, f64) {
        let likeness: Vec<f64> = squares.iter().map(|square| matern(*square)).collect();
        let mean = self.centre + dot(&likeness, &self.alpha);
        let explained = sum_of_squares(&self.factor.forward(&likeness));
        (mean, (self.height * (1.0 - explained).max(1e-10)).sqrt())
    }
}
