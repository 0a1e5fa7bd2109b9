//! Standard deviations, and how many of them an interval reaches.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::Estimate;

/// Standard deviation, divided by one less than their number; NaN of fewer than two.
pub(super) fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    if values.len() < 2 { f64::NAN } else { (squares / (n - 1.0)).sqrt() }
}

/// Two-sided quantile of Student's t; NaN without a degree of freedom.
pub(super) fn student(confidence: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(0.5 + confidence / 2.0))
}

impl Estimate {
    /// An estimate in the middle of its interval; without one when `half` is NaN.
    pub(super) fn around(value: f64, half: f64) -> Self {
        Self { value, low: value - half, high: value + half }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(1.0, 12.706_205), (7.0, 2.364_624), (30.0, 2.042_272)] {
            assert!((student(0.95, freedom) - expected).abs() < 1e-5, "{freedom}");
        }
        assert!(student(0.95, 0.0).is_nan());
    }

    #[test]
    fn the_deviation_divides_by_one_less() {
        assert_eq!(deviation(&[1.0, 3.0]), 2.0_f64.sqrt());
        assert!(deviation(&[1.0]).is_nan() && deviation(&[]).is_nan());
    }
}
