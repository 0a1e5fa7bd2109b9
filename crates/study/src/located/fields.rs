//! Reading a table key by key: wrong types, missing keys and unknown keys are reported with their positions.

use std::sync::Arc;

use super::{FromNode, Located, LocatedNode, LocatedTable, Mismatch, TableEntry};
use crate::{Diagnostic, Diagnostics, SourceSpan, SourceText, excerpt, nearest};

/// Reads the entries of a table one by one and remembers which keys were read, so that [`TableReader::finish`] can report
/// the others. A value that cannot be read leaves a message and is `None`, so that one pass finds every mistake.
///
/// ```
/// # use onceflow_study::{Diagnostics, TableReader, SourceText, parse_json};
/// let source = SourceText::new("phase.json", r#"{"name": "screen", "trajectory": 20}"#);
/// let node = parse_json(&source).unwrap();
/// let mut diagnostics = Diagnostics::default();
/// let mut fields = TableReader::new(&source, &node, "phase", &mut diagnostics).unwrap();
/// let name: Option<String> = fields.required("name");
/// let trajectories: Option<u64> = fields.optional("trajectories");
/// fields.finish();
/// assert_eq!((name.as_deref(), trajectories), (Some("screen"), None));
/// assert!(diagnostics.to_string().ends_with("write `trajectories`"));
/// ```
#[derive(Debug)]
pub struct TableReader<'a, 'd> {
    source: &'a Arc<SourceText>,
    span: SourceSpan,
    table: &'a LocatedTable,
    what: String,
    keys_read: Vec<String>,
    /// Keys that were required and absent, with the indices of their messages.
    missing: Vec<(String, usize)>,
    diagnostics: &'d mut Diagnostics,
}

impl<'a, 'd> TableReader<'a, 'd> {
    /// Starts reading a node as a table; `what` is its name in messages, without an article ("phase"). A node that
    /// is no table is reported and gives `None`.
    pub fn new(
        source: &'a Arc<SourceText>,
        node: &'a LocatedNode,
        what: &str,
        diagnostics: &'d mut Diagnostics,
    ) -> Option<Self> {
        let Some(table) = node.as_table() else {
            let mismatch = Mismatch::new(node, format!("a table of the keys of a {what}"));
            diagnostics.push(mismatch.diagnostic(source, what));
            return None;
        };
        Some(Self {
            source,
            span: node.span,
            table,
            what: what.to_owned(),
            keys_read: Vec::new(),
            missing: Vec::new(),
            diagnostics,
        })
    }

    /// The value of a key that must be there.
    pub fn required<T: FromNode<'a>>(&mut self, key: &str) -> Option<T> {
        if self.table.get(key).is_none() {
            self.mark_read(key);
            let missing = Diagnostic::error(format!("the {} has no `{key}`", self.what));
            let missing = missing.at(self.source, first_line(self.source, self.span), "");
            self.missing.push((key.into(), self.diagnostics.0.len()));
            self.diagnostics.push(missing.expected_found(format!("the key `{key}`"), "none"));
            return None;
        }
        self.optional(key)
    }

    /// The value of a key that may be there.
    pub fn optional<T: FromNode<'a>>(&mut self, key: &str) -> Option<T> {
        self.mark_read(key);
        let node = self.table.get(key)?;
        Self::read(self.source, key, node, self.diagnostics)
    }

    /// The value of a key that may be there, read by `convert` whose error says what it expected.
    pub fn parsed<T: FromNode<'a>, U>(
        &mut self,
        key: &str,
        convert: impl FnOnce(T) -> Result<U, String>,
    ) -> Option<U> {
        let value = self.optional(key)?;
        match convert(value) {
            Ok(value) => Some(value),
            Err(expected) => {
                if let Some(node) = self.table.get(key) {
                    self.diagnostics.push(Mismatch::new(node, expected).diagnostic(self.source, key));
                }
                None
            }
        }
    }

    /// One of a few words; another one is reported with the nearest.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let node: &LocatedNode = self.optional(key)?;
        self.word_at(key, node, words).map(|word| word.value)
    }

    /// One of a few words at a node inside the value of a key.
    pub fn word_at<T: Copy>(
        &mut self,
        key: &str,
        node: &LocatedNode,
        words: &[(&str, T)],
    ) -> Option<Located<T>> {
        let text: String = Self::read(self.source, key, node, self.diagnostics)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(Located { value: *value, span: node.span });
        }
        let known = words.iter().map(|(word, _)| *word);
        let mut diagnostic = Mismatch::new(node, one_of(known.clone())).diagnostic(self.source, key);
        diagnostic.hint = nearest(&text, known).map(|word| format!("write \"{word}\""));
        self.diagnostics.push(diagnostic);
        None
    }

    /// A node as a value; one that cannot be read is reported under the name `what`.
    pub fn read<'n, T: FromNode<'n>>(
        source: &Arc<SourceText>,
        what: &str,
        node: &'n LocatedNode,
        diagnostics: &mut Diagnostics,
    ) -> Option<T> {
        T::from_node(node).map_err(|mismatch| diagnostics.push(mismatch.diagnostic(source, what))).ok()
    }

    /// The table itself, for looking ahead without marking keys as read.
    pub fn table(&self) -> &'a LocatedTable {
        self.table
    }

    /// Whether the key is there; marks it as read.
    pub fn has(&mut self, key: &str) -> bool {
        self.mark_read(key);
        self.table.get(key).is_some()
    }

    /// The entries that were not read so far, all marked as read: keys chosen by the user.
    pub fn others(&mut self) -> Vec<&'a TableEntry> {
        let others: Vec<_> = self.table.entries.iter().filter(|e| !self.keys_read.contains(&e.key)).collect();
        self.keys_read.extend(others.iter().map(|e| e.key.clone()));
        others
    }

    /// Where a key's value stands, or the table when there is none.
    pub fn span(&self, key: &str) -> SourceSpan {
        self.table.get(key).map_or_else(|| first_line(self.source, self.span), |node| node.span)
    }

    /// Where messages go; for reading what lies inside.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        self.diagnostics
    }

    /// Adds an error at a key's value.
    pub fn error(&mut self, key: &str, message: impl Into<String>, expected: impl Into<String>) {
        let diagnostic = self.complaint(key, message.into(), expected.into());
        self.diagnostics.push(diagnostic);
    }

    /// Adds an error at a key's value, with what to do.
    pub fn error_with_hint(&mut self, key: &str, message: &str, expected: &str, hint: &str) {
        let diagnostic = self.complaint(key, message.into(), expected.into());
        self.diagnostics.push(diagnostic.with_hint(hint));
    }

    fn complaint(&self, key: &str, message: String, expected: String) -> Diagnostic {
        let found = self.table.get(key).map_or_else(|| "none".into(), LocatedNode::describe);
        Diagnostic::error(message).at(self.source, self.span(key), "").expected_found(expected, found)
    }

    fn mark_read(&mut self, key: &str) {
        if !self.keys_read.iter().any(|k| k == key) {
            self.keys_read.push(key.into());
        }
    }

    /// Reports the keys that were not read. A mistyped required key is reported once, at its position.
    pub fn finish(self) {
        let known: Vec<&str> = self.keys_read.iter().map(String::as_str).collect();
        let unknown = self.table.entries.iter().filter(|e| !known.contains(&e.key.as_str()));
        let unknown: Vec<_> = unknown.map(|e| (e, nearest(&e.key, known.iter().copied()))).collect();
        // Messages are only added after one another, so removing from the back keeps the places right.
        for (key, place) in self.missing.iter().rev() {
            if unknown.iter().any(|(_, meant)| *meant == Some(key.as_str())) {
                self.diagnostics.0.remove(*place);
            }
        }
        for (entry, meant) in unknown {
            self.diagnostics.push(unknown_key(self.source, &self.what, entry, &known, meant));
        }
    }
}

fn unknown_key(
    source: &Arc<SourceText>,
    what: &str,
    entry: &TableEntry,
    known: &[&str],
    meant: Option<&str>,
) -> Diagnostic {
    let key = excerpt(&entry.key);
    let diagnostic =
        Diagnostic::error(format!("the {what} has no key `{key}`")).at(source, entry.key_span, "");
    let mut diagnostic = diagnostic.expected_found(one_of(known.iter().copied()), format!("`{key}`"));
    diagnostic.hint = meant.map(|word| format!("write `{word}`"));
    diagnostic
}

/// `a`, `a or b`, `one of a, b, c`.
fn one_of<'b>(words: impl Iterator<Item = &'b str>) -> String {
    let words: Vec<_> = words.collect();
    match words.as_slice() {
        [] => "no key".into(),
        [one] => (*one).into(),
        [one, other] => format!("{one} or {other}"),
        many => format!("one of {}", many.join(", ")),
    }
}

/// A table may cover a whole file; its first line is enough to find it.
fn first_line(source: &SourceText, span: SourceSpan) -> SourceSpan {
    let text = source.text.get(span.start..span.end).unwrap_or_default();
    let length = text.find('\n').unwrap_or(text.len());
    SourceSpan { start: span.start, end: span.start + length }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Value, parse_json};

    fn check(text: &str, read: impl FnOnce(&mut TableReader<'_, '_>), expected: &[&str]) {
        let source = SourceText::new("f", text);
        let node = parse_json(&source).unwrap();
        let mut diagnostics = Diagnostics::default();
        let mut fields = TableReader::new(&source, &node, "thing", &mut diagnostics).unwrap();
        read(&mut fields);
        fields.finish();
        let messages: Vec<_> = diagnostics.0.iter().map(ToString::to_string).collect();
        assert_eq!(messages, expected, "{text}");
    }

    #[test]
    fn values_of_each_type_are_read() {
        let text = r#"{"t": "x", "i": -3, "u": 20.0, "r": 4, "b": true, "l": ["p", "q"], "v": 2.5, "n": {}}"#;
        check(
            text,
            |f| {
                assert_eq!(f.required::<String>("t").as_deref(), Some("x"));
                assert_eq!(f.required::<i64>("i"), Some(-3));
                assert_eq!(f.required::<u64>("u"), Some(20));
                assert_eq!(f.required::<f64>("r"), Some(4.0));
                assert_eq!(f.required::<bool>("b"), Some(true));
                assert_eq!(f.required::<Vec<String>>("l"), Some(vec!["p".into(), "q".into()]));
                assert_eq!(f.required::<Value>("v"), Some(Value::Real(2.5)));
                assert!(f.required::<&LocatedTable>("n").is_some());
                assert_eq!(f.optional::<bool>("absent"), None);
            },
            &[],
        );
    }

    #[test]
    fn each_mistake_is_said_once_with_its_place() {
        check(
            r#"{"i": 2.5, "u": -1, "l": ["p", 7], "tralectories": 3}"#,
            |f| {
                let _ = (f.required::<i64>("i"), f.required::<u64>("u"), f.required::<Vec<String>>("l"));
                let _ = (f.required::<String>("name"), f.optional::<u64>("trajectories"));
            },
            &[
                "f:1:7: error: `i` cannot be read; expected a whole number, found 2.5",
                "f:1:17: error: `u` cannot be read; expected a whole number, 0 or more, found -1",
                "f:1:32: error: `l` cannot be read; expected a text in quotes, found 7",
                "f:1:1: error: the thing has no `name`; expected the key `name`, found none",
                "f:1:36: error: the thing has no key `tralectories`; expected one of i, u, l, name, trajectories, found `tralectories`; to do: write `trajectories`",
            ],
        );
    }

    #[test]
    fn words_are_checked_against_a_list() {
        let words = [("drop", 1), ("bounds", 2), ("stop", 3)];
        check(
            r#"{"a": "stop", "b": "bound", "c": 1}"#,
            |f| {
                assert_eq!(
                    (f.word("a", &words), f.word("b", &words), f.word("c", &words)),
                    (Some(3), None, None)
                )
            },
            &[
                "f:1:20: error: `b` cannot be read; expected one of drop, bounds, stop, found \"bound\"; to do: write \"bounds\"",
                "f:1:34: error: `c` cannot be read; expected a text in quotes, found 1",
            ],
        );
    }

    #[test]
    fn keys_the_user_chose_are_given_as_they_are() {
        let keys = |f: &mut TableReader<'_, '_>| f.others().iter().map(|e| e.key.clone()).collect::<Vec<_>>();
        check(
            r#"{"a": 1, "z": 2, "y": 3}"#,
            |f| {
                f.has("a");
                assert_eq!(keys(f), ["z", "y"]);
            },
            &[],
        );
    }
}
