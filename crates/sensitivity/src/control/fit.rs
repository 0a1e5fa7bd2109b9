//! Least-squares fits of an output on the terms of a basis, each leaving one fold of the rows out.

use rayon::prelude::*;

use super::basis::Basis;
use super::linear::Symmetric;
use crate::sums::dot;

/// A coefficient counts only when it is this many standard errors away from 0. Several hundred terms are tried: at 2
/// a dozen would pass by chance, and a chance term disturbs the indices of parameters that do nothing.
const CLEAR: f64 = 4.0;

/// Rows worked on at a time: 256 rows of 400 terms stay in the second-level cache.
const BLOCK: usize = 256;

/// The rows to fit on: coordinates and centred outputs of one fold.
pub(crate) struct FoldRows<'a> {
    pub(crate) rows: Vec<(&'a [f64], f64)>,
}

/// A constant, and the places of terms in the basis with their coefficients, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseCoefficients {
    pub(crate) constant: f64,
    pub(crate) terms: Vec<(usize, f64)>,
}

/// For each fold the clear coefficients of a fit on all the other folds.
pub(crate) fn fit_without_each(basis: &Basis, folds: &[FoldRows<'_>]) -> Vec<SparseCoefficients> {
    let parts: Vec<FitMoments> = folds.par_iter().map(|fold| FitMoments::new(basis, fold)).collect();
    let mut whole = FitMoments::zeros(basis.terms().len());
    parts.iter().for_each(|part| whole.add(part, 1.0));
    parts
        .par_iter()
        .map(|part| {
            let mut others = whole.clone();
            others.add(part, -1.0);
            others.clear_coefficients()
        })
        .collect()
}

/// Everything least squares needs to know of some rows. The constant stands behind the terms: without it the error of
/// the outputs' mean would leak into their coefficients.
#[derive(Clone)]
struct FitMoments {
    rows: f64,
    squares: f64,
    products: Vec<f64>,
    gram: Symmetric,
}

impl FitMoments {
    fn zeros(terms: usize) -> Self {
        Self { rows: 0.0, squares: 0.0, products: vec![0.0; terms + 1], gram: Symmetric::zeros(terms + 1) }
    }

    fn new(basis: &Basis, fold: &FoldRows<'_>) -> Self {
        let terms = basis.terms().len();
        let mut moments = Self::zeros(terms);
        let (mut scratch, mut values) = (Vec::new(), vec![0.0; terms]);
        for rows in fold.rows.chunks(BLOCK) {
            // Term after term, so that sums run along the memory.
            let mut block = vec![1.0; (terms + 1) * rows.len()];
            for (i, (coordinates, _)) in rows.iter().enumerate() {
                basis.evaluate(coordinates, &mut scratch, &mut values);
                values.iter().enumerate().for_each(|(term, value)| block[term * rows.len() + i] = *value);
            }
            let y: Vec<f64> = rows.iter().map(|(_, y)| *y).collect();
            moments.add_block(&block, &y);
        }
        moments
    }

    fn add_block(&mut self, block: &[f64], y: &[f64]) {
        self.rows += y.len() as f64;
        self.squares += dot(y, y);
        let columns: Vec<&[f64]> = block.chunks_exact(y.len()).collect();
        for (i, column) in columns.iter().enumerate() {
            self.products[i] += dot(column, y);
            self.gram.row_mut(i).iter_mut().zip(&columns).for_each(|(sum, other)| *sum += dot(column, other));
        }
    }

    fn add(&mut self, other: &Self, factor: f64) {
        self.rows += factor * other.rows;
        self.squares += factor * other.squares;
        self.products.iter_mut().zip(&other.products).for_each(|(a, b)| *a += factor * b);
        self.gram.add(&other.gram, factor);
    }

    /// Fits all terms, drops those that are not clear, and fits the rest again until all are.
    fn clear_coefficients(&self) -> SparseCoefficients {
        let constant = self.products.len() - 1;
        let mut places: Vec<usize> = (0..=constant).collect();
        while let Some((coefficients, errors)) = self.solve(&places) {
            let clear = |i: &usize| places[*i] == constant || coefficients[*i].abs() > CLEAR * errors[*i];
            let kept: Vec<usize> = (0..places.len()).filter(clear).collect();
            if kept.len() == places.len() {
                let mut terms: Vec<(usize, f64)> = places.into_iter().zip(coefficients).collect();
                let constant = terms.pop().map_or(0.0, |(_, c)| c);
                return SparseCoefficients { constant, terms };
            }
            places = kept.into_iter().map(|i| places[i]).collect();
        }
        SparseCoefficients::default()
    }

    /// Coefficients and their standard errors; `None` when rows do not determine them.
    fn solve(&self, places: &[usize]) -> Option<(Vec<f64>, Vec<f64>)> {
        let right: Vec<f64> = places.iter().map(|i| self.products[*i]).collect();
        let (coefficients, diagonal) = self.gram.subset(places).solve(&right)?;
        let freedom = self.rows - places.len() as f64;
        if freedom < 1.0 {
            return None;
        }
        let rest = (self.squares - dot(&coefficients, &right)).max(0.0);
        // Rounding leaves this much of an output that the terms explain completely.
        let noise = (rest / freedom).max(1e-28 * self.squares);
        Some((coefficients, diagonal.iter().map(|d| (d * noise).sqrt()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::AxisPolynomials;
    use super::*;

    #[test]
    fn a_polynomial_is_found_and_nothing_else() {
        let basis = Basis::new(vec![AxisPolynomials::Continuous; 3], 60);
        let points: Vec<[f64; 3]> = (0..600)
            .map(|i| [0.618_034, 0.754_878, 0.569_840].map(|g: f64| (f64::from(i) * g + 0.5).fract()))
            .collect();
        let mix = |i: u64| {
            (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (i + 7).wrapping_mul(0xBF58_476D_1CE4_E5B9)
        };
        let noise = |i: usize| if mix(mix(i as u64)) >> 63 == 1 { 0.05 } else { -0.05 };
        let y = |i: usize| {
            let [a, b, _] = points[i].map(|u| (2.0 * u - 1.0) * 3.0_f64.sqrt());
            7.0 + 2.0 * a - 0.5 * a * b + noise(i)
        };
        let folds: Vec<FoldRows<'_>> = (0..3)
            .map(|f| FoldRows {
                rows: (0..600).filter(|i| i % 3 == f).map(|i| (&points[i][..], y(i))).collect(),
            })
            .collect();
        for coefficients in fit_without_each(&basis, &folds) {
            let terms = &coefficients.terms;
            assert_eq!(terms.len(), 2, "{coefficients:?}");
            assert!((terms[0].1 - 2.0).abs() < 0.02 && (terms[1].1 + 0.5).abs() < 0.02);
            assert!((coefficients.constant - 7.0).abs() < 0.02);
        }
    }
}
