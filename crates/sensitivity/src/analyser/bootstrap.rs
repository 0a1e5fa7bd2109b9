//! Intervals by resampling base rows: how many times each row is drawn, times the columns of products.

use rayon::prelude::*;

use super::columns::{Columns, LANES};
use super::variance_estimators::Formula;
use crate::random::{Purpose, Stream};
use crate::{Estimate, IntervalMethod, Options};

/// The estimates over all base rows, each with the percentiles of its resamples.
pub(super) fn intervals(formula: &Formula, points: &[f64], options: &Options) -> Vec<Estimate> {
    let each = resampled_indices(formula, options);
    let estimate = |(index, value): (usize, &f64)| {
        let mut values: Vec<f64> = each.iter().map(|e| e[index]).filter(|v| v.is_finite()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let tail = (1.0 - options.confidence) / 2.0;
        Estimate { value: *value, low: quantile(&values, tail), high: quantile(&values, 1.0 - tail) }
    };
    points.par_iter().enumerate().map(estimate).collect()
}

/// Resamples that share one pass over the columns.
const TOGETHER: usize = 4 * LANES;

/// All indices of each resample. A resample depends on its number and the seed only, not on the thread that makes it.
fn resampled_indices(formula: &Formula, options: &Options) -> Vec<Vec<f64>> {
    let batches = (0..options.resamples).step_by(TOGETHER).collect::<Vec<_>>();
    let indices = |first: &usize| {
        let mut weights = Columns::new(formula.columns.rows());
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
    let mut stream = Stream::new(seed, Purpose::Bootstrap, resample, 0);
    let mut counts = vec![0.0; rows];
    for _ in 0..rows {
        // The high half of the product is uniform up to 2^-64 times the rows.
        let row = (u128::from(stream.bits()) * rows as u128) >> 64;
        counts[row as usize] += 1.0;
    }
    counts
}

/// Quantile between neighbours in order; NaN of nothing.
pub(super) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// How [`intervals`] are cited.
pub(super) fn method(options: &Options) -> IntervalMethod {
    let citation = format!(
        "percentile bootstrap intervals from {} resamples of the base rows (Efron and Tibshirani 1993, Archer et al. \
         1997); wider than needed when the base rows are a low-discrepancy sequence",
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

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 3.0, 5.0];
        assert_eq!([0.0, 0.5, 1.0].map(|q| quantile(&sorted, q)), [1.0, 2.5, 5.0]);
        assert!(quantile(&[], 0.5).is_nan());
    }
}
