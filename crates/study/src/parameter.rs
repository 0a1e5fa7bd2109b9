//! A parameter of a workflow or model, and the canonical form in which an operation reads its value.

use std::fmt;

use crate::value::whole;
use crate::{Distribution, Domain, Value};

/// How an operation reads a parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// A number as it is.
    #[default]
    Real,
    /// A number cut to a whole one (towards zero).
    Integer,
    /// Neighbourhood of a pixel: 8, or anything else, which is 4.
    Connectivity,
    /// A word.
    Category,
}

impl ParameterKind {
    /// All kinds, in the order documentation lists them.
    pub const ALL: [Self; 4] = [Self::Real, Self::Integer, Self::Connectivity, Self::Category];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Connectivity => "connectivity",
            Self::Category => "category",
        }
    }

    /// The kind with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.word() == word)
    }

    /// The same value written as the kind writes it: reals as reals, whole numbers of the other kinds as integers.
    pub fn tidy(self, value: &Value) -> Value {
        match (self, value) {
            (Self::Real, Value::Integer(_)) => value.as_f64().map_or_else(|| value.clone(), Value::Real),
            (Self::Integer | Self::Connectivity, Value::Real(x)) => {
                whole(*x).map_or_else(|| value.clone(), Value::Integer)
            }
            _ => value.clone(),
        }
    }

    /// The canonical form of a value: values that the operation does not distinguish have the same one. `None` when the
    /// value does not fit the kind (a word for a number, a number for a word, a number that is not finite).
    pub fn canonical(self, value: &Value) -> Option<Canonical> {
        if let (Self::Category, Value::Text(text)) = (self, value) {
            return Some(Canonical::Text(text.clone()));
        }
        let x = value.as_f64().filter(|x| x.is_finite())?;
        match self {
            Self::Category => None,
            // Adding zero makes -0 and 0 one value.
            Self::Real => Some(Canonical::Real((x + 0.0).to_bits())),
            #[allow(
                clippy::cast_possible_truncation,
                reason = "truncation is what is meant; the cast saturates"
            )]
            Self::Integer => Some(Canonical::Integer(x as i64)),
            #[allow(
                clippy::float_cmp,
                reason = "the specification compares with 8 exactly, after truncation"
            )]
            Self::Connectivity => Some(Canonical::Connectivity8(x.trunc() == 8.0)),
        }
    }
}

/// A value in canonical form, as used in keys.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Canonical {
    /// Bits of a finite number (never those of -0).
    Real(u64),
    /// A whole number.
    Integer(i64),
    /// Whether the connectivity is 8.
    Connectivity8(bool),
    /// A word.
    Text(String),
}

/// As it would stand in a study.
impl fmt::Display for Canonical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(bits) => write!(f, "{}", f64::from_bits(*bits)),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Connectivity8(eight) => f.write_str(if *eight { "8" } else { "4" }),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// One parameter: its values, its default, and the stage that reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name, unique in its study.
    pub name: String,
    /// How it is read.
    pub kind: ParameterKind,
    /// The values it may take in this study.
    pub domain: Domain,
    /// How likely the values are.
    pub distribution: Distribution,
    /// Value of the reference row and of a parameter that does not vary.
    pub default: Option<Value>,
    /// Parameters of one group vary together and have one index.
    pub group: Option<String>,
    /// The stage that reads it, when a workflow is known.
    pub stage: Option<String>,
    /// Unit, for people.
    pub unit: Option<String>,
    /// One sentence, for people.
    pub about: Option<String>,
}

impl Parameter {
    /// A parameter with everything but name and domain at its default; the kind follows from the domain.
    pub fn new(name: impl Into<String>, domain: Domain) -> Self {
        let kind = match &domain {
            Domain::Categories(_) => ParameterKind::Category,
            Domain::Integers { .. } => ParameterKind::Integer,
            Domain::Continuous { .. } | Domain::Steps { .. } | Domain::Values(_) => ParameterKind::Real,
        };
        Self {
            name: name.into(),
            kind,
            domain,
            distribution: Distribution::Uniform,
            default: None,
            group: None,
            stage: None,
            unit: None,
            about: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_an_operation_cannot_tell_apart_are_one() {
        let same = |kind: ParameterKind, a: f64, b: f64| {
            kind.canonical(&Value::Real(a)) == kind.canonical(&Value::Real(b))
        };
        assert!(same(ParameterKind::Connectivity, 4.0, 7.0));
        assert!(!same(ParameterKind::Connectivity, 4.0, 8.0));
        assert!(same(ParameterKind::Integer, 5.9, 5.0));
        assert!(same(ParameterKind::Integer, -0.5, 0.5));
        assert!(same(ParameterKind::Real, -0.0, 0.0));
        assert!(!same(ParameterKind::Real, 5.9, 5.0));
    }

    #[test]
    fn a_value_is_written_as_its_kind_writes_it() {
        assert_eq!(ParameterKind::Real.tidy(&Value::Integer(5)), Value::Real(5.0));
        assert_eq!(ParameterKind::Integer.tidy(&Value::Real(5.0)), Value::Integer(5));
        assert_eq!(ParameterKind::Integer.tidy(&Value::Real(5.5)), Value::Real(5.5));
        assert_eq!(ParameterKind::Category.tidy(&Value::Text("a".into())), Value::Text("a".into()));
    }

    #[test]
    fn a_value_of_the_wrong_type_has_no_canonical_form() {
        assert_eq!(ParameterKind::Real.canonical(&Value::Real(f64::NAN)), None);
        assert_eq!(ParameterKind::Integer.canonical(&Value::Text("a".into())), None);
        assert_eq!(ParameterKind::Category.canonical(&Value::Integer(1)), None);
    }
}
