//! Standard deviations and quantiles, and the intervals they give.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::IndexEstimate;
use crate::quantile::normal_quantile;
use crate::sums::{centred, mean, sum, sum_of_squares, variance};

/// Resamples of which so large a share gave no number say nothing about spread.
const MOST_UNDEFINED: f64 = 0.1;

/// The quantile of a probability among values without NaN, linear between them (Hyndman and Fan's type 7).
pub(crate) fn quantile(values: &[f64], probability: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = probability * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

/// Ends between which the middle `confidence` of the draws lies.
pub(crate) fn percentile(value: f64, draws: &[f64], confidence: f64) -> IndexEstimate {
    let Some(draws) = defined(draws) else { return IndexEstimate::bare(value) };
    let tail = (1.0 - confidence) / 2.0;
    IndexEstimate { value, low: quantile(&draws, tail), high: quantile(&draws, 1.0 - tail) }
}

/// The value and as many standard deviations of the draws to both sides as a normal distribution asks for.
pub(crate) fn normal(value: f64, draws: &[f64], confidence: f64) -> IndexEstimate {
    let Some(draws) = defined(draws) else { return IndexEstimate::bare(value) };
    let reach = steady(normal_quantile(0.5 + confidence / 2.0)) * deviation(&draws);
    IndexEstimate::around(value, reach)
}

/// Words for [`distance`].
pub(crate) const DISTANCE: &str = "normal interval with the bootstrap's standard error (Efron and Tibshirani 1993, An \
    Introduction to the Bootstrap, chapter 6), whose lower end leaves out what chance adds (the bootstrap's \
    bias, or in squares the mean distance of shuffled outputs), and is 0 where a permutation test cannot tell the \
    parameter from one without effect; it covers the choice of rows, not what classes and kernels smooth away";

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
) -> (IndexEstimate, f64) {
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

/// Standard deviation, divided by one less than their number; NaN of fewer than two.
pub(crate) fn deviation(values: &[f64]) -> f64 {
    variance(values).sqrt()
}

/// How many values carry the variance: all when they lie equally far from their mean, one when a single value does it
/// alone (their number divided by the kurtosis). NaN when there is no variance.
pub(crate) fn carriers(values: &[f64]) -> f64 {
    let squares: Vec<f64> = centred(values).iter().map(|d| d * d).collect();
    sum(&squares).powi(2) / sum_of_squares(&squares)
}

/// With fewer carriers than this the next rows may bring one larger than all, and no spread among those seen tells.
/// Over exponentials of normal numbers and outputs that are nearly always 0, intervals hold the truth as often as they
/// say from about so many on.
pub(crate) const FEWEST_CARRIERS: f64 = 12.0;

/// Two-sided quantile of Student's t; NaN without a degree of freedom.
pub(crate) fn student(confidence: f64, freedom: f64) -> f64 {
    let quantile =
        StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.5 + confidence / 2.0));
    steady(quantile)
}

/// The C library's logarithms differ in the last bit between processors; ten digits do not.
fn steady(quantile: f64) -> f64 {
    const DIGITS: f64 = (1_u64 << 32) as f64;
    (quantile * DIGITS).round() / DIGITS
}

impl IndexEstimate {
    /// An estimate in the middle of its interval; without one when `half` is NaN.
    pub(crate) fn around(value: f64, half: f64) -> Self {
        Self { value, low: value - half, high: value + half }
    }
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

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(1.0, 12.706_205), (7.0, 2.364_624), (30.0, 2.042_272)] {
            assert!((student(0.95, freedom) - expected).abs() < 1e-5, "{freedom}");
        }
        assert!(student(0.95, 0.0).is_nan());
    }

    #[test]
    fn the_carriers_are_those_far_from_the_mean() {
        assert_eq!(carriers(&[1.0, -1.0, 1.0, -1.0]), 4.0);
        let mut values = [0.0; 1000];
        values[0] = 1e6;
        assert!((carriers(&values) - 1.0).abs() < 0.01);
        assert!(carriers(&[2.0; 5]).is_nan() && carriers(&[]).is_nan());
    }

    #[test]
    fn the_deviation_divides_by_one_less() {
        assert_eq!(deviation(&[1.0, 3.0]), 2.0_f64.sqrt());
        assert!(deviation(&[1.0]).is_nan() && deviation(&[]).is_nan());
    }
}
