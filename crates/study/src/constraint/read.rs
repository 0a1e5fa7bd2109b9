//! Reading a constraint: expressions by recursive descent; errors have a position.

use std::sync::Arc;

use super::{COMPARISONS, ComparisonSign, Constraint, Expression, Operator};
use crate::{Diagnosed, Diagnostic, SourceSpan, SourceText, nearest};

impl Constraint {
    /// Reads the constraint that stands at `span` of a source; its names must be among `parameters`.
    pub fn parse(
        source: &Arc<SourceText>,
        span: SourceSpan,
        parameters: &[&str],
    ) -> Result<Self, Box<Diagnostic>> {
        // A span of another text must not cause a panic.
        let text = &source.text[..source.text.floor_char_boundary(span.end)];
        let at = text.floor_char_boundary(span.start);
        let mut reader = ConstraintReader { source, text, at, parameters, depth: 0 };
        let left = reader.sum()?;
        let comparison = reader.comparison()?;
        let right = reader.sum()?;
        reader.skip_space();
        if reader.at < text.len() {
            return Err(reader.unexpected("the end of the constraint"));
        }
        Ok(Self { left, comparison, right })
    }
}

/// Deepest nesting that is read; keeps a hostile text from exhausting the stack.
const DEEPEST: usize = 64;

struct ConstraintReader<'a> {
    source: &'a Arc<SourceText>,
    text: &'a str,
    at: usize,
    parameters: &'a [&'a str],
    depth: usize,
}

impl ConstraintReader<'_> {
    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn comparison(&mut self) -> Diagnosed<ComparisonSign> {
        let found = COMPARISONS.iter().find(|(sign, _)| self.eat(sign));
        found
            .map(|(_, c)| *c)
            .ok_or_else(|| self.unexpected("one of < <= > >= == != between two expressions"))
    }

    fn sum(&mut self) -> Diagnosed<Expression> {
        self.chain(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Diagnosed<Expression> {
        self.chain(&[("*", Operator::Multiply)], Self::atom)
    }

    fn chain(
        &mut self,
        signs: &[(&str, Operator)],
        part: fn(&mut Self) -> Diagnosed<Expression>,
    ) -> Diagnosed<Expression> {
        let mut left = part(self)?;
        let mut length = 0;
        while let Some((_, operator)) = signs.iter().find(|(sign, _)| self.eat(sign)) {
            length += 1;
            if length > DEEPEST {
                return Err(self.unexpected("a shorter expression"));
            }
            left = Expression::Binary(*operator, Box::new(left), Box::new(part(self)?));
        }
        Ok(left)
    }

    fn atom(&mut self) -> Diagnosed<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.unexpected("a less deeply nested expression"));
        }
        let atom = self.atom_inside();
        self.depth -= 1;
        atom
    }

    fn atom_inside(&mut self) -> Diagnosed<Expression> {
        if self.eat("-") {
            let mut negative = true;
            while self.eat("-") {
                negative = !negative;
            }
            let inner = self.atom()?;
            return Ok(if negative { Expression::Negate(Box::new(inner)) } else { inner });
        }
        if self.eat("(") {
            let inner = self.sum()?;
            return if self.eat(")") { Ok(inner) } else { Err(self.unexpected("`)`")) };
        }
        let start = self.at;
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let rest = &self.text[start..];
        let word = &rest[..rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())];
        self.at += word.len();
        match word.chars().next() {
            None => Err(self.unexpected("a parameter or a number")),
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(start, word),
            Some(_) => self.name(start, word),
        }
    }

    fn number(&self, start: usize, word: &str) -> Diagnosed<Expression> {
        let number = word.parse::<f64>().ok().filter(|x| x.is_finite());
        number.map(Expression::Number).ok_or_else(|| self.complaint(start, word, "a number"))
    }

    fn name(&self, start: usize, word: &str) -> Diagnosed<Expression> {
        if self.parameters.contains(&word) {
            return Ok(Expression::Name(word.to_owned()));
        }
        let mut complaint = self.complaint(start, word, "the name of a parameter");
        if let Some(meant) = nearest(word, self.parameters.iter().copied()) {
            complaint.hint = Some(format!("write `{meant}`"));
        }
        Err(complaint)
    }

    fn unexpected(&mut self, expected: &str) -> Box<Diagnostic> {
        self.skip_space();
        let found: String = self.text[self.at..].chars().take(1).collect();
        let at = self.at;
        self.complaint(at, &found, expected)
    }

    fn complaint(&self, start: usize, found: &str, expected: &str) -> Box<Diagnostic> {
        let shown = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        let span = start..start + found.len();
        Box::new(
            Diagnostic::error("this constraint cannot be read")
                .at(self.source, span, "")
                .expected_found(expected, shown),
        )
    }
}
