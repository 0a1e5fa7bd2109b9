//! Least squares by Cholesky's decomposition: small, dense, and the same bits everywhere.

use crate::sums::{dot, sum_of_squares};

/// A symmetric matrix, of which the lower triangle is stored row by row.
#[derive(Clone, Debug)]
pub(crate) struct Symmetric {
    size: usize,
    lower: Vec<f64>,
}

impl Symmetric {
    pub(crate) fn zeros(size: usize) -> Self {
        Self { size, lower: vec![0.0; size * (size + 1) / 2] }
    }

    pub(crate) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.lower[i * (i + 1) / 2..][..=i]
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        let (i, j) = if i >= j { (i, j) } else { (j, i) };
        self.lower[i * (i + 1) / 2 + j]
    }

    pub(crate) fn add(&mut self, other: &Self, factor: f64) {
        self.lower.iter_mut().zip(&other.lower).for_each(|(a, b)| *a += factor * b);
    }

    /// Rows and columns at these places, ascending.
    pub(crate) fn subset(&self, places: &[usize]) -> Self {
        let mut subset = Self::zeros(places.len());
        for (row, i) in places.iter().enumerate() {
            for (column, j) in places[..=row].iter().enumerate() {
                subset.row_mut(row)[column] = self.at(*i, *j);
            }
        }
        subset
    }

    /// Solves `self * x = right` and gives x with the diagonal of the inverse; `None` unless positive definite.
    pub(crate) fn solve(mut self, right: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        self.decompose()?;
        let x = self.backward(self.forward(right, 0));
        // Entry i of the inverse's diagonal is the squared length of column i of the inverse of L.
        let unit = |i: usize| (0..self.size).map(move |j| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        let diagonal = (0..self.size).map(|i| sum_of_squares(&self.forward(&unit(i), i)[i..])).collect();
        Some((x, diagonal))
    }

    /// Replaces the matrix by its lower factor L with `self = L * L'`.
    fn decompose(&mut self) -> Option<()> {
        for i in 0..self.size {
            let (above, rest) = self.lower.split_at_mut(i * (i + 1) / 2);
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[j * (j + 1) / 2..][..=j];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - sum_of_squares(&row[..i]);
            if pivot.is_nan() || pivot <= 1e-12 * row[i].abs() {
                return None;
            }
            row[i] = pivot.sqrt();
        }
        Some(())
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * (i + 1) / 2..][..=i]
    }

    /// Solves `L * x = right`; entries before `start` are known to be 0.
    fn forward(&self, right: &[f64], start: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.size];
        for i in start..self.size {
            let row = self.row(i);
            x[i] = (right[i] - dot(&row[start..i], &x[start..i])) / row[i];
        }
        x
    }

    /// Solves `L' * x = right`.
    fn backward(&self, mut x: Vec<f64>) -> Vec<f64> {
        for i in (0..self.size).rev() {
            let row = self.row(i);
            x[i] /= row[i];
            let solved = x[i];
            x[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= solved * l);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[f64]]) -> Symmetric {
        let mut m = Symmetric::zeros(rows.len());
        rows.iter().enumerate().for_each(|(i, row)| m.row_mut(i).copy_from_slice(row));
        m
    }

    #[test]
    fn solves_a_system_with_known_answer() {
        let m = matrix(&[&[4.0], &[2.0, 5.0], &[0.0, 1.0, 3.0]]);
        let (x, diagonal) = m.solve(&[8.0, 15.0, 11.0]).unwrap();
        for (found, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
        // Inverse by cofactors: determinant 44, diagonal cofactors 14, 12, 16.
        for (found, expected) in diagonal.iter().zip([14.0 / 44.0, 12.0 / 44.0, 16.0 / 44.0]) {
            assert!((found - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        assert!(matrix(&[&[1.0], &[1.0, 1.0]]).solve(&[1.0, 1.0]).is_none());
    }
}
