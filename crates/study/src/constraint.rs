//! Constraints between parameters: `minSize < maxSize`, `2 * a + b <= 100`.

mod read;

use std::fmt;

use crate::Parameter;

/// A comparison of two expressions over parameters, with `+`, `-`, `*`, parentheses and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    left: Expression,
    comparison: ComparisonSign,
    right: Expression,
}

/// How a constraint relates to the ranges of its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every combination of values satisfies it.
    Always,
    /// It may exclude some combinations.
    Sometimes,
    /// No combination satisfies it.
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ComparisonSign {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// Longest first, so that `<=` is not read as `<`.
const COMPARISONS: [(&str, ComparisonSign); 6] = [
    ("<=", ComparisonSign::LessEqual),
    (">=", ComparisonSign::GreaterEqual),
    ("==", ComparisonSign::Equal),
    ("!=", ComparisonSign::NotEqual),
    ("<", ComparisonSign::Less),
    (">", ComparisonSign::Greater),
];

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Number(f64),
    Name(String),
    Negate(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
}

impl Constraint {
    /// Names of the parameters it mentions, each once.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for side in [&self.left, &self.right] {
            side.visit_names(&mut |name| {
                if !names.iter().any(|n| n == name) {
                    names.push(name.to_owned());
                }
            });
        }
        names
    }

    /// Whether it holds for the values that `value_of` gives.
    pub fn holds(&self, value_of: &dyn Fn(&str) -> f64) -> bool {
        self.comparison.holds(self.left.evaluate(value_of), self.right.evaluate(value_of))
    }

    /// The same constraint with one parameter fixed at a number.
    #[must_use]
    pub fn with_fixed(&self, name: &str, value: f64) -> Self {
        let (left, right) = (self.left.with_fixed(name, value), self.right.with_fixed(name, value));
        Self { left, comparison: self.comparison, right }
    }

    /// Whether it can exclude combinations of values within the ranges. Bounds each side by its interval, which is
    /// exact while no parameter stands in it twice; otherwise `Sometimes` may be said of a constraint that never cuts.
    pub fn reach(&self, parameters: &[Parameter]) -> Reach {
        let ends_of = |name: &str| {
            let parameter = parameters.iter().find(|p| p.name == name);
            parameter.and_then(|p| p.domain.ends()).unwrap_or((f64::NEG_INFINITY, f64::INFINITY))
        };
        self.comparison.reach(self.left.interval(&ends_of), self.right.interval(&ends_of))
    }
}

impl ComparisonSign {
    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
            Self::Equal => a == b,
            Self::NotEqual => a != b,
        }
    }

    fn reach(self, a: (f64, f64), b: (f64, f64)) -> Reach {
        let (always, never) = match self {
            Self::Less => (a.1 < b.0, a.0 >= b.1),
            Self::LessEqual => (a.1 <= b.0, a.0 > b.1),
            Self::Greater => (a.0 > b.1, a.1 <= b.0),
            Self::GreaterEqual => (a.0 >= b.1, a.1 < b.0),
            Self::Equal => (a.0 == a.1 && a == b, a.0 > b.1 || a.1 < b.0),
            Self::NotEqual => (a.0 > b.1 || a.1 < b.0, a.0 == a.1 && a == b),
        };
        match (always, never) {
            (true, _) => Reach::Always,
            (_, true) => Reach::Never,
            _ => Reach::Sometimes,
        }
    }
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
        }
    }

    fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
        }
    }
}

impl Expression {
    fn evaluate(&self, value_of: &dyn Fn(&str) -> f64) -> f64 {
        match self {
            Self::Number(x) => *x,
            Self::Name(name) => value_of(name),
            Self::Negate(inner) => -inner.evaluate(value_of),
            Self::Binary(operator, a, b) => operator.apply(a.evaluate(value_of), b.evaluate(value_of)),
        }
    }

    fn visit_names<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Self::Number(_) => {}
            Self::Name(name) => visit(name),
            Self::Negate(inner) => inner.visit_names(visit),
            Self::Binary(_, a, b) => {
                a.visit_names(visit);
                b.visit_names(visit);
            }
        }
    }

    fn with_fixed(&self, name: &str, value: f64) -> Self {
        match self {
            Self::Name(n) if n == name => Self::Number(value),
            Self::Number(_) | Self::Name(_) => self.clone(),
            Self::Negate(inner) => Self::Negate(Box::new(inner.with_fixed(name, value))),
            Self::Binary(operator, a, b) => Self::Binary(
                *operator,
                Box::new(a.with_fixed(name, value)),
                Box::new(b.with_fixed(name, value)),
            ),
        }
    }

    fn interval(&self, ends_of: &dyn Fn(&str) -> (f64, f64)) -> (f64, f64) {
        match self {
            Self::Number(x) => (*x, *x),
            Self::Name(name) => ends_of(name),
            Self::Negate(inner) => {
                let (low, high) = inner.interval(ends_of);
                (-high, -low)
            }
            Self::Binary(operator, a, b) => interval_of(*operator, a.interval(ends_of), b.interval(ends_of)),
        }
    }
}

fn interval_of(operator: Operator, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(x, y)| operator.apply(x, y));
    if corners.iter().any(|c| c.is_nan()) {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    (corners.into_iter().fold(f64::INFINITY, f64::min), corners.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = COMPARISONS.iter().find(|(_, c)| *c == self.comparison).map_or("", |(sign, _)| sign);
        write!(f, "{} {sign} {}", self.left, self.right)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Name(name) => write!(f, "{name}"),
            Self::Negate(inner) => write!(f, "-{}", inner.beside(Precedence::Atom)),
            Self::Binary(operator, a, b) => {
                // Operators of one precedence associate to the left: only the right operand needs parentheses.
                let (left, right) = match operator {
                    Operator::Multiply => (Precedence::Product, Precedence::Atom),
                    Operator::Add | Operator::Subtract => (Precedence::Sum, Precedence::Product),
                };
                write!(f, "{} {} {}", a.beside(left), operator.sign(), b.beside(right))
            }
        }
    }
}

/// Precedence of operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Sum,
    Product,
    Atom,
}

impl Expression {
    fn precedence(&self) -> Precedence {
        match self {
            Self::Binary(Operator::Add | Operator::Subtract, ..) => Precedence::Sum,
            Self::Binary(Operator::Multiply, ..) => Precedence::Product,
            Self::Number(x) if x.is_sign_negative() => Precedence::Product,
            Self::Number(_) | Self::Name(_) | Self::Negate(_) => Precedence::Atom,
        }
    }

    /// Its text, in parentheses unless its precedence is at least `least`.
    fn beside(&self, least: Precedence) -> String {
        if self.precedence() < least { format!("({self})") } else { self.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Domain, SourceText};

    fn parse(text: &str) -> Result<Constraint, String> {
        let source = SourceText::new("c", text);
        Constraint::parse(&source, (0..text.len()).into(), &["a", "b", "minSize"]).map_err(|d| d.to_string())
    }

    fn reach(text: &str, a: (f64, f64), b: (f64, f64)) -> Reach {
        let range =
            |name: &str, (from, to): (f64, f64)| Parameter::new(name, Domain::Continuous { from, to });
        parse(text).unwrap().reach(&[range("a", a), range("b", b)])
    }

    #[test]
    fn precedence_is_that_of_arithmetic() {
        let holds = |text: &str| parse(text).unwrap().holds(&|name| if name == "a" { 3.0 } else { 4.0 });
        assert!(holds("a + 2 * b == 11"));
        assert!(holds("(a + 2) * b == 20"));
        assert!(holds("-a - b < -6"));
        assert!(holds("a - b - 1 == -2"), "subtraction goes from the left");
        assert!(!holds("a >= b"));
    }

    #[test]
    fn ranges_decide_whether_a_constraint_cuts() {
        assert_eq!(reach("a < b", (2.0, 40.0), (900.0, 1500.0)), Reach::Always);
        assert_eq!(reach("a < b", (2.0, 40.0), (30.0, 90.0)), Reach::Sometimes);
        assert_eq!(reach("a > b", (2.0, 40.0), (900.0, 1500.0)), Reach::Never);
        assert_eq!(reach("a <= b", (2.0, 40.0), (40.0, 90.0)), Reach::Always);
        assert_eq!(reach("b - a > 0 - 1", (2.0, 40.0), (40.0, 90.0)), Reach::Always);
    }

    #[test]
    fn what_cannot_be_read_is_pointed_at() {
        assert_eq!(
            parse("minsize < b").unwrap_err(),
            "c:1:1: error: this constraint cannot be read; expected the name of a parameter, found `minsize`; to do: write `minSize`"
        );
        assert!(parse("a < ").unwrap_err().starts_with("c:1:5: "));
        assert!(parse("a b").unwrap_err().contains("one of <"));
        assert!(parse("a < b < a").unwrap_err().contains("the end of the constraint"));
        assert!(parse(&format!("{}a < b", "(".repeat(100_000))).unwrap_err().contains("less deeply"));
        assert!(parse(&format!("{}a < b", "-(".repeat(100_000))).unwrap_err().contains("less deeply"));
    }

    #[test]
    fn a_span_of_another_text_is_no_panic() {
        let source = SourceText::new("c", "é < b");
        for (start, end) in [(1, 3), (0, 99), (50, 60), (4, 2)] {
            let span = crate::SourceSpan { start, end };
            assert!(Constraint::parse(&source, span, &["b"]).is_err(), "{start}..{end}");
        }
    }

    #[test]
    fn printing_and_reading_agree() {
        let long = format!("a{} < {}b", " - b".repeat(60), "-".repeat(1001));
        for text in
            ["a < b", "(a + b) * 2 <= 3", "a - (b - a) > 0", "a * (b * 3) != 2.5", "-(a + -b) < -2", &long]
        {
            let once = parse(text).unwrap();
            assert_eq!(parse(&once.to_string()).unwrap(), once, "{text}");
        }
    }

    #[test]
    fn fixing_a_parameter_leaves_a_bound_on_the_other() {
        let constraint = parse("a < b").unwrap().with_fixed("a", 5.0);
        assert_eq!((constraint.to_string().as_str(), constraint.names()), ("5 < b", vec!["b".to_owned()]));
    }
}
