//! What a study names: its workflow and its table of images, found beside it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use onceflow_study::{
    Catalogue, Diagnostic, Diagnostics, FileKind, ImageSheet, SHIPPED, SourceLocation, SourceText, Workflow,
    WorkflowReference, detect, nearest, parse_sheet, parse_study, shipped_workflow,
};

use super::document::{DocumentContent, workflow};
use super::{measures, staging};
use crate::file::{TextLimit, matching, read_text};

/// Reads a study with what it names.
pub(super) fn read_study(
    path: &Path,
    source: &Arc<SourceText>,
    catalogue: &Catalogue,
) -> (Option<DocumentContent>, Diagnostics) {
    let mut file = match parse_study(source) {
        Ok(file) => file,
        Err(diagnostics) => return (None, diagnostics),
    };
    let mut said = Diagnostics::default();
    let workflow =
        file.workflow().and_then(|(name, place)| read_workflow(path, name, &place, catalogue, &mut said));
    let sheet = file.sheet().and_then(|(name, place)| read_sheet(path, name, &place, &mut said));
    let mut find = |pattern: &str| files_of(path, pattern);
    file.expand(&mut find);
    let sheet = sheet.map(|mut sheet| {
        sheet.expand(&mut find);
        sheet
    });
    // Without them most of the study's names would look unknown: first things first.
    if said.has_errors() {
        return (None, said);
    }
    let (study, diagnostics) = file.resolve(workflow.as_ref(), sheet.as_ref());
    said.0.extend(diagnostics.0);
    let words = study.as_ref().and_then(|study| study.run.staging.as_deref());
    said.0.extend(words.and_then(|words| staging::look(words, source)));
    if let (Some(study), Some(workflow)) = (&study, &workflow) {
        said.0.extend(measures::look(&study.metrics, workflow, source));
    }
    (study.map(|study| DocumentContent::Study(Box::new(study), workflow.map(Box::new))), said)
}

fn read_workflow(
    study: &Path,
    reference: &WorkflowReference,
    place: &SourceLocation,
    catalogue: &Catalogue,
    said: &mut Diagnostics,
) -> Option<Workflow> {
    let source = match reference {
        WorkflowReference::Shipped(name) => shipped(name, place),
        WorkflowReference::File(name) => read_beside(study, name, place),
    };
    let (found, diagnostics) = match source {
        Ok(source) => {
            workflow(detect(&source.name, &source.text).unwrap_or(FileKind::Workflow), &source, catalogue)
        }
        Err(diagnostics) => (None, diagnostics),
    };
    said.0.extend(diagnostics.0);
    found
}

fn shipped(name: &str, place: &SourceLocation) -> Result<Arc<SourceText>, Diagnostics> {
    shipped_workflow(name).ok_or_else(|| {
        let error = Diagnostic::error(format!("there is no shipped workflow `{name}`"));
        let known = format!("a file that ends in .json, or one of {}", SHIPPED.join(", "));
        let error = error.at_place(Some(place), "").expected_found(known, format!("`{name}`"));
        let hint = match nearest(name, SHIPPED) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "write the name of a file, such as \"workflow.json\"".into(),
        };
        error.with_hint(hint).into()
    })
}

fn read_sheet(
    study: &Path,
    name: &str,
    place: &SourceLocation,
    said: &mut Diagnostics,
) -> Option<ImageSheet> {
    match read_beside(study, name, place).and_then(|source| parse_sheet(&source)) {
        Ok(sheet) => Some(sheet),
        Err(diagnostics) => {
            said.0.extend(diagnostics.0);
            None
        }
    }
}

/// The files that a pattern in a study means, relative to the study.
fn files_of(study: &Path, pattern: &str) -> Result<Vec<String>, Box<Diagnostic>> {
    let path = beside(study, pattern).ok_or_else(|| not_relative(pattern))?;
    let folder = study.parent().unwrap_or(Path::new(""));
    let found = matching(&path).map_err(|error| {
        let message = Diagnostic::error(format!("cannot look for `{pattern}`"));
        Box::new(message.expected_found("folders that can be read", error.to_string()))
    })?;
    let text = |file: &PathBuf| file.strip_prefix(folder).unwrap_or(file).display().to_string();
    if found.is_empty() {
        let message = Diagnostic::error(format!("no file fits `{pattern}`"));
        let message = message.expected_found("at least one image", "none");
        return Err(Box::new(
            message.with_hint("patterns are relative to the study; `**` means any folders"),
        ));
    }
    Ok(found.iter().map(text).collect())
}

fn not_relative(name: &str) -> Diagnostic {
    let error = Diagnostic::error("a study names its files relative to itself");
    let error = error.expected_found("a relative path", format!("`{name}`"));
    error.with_hint("put the file beside the study, or under it")
}

/// The text of a file that a study names. A study is often someone else's: it may name files relative to itself, not
/// anything on this machine.
fn read_beside(study: &Path, name: &str, place: &SourceLocation) -> Result<Arc<SourceText>, Diagnostics> {
    let path =
        beside(study, name).ok_or_else(|| Diagnostics::from(not_relative(name).at_place(Some(place), "")))?;
    read_text(&path, TextLimit::Description).map_err(|error| {
        let place = |message: Diagnostic| message.at_place(Some(place), "");
        Diagnostics(error.into_diagnostics().into_iter().map(place).collect())
    })
}

fn beside(study: &Path, name: &str) -> Option<PathBuf> {
    let is_relative = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir));
    is_relative.then(|| study.parent().unwrap_or(Path::new("")).join(name))
}
