//! Problems and workflows written for other tools, read as ours: parts without a meaning here are reported, never dropped
//! silently.

mod checked;
mod dakota;
mod optuna;
mod original;
mod salib;
mod taverna;
mod xml;

pub use dakota::read_dakota_input;
pub use optuna::{OptunaTrial, OptunaTrials, read_optuna_journal};
pub use original::import_original;
pub(crate) use salib::peak_at;
pub use salib::{read_salib_parameters, read_salib_problem};
pub(crate) use taverna::NAMESPACE as TAVERNA_NAMESPACE;
pub use taverna::{TavernaCounts, count_taverna, import_taverna};

use std::sync::Arc;

use crate::{Diagnostic, Diagnostics, Problem, SourceSpan, SourceText, Workflow};

/// A problem with notes and warnings, or all errors of the text.
pub type Imported = Result<(Problem, Diagnostics), Diagnostics>;

/// A workflow with notes and warnings, or all errors of the text.
pub type ImportedWorkflow = Result<(Workflow, Diagnostics), Diagnostics>;

/// Collects the messages about one text.
struct ImportReport {
    source: Arc<SourceText>,
    diagnostics: Diagnostics,
}

impl ImportReport {
    fn new(source: &Arc<SourceText>) -> Self {
        Self { source: Arc::clone(source), diagnostics: Diagnostics::default() }
    }

    /// An error at a place, completed by what was expected and found there.
    fn error(
        &mut self,
        span: SourceSpan,
        message: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) {
        self.error_with_hint(span, message, expected, found, None);
    }

    fn error_with_hint(
        &mut self,
        span: SourceSpan,
        message: impl Into<String>,
        expected: impl Into<String>,
        found: impl Into<String>,
        hint: Option<String>,
    ) {
        let mut error = Diagnostic::error(message).at(&self.source, span, "").expected_found(expected, found);
        error.hint = hint;
        self.diagnostics.push(error);
    }

    fn warning(&mut self, span: SourceSpan, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(message).at(&self.source, span, ""));
    }

    fn note(&mut self, span: SourceSpan, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::note(message).at(&self.source, span, ""));
    }

    /// The problem with the remarks, unless there were errors.
    fn finish(self, problem: Option<Problem>) -> Imported {
        match problem {
            Some(problem) if !self.diagnostics.has_errors() => Ok((problem, self.diagnostics)),
            _ => Err(self.diagnostics),
        }
    }
}
