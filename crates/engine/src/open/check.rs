//! A file checked: everything that a run would refuse is said, and nothing is computed.

use std::cmp::Reverse;
use std::path::Path;

use onceflow_programs::look_at_commands;
use onceflow_study::{Diagnostic, Study, Workflow};

use super::bound::BoundStudy;
use super::inputs::CutImages;
use super::{Document, DocumentContent, document};
use crate::{EngineError, ErrorKind, ImageWatch, Operations};

/// How a file is checked.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Whether images and truth are opened.
    pub images: bool,
    /// Is told how many images were looked at.
    pub watch: ImageWatch,
}

/// A file with everything there is to say about it.
#[derive(Debug)]
pub struct CheckedDocument {
    /// The file.
    pub document: Document,
    /// The kind of error that a run would end with, when it would.
    pub refused: Option<ErrorKind>,
}

/// Reads a file and what it names, and opens a study as a run does.
///
/// # Errors
/// When the file cannot be read at all, or its format is not recognised; what is wrong inside it is told in the document.
pub fn check_document(path: &Path, options: &CheckOptions) -> Result<CheckedDocument, EngineError> {
    let operations = Operations::built_in();
    let mut document = document::open(path, operations.catalogue())?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut refused = document.diagnostics.has_errors().then_some(ErrorKind::BadInput);
    let more = match &document.content {
        Some(DocumentContent::Study(study, Some(workflow))) => {
            open(study, workflow, folder, &operations, options).unwrap_or_else(|error| {
                refused = Some(error.kind());
                error.into_diagnostics()
            })
        }
        Some(DocumentContent::Workflow(workflow)) => {
            let found = look_at_commands(workflow, folder);
            refused = refused.or((!found.is_empty()).then_some(ErrorKind::BadInput));
            found
        }
        _ => Vec::new(),
    };
    if !more.is_empty() {
        document.diagnostics.0.extend(more);
        // Errors come before warnings and notes.
        document.diagnostics.0.sort_by_key(|message| Reverse(message.severity));
    }
    Ok(CheckedDocument { document, refused })
}

/// Opens a study as a run does, without looking for tissue; notes about its images.
fn open(
    study: &Study,
    workflow: &Workflow,
    folder: &Path,
    operations: &Operations,
    options: &CheckOptions,
) -> Result<Vec<Diagnostic>, EngineError> {
    let bound = BoundStudy::new(study, workflow, folder, operations)?;
    if !options.images {
        return Ok(Vec::new());
    }
    let images = CutImages::open(study, study.halo(workflow, &bound.catalogue), folder, &options.watch)?;
    bound.metrics.check_resolution(images.resolutions())?;
    let left_out = images.left_out.iter().map(|image| Diagnostic::warning(image.words()));
    let notes = images.resampling().into_iter().chain(images.mask_note(&bound.metrics.matching_truth()));
    Ok(left_out.chain(notes.map(Diagnostic::note)).collect())
}
