//! A parameter's value as it is written and read.

use std::fmt;

/// One value of one parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Real(f64),
    /// A word: the value of a categorical parameter.
    Text(String),
}

impl Value {
    /// The number, unless it is a word.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            #[allow(clippy::cast_precision_loss, reason = "parameter values are far below 2^53")]
            Self::Integer(i) => Some(*i as f64),
            Self::Real(x) => Some(*x),
            Self::Text(_) => None,
        }
    }
}

/// 2^53: beyond it consecutive whole numbers are no longer different `f64`s.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// The whole number that a real is exactly, when it is one of at most 2^53.
pub(crate) fn whole(x: f64) -> Option<i64> {
    (x.fract() == 0.0 && x.abs() <= EXACT).then_some(x as i64)
}

/// Shortest text that reads back as the same value; whole reals have no point (`5`, not `5.0`).
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(i) => write!(f, "{i}"),
            Self::Real(x) => write!(f, "{x}"),
            Self::Text(t) => write!(f, "{t}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn only_exact_whole_numbers_are_whole() {
        assert_eq!([-3.0, 0.0, 9_007_199_254_740_992.0].map(whole), [Some(-3), Some(0), Some(1 << 53)]);
        assert_eq!([0.5, 1e16, f64::NAN, f64::INFINITY].map(whole), [None; 4]);
    }
}
