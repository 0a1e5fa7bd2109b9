//! Blocks and statements: a keyword, possibly abbreviated, with the values that follow it.

use super::super::ImportReport;
use super::lexer::{Token, TokenKind};
use super::{method, responses, variables};
use crate::value::whole;
use crate::{SourceSpan, nearest};

/// One of the blocks an input consists of.
pub(super) struct DakotaBlock {
    pub(super) name: &'static str,
    pub(super) span: SourceSpan,
    pub(super) statements: Vec<Statement>,
}

/// A keyword with its values.
pub(super) struct Statement {
    /// The keyword in full; empty when it is not known here.
    pub(super) keyword: &'static str,
    pub(super) span: SourceSpan,
    pub(super) values: Vec<StatementValue>,
}

/// One value of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StatementValue {
    pub(super) span: SourceSpan,
    pub(super) value: Literal,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    Number(f64),
    Text(String),
}

const BLOCKS: [&str; 7] =
    ["environment", "strategy", "method", "model", "variables", "interface", "responses"];

/// Words of the blocks we read; all words of the others are skipped.
fn vocabulary(block: &str) -> Option<&'static [&'static str]> {
    match block {
        "method" => Some(method::words()),
        "variables" => Some(variables::words()),
        "responses" => Some(responses::WORDS),
        _ => None,
    }
}

/// Sorts the tokens into blocks; says which ones are skipped.
pub(super) fn blocks(tokens: Vec<Token>, report: &mut ImportReport) -> Vec<DakotaBlock> {
    let mut blocks: Vec<DakotaBlock> = Vec::new();
    for token in tokens {
        match token.kind {
            TokenKind::Word(word) => read_word(&word, token.span, &mut blocks, report),
            TokenKind::Number(x) => read_value(token.span, Literal::Number(x), &mut blocks, report),
            TokenKind::Text(text) => read_value(token.span, Literal::Text(text), &mut blocks, report),
        }
    }
    blocks.iter().for_each(|block| note_skipped(block, report));
    blocks
}

fn read_word(word: &str, span: SourceSpan, blocks: &mut Vec<DakotaBlock>, report: &mut ImportReport) {
    let words = blocks.last().map_or(Some(&[][..]), |b| vocabulary(b.name));
    if let Some(name) = block_name(word, words) {
        blocks.push(DakotaBlock { name, span, statements: Vec::new() });
        return;
    }
    let Some(block) = blocks.last_mut() else {
        let expected = "one of the blocks method, variables, responses";
        report.error(span, "text before the first block", expected, format!("`{word}`"));
        return;
    };
    let keyword = words.map_or("", |words| keyword_of(word, words, span, report));
    block.statements.push(Statement { keyword, span, values: Vec::new() });
}

/// The block that a word starts: its name, or a beginning of it that means nothing else here.
fn block_name(word: &str, words: Option<&[&'static str]>) -> Option<&'static str> {
    if let Some(name) = BLOCKS.into_iter().find(|b| *b == word) {
        return Some(name);
    }
    let means_other = words.is_some_and(|words| words.iter().any(|w| w.starts_with(word)));
    let mut begun = BLOCKS.into_iter().filter(|b| word.len() >= 3 && b.starts_with(word));
    match (begun.next(), begun.next()) {
        (Some(name), None) if !means_other => Some(name),
        _ => None,
    }
}

/// The keyword in full, or "" with a message when it is unknown or ambiguous.
fn keyword_of(
    word: &str,
    words: &[&'static str],
    span: SourceSpan,
    report: &mut ImportReport,
) -> &'static str {
    let plain = variables::unaliased(word);
    if let Some(exact) = words.iter().find(|w| **w == plain) {
        return exact;
    }
    let candidates: Vec<&'static str> = words.iter().copied().filter(|w| w.starts_with(plain)).collect();
    match candidates[..] {
        [one] => return one,
        [] => {
            if let Some(meant) = nearest(word, words.iter().copied()) {
                report.warning(span, format!("`{word}` is skipped; did you mean `{meant}`?"));
            }
        }
        _ => {
            let expected = format!("one of {}", candidates.join(", "));
            report.error(span, "ambiguous abbreviation of a keyword", expected, format!("`{word}`"));
        }
    }
    ""
}

fn read_value(span: SourceSpan, value: Literal, blocks: &mut [DakotaBlock], report: &mut ImportReport) {
    match blocks.last_mut().and_then(|b| b.statements.last_mut()) {
        Some(statement) => statement.values.push(StatementValue { span, value }),
        None => report.error(span, "a value before the first keyword", "a keyword", value.describe()),
    }
}

fn note_skipped(block: &DakotaBlock, report: &mut ImportReport) {
    if vocabulary(block.name).is_none() {
        report.note(block.span, format!("the block `{}` is skipped", block.name));
        return;
    }
    let skipped = block.statements.iter().filter(|s| s.keyword.is_empty());
    let text =
        |s: &Statement| report.source.text.get(s.span.start..s.span.end).unwrap_or_default().to_owned();
    let words: Vec<String> = skipped.map(text).collect();
    if !words.is_empty() {
        report.note(
            block.span,
            format!("in `{}` these keywords are skipped: {}", block.name, words.join(", ")),
        );
    }
}

impl Literal {
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Number(x) => x.to_string(),
            Self::Text(text) => format!("'{text}'"),
        }
    }

    /// The whole number, if the value is one.
    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Number(x) => whole(*x),
            Self::Text(_) => None,
        }
    }
}

impl Statement {
    /// Its only value as a whole number of 0 or more.
    pub(super) fn whole(&self, report: &mut ImportReport) -> Option<u64> {
        let found = match &self.values[..] {
            [StatementValue { value, .. }] => match value.whole().and_then(|n| u64::try_from(n).ok()) {
                Some(number) => return Some(number),
                None => value.describe(),
            },
            values => format!("{} values", values.len()),
        };
        let message = format!("`{}` cannot be read", self.keyword);
        report.error(self.span, message, "one whole number of 0 or more", found);
        None
    }

    /// All its values as numbers.
    pub(super) fn numbers(&self, report: &mut ImportReport) -> Option<Vec<f64>> {
        let number = |item: &StatementValue| match item.value {
            Literal::Number(x) => Ok(x),
            Literal::Text(_) => Err((item.span, item.value.describe())),
        };
        self.all("numbers", number, report)
    }

    /// All its values as texts.
    pub(super) fn texts(&self, report: &mut ImportReport) -> Option<Vec<String>> {
        let text = |item: &StatementValue| match &item.value {
            Literal::Text(text) => Ok(text.clone()),
            Literal::Number(_) => Err((item.span, item.value.describe())),
        };
        self.all("texts in quotes", text, report)
    }

    fn all<T>(
        &self,
        expected: &str,
        read: impl Fn(&StatementValue) -> Result<T, (SourceSpan, String)>,
        report: &mut ImportReport,
    ) -> Option<Vec<T>> {
        match self.values.iter().map(read).collect() {
            Ok(values) => Some(values),
            Err((span, found)) => {
                report.error(span, format!("`{}` cannot be read", self.keyword), expected, found);
                None
            }
        }
    }
}

/// The only statement with a keyword; a second one is an error.
pub(super) fn find<'a>(
    statements: &'a [Statement],
    keyword: &str,
    report: &mut ImportReport,
) -> Option<&'a Statement> {
    let mut found = statements.iter().filter(|s| s.keyword == keyword);
    let first = found.next()?;
    if let Some(second) = found.next() {
        report.error(second.span, format!("`{keyword}` stands twice"), "it once", "a second one");
    }
    Some(first)
}
