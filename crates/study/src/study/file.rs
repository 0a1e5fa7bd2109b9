//! The study file as it is written: read first, so that the caller knows which other files it needs.

use std::sync::Arc;

use super::entry::{
    FindFiles, ImageEntry, MetricEntry, ParameterEntry, PhaseEntry, RunEntry, expand, inner_share,
    read_files, read_images, read_metrics, read_parameters, read_parts, read_phases, read_run,
};
use super::{Parts, WorkflowReference};
use crate::located::{Data, Located, LocatedNode, TableReader, parse_toml};
use crate::{Diagnostics, SourceLocation, SourceText};

/// A study file that is valid TOML. [`StudyFile::resolve`] reports all other errors.
#[derive(Clone, Debug)]
pub struct StudyFile {
    pub(super) source: Arc<SourceText>,
    pub(super) name: Option<Located<String>>,
    pub(super) workflow: Option<Located<WorkflowReference>>,
    pub(super) seed: u64,
    pub(super) threshold: Option<f64>,
    pub(super) constraints: Vec<Located<String>>,
    pub(super) sheet: Option<Located<String>>,
    pub(super) images: Vec<ImageEntry>,
    pub(super) parts: Parts,
    pub(super) parameters: Vec<ParameterEntry>,
    pub(super) metrics: Vec<MetricEntry>,
    pub(super) phases: Vec<PhaseEntry>,
    pub(super) run: RunEntry,
    pub(super) diagnostics: Diagnostics,
}

/// Reads a study file. Fails only when it is not valid TOML.
pub fn parse_study(source: &Arc<SourceText>) -> Result<StudyFile, Diagnostics> {
    let root = parse_toml(source).map_err(|diagnostic| Diagnostics::from(*diagnostic))?;
    let mut diagnostics = Diagnostics::default();
    let file = TableReader::new(source, &root, "study", &mut diagnostics).map(|fields| read(source, fields));
    let mut file = file.ok_or_else(|| diagnostics.clone())?;
    file.diagnostics = diagnostics;
    Ok(file)
}

impl StudyFile {
    /// The workflow it asks about, and where it says so.
    pub fn workflow(&self) -> Option<(&WorkflowReference, SourceLocation)> {
        self.workflow.as_ref().map(|w| (&w.value, SourceLocation::new(&self.source, w.span)))
    }

    /// Replaces patterns such as `images = "slides/*.svs"` by the files they match.
    pub fn expand(&mut self, find: &mut FindFiles<'_>) {
        expand(&mut self.images, find, &mut self.diagnostics);
    }

    /// The sheet of images it names, relative to it, and where it says so.
    pub fn sheet(&self) -> Option<(&str, SourceLocation)> {
        self.sheet.as_ref().map(|s| (s.value.as_str(), SourceLocation::new(&self.source, s.span)))
    }
}

fn read(source: &Arc<SourceText>, mut fields: TableReader<'_, '_>) -> StudyFile {
    let name = fields.required("name");
    let workflow: Option<Located<String>> = fields.optional("workflow");
    let seed = fields.optional("seed").unwrap_or(0);
    let constraints = fields.optional("constraints").unwrap_or_default();
    let threshold = inner_share(&mut fields, "influential");
    let (sheet, mut images) = read_image_key(source, &mut fields);
    images.extend(read_images(source, list(&mut fields, "image"), fields.diagnostics()));
    let parts = read_parts(source, fields.optional("parts"), fields.diagnostics());
    let parameters = read_parameters(source, fields.optional("parameters"), fields.diagnostics());
    let metrics = read_metrics(source, list(&mut fields, "metric"), fields.diagnostics());
    let phases = read_phases(source, list(&mut fields, "phase"), fields.diagnostics());
    let run = read_run(source, fields.optional("run"), fields.diagnostics());
    fields.finish();
    let workflow = workflow.map(|w| Located { value: WorkflowReference::new(&w.value), span: w.span });
    StudyFile {
        source: Arc::clone(source),
        name,
        workflow,
        seed,
        threshold,
        constraints,
        sheet,
        images,
        parts,
        parameters,
        metrics,
        phases,
        run,
        diagnostics: Diagnostics::default(),
    }
}

/// The tables of `[[key]]`; a single `[key]` is an error with a hint.
fn list<'a>(fields: &mut TableReader<'a, '_>, key: &str) -> Option<&'a [LocatedNode]> {
    let node: &LocatedNode = fields.optional(key)?;
    if node.as_table().is_some() {
        let (message, expected) = (format!("`{key}` is a list of tables"), format!("[[{key}]]"));
        fields.error_with_hint(key, &message, &expected, &format!("write [[{key}]] with two brackets"));
        return None;
    }
    fields.optional(key)
}

/// `images`: a sheet, one file or pattern, or a list of these.
fn read_image_key(
    source: &Arc<SourceText>,
    fields: &mut TableReader<'_, '_>,
) -> (Option<Located<String>>, Vec<ImageEntry>) {
    let Some(node): Option<&LocatedNode> = fields.optional("images") else { return (None, Vec::new()) };
    if let Data::List(_) = &node.data {
        let files: Vec<_> = fields.optional("images").unwrap_or_default();
        return (None, read_files(source, &files));
    }
    match fields.optional::<Located<String>>("images") {
        Some(file) if is_sheet(&file.value) => (Some(file), Vec::new()),
        Some(file) => (None, read_files(source, &[file])),
        None => (None, Vec::new()),
    }
}

fn is_sheet(file: &str) -> bool {
    let file = file.to_lowercase();
    file.ends_with(".csv") || file.ends_with(".tsv") || file.ends_with(".txt")
}
