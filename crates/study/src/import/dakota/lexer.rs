//! Words, numbers and quoted texts of a Dakota input; `=`, `,` and `\` only separate, `#` starts a comment.

use super::super::ImportReport;
use crate::SourceSpan;

/// A piece of the input.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) span: SourceSpan,
    pub(super) kind: TokenKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Word(String),
    Number(f64),
    Text(String),
}

/// More numbers than any study has; bounds what `1000000000*0.5` may allocate.
const MOST_NUMBERS: usize = 1 << 20;

/// Splits the text into tokens; other characters are reported and skipped.
pub(super) fn tokens(report: &mut ImportReport) -> Vec<Token> {
    let source = std::sync::Arc::clone(&report.source);
    let mut lexer = Lexer { text: &source.text, at: 0, tokens: Vec::new(), report };
    while lexer.step() {}
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    report: &'a mut ImportReport,
}

impl Lexer<'_> {
    /// Reads one token or skips one separator; false at the end.
    fn step(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        match first {
            '#' => self.at += rest.find('\n').unwrap_or(rest.len()),
            '\'' | '"' => self.quoted(first),
            c if is_separator(c) => self.at += c.len_utf8(),
            _ => self.bare(),
        }
        true
    }

    fn quoted(&mut self, quote: char) {
        let inside = &self.text[self.at + 1..];
        let line = inside.find('\n').unwrap_or(inside.len());
        let start = self.at;
        if let Some(length) = inside[..line].find(quote) {
            self.at += length + 2;
            self.push(start, TokenKind::Text(inside[..length].into()));
        } else {
            self.at += 1 + line;
            let span = SourceSpan { start, end: self.at };
            let expected = format!("{quote} before the end of the line");
            self.report.error(span, "a quoted text does not end", expected, "the end of the line");
        }
    }

    fn bare(&mut self) {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.find(|c| is_separator(c) || matches!(c, '#' | '\'' | '"')).unwrap_or(rest.len());
        let text = &rest[..length];
        self.at += length;
        if let Some(x) = number(text) {
            self.push(start, TokenKind::Number(x));
        } else if text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_word) {
            self.push(start, TokenKind::Word(text.to_lowercase()));
        } else if let Some(numbers) = self.shorthand(text) {
            numbers.into_iter().for_each(|x| self.push(start, TokenKind::Number(x)));
        } else {
            self.unreadable(SourceSpan { start, end: self.at }, text);
        }
    }

    fn push(&mut self, start: usize, kind: TokenKind) {
        self.tokens.push(Token { span: SourceSpan { start, end: self.at }, kind });
    }

    /// `3*0.5` is three numbers, `1:4` and `1:0.5:3` are sequences.
    fn shorthand(&self, text: &str) -> Option<Vec<f64>> {
        if let Some((count, value)) = text.split_once('*') {
            let count = count.parse::<usize>().ok().filter(|n| *n <= self.room())?;
            return Some(vec![number(value)?; count]);
        }
        let parts: Vec<f64> = text.split(':').map(number).collect::<Option<_>>()?;
        let (low, step, high) = match parts[..] {
            [low, high] => (low, 1.0, high),
            [low, step, high] => (low, step, high),
            _ => return None,
        };
        let count = ((high - low) / step + 1e-9).floor();
        let fits = count >= 0.0 && count < self.room() as f64;
        fits.then(|| (0..=count as usize).map(|i| low + i as f64 * step).collect())
    }

    fn room(&self) -> usize {
        MOST_NUMBERS.saturating_sub(self.tokens.len())
    }

    fn unreadable(&mut self, span: SourceSpan, text: &str) {
        let hint = match text.chars().next() {
            Some('{') => Some("this is a template: expand it first and import what comes out".into()),
            Some('‘' | '’' | '“' | '”') => Some("write plain quotes: ' or \"".into()),
            _ => None,
        };
        let shown: String = text.chars().take(40).collect();
        let expected = "a keyword, a number, or a text in quotes";
        self.report.error_with_hint(span, "this cannot be read", expected, format!("`{shown}`"), hint);
    }
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '=' | ',' | '\\' | '\u{feff}')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// A number as C reads it; `nan` is left a word, which no keyword is.
fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|x| !x.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceText;

    fn lex(text: &str) -> (Vec<TokenKind>, String) {
        let mut report = ImportReport::new(&SourceText::new("d.in", text));
        let tokens = tokens(&mut report);
        (tokens.into_iter().map(|t| t.kind).collect(), report.diagnostics.to_string())
    }

    fn numbers(text: &str) -> Vec<f64> {
        let (kinds, complaints) = lex(text);
        assert_eq!(complaints, "", "{text}");
        kinds.into_iter().map(|k| if let TokenKind::Number(x) = k { x } else { f64::NAN }).collect()
    }

    #[test]
    fn separators_and_comments_vanish() {
        let (kinds, _) = lex("interface,\n\tFORK # 'no'\n x=1.e-3, 'a b' \"it's\" -.5");
        let word = |w: &str| TokenKind::Word(w.into());
        let text = |t: &str| TokenKind::Text(t.into());
        let expected = [
            word("interface"),
            word("fork"),
            word("x"),
            TokenKind::Number(1e-3),
            text("a b"),
            text("it's"),
            TokenKind::Number(-0.5),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn shorthand_lists_are_written_out() {
        assert_eq!(numbers("3*0.5 2"), [0.5, 0.5, 0.5, 2.0]);
        assert_eq!(numbers("1:4"), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(numbers("0:0.25:1"), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(numbers("-inf inf"), [f64::NEG_INFINITY, f64::INFINITY]);
    }

    #[test]
    fn what_is_no_token_is_pointed_at() {
        assert!(lex("x {y}").1.starts_with("d.in:1:3: error: this cannot be read"));
        assert!(lex("x ’y’").1.contains("plain quotes"));
        assert!(lex("x\n 'y\nz").1.starts_with("d.in:2:2: error: a quoted text does not end"));
        assert!(lex("99999999999*1").1.contains("cannot be read"), "too many to write out");
        assert!(lex("0:1e-300:1").1.contains("cannot be read"));
        assert!(lex("1:0:2").1.contains("cannot be read"));
    }
}
