//! Correlation matrices of weighted rows, and the linear regressions that follow from them.

use crate::sums::{dot, sum, sum_of_squares};

/// Smallest share of a column's variance that the columns before it must leave unexplained.
const INDEPENDENT: f64 = 1e-10;

/// Correlations between columns: a symmetric matrix, row-major.
#[derive(Clone, Debug)]
pub(crate) struct Correlations {
    size: usize,
    cells: Vec<f64>,
}

/// Standardised and partial coefficients, one of each per column regressed on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RegressionCoefficients {
    /// Standardised regression coefficients.
    pub(crate) standardised: Vec<f64>,
    /// Partial correlations.
    pub(crate) partial: Vec<f64>,
}

/// Which columns can be told apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Independence {
    /// Columns that span all of them.
    pub(crate) kept: Vec<usize>,
    /// Sets of columns of which each is a linear combination of the others.
    pub(crate) tangled: Vec<Vec<usize>>,
}

impl Correlations {
    /// Correlations of columns whose rows stand as often as their weights say. Columns should be about centred.
    pub(crate) fn of(columns: &[Vec<f64>], weights: &[f64]) -> Self {
        let size = columns.len();
        let (mut cells, sums) = cross_products(columns, weights);
        let rows = sum(weights);
        for i in 0..size {
            (0..=i).for_each(|j| cells[i * size + j] -= sums[i] * sums[j] / rows);
        }
        let spread: Vec<f64> = (0..size).map(|i| cells[i * size + i].sqrt()).collect();
        for i in 0..size {
            for j in 0..i {
                cells[i * size + j] /= spread[i] * spread[j];
                cells[j * size + i] = cells[i * size + j];
            }
            cells[i * size + i] = 1.0;
        }
        Self { size, cells }
    }

    /// The correlation of two columns.
    pub(crate) fn at(&self, i: usize, j: usize) -> f64 {
        self.cells[i * self.size + j]
    }

    /// Sorts out columns that are linear combinations of others among the first `count`.
    pub(crate) fn independence(&self, count: usize) -> Independence {
        let mut found = Independence { kept: Vec::new(), tangled: Vec::new() };
        let mut factor = Vec::new();
        for column in 0..count {
            let row = self.factor_row(&factor, &found.kept, column);
            let left = 1.0 - sum_of_squares(&row);
            if left > INDEPENDENT {
                factor.push((row, left.sqrt()));
                found.kept.push(column);
            } else {
                let shares = back_substitute(&factor, row);
                let partners = found.kept.iter().zip(shares).filter(|(_, share)| share.abs() > 1e-5);
                found.tangled.push(partners.map(|(c, _)| *c).chain([column]).collect());
            }
        }
        found
    }

    /// Regression of the last column on the kept ones; `None` when they are not independent.
    pub(crate) fn regress(&self, kept: &[usize]) -> Option<RegressionCoefficients> {
        let factor = self.factor(kept)?;
        let toward = self.factor_row(&factor, kept, self.size - 1);
        let unexplained = (1.0 - sum_of_squares(&toward)).max(0.0);
        let standardised = back_substitute(&factor, toward);
        let inflation = inverse_diagonal(&factor);
        let partial = standardised.iter().zip(inflation).map(|(b, v)| partial(*b, unexplained * v)).collect();
        Some(RegressionCoefficients { standardised, partial })
    }

    /// Rows of Cholesky's factor of the kept columns: what stands before the diagonal, and the diagonal.
    fn factor(&self, kept: &[usize]) -> Option<TriangularFactor> {
        let mut factor = Vec::new();
        for (i, column) in kept.iter().enumerate() {
            let row = self.factor_row(&factor, &kept[..i], *column);
            let left = 1.0 - sum_of_squares(&row);
            // A column that does not vary in this resample makes it NaN.
            if left.is_nan() || left <= INDEPENDENT {
                return None;
            }
            factor.push((row, left.sqrt()));
        }
        Some(factor)
    }

    fn factor_row(&self, factor: &[(Vec<f64>, f64)], kept: &[usize], column: usize) -> Vec<f64> {
        let mut row: Vec<f64> = Vec::with_capacity(factor.len());
        for ((before, diagonal), other) in factor.iter().zip(kept) {
            let rest = self.at(column, *other) - before.iter().zip(&row).map(|(a, b)| a * b).sum::<f64>();
            row.push(rest / diagonal);
        }
        row
    }
}

type TriangularFactor = Vec<(Vec<f64>, f64)>;

/// A coefficient against what is left unexplained. Where nothing is left, a coefficient that is only rounding is 0.
fn partial(coefficient: f64, unexplained: f64) -> f64 {
    if unexplained < 1e-12 && coefficient.abs() < 1e-6 {
        return 0.0;
    }
    coefficient / (coefficient * coefficient + unexplained).sqrt()
}

fn back_substitute(factor: &[(Vec<f64>, f64)], mut right: Vec<f64>) -> Vec<f64> {
    for i in (0..right.len()).rev() {
        right[i] /= factor[i].1;
        let solved = right[i];
        factor[i].0.iter().zip(&mut right).for_each(|(l, r)| *r -= l * solved);
    }
    right
}

/// Diagonal of the inverse: the variance inflation of each column.
fn inverse_diagonal(factor: &[(Vec<f64>, f64)]) -> Vec<f64> {
    let column = |column: usize| {
        let mut solved = vec![0.0; factor.len()];
        for (i, (row, diagonal)) in factor.iter().enumerate().skip(column) {
            let own = if i == column { 1.0 } else { 0.0 };
            solved[i] = (own - dot(&row[column..i], &solved[column..i])) / diagonal;
        }
        sum_of_squares(&solved)
    };
    (0..factor.len()).map(column).collect()
}

/// Weighted products of each pair of columns (lower triangle), and the weighted sums; in blocks that stay in the cache.
fn cross_products(columns: &[Vec<f64>], weights: &[f64]) -> (Vec<f64>, Vec<f64>) {
    const BLOCK: usize = 256;
    let size = columns.len();
    let (mut products, mut sums) = (vec![0.0; size * size], vec![0.0; size]);
    let mut scaled = Vec::with_capacity(BLOCK);
    for (block, weights) in weights.chunks(BLOCK).enumerate() {
        let rows = block * BLOCK..block * BLOCK + weights.len();
        for (i, column) in columns.iter().enumerate() {
            scaled.clear();
            scaled.extend(column[rows.clone()].iter().zip(weights).map(|(x, w)| x * w));
            sums[i] += sum(&scaled);
            for (j, other) in columns[..=i].iter().enumerate() {
                products[i * size + j] += dot(&scaled, &other[rows.clone()]);
            }
        }
    }
    (products, sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Vec<f64>> {
        let x1: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 40)).collect();
        let x2: Vec<f64> = (0..40).map(|i| f64::from(i * i % 13)).collect();
        let x3: Vec<f64> = (0..40).map(|i| f64::from(i % 5)).collect();
        let y = (0..40).map(|i| 2.0 * x1[i] - 3.0 * x2[i]).collect();
        vec![x1, x2, x3, y]
    }

    #[test]
    fn an_exact_linear_function_leaves_nothing_unexplained() {
        let correlations = Correlations::of(&columns(), &[1.0; 40]);
        let fit = correlations.regress(&[0, 1, 2]).unwrap();
        assert!((fit.partial[0] - 1.0).abs() < 1e-9 && (fit.partial[1] + 1.0).abs() < 1e-9);
        assert_eq!(fit.partial[2], 0.0);
    }

    #[test]
    fn weights_are_repetitions() {
        let weights: Vec<f64> = (0..40).map(|i| f64::from(i % 3)).collect();
        let repeat = |column: &Vec<f64>| {
            column.iter().zip(&weights).flat_map(|(x, w)| vec![*x; *w as usize]).collect::<Vec<_>>()
        };
        let long: Vec<Vec<f64>> = columns().iter().map(repeat).collect();
        let (found, expected) =
            (Correlations::of(&columns(), &weights), Correlations::of(&long, &vec![1.0; long[0].len()]));
        found.cells.iter().zip(&expected.cells).for_each(|(f, e)| assert!((f - e).abs() < 1e-12));
    }

    #[test]
    fn tangled_columns_are_named_and_the_others_kept() {
        let mut columns = columns();
        let sum = columns[0].iter().zip(&columns[2]).map(|(a, b)| a + b).collect();
        columns.insert(3, sum);
        let correlations = Correlations::of(&columns, &[1.0; 40]);
        let found = correlations.independence(4);
        assert_eq!(found, Independence { kept: vec![0, 1, 2], tangled: vec![vec![0, 2, 3]] });
        assert!(correlations.regress(&[0, 1, 2, 3]).is_none());
    }
}
