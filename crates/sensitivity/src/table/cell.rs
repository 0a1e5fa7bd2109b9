//! One field of a table: numbers, words of a domain, and the notations of NaN.

use onceflow_study::{Domain, Parameter, Value, excerpt, nearest};

use super::TableError;

/// Shortest text that reads back as the same number; very large and very small ones with an exponent.
pub fn number_text(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 || (1e-5..1e17).contains(&size) { x.to_string() } else { format!("{x:e}") }
}

/// A value as it stands in a table.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::Real(x) => number_text(*x),
        other => other.to_string(),
    }
}

/// How strictly a field is read.
#[derive(Clone, Copy, Default)]
pub(super) struct CellRules {
    /// The table has no header: a number may stand for a word, as SALib needs it.
    pub(super) bare: bool,
    /// A number need not be in the domain.
    pub(super) anywhere: bool,
}

/// The number that stands for a field in a sample: a word by its place.
pub(super) fn read_value(parameter: &Parameter, text: &str, rules: CellRules) -> Result<f64, TableError> {
    match &parameter.domain {
        Domain::Categories(words) => read_word(parameter, words, text, rules.bare),
        domain => {
            let text = text.trim();
            let x = text.parse::<f64>().ok().filter(|x| x.is_finite());
            let x = x.ok_or_else(|| not_a_number(parameter, text))?;
            // A parameter that a phase does not vary stands at its default, which may lie outside what is studied.
            let is_default = parameter.default.as_ref().and_then(Value::as_f64) == Some(x);
            let fits = rules.anywhere || is_in(domain, x) || is_default;
            if fits { Ok(x) } else { Err(outside(parameter, text)) }
        }
    }
}

fn read_word(parameter: &Parameter, words: &[String], text: &str, bare: bool) -> Result<f64, TableError> {
    let place =
        text.trim().parse::<f64>().ok().filter(|x| x.fract() == 0.0 && *x >= 0.0 && *x < words.len() as f64);
    if let Some(place) = place.filter(|_| bare) {
        return Ok(place);
    }
    let place_of = |text: &str| words.iter().position(|word| word == text);
    let found = place_of(text).or_else(|| place_of(text.trim()));
    found.map(|place| place as f64).ok_or_else(|| {
        let hint = nearest(text, words.iter().map(String::as_str)).map(|word| format!("write `{word}`"));
        outside(parameter, text).with_hint_if(hint)
    })
}

/// Checks a number that stands for a value: for a word its place, otherwise a number of the domain or the default.
pub(super) fn check_number(parameter: &Parameter, x: f64) -> Result<(), TableError> {
    let fits = match &parameter.domain {
        Domain::Categories(words) => x.fract() == 0.0 && (0.0..words.len() as f64).contains(&x),
        domain => {
            let is_default = parameter.default.as_ref().and_then(Value::as_f64) == Some(x);
            x.is_finite() && (is_in(domain, x) || is_default)
        }
    };
    if fits { Ok(()) } else { Err(outside(parameter, &number_text(x))) }
}

/// Printing a bound with few digits may move it a little outside.
const ROUNDING: f64 = 1e-7;

fn is_in(domain: &Domain, x: f64) -> bool {
    match domain {
        Domain::Continuous { from, to } => {
            let width = to - from;
            let slack = if width.is_finite() { ROUNDING * width } else { 0.0 };
            from - slack <= x && x <= to + slack
        }
        other => other.index_of(&Value::Real(x)).is_some(),
    }
}

fn not_a_number(parameter: &Parameter, text: &str) -> TableError {
    let error = TableError::new(format!("`{}` has no value here", parameter.name), "a number", shown(text));
    if text.contains(',') { error.with_hint("write decimals with a point") } else { error }
}

fn outside(parameter: &Parameter, text: &str) -> TableError {
    let message = format!("this value of `{}` is not in the problem", parameter.name);
    TableError::new(message, describe(&parameter.domain), shown(text))
}

fn describe(domain: &Domain) -> String {
    const SHOWN: usize = 8;
    let list = |items: Vec<String>, all: usize| {
        format!("one of {}{}", items.join(", "), if all > SHOWN { ", …" } else { "" })
    };
    match domain {
        Domain::Continuous { from, to } => format!("{from} to {to}"),
        Domain::Integers { from, to } => format!("a whole number from {from} to {to}"),
        Domain::Steps { from, to, step } => format!("{from} to {to} by steps of {step}"),
        Domain::Values(values) => list(values.iter().take(SHOWN).map(f64::to_string).collect(), values.len()),
        Domain::Categories(words) => list(words.iter().take(SHOWN).cloned().collect(), words.len()),
    }
}

/// A field in a message: cut when it is long, named when it is empty.
pub(super) fn shown(text: &str) -> String {
    if text.is_empty() { "nothing".into() } else { format!("`{}`", excerpt(text)) }
}

/// An output: NaN for all its notations; `None` for a text that is not a number.
pub(super) fn read_output(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(x) = text.parse::<f64>() {
        return Some(if x.is_finite() { x } else { f64::NAN });
    }
    let nothing = ["", "na", "n/a", "none", "null", "fail", "failed", "error", "undefined"];
    nothing.contains(&text.to_lowercase().as_str()).then_some(f64::NAN)
}

/// A number of a row, also one that went through a program which makes every number real (`12.0`).
pub(super) fn read_id(text: &str) -> Option<u64> {
    let text = text.trim();
    let real = || text.parse::<f64>().ok().filter(|x| x.fract() == 0.0 && (0.0..=MOST).contains(x));
    text.parse::<u64>().ok().or_else(|| real().map(|x| x as u64))
}

/// 2^53: beyond it a real no longer counts exactly.
const MOST: f64 = 9_007_199_254_740_992.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(domain: Domain) -> Parameter {
        Parameter::new("x", domain)
    }

    fn read(parameter: &Parameter, text: &str, bare: bool) -> Result<f64, TableError> {
        read_value(parameter, text, CellRules { bare, anywhere: false })
    }

    fn words() -> Parameter {
        parameter(Domain::Categories(vec!["otsu".into(), "8".into(), "0".into()]))
    }

    #[test]
    fn numbers_are_short_and_exact() {
        for (x, text) in [(0.1, "0.1"), (5.0, "5"), (1e-300, "1e-300"), (-2.5e20, "-2.5e20"), (0.0, "0")] {
            assert_eq!(number_text(x), text);
        }
    }

    #[test]
    fn the_default_may_lie_outside_the_domain() {
        let mut steps = parameter(Domain::Steps { from: 2.0, to: 40.0, step: 2.0 });
        assert!(read(&steps, "45", false).is_err());
        steps.default = Some(Value::Integer(45));
        assert_eq!(read(&steps, "45", false), Ok(45.0));
        assert!(read(&steps, "44", false).is_err());
    }

    #[test]
    fn values_must_be_in_the_domain() {
        let steps = parameter(Domain::Steps { from: 2.5, to: 7.5, step: 0.5 });
        assert_eq!(read(&steps, " 3.0 ", false), Ok(3.0));
        assert_eq!(
            read(&steps, "3.1", false).unwrap_err().to_string(),
            "this value of `x` is not in the problem; expected 2.5 to 7.5 by steps of 0.5, found `3.1`"
        );
        let range = parameter(Domain::Continuous { from: -std::f64::consts::PI, to: std::f64::consts::PI });
        assert_eq!(read(&range, "3.14159266", false), Ok(3.141_592_66), "printed with nine digits");
        assert!(read(&range, "3.15", false).is_err());
        assert!(read(&range, "nan", false).unwrap_err().to_string().contains("expected a number"));
        assert!(read(&range, "0,5", false).unwrap_err().to_string().contains("with a point"));
    }

    #[test]
    fn words_are_read_by_name_or_in_a_bare_matrix_by_place() {
        assert_eq!(read(&words(), "otsu", true), Ok(0.0));
        assert_eq!(read(&words(), "8", false), Ok(1.0));
        assert_eq!(read(&words(), "8", true), Ok(1.0), "no such place");
        assert_eq!(read(&words(), "0", true), Ok(0.0));
        assert_eq!(read(&words(), "0", false), Ok(2.0));
        assert!(read(&words(), "ostu", false).unwrap_err().to_string().ends_with("to do: write `otsu`"));
    }

    #[test]
    fn there_are_many_ways_to_fail() {
        for text in ["", "nan", "NaN", "inf", "-Infinity", "FAILED", "None", " n/a "] {
            assert!(read_output(text).is_some_and(f64::is_nan), "{text}");
        }
        assert_eq!(read_output("1e3"), Some(1000.0));
        assert_eq!(read_output("abc"), None);
        assert_eq!(
            (read_id("7"), read_id("7.0"), read_id("7.5"), read_id("-1")),
            (Some(7), Some(7), None, None)
        );
    }
}
