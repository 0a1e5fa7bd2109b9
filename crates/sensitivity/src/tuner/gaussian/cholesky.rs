//! The factor of a positive definite matrix, which grows by rows.

use crate::sums::{dot, sum_of_squares};

/// A lower factor L, row by row, each as long as its number says.
#[derive(Clone, Debug)]
pub(super) struct Cholesky {
    rows: Vec<Vec<f64>>,
}

impl Cholesky {
    /// The factor of a matrix, of which the lower half is read; `None` unless it is positive definite.
    pub(super) fn new(matrix: Vec<f64>, size: usize) -> Option<Self> {
        let mut factor = Self { rows: Vec::with_capacity(size) };
        for i in 0..size {
            factor.push(&matrix[i * size..][..=i])?;
        }
        Some(factor)
    }

    /// Adds a row of the matrix, up to its diagonal.
    pub(super) fn push(&mut self, row: &[f64]) -> Option<()> {
        let last = self.rows.len();
        let mut own = self.forward(&row[..last]);
        let pivot = row[last] - sum_of_squares(&own);
        if pivot <= 0.0 || !pivot.is_finite() {
            return None;
        }
        own.push(pivot.sqrt());
        self.rows.push(own);
        Some(())
    }

    /// Solves L x = right.
    pub(super) fn forward(&self, right: &[f64]) -> Vec<f64> {
        let mut x = Vec::with_capacity(right.len() + 1);
        for (i, value) in right.iter().enumerate() {
            let row = &self.rows[i];
            x.push((value - dot(&row[..i], &x)) / row[i]);
        }
        x
    }

    /// Solves L' x = right.
    pub(super) fn backward(&self, mut right: Vec<f64>) -> Vec<f64> {
        for i in (0..right.len()).rev() {
            let row = &self.rows[i];
            right[i] /= row[i];
            let value = right[i];
            right[..i].iter_mut().zip(row).for_each(|(r, l)| *r -= value * l);
        }
        right
    }

    pub(super) fn half_log_determinant(&self) -> f64 {
        self.rows.iter().enumerate().map(|(i, row)| libm::log(row[i])).sum()
    }

    /// The inverse of the matrix, whole.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let n = self.rows.len();
        // Column j of the inverse of L, from its own place on, stored as row j.
        let mut columns: Vec<Vec<f64>> = (0..n).map(|j| vec![0.0; n - j]).collect();
        for (j, column) in columns.iter_mut().enumerate() {
            column[0] = 1.0 / self.rows[j][j];
            for i in j + 1..n {
                let row = &self.rows[i];
                column[i - j] = -dot(&row[j..i], &column[..i - j]) / row[i];
            }
        }
        let mut inverse = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let value = dot(&columns[i], &columns[j][i - j..]);
                inverse[i * n + j] = value;
                inverse[j * n + i] = value;
            }
        }
        inverse
    }
}
