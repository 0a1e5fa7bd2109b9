//! Intervals by resampling base rows: how many times each row is drawn, times the columns of products.

use rayon::prelude::*;

use super::columns::{LANES, PackedColumns};
use super::spread::{deviation, student};
use super::variance_estimators::Formula;
use crate::random::{RandomStream, StreamPurpose};
use crate::{AnalysisOptions, IndexEstimate, IntervalMethod};

/// The estimates over all base rows, each with Student's t times the standard error that the resamples give. On random
/// base rows this covers as well as any of percentile, basic and bias-corrected bootstrap intervals, and better with few.
pub(super) fn intervals(formula: &Formula, points: &[f64], options: &AnalysisOptions) -> Vec<IndexEstimate> {
    let rows = formula.columns.rows() as f64;
    // Resamples vary as if divided by the number of rows, not by one less.
    let reach = student(options.confidence, rows - 1.0) * (rows / (rows - 1.0)).sqrt();
    let each = resampled_indices(formula, options);
    let estimate = |(index, value): (usize, &f64)| {
        let values: Vec<f64> = each.iter().map(|e| e[index]).filter(|v| v.is_finite()).collect();
        IndexEstimate::around(*value, reach * deviation(&values))
    };
    points.iter().enumerate().map(estimate).collect()
}

/// Resamples that share one pass over the columns.
const TOGETHER: usize = 4 * LANES;

/// All indices of each resample. A resample depends on its number and the seed only, not on the thread that makes it.
fn resampled_indices(formula: &Formula, options: &AnalysisOptions) -> Vec<Vec<f64>> {
    let batches = (0..options.resamples).step_by(TOGETHER).collect::<Vec<_>>();
    let indices = |first: &usize| {
        let mut weights = PackedColumns::new(formula.columns.rows());
        for resample in *first..(first + TOGETHER).min(options.resamples) {
            weights.push(counts(formula.columns.rows(), options.seed, resample as u64).into_iter());
        }
        let sums = formula.columns.weighted_sums(&weights);
        sums.iter().map(|s| formula.indices(s)).collect::<Vec<_>>()
    };
    batches.par_iter().flat_map_iter(indices).collect()
}

/// How often each row is drawn when as many are drawn as there are, with replacement.
pub(super) fn counts(rows: usize, seed: u64, resample: u64) -> Vec<f64> {
    let mut stream = RandomStream::new(seed, StreamPurpose::Bootstrap, resample, 0);
    let mut counts = vec![0.0; rows];
    for _ in 0..rows {
        // The high half of the product is uniform up to 2^-64 times the rows.
        let row = (u128::from(stream.bits()) * rows as u128) >> 64;
        counts[row as usize] += 1.0;
    }
    counts
}

/// How [`intervals`] are cited.
pub(super) fn method(options: &AnalysisOptions) -> IntervalMethod {
    let citation = format!(
        "Student t intervals with the standard errors of {} bootstrap resamples of the base rows (Efron and Tibshirani \
         1993, Archer et al. 1997); rough when the base rows are one low-discrepancy sequence, for which replicates are better",
        options.resamples
    );
    IntervalMethod { name: "bootstrap", citation, confidence: options.confidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_depend_on_seed_and_number_only() {
        let first = counts(1000, 7, 3);
        assert_eq!(first.iter().sum::<f64>(), 1000.0);
        assert_eq!(first, counts(1000, 7, 3));
        assert_ne!(first, counts(1000, 7, 4));
        assert_ne!(first, counts(1000, 8, 3));
        let never = first.iter().filter(|c| **c == 0.0).count() as f64 / 1000.0;
        assert!((never - (-1.0_f64).exp()).abs() < 0.05, "about 1/e of the rows are not drawn: {never}");
    }
}
