//! How likely the values of a parameter are. Quantiles are computed where samples are made, not here.

use crate::Domain;

/// Distribution of a parameter over its domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distribution {
    /// All values equally likely.
    #[default]
    Uniform,
    /// Uniform in the logarithm; the domain's ends are positive.
    LogUniform,
    /// Triangle over the domain with its peak at a value inside it.
    Triangular {
        /// Most likely value.
        peak: f64,
    },
    /// Normal; unbounded when the domain is, cut at the domain's ends when they are finite.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation, positive.
        sd: f64,
    },
    /// The exponential of a normal.
    LogNormal {
        /// Mean of the logarithm.
        mean: f64,
        /// Standard deviation of the logarithm, positive.
        sd: f64,
    },
    /// Weibull with a location.
    Weibull {
        /// Shape, positive.
        shape: f64,
        /// Scale, positive.
        scale: f64,
        /// Where it starts.
        location: f64,
    },
    /// One weight for each value of a discrete domain, in its order; not necessarily adding to 1.
    Weights(Vec<f64>),
}

/// Why a distribution does not fit its domain.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("expected {expected}, found {found}")]
pub struct DistributionError {
    /// What would fit.
    pub expected: &'static str,
    /// What there is.
    pub found: String,
}

impl Distribution {
    /// The word used in files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::LogUniform => "loguniform",
            Self::Triangular { .. } => "triangular",
            Self::Normal { .. } => "normal",
            Self::LogNormal { .. } => "lognormal",
            Self::Weibull { .. } => "weibull",
            Self::Weights(_) => "weights",
        }
    }

    /// Whether the domain's ends may be infinite.
    pub fn is_unbounded(&self) -> bool {
        matches!(self, Self::Normal { .. } | Self::LogNormal { .. } | Self::Weibull { .. })
    }

    /// Refuses numbers that make no distribution, and a distribution that does not fit the (valid) domain.
    pub fn check(&self, domain: &Domain) -> Result<(), DistributionError> {
        let continuous = matches!(domain, Domain::Continuous { .. });
        let (from, to) = domain.ends().unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        match self {
            Self::Uniform => Ok(()),
            Self::Weights(weights) => check_weights(weights, domain),
            _ if !continuous => {
                fail("uniform or weights where the values can be counted", self.word().to_owned())
            }
            Self::LogUniform if from <= 0.0 => fail("a lower end above 0", from),
            Self::LogUniform => Ok(()),
            Self::Triangular { peak } if from <= *peak && *peak <= to => Ok(()),
            Self::Triangular { peak } => fail("a peak between the ends", peak),
            Self::Normal { mean, sd } | Self::LogNormal { mean, sd } => {
                check_finite(*mean)?;
                check_positive("a standard deviation above 0", *sd)
            }
            Self::Weibull { shape, scale, location } => {
                check_positive("a shape above 0", *shape)?;
                check_positive("a scale above 0", *scale)?;
                check_finite(*location)
            }
        }
    }
}

fn fail(expected: &'static str, found: impl ToString) -> Result<(), DistributionError> {
    Err(DistributionError { expected, found: found.to_string() })
}

fn check_finite(x: f64) -> Result<(), DistributionError> {
    if x.is_finite() { Ok(()) } else { fail("a finite number", x) }
}

fn check_positive(expected: &'static str, x: f64) -> Result<(), DistributionError> {
    if x.is_finite() && x > 0.0 { Ok(()) } else { fail(expected, x) }
}

fn check_weights(weights: &[f64], domain: &Domain) -> Result<(), DistributionError> {
    if domain.count() != Some(weights.len() as u64) {
        let values =
            domain.count().map_or_else(|| "a continuous range".to_owned(), |n| format!("{n} values"));
        return fail("one weight for each value", format!("{} for {values}", weights.len()));
    }
    if let Some(bad) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
        return fail("weights of 0 or more", bad);
    }
    let total: f64 = weights.iter().sum();
    if total.is_finite() && total > 0.0 { Ok(()) } else { fail("weights with a sum above 0", total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(distribution: Distribution, domain: Domain) -> Result<(), String> {
        distribution.check(&domain).map_err(|e| e.to_string())
    }

    #[test]
    fn a_distribution_must_fit_its_domain() {
        let line = || Domain::Continuous { from: -1.0, to: 1.0 };
        let steps = || Domain::Steps { from: 0.0, to: 2.0, step: 1.0 };
        let error = |text: &str| Err::<(), _>(text.to_owned());
        assert_eq!(check(Distribution::LogUniform, line()), error("expected a lower end above 0, found -1"));
        assert_eq!(
            check(Distribution::Triangular { peak: 2.0 }, line()),
            error("expected a peak between the ends, found 2")
        );
        assert_eq!(
            check(Distribution::Normal { mean: 0.0, sd: 0.0 }, line()),
            error("expected a standard deviation above 0, found 0")
        );
        assert_eq!(
            check(Distribution::LogUniform, steps()),
            error("expected uniform or weights where the values can be counted, found loguniform")
        );
        assert_eq!(
            check(Distribution::Weights(vec![1.0, 2.0]), steps()),
            error("expected one weight for each value, found 2 for 3 values")
        );
        assert_eq!(
            check(Distribution::Weights(vec![1.0, f64::NAN, 2.0]), steps()),
            error("expected weights of 0 or more, found NaN")
        );
        assert_eq!(
            check(Distribution::Weights(vec![0.0; 3]), steps()),
            error("expected weights with a sum above 0, found 0")
        );
        assert_eq!(check(Distribution::Weights(vec![0.0, 1.0, 2.0]), steps()), Ok(()));
        assert!(
            check(Distribution::Weibull { shape: 1.0, scale: 2.0, location: f64::INFINITY }, line()).is_err()
        );
    }
}
