//! Messages about a text: what was expected, what was found, where, and what to do next.

use std::fmt;
use std::sync::Arc;

/// A text with its name in messages (a path as typed, or `<shipped>/nuclei.json`).
#[derive(Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Name shown in messages.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl SourceText {
    /// A shared source, as diagnostics keep it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// Line and column (both from 1, columns in characters) of a byte offset; offsets past the end give the end.
    pub fn position(&self, offset: usize) -> LineColumn {
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        LineColumn { line: before.matches('\n').count() + 1, column: before[start..].chars().count() + 1 }
    }
}

/// A position in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A half-open range of bytes in a [`SourceText`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceSpan {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl From<std::ops::Range<usize>> for SourceSpan {
    fn from(range: std::ops::Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Probably not meant; the study can run.
    Warning,
    /// The text cannot be used.
    Error,
}

impl Severity {
    /// The word printed before the message.
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A marked span of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text it marks.
    pub source: Arc<SourceText>,
    /// The marked bytes.
    pub span: SourceSpan,
    /// Words beside the mark; may be empty.
    pub text: String,
}

/// One message. Made by [`Diagnostic::error`] and its kin, completed by the `with_*` methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// What the text should have held.
    pub expected: Option<String>,
    /// What it held.
    pub found: Option<String>,
    /// Marked spans, the most important first. Empty when the message has no position.
    pub labels: Vec<Label>,
    /// Why it matters.
    pub why: Option<String>,
    /// What to do next.
    pub hint: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity, message, expected: None, found: None, labels: Vec::new(), why: None, hint: None }
    }

    /// The text cannot be used.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// Probably not meant.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// Worth knowing.
    pub fn note(message: impl Into<String>) -> Self {
        Self::new(Severity::Note, message)
    }

    /// Marks a place.
    #[must_use]
    pub fn at(
        mut self,
        source: &Arc<SourceText>,
        span: impl Into<SourceSpan>,
        text: impl Into<String>,
    ) -> Self {
        self.labels.push(Label { source: Arc::clone(source), span: span.into(), text: text.into() });
        self
    }

    /// Says what was expected and what was found instead.
    #[must_use]
    pub fn expected_found(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.found = Some(found.into());
        self
    }

    /// Says why it matters.
    #[must_use]
    pub fn with_why(mut self, why: impl Into<String>) -> Self {
        self.why = Some(why.into());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// `file:line:column: error: message; expected …, found …; to do: …`: one line, for logs and tests.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = self.labels.first() {
            let LineColumn { line, column } = label.source.position(label.span.start);
            write!(f, "{}:{line}:{column}: ", label.source.name)?;
        }
        write!(f, "{}: {}", self.severity.word(), self.message)?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(found) = &self.found {
            write!(f, ", found {found}")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "; to do: {hint}")?;
        }
        Ok(())
    }
}

/// A value, or an error with its position.
pub(crate) type Diagnosed<T> = Result<T, Box<Diagnostic>>;

/// All messages of a check. As an error type it contains at least one [`Severity::Error`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Adds one message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Whether any message is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many messages of a severity there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|d| d.severity == severity).count()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

/// The beginning of a text, with `…` where it is cut: a message is read by people.
pub fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// The known name closest to a mistyped one, when it is close enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer names are not compared: the distance costs the product of both lengths.
    const LONGEST: usize = 100;
    if name.len() > LONGEST {
        return None;
    }
    let folded = name.to_lowercase();
    known
        .into_iter()
        .filter(|k| k.len() <= LONGEST)
        .map(|k| (strsim::damerau_levenshtein(&folded, &k.to_lowercase()), k))
        .filter(|(distance, k)| *distance <= 1 + k.chars().count().max(name.chars().count()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = SourceText::new("a", "µm\nxy");
        assert_eq!(source.position(2), LineColumn { line: 1, column: 2 });
        assert_eq!(source.position(1), LineColumn { line: 1, column: 1 }, "inside a character");
        assert_eq!(source.position(99), LineColumn { line: 2, column: 3 });
    }

    #[test]
    fn only_long_texts_are_cut() {
        assert_eq!(excerpt(&"é".repeat(40)), "é".repeat(40));
        assert_eq!(excerpt(&"é".repeat(41)), format!("{}…", "é".repeat(40)));
    }

    #[test]
    fn nearest_suggests_only_what_is_close() {
        assert_eq!(nearest("trajectory", ["trajectories", "base"]), Some("trajectories"));
        assert_eq!(nearest("G3", ["G1", "maxSize"]), Some("G1"));
        assert_eq!(nearest("colour", ["base", "keep"]), None);
    }

    #[test]
    fn a_message_reads_in_one_line() {
        let source = SourceText::new("s.toml", "a = 1\nb = x");
        let d = Diagnostic::error("bad value").at(&source, 10..11, "").expected_found("a number", "`x`");
        assert_eq!(d.to_string(), "s.toml:2:5: error: bad value; expected a number, found `x`");
    }
}
