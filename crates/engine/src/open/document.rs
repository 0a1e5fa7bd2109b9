//! A file of any kind we read, with what it names, and everything there is to say about it.

use std::path::Path;
use std::sync::Arc;

use onceflow_programs::describe_functions;
use onceflow_study::{
    Catalogue, Diagnostic, Diagnostics, FileKind, Problem, SourceText, Study, Workflow, check_workflow,
    detect, excerpt, import_original, import_taverna, read_dakota_input, read_salib_parameters,
    read_salib_problem, read_workflow,
};

use super::companions;
use crate::EngineError;
use crate::file::{TextLimit, read_text};

/// A file that was read.
#[derive(Debug)]
pub struct Document {
    /// What it is.
    pub kind: FileKind,
    /// What it holds; `None` exactly when there are errors.
    pub content: Option<DocumentContent>,
    /// Its text.
    pub source: Arc<SourceText>,
    /// Everything there is to say about it.
    pub diagnostics: Diagnostics,
}

/// What a file holds.
#[derive(Debug)]
pub enum DocumentContent {
    /// A study, with its workflow when it has one.
    Study(Box<Study>, Option<Box<Workflow>>),
    /// A workflow.
    Workflow(Box<Workflow>),
    /// Something to sample.
    Problem(Box<Problem>),
}

/// Reads a file and what it names.
///
/// # Errors
/// When the file cannot be read at all, or its format is not recognised; what is wrong inside it is told in the document.
pub fn open_document(path: &Path) -> Result<Document, EngineError> {
    open(path, &onceflow_nuclei::catalogue())
}

/// The same with operations that a program brings.
pub(super) fn open(path: &Path, catalogue: &Catalogue) -> Result<Document, EngineError> {
    let source = read_text(path, TextLimit::Description)?;
    if source.text.trim().is_empty() {
        return Err(empty(&source.name));
    }
    let kind = detect(&source.name, &source.text).ok_or_else(|| unknown_kind(&source))?;
    Ok(read(path, kind, &source, catalogue))
}

/// Reads a text as if it stood at a path.
pub(super) fn read(path: &Path, kind: FileKind, source: &Arc<SourceText>, catalogue: &Catalogue) -> Document {
    let (content, diagnostics) = match kind {
        FileKind::Study => companions::read_study(path, source, catalogue),
        FileKind::Workflow | FileKind::OriginalStage | FileKind::Taverna => {
            let (workflow, diagnostics) = workflow(kind, source, catalogue);
            (workflow.map(|w| DocumentContent::Workflow(Box::new(w))), diagnostics)
        }
        FileKind::SalibProblem => problem(read_salib_problem(source)),
        FileKind::SalibParameters => problem(read_salib_parameters(source)),
        FileKind::DakotaInput => problem(read_dakota_input(source)),
    };
    let content = content.filter(|_| !diagnostics.has_errors());
    Document { kind, content, source: Arc::clone(source), diagnostics }
}

fn problem(read: onceflow_study::Imported) -> (Option<DocumentContent>, Diagnostics) {
    match read {
        Ok((problem, diagnostics)) => (Some(DocumentContent::Problem(Box::new(problem))), diagnostics),
        Err(diagnostics) => (None, diagnostics),
    }
}

/// A workflow in one of its forms. Only our own form says what its tasks do, so only it is checked for that.
pub(super) fn workflow(
    kind: FileKind,
    source: &Arc<SourceText>,
    catalogue: &Catalogue,
) -> (Option<Workflow>, Diagnostics) {
    let read = match kind {
        FileKind::OriginalStage => import_original(source),
        FileKind::Taverna => import_taverna(source),
        _ => read_workflow(source).map(|mut workflow| {
            // What functions take and read must be known before it can be checked.
            let folder = Path::new(&source.name).parent().unwrap_or(Path::new(""));
            let problems = describe_functions(&mut workflow, folder);
            let diagnostics = if problems.is_empty() {
                check_workflow(&workflow, catalogue)
            } else {
                Diagnostics(problems)
            };
            (workflow, diagnostics)
        }),
    };
    match read {
        Ok((workflow, diagnostics)) => (Some(workflow), diagnostics),
        Err(diagnostics) => (None, diagnostics),
    }
}

fn empty(name: &str) -> EngineError {
    let message = Diagnostic::error(format!("{name} is empty"));
    let message = message.expected_found("a study, a workflow or a problem", "no text");
    // A study is read as one when its name says so.
    let target = if name.ends_with(".toml") { format!("{name} --force") } else { "study.toml".to_owned() };
    EngineError::bad_input(
        message.with_hint(format!("onceflow init -o {target} writes a study to start from")),
    )
}

fn unknown_kind(source: &SourceText) -> EngineError {
    EngineError::bad_input(
        Diagnostic::error(format!("unrecognised file format: {}", source.name))
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
