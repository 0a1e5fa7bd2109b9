//! The values a parameter may take: an interval, or a countable list with an order.

use std::collections::HashSet;
use std::hash::Hash;

use crate::Value;
use crate::value::EXACT;

/// The values a parameter may take.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// Every number from `from` to `to`; the ends may be infinite when the distribution says how.
    Continuous {
        /// Lower end.
        from: f64,
        /// Upper end.
        to: f64,
    },
    /// Every whole number from `from` to `to`, both included.
    Integers {
        /// Smallest.
        from: i64,
        /// Largest.
        to: i64,
    },
    /// `from`, `from + step`, … up to the last one not above `to`.
    Steps {
        /// First value.
        from: f64,
        /// Upper bound.
        to: f64,
        /// Distance of two values, positive.
        step: f64,
    },
    /// These numbers, in this order.
    Values(Vec<f64>),
    /// These words, without an order.
    Categories(Vec<String>),
}

/// Why a domain is not valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("expected {}, found {}", self.expected(), self.found())]
pub enum DomainError {
    /// An end or value is NaN, or infinite where it may not be.
    NotFinite(f64),
    /// The lower end is not below the upper one.
    Empty {
        /// Lower end.
        from: f64,
        /// Upper end.
        to: f64,
    },
    /// The step is not a positive number.
    Step(f64),
    /// There are fewer than two values.
    TooFew(u64),
    /// There are more values than can be counted exactly.
    TooMany(f64),
    /// A value stands twice in a list.
    Repeated(String),
}

impl DomainError {
    /// What the domain should have been.
    pub fn expected(&self) -> &'static str {
        match self {
            Self::NotFinite(_) => "finite numbers",
            Self::Empty { .. } => "from < to",
            Self::Step(_) => "a step above 0",
            Self::TooFew(_) => "at least two different values",
            Self::TooMany(_) => "at most 2^53 values",
            Self::Repeated(_) => "different values",
        }
    }

    /// What it is.
    pub fn found(&self) -> String {
        match self {
            Self::NotFinite(x) | Self::Step(x) => x.to_string(),
            Self::Empty { from, to } => format!("{from}..{to}"),
            Self::TooFew(count) => count.to_string(),
            Self::TooMany(count) => format!("about {count:e}"),
            Self::Repeated(value) => format!("{value} twice"),
        }
    }
}

impl Domain {
    /// Number of values, or `None` when they cannot be counted (continuous). Valid domains only.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Continuous { .. } => None,
            Self::Integers { from, to } => Some(to.abs_diff(*from).saturating_add(1)),
            Self::Steps { from, to, step } => Some(count_steps(*from, *to, *step)),
            Self::Values(values) => Some(values.len() as u64),
            Self::Categories(words) => Some(words.len() as u64),
        }
    }

    /// The value at an index of a countable domain; indices past the end give the last one.
    pub fn value(&self, index: u64) -> Option<Value> {
        let index = index.min(self.count()?.saturating_sub(1));
        match self {
            Self::Continuous { .. } => None,
            Self::Integers { from, .. } => Some(Value::Integer(from.wrapping_add_unsigned(index))),
            Self::Steps { from, step, .. } => Some(Value::Real(step_value(*from, *step, index))),
            Self::Values(values) => values.get(usize::try_from(index).ok()?).map(|x| Value::Real(*x)),
            Self::Categories(words) => words.get(usize::try_from(index).ok()?).cloned().map(Value::Text),
        }
    }

    /// The index of a value in a countable domain.
    pub fn index_of(&self, value: &Value) -> Option<u64> {
        match (self, value) {
            (Self::Categories(words), Value::Text(word)) => {
                words.iter().position(|w| w == word).map(|i| i as u64)
            }
            (Self::Categories(_), _) | (_, Value::Text(_)) => None,
            _ => self.index_of_number(value.as_f64()?),
        }
    }

    fn index_of_number(&self, x: f64) -> Option<u64> {
        match self {
            Self::Values(values) => values.iter().position(|v| *v == x).map(|i| i as u64),
            Self::Integers { from, to } => {
                let inside = x.fract() == 0.0 && (*from as f64) <= x && x <= (*to as f64);
                inside.then_some((x - *from as f64) as u64)
            }
            Self::Steps { from, step, .. } => {
                let index = ((x - from) / step).round();
                let inside = index >= 0.0 && index < self.count()? as f64;
                (inside && step_value(*from, *step, index as u64) == x).then_some(index as u64)
            }
            Self::Continuous { .. } | Self::Categories(_) => None,
        }
    }

    /// Whether a value lies between the ends of the domain (or is one of its words).
    pub fn spans(&self, value: &Value) -> bool {
        match (self, value.as_f64(), self.ends()) {
            (Self::Categories(_), _, _) => self.index_of(value).is_some(),
            (_, Some(x), Some((from, to))) => from <= x && x <= to,
            _ => false,
        }
    }

    /// Whether values are words.
    pub fn is_categorical(&self) -> bool {
        matches!(self, Self::Categories(_))
    }

    /// Smallest and largest number, or `None` for words.
    pub fn ends(&self) -> Option<(f64, f64)> {
        match self {
            Self::Continuous { from, to } => Some((*from, *to)),
            Self::Integers { from, to } => Some((*from as f64, *to as f64)),
            Self::Steps { from, to, step } => {
                Some((*from, step_value(*from, *step, count_steps(*from, *to, *step).saturating_sub(1))))
            }
            Self::Values(values) => {
                let low = values.iter().copied().reduce(f64::min)?;
                Some((low, values.iter().copied().reduce(f64::max)?))
            }
            Self::Categories(_) => None,
        }
    }

    /// Refuses what cannot be sampled; `unbounded` allows a continuous domain with infinite ends.
    pub fn check(&self, unbounded: bool) -> Result<(), DomainError> {
        match self {
            Self::Continuous { from, to } => check_ends(*from, *to, unbounded),
            Self::Integers { from, to } => {
                check_ends(*from as f64, *to as f64, false).and_then(|()| self.check_count())
            }
            Self::Steps { from, to, step } => {
                check_ends(*from, *to, false)?;
                if !(step.is_finite() && *step > 0.0) {
                    return Err(DomainError::Step(*step));
                }
                let count = (to - from) / step;
                if count > EXACT { Err(DomainError::TooMany(count)) } else { self.check_count() }
            }
            Self::Values(values) => {
                if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
                    return Err(DomainError::NotFinite(*bad));
                }
                // Adding zero makes -0 and 0 one value.
                check_different(values.iter().map(|x| (x + 0.0).to_bits()), |i| values[i].to_string())?;
                self.check_count()
            }
            Self::Categories(words) => {
                check_different(words.iter(), |i| words[i].clone()).and_then(|()| self.check_count())
            }
        }
    }

    fn check_count(&self) -> Result<(), DomainError> {
        match self.count() {
            Some(n) if n < 2 => Err(DomainError::TooFew(n)),
            Some(n) if n as f64 > EXACT => Err(DomainError::TooMany(n as f64)),
            _ => Ok(()),
        }
    }
}

fn check_ends(from: f64, to: f64, unbounded: bool) -> Result<(), DomainError> {
    for end in [from, to] {
        if end.is_nan() || (end.is_infinite() && !unbounded) {
            return Err(DomainError::NotFinite(end));
        }
    }
    if from < to { Ok(()) } else { Err(DomainError::Empty { from, to }) }
}

/// By hash, for a foreign file may list a million values.
fn check_different<K: Eq + Hash>(
    keys: impl Iterator<Item = K>,
    shown: impl Fn(usize) -> String,
) -> Result<(), DomainError> {
    let mut seen = HashSet::new();
    let repeated = keys.enumerate().find_map(|(i, key)| (!seen.insert(key)).then_some(i));
    repeated.map_or(Ok(()), |i| Err(DomainError::Repeated(shown(i))))
}

/// A range such as 2.5..7.5 by 0.1 must hold its last value although 0.1 is not exact in binary.
fn count_steps(from: f64, to: f64, step: f64) -> u64 {
    let steps = (to - from) / step;
    let whole = steps.round();
    let count = if (steps - whole).abs() <= 1e-9 * whole.abs().max(1.0) { whole } else { steps.floor() };
    // Saturates, so that an unchecked domain does not cause a panic.
    (count as u64).saturating_add(1)
}

/// `from + index * step`, rounded to the decimals that `from` and `step` are written with: 0.3, never 0.30000000000000004.
fn step_value(from: f64, step: f64, index: u64) -> f64 {
    let exact = from + index as f64 * step;
    let decimals = decimals_of(from).max(decimals_of(step));
    format!("{exact:.decimals$}").parse().unwrap_or(exact)
}

fn decimals_of(x: f64) -> usize {
    let text = x.to_string();
    text.split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(from: f64, to: f64, step: f64) -> Domain {
        Domain::Steps { from, to, step }
    }

    #[test]
    fn steps_are_decimal_and_hold_their_last_value() {
        let domain = steps(0.0, 1.0, 0.1);
        assert_eq!(domain.count(), Some(11));
        assert_eq!(domain.value(3), Some(Value::Real(0.3)));
        assert_eq!(domain.value(10), Some(Value::Real(1.0)));
        assert_eq!(domain.index_of(&Value::Real(0.3)), Some(3));
        assert_eq!(domain.index_of(&Value::Real(0.35)), None);
    }

    #[test]
    fn a_step_that_does_not_divide_the_range_stops_below_its_end() {
        let domain = steps(2.0, 40.5, 2.0);
        assert_eq!((domain.count(), domain.ends()), (Some(20), Some((2.0, 40.0))));
    }

    #[test]
    fn senseless_domains_are_refused() {
        assert!(matches!(steps(1.0, 1.0, 1.0).check(false), Err(DomainError::Empty { .. })));
        assert!(matches!(steps(1.0, 2.0, 0.0).check(false), Err(DomainError::Step(_))));
        assert!(matches!(steps(1.0, 2.0, 5.0).check(false), Err(DomainError::TooFew(1))));
        assert!(matches!(steps(0.0, 1e300, 1e-300).check(false), Err(DomainError::TooMany(_))));
        assert!(matches!(
            Domain::Continuous { from: f64::NAN, to: 1.0 }.check(true),
            Err(DomainError::NotFinite(_))
        ));
        assert!(Domain::Continuous { from: f64::NEG_INFINITY, to: f64::INFINITY }.check(true).is_ok());
        assert!(matches!(Domain::Values(vec![4.0, 8.0, 4.0]).check(false), Err(DomainError::Repeated(_))));
        assert!(Domain::Integers { from: i64::MIN, to: i64::MAX }.check(false).is_err());
    }

    #[test]
    fn the_default_may_lie_between_values_and_still_be_spanned() {
        let domain = steps(2.0, 40.0, 2.0);
        assert!(domain.spans(&Value::Integer(11)));
        assert!(!domain.spans(&Value::Integer(45)));
    }
}
