//! How likely the values of a parameter are. Quantiles are computed where samples are made, not here.

/// Distribution of a parameter over its domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Distribution {
    /// Every value alike.
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
