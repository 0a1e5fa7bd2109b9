//! Diagnostics for people: the line with its mark when there is one, else expected, found and what to do.

use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str as clean,
};
use onceflow_study::{Diagnostic, Label, Severity, SourceText};

/// The message as it is printed, without a last line break. Colours are in it; the stream drops them where unwanted.
pub(crate) fn render(message: &Diagnostic) -> String {
    if message.labels.is_empty() { without_place(message) } else { with_place(message) }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    }
}

/// `error: …` and indented lines, each with its word.
fn without_place(message: &Diagnostic) -> String {
    let title = Group::with_title(level(message.severity).primary_title(&message.message));
    let mut text = Renderer::styled().render(&[title]);
    let lines = [
        ("expected", &message.expected),
        ("found", &message.found),
        ("because", &message.why),
        ("to do", &message.hint),
    ];
    for (word, line) in lines.into_iter().filter_map(|(word, line)| Some((word, line.as_ref()?))) {
        text.push_str(&format!("\n  {word:<10} {}", clean(line)));
    }
    text
}

fn with_place(message: &Diagnostic) -> String {
    let mut group = Group::with_title(level(message.severity).primary_title(&message.message));
    for (place, source) in sources(&message.labels).into_iter().enumerate() {
        group = group.element(snippet(message, source, place == 0));
    }
    if let Some(why) = &message.why {
        group = group.element(Level::NOTE.with_name("why it matters").message(clean(why)));
    }
    if let Some(hint) = &message.hint {
        group = group.element(Level::HELP.with_name("to do").message(clean(hint)));
    }
    Renderer::styled().render(&[group])
}

/// Each source once, the one to look at first.
fn sources(labels: &[Label]) -> Vec<&Arc<SourceText>> {
    let mut sources: Vec<&Arc<SourceText>> = Vec::new();
    for label in labels {
        if !sources.contains(&&label.source) {
            sources.push(&label.source);
        }
    }
    sources
}

fn snippet<'a>(message: &'a Diagnostic, source: &'a SourceText, first: bool) -> Snippet<'a, Annotation<'a>> {
    let labels = message.labels.iter().filter(|l| *l.source == *source).enumerate();
    let annotations = labels.map(|(place, label)| {
        let primary = first && place == 0;
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let words = if primary { words_of_primary(message, label) } else { label.text.clone() };
        kind.span(inside(&source.text, label.span.start..label.span.end)).label(words)
    });
    Snippet::source(&source.text).path(&source.name).annotations(annotations)
}

/// What was expected and found stands beside the mark, with the label's own words after it.
fn words_of_primary(message: &Diagnostic, label: &Label) -> String {
    let expected = message.expected.as_ref().map(|e| format!("expected {e}"));
    let found = message.found.as_ref().map(|f| format!("found {f}"));
    let comparison = [expected, found].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let words = [comparison, label.text.clone()];
    words.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The marked bytes, cut to the text and to whole characters, which the renderer trusts, and to their first line: a mark
/// says where to look, and need not show a whole table.
fn inside(text: &str, span: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    let line = text[start..end].find(['\n', '\r']).filter(|length| *length > 0);
    start..line.map_or(end, |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(message: &Diagnostic) -> String {
        anstream::adapter::strip_str(&render(message)).to_string()
    }

    #[test]
    fn a_place_is_shown_with_its_line_and_what_was_expected() {
        let source = SourceText::new("study.toml", "name = \"a\"\nG2 = { from = 2, to = 40 }\n");
        let other = SourceText::new("workflow.json", "{ \"default\": 45 }\n");
        let message = Diagnostic::warning("the default of G2 lies outside its range")
            .at(&source, 16..37, "")
            .at(&other, 13..15, "the default")
            .expected_found("a range that holds the default", "2..40")
            .with_why("every row differs from it in the same direction")
            .with_hint("widen the range to 46");
        insta::assert_snapshot!(plain(&message), @r###"
        warning: the default of G2 lies outside its range
         --> study.toml:2:6
          |
        2 | G2 = { from = 2, to = 40 }
          |      ^^^^^^^^^^^^^^^^^^^^^ expected a range that holds the default, found 2..40
          |
         ::: workflow.json:1:14
          |
        1 | { "default": 45 }
          |              -- the default
          |
          = why it matters: every row differs from it in the same direction
          = to do: widen the range to 46
        "###);
    }

    #[test]
    fn without_a_place_each_thing_has_its_line() {
        let message =
            Diagnostic::error("cannot read \u{1b}[31mx").expected_found("a file", "a folder").with_hint("go");
        insta::assert_snapshot!(plain(&message), @r###"
        error: cannot read ␛[31mx
          expected   a file
          found      a folder
          to do      go
        "###);
    }

    #[test]
    fn marks_outside_the_text_do_no_harm() {
        let source = SourceText::new("a", "µm");
        for (start, end) in [(0, 0), (1, 1), (2, 99), (50, 60), (3, 3), (3, 1)] {
            let span = onceflow_study::SourceSpan { start, end };
            assert!(!render(&Diagnostic::error("x").at(&source, span, "here")).is_empty());
        }
        let empty = SourceText::new("a", "");
        assert!(!render(&Diagnostic::error("x").at(&empty, 0..1, "here")).is_empty());
    }
}
