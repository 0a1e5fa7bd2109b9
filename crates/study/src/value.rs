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
