//! Entropy of counts, with the logarithms of small counts at hand.

/// n log₂ n of small counts n.
#[derive(Clone, Debug)]
pub(crate) struct Logarithms {
    small: Vec<f64>,
}

/// Most bins of a nucleus hold fewer pixels.
const SMALL: u32 = 2048;

impl Logarithms {
    pub(crate) fn new() -> Self {
        Self { small: (0..SMALL).map(times_itself).collect() }
    }

    /// n log₂ n.
    #[inline]
    pub(crate) fn times_itself(&self, count: u32) -> f64 {
        self.small.get(count as usize).copied().unwrap_or_else(|| times_itself(count))
    }

    /// The entropy in bits of counts, given the sum of their n log₂ n and their sum: log₂ N − Σ n log₂ n / N.
    pub(crate) fn entropy(&self, sum: f64, total: u32) -> f64 {
        // Where all is one count the difference is 0 but for rounding, and never below.
        ((self.times_itself(total) - sum) / f64::from(total)).max(0.0)
    }
}

fn times_itself(count: u32) -> f64 {
    if count == 0 { 0.0 } else { f64::from(count) * libm::log2(f64::from(count)) }
}
