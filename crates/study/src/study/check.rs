//! Checks of a study whose keys could be read. Every check adds its messages; none stops the others.

mod constraints;
mod defaults;
mod images;
mod metrics;
mod names;
mod parameters;
mod phases;

pub(super) use self::constraints::constraints;
pub(super) use self::defaults::defaults;
pub(super) use self::images::images;
pub(super) use self::metrics::metrics;
pub(super) use self::names::names;
pub(super) use self::parameters::{ResolvedParameters, parameters};
pub(super) use self::phases::{named_spaces, phases};

use super::entry::{ImageEntry, PhaseEntry};
use super::{Against, StudyFile};
use crate::located::Located;
use crate::{Diagnostic, Method, SourceSpan, Workflow, nearest};

/// Everything a check may look at.
pub(crate) struct Context<'a> {
    pub(super) file: &'a StudyFile,
    pub(super) workflow: Option<&'a Workflow>,
    /// Of the file and of its sheet.
    pub(super) images: &'a [ImageEntry],
}

impl Context<'_> {
    fn error(&self, span: SourceSpan, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(message).at(&self.file.source, span, "")
    }

    /// A name that is not among those it should be.
    fn unknown(&self, name: &Located<String>, message: String, what: &str, known: &[&str]) -> Diagnostic {
        let expected =
            if known.is_empty() { format!("{what}, and there is none") } else { one_of(what, known) };
        let mut error = self.error(name.span, message).expected_found(expected, format!("`{}`", name.value));
        error.hint = nearest(&name.value, known.iter().copied()).map(|meant| format!("write `{meant}`"));
        error
    }

    /// Where the size of a phase stands.
    pub(crate) fn place_of_size(&self, phase: usize) -> Option<crate::SourceLocation> {
        let method = self.file.phases.get(phase)?.method.as_ref()?;
        Some(crate::SourceLocation::new(&self.file.source, method.span))
    }

    /// The first metric that compares with the reference row.
    fn metric_against_default(&self) -> Option<&str> {
        let metric = self.file.metrics.iter().find(|m| m.against.value == Against::Default);
        metric.map(|m| m.name.value.as_str())
    }
}

impl PhaseEntry {
    /// Whether its factors move one at a time, and by which word the design is known.
    fn moves_factors_apart(&self) -> Option<&'static str> {
        match self.method.as_ref()?.value {
            Method::Morris(_) => Some("moat"),
            Method::Saltelli(_) => Some("vbd"),
            _ => None,
        }
    }
}

/// At most a dozen names: a message is read by people.
fn one_of(what: &str, known: &[&str]) -> String {
    const MOST: usize = 12;
    let shown = known[..known.len().min(MOST)].join(", ");
    let more = known.len().saturating_sub(MOST);
    if more == 0 { format!("{what}: {shown}") } else { format!("{what}: {shown} and {more} more") }
}

/// `a`, `a and b`, `a, b and c`, `a, b, c, d, e and 9 more`.
fn and(words: &[String]) -> String {
    const MOST: usize = 6;
    match words {
        [] => String::new(),
        [one] => one.clone(),
        many if many.len() > MOST => {
            format!("{} and {} more", many[..MOST - 1].join(", "), many.len() - MOST + 1)
        }
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
