//! Opening a study: its text read and checked, its workflow and images found, its settings resolved.

mod bound;
pub(crate) mod catalogue;
mod check;
pub(crate) mod command;
mod companions;
pub(crate) mod compare;
mod document;
pub(crate) mod granularity;
pub(crate) mod inputs;
pub(crate) mod kept;
mod kept_by_run;
mod levels;
pub(crate) mod measured;
mod measures;
pub(crate) mod metrics;
pub(crate) mod reading;
pub(crate) mod reference;
mod runnable;
pub(crate) mod sampling;
pub(crate) mod sources;
mod staging;
mod stamps;
pub(crate) mod study;
mod tuning;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_study::{Diagnostic, FileKind, Severity, SourceText, Study, Workflow, counted};

pub use catalogue::Operations;
pub use check::{CheckOptions, CheckedDocument, check_document};
pub use document::{Document, DocumentContent, open_document};
pub use kept_by_run::KeptByRun;
pub use study::OpenStudy;
pub use tuning::{TuneRequest, open_to_tune};

use crate::{EngineError, SettingsLayers};

/// Where a study is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyInput {
    /// A file; `-` is standard input.
    File(PathBuf),
    /// A text, whose files are relative to a folder.
    Text {
        /// The study in TOML.
        text: String,
        /// The folder.
        folder: PathBuf,
    },
}

impl From<&Path> for StudyInput {
    fn from(path: &Path) -> Self {
        Self::File(path.into())
    }
}

impl From<&str> for StudyInput {
    fn from(path: &str) -> Self {
        Self::File(path.into())
    }
}

impl From<&PathBuf> for StudyInput {
    fn from(path: &PathBuf) -> Self {
        Self::File(path.clone())
    }
}

/// The texts that a study was read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StudyTexts {
    /// The file as it was named; for a text, a name in its folder.
    pub path: PathBuf,
    /// The study.
    pub study: String,
    /// The workflow descriptor.
    pub workflow: String,
}

/// Opens a study that has a workflow: reads it, checks it, opens its images, resolves its settings.
///
/// # Errors
/// Everything that is wrong with the study, its workflow, its images or the settings.
pub fn open_study(input: impl Into<StudyInput>, layers: &SettingsLayers) -> Result<OpenStudy, EngineError> {
    open_study_with(input, layers, Operations::built_in())
}

/// The same for a program that brings operations of its own.
///
/// # Errors
/// As [`open_study`].
pub fn open_study_with(
    input: impl Into<StudyInput>,
    layers: &SettingsLayers,
    operations: Operations,
) -> Result<OpenStudy, EngineError> {
    let read = ReadStudy::new(input.into(), &operations)?;
    let settings = layers.resolve(&read.study)?;
    let folder = read.texts.path.parent().unwrap_or(Path::new("")).to_path_buf();
    let cut = settings.stop_after.map(|level| levels::cut_after(&read.workflow, level)).transpose()?;
    let workflow = cut.as_ref().unwrap_or(&read.workflow);
    let study = OpenStudy::open(&read.study, workflow, &folder, operations, &layers.watch_images)?;
    let texts = match &cut {
        Some(cut) => StudyTexts { workflow: levels::text_of(cut, &read.texts.workflow), ..read.texts },
        None => read.texts,
    };
    Ok(study.with_settings(settings).with_texts(texts, read.notes))
}

/// A study as it was read, before its images are opened.
struct ReadStudy {
    study: Box<Study>,
    workflow: Box<Workflow>,
    texts: StudyTexts,
    notes: Vec<String>,
}

impl ReadStudy {
    fn new(input: StudyInput, operations: &Operations) -> Result<Self, EngineError> {
        let (path, document) = match input {
            StudyInput::File(path) => {
                let document = document::open(&path, operations.catalogue())?;
                (path, document)
            }
            StudyInput::Text { text, folder } => {
                let path = folder.join("study.toml");
                let source = SourceText::new(path.display().to_string(), text);
                (path.clone(), document::read(&path, FileKind::Study, &source, operations.catalogue()))
            }
        };
        let warnings = document.diagnostics.count(Severity::Warning);
        let Some(content) = document.content else {
            return Err(EngineError::Invalid(document.diagnostics));
        };
        let DocumentContent::Study(study, Some(workflow)) = content else { return Err(no_workflow(&path)) };
        let text = |source: Option<&Arc<SourceText>>| source.map_or_else(String::new, |s| s.text.clone());
        let texts = StudyTexts {
            study: document.source.text.clone(),
            workflow: text(workflow.source.as_ref()),
            path,
        };
        let notes = (warnings > 0).then(|| {
            let (path, warnings) = (texts.path.display(), counted(warnings, "warning"));
            format!("note: {path} has {warnings}: onceflow check {path}")
        });
        Ok(Self { study, workflow, notes: notes.into_iter().collect(), texts })
    }
}

impl OpenStudy {
    /// An earlier form of the study, from a text that stood in the same place; `None` when it is not a study any more.
    pub(crate) fn earlier(&self, text: &str) -> Option<Box<Study>> {
        let source = SourceText::new(self.texts.path.display().to_string(), text);
        let document =
            document::read(&self.texts.path, FileKind::Study, &source, self.operations.catalogue());
        match document.content? {
            DocumentContent::Study(study, _) => Some(study),
            _ => None,
        }
    }
}

fn no_workflow(path: &Path) -> EngineError {
    Diagnostic::error(format!("{} names no workflow, so there is nothing to run", path.display()))
        .expected_found("a study with workflow = \"nuclei\" or a descriptor", "none")
        .with_hint("onceflow sample and onceflow analyze serve a model of your own")
        .into()
}
