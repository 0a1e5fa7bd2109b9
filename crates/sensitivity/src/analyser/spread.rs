//! Intervals from the draws of a bootstrap.

use statrs::distribution::{ContinuousCDF, Normal};

use super::bootstrap;
use super::sums::mean;
use crate::Estimate;

/// Resamples of which so large a share gave no number say nothing about spread.
const MOST_UNDEFINED: f64 = 0.1;

/// The quantile of a probability among values without NaN, linear between them (Hyndman and Fan's type 7).
pub(crate) fn quantile(values: &[f64], probability: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    bootstrap::quantile(&sorted, probability)
}

/// Ends between which the middle `confidence` of the draws lies.
pub(crate) fn percentile(value: f64, draws: &[f64], confidence: f64) -> Estimate {
    let Some(draws) = defined(draws) else { return Estimate::bare(value) };
    let tail = (1.0 - confidence) / 2.0;
    Estimate { value, low: quantile(&draws, tail), high: quantile(&draws, 1.0 - tail) }
}

/// The value and as many standard deviations of the draws to both sides as a normal distribution asks for.
pub(crate) fn normal(value: f64, draws: &[f64], confidence: f64) -> Estimate {
    let Some(draws) = defined(draws) else { return Estimate::bare(value) };
    let reach = normal_quantile(0.5 + confidence / 2.0) * deviation(&draws);
    Estimate { value, low: value - reach, high: value + reach }
}

/// Words for [`distance`].
pub(crate) const DISTANCE: &str = "normal interval with the bootstrap's standard error (Efron and Tibshirani 1993, An \
    Introduction to the Bootstrap, chapter 6), whose lower end leaves out what chance adds (the bootstrap's \
    bias, or in squares the mean distance of shuffled outputs), and is 0 where a permutation test cannot tell the parameter from one without effect; it covers the choice \
    of rows, not what classes and kernels smooth away";

/// The interval of a distance between distributions, which chance makes too large, and what the distance of a parameter
/// without effect stays below.
///
/// `raw` is the statistic of which there are draws and, from shuffled outputs, `dummies`; `value` may be corrected.
pub(crate) fn distance(
    value: f64,
    raw: f64,
    draws: &[f64],
    dummies: &[f64],
    confidence: f64,
) -> (Estimate, f64) {
    let level = quantile(dummies, confidence);
    let dummy = value - (raw - level);
    let mut interval = normal(value, draws, confidence);
    if interval.low.is_nan() {
        return (interval, dummy);
    }
    // Chance adds to a small distance as one side of a right angle adds to the other; to a large one it adds what the
    // bootstrap adds once more.
    let (by_chance, drawn) = (mean(dummies), mean(draws));
    let small = (raw * raw - by_chance * by_chance).max(0.0).sqrt();
    let without_chance = small.min(2.0 * raw - drawn).min(value);
    interval.low = (interval.low - (value - without_chance)).max(0.0).min(value);
    interval.high = interval.high.min(1.0).max(value);
    if raw <= level {
        interval.low = interval.low.min(0.0);
    }
    (interval, dummy)
}

fn defined(draws: &[f64]) -> Option<Vec<f64>> {
    let defined: Vec<f64> = draws.iter().copied().filter(|d| d.is_finite()).collect();
    let lost = draws.len() - defined.len();
    (defined.len() > 1 && lost as f64 <= MOST_UNDEFINED * draws.len() as f64).then_some(defined)
}

fn deviation(draws: &[f64]) -> f64 {
    let centred = super::sums::centred(draws);
    (super::sums::dot(&centred, &centred) / (draws.len() - 1) as f64).sqrt()
}

fn normal_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_values() {
        let values = [4.0, 1.0, 3.0, 2.0];
        assert_eq!([0.0, 0.5, 1.0].map(|p| quantile(&values, p)), [1.0, 2.5, 4.0]);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn many_undefined_draws_leave_no_interval() {
        let mut draws = vec![1.0; 100];
        draws[..10].fill(f64::NAN);
        assert_eq!(percentile(1.0, &draws, 0.95).low, 1.0);
        draws[..11].fill(f64::NAN);
        assert!(percentile(1.0, &draws, 0.95).low.is_nan() && normal(1.0, &draws, 0.95).high.is_nan());
    }

    #[test]
    fn a_distance_like_that_of_a_dummy_reaches_down_to_zero() {
        let spread = |middle: f64| (-50..=50).map(|i| middle + f64::from(i) * 1e-4).collect::<Vec<_>>();
        let (idle, level) = distance(0.05, 0.05, &spread(0.07), &spread(0.05), 0.95);
        assert_eq!((idle.low, idle.value), (0.0, 0.05));
        assert!(idle.high > 0.05 && level > 0.05);
        let (acting, level) = distance(0.3, 0.3, &spread(0.31), &spread(0.05), 0.95);
        assert!(acting.low > 0.27 && acting.low < 0.3 && acting.high < 0.32, "{acting:?}");
        assert!(level < 0.06);
    }
}
