//! A file of any kind we read, with what it names, and everything there is to say about it.

mod companions;
mod staging;

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::catalogue;
use onceflow_study::{
    Diagnostic, Diagnostics, FileKind, Problem, Source, Study, Workflow, check_workflow, detect, excerpt,
    import_original, import_taverna, read_dakota_input, read_salib_parameters, read_salib_problem,
    read_workflow,
};

use crate::failure::Failure;
use crate::file::{Limit, read_text};

/// A file that was read.
pub(crate) struct Document {
    /// What it is.
    pub(crate) kind: FileKind,
    /// What it holds; `None` exactly when there are errors.
    pub(crate) content: Option<Content>,
    /// Everything there is to say about it.
    pub(crate) diagnostics: Diagnostics,
}

/// What a file holds.
pub(crate) enum Content {
    /// A study, with its workflow when it has one.
    Study(Box<Study>, Option<Box<Workflow>>),
    /// A workflow.
    Workflow(Box<Workflow>),
    /// Something to sample.
    Problem(Box<Problem>),
}

/// Reads a file and what it names. Fails when it cannot be read at all.
pub(crate) fn open(path: &Path) -> Result<Document, Failure> {
    let source = read_text(path, Limit::Description)?;
    let kind = detect(&source.name, &source.text).ok_or_else(|| unknown_kind(&source))?;
    Ok(read(path, kind, &source))
}

/// Reads a text as if it were the study at a path.
pub(crate) fn reopen(path: &Path, source: &Arc<Source>) -> Document {
    read(path, FileKind::Study, source)
}

fn read(path: &Path, kind: FileKind, source: &Arc<Source>) -> Document {
    let (content, diagnostics) = match kind {
        FileKind::Study => companions::read_study(path, source),
        FileKind::Workflow | FileKind::OriginalStage | FileKind::Taverna => {
            let (workflow, diagnostics) = workflow(kind, source);
            (workflow.map(|w| Content::Workflow(Box::new(w))), diagnostics)
        }
        FileKind::SalibProblem => problem(read_salib_problem(source)),
        FileKind::SalibParameters => problem(read_salib_parameters(source)),
        FileKind::DakotaInput => problem(read_dakota_input(source)),
    };
    let content = content.filter(|_| !diagnostics.has_errors());
    Document { kind, content, diagnostics }
}

fn problem(read: onceflow_study::Imported) -> (Option<Content>, Diagnostics) {
    match read {
        Ok((problem, diagnostics)) => (Some(Content::Problem(Box::new(problem))), diagnostics),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// A workflow in one of its forms. Only our own form says what its tasks do, so only it is checked for that.
fn workflow(kind: FileKind, source: &Arc<Source>) -> (Option<Workflow>, Diagnostics) {
    let read = match kind {
        FileKind::OriginalStage => import_original(source),
        FileKind::Taverna => import_taverna(source),
        _ => read_workflow(source).map(|workflow| {
            let diagnostics = check_workflow(&workflow, &catalogue());
            (workflow, diagnostics)
        }),
    };
    match read {
        Ok((workflow, diagnostics)) => (Some(workflow), diagnostics),
        Err(diagnostics) => (None, diagnostics),
    }
}

fn unknown_kind(source: &Source) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} is of no kind we read", source.name))
            .expected_found(
                "a study (TOML), a workflow or stage descriptor (JSON), a Taverna workflow, a SALib problem, \
                 a SALib parameter file or a Dakota input",
                first_words(&source.text),
            )
            .with_hint("onceflow init -o study.toml writes a study to start from"),
    )
}

fn first_words(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    if line.is_empty() { "an empty file".into() } else { format!("`{}`", excerpt(line)) }
}
