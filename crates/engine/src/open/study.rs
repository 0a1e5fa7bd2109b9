//! A study that is ready to be planned and run: its images are open, its metrics known, its tasks in order.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_costs::Costs;
use onceflow_reuse::{Flow, FlowError, Multiplicity, PlanError, RowsError};
use onceflow_study::{Catalogue, Diagnostic, Study, Workflow};

use super::StudyTexts;
use super::bound::BoundStudy;
use super::granularity::GranularityChoice;
use super::kept::KeptOutputs;
use super::reference::Reference;
use super::stamps::stamps;
use crate::open::command::ProgramTask;
use crate::open::inputs::{CutImages, StudyInputs, check_kind};
use crate::open::metrics::Metrics;
use crate::open::reading::reserve_reading;
use crate::{EngineError, ImageWatch, KeptByRun, Operations, RunSettings, resampling_words};

/// What stands before the first row: everything that can be wrong with a study has been said by now.
#[derive(Debug)]
pub struct OpenStudy {
    pub(crate) study: Arc<Study>,
    pub(crate) workflow: Arc<Workflow>,
    pub(crate) inputs: StudyInputs,
    pub(crate) metrics: Metrics,
    pub(crate) reference: Reference,
    /// The tasks as they are written, with what reading takes.
    pub(crate) flow: Flow,
    /// The same as the workflow gives them.
    pub(crate) written: Flow,
    /// What is known of the operations, programs of the user included.
    pub(crate) catalogue: Catalogue,
    /// Who decides how fine tasks are.
    pub(crate) grain: GranularityChoice,
    pub(crate) kept: KeptOutputs,
    /// Which files each image has, as they were when they were opened.
    pub(crate) stamps: Vec<String>,
    /// The folder that its files are named from.
    pub(crate) folder: PathBuf,
    /// Bytes of a bound of memory that the program needs for itself.
    pub(crate) aside: u64,
    /// What earlier runs measured, for predictions only.
    pub(crate) costs: Costs,
    /// What carries out tasks, beside programs of the user.
    pub(crate) operations: Operations,
    /// The tasks whose operation is a program.
    pub(crate) own: Vec<Arc<ProgramTask>>,
    /// Whether they may be run.
    pub(crate) allowed: bool,
    /// The texts it was read from; empty when it was made from values.
    pub(crate) texts: StudyTexts,
    /// What is to be said of it before it runs.
    notes: Vec<String>,
    /// The parameters that a run of it kept.
    pub(crate) kept_by_run: KeptByRun,
    /// Its settings.
    settings: RunSettings,
}

impl OpenStudy {
    /// Opens the images of a study, relative to `folder`, and puts the tasks of its workflow and metrics in order.
    ///
    /// # Errors
    /// When the study asks for nothing, or for something that cannot be, or a file it names cannot be read.
    pub fn new(study: &Study, workflow: &Workflow, folder: &Path) -> Result<Self, EngineError> {
        Self::with_operations(study, workflow, folder, Operations::built_in())
    }

    /// The same for a program that brings operations of its own.
    ///
    /// # Errors
    /// As [`OpenStudy::new`].
    pub fn with_operations(
        study: &Study,
        workflow: &Workflow,
        folder: &Path,
        operations: Operations,
    ) -> Result<Self, EngineError> {
        Self::open(study, workflow, folder, operations, &ImageWatch::default())
    }

    /// The same, and tells how many images were looked at.
    pub(super) fn open(
        study: &Study,
        workflow: &Workflow,
        folder: &Path,
        operations: Operations,
        watch: &ImageWatch,
    ) -> Result<Self, EngineError> {
        let bound = BoundStudy::new(study, workflow, folder, &operations)?;
        let BoundStudy { metrics, reference, catalogue, own, flow: written, kept } = bound;
        let halo = study.halo(workflow, &catalogue);
        let images = CutImages::open(study, halo, folder, watch)?;
        metrics.check_resolution(images.resolutions())?;
        let mut notes: Vec<String> =
            images.left_out.iter().map(|image| format!("warning: {}", image.words())).collect();
        notes.extend(images.mask_note(&metrics.matching_truth()).map(|note| format!("note: {note}")));
        let inputs = images.choose(study, halo, watch)?;
        check_kind(&written.sources, &inputs.images)?;
        let mut flow = written.clone();
        reserve_reading(&mut flow, &inputs);
        let stamps = stamps(study, folder);
        let costs = Costs::default();
        let allowed = false;
        Ok(Self {
            study: Arc::new(study.clone()),
            workflow: Arc::new(workflow.clone()),
            inputs,
            metrics,
            reference,
            flow,
            written,
            catalogue,
            grain: GranularityChoice::default(),
            kept,
            stamps,
            folder: folder.to_path_buf(),
            aside: 0,
            costs,
            operations,
            own,
            allowed,
            texts: StudyTexts {
                workflow: workflow.source.as_ref().map_or_else(String::new, |source| source.text.clone()),
                ..StudyTexts::default()
            },
            notes,
            kept_by_run: KeptByRun::default(),
            settings: RunSettings::default(),
        })
    }

    /// The study with settings: measured costs are loaded, commands allowed or not, memory set aside for the process.
    #[must_use]
    pub fn with_settings(mut self, settings: RunSettings) -> Self {
        if let Some(file) = &settings.costs {
            let loaded = file.load();
            self.notes.extend(loaded.warning.map(|warning| format!("warning: {warning}")));
            self = self.with_costs(loaded.costs);
        }
        self.aside = settings.process_bytes;
        self.allowed = settings.allow_commands;
        let granularity = settings.granularity;
        self.settings = settings;
        self.with_granularity(granularity)
    }

    pub(super) fn with_texts(mut self, texts: StudyTexts, notes: Vec<String>) -> Self {
        self.texts = texts;
        self.notes.splice(0..0, notes);
        self
    }

    /// Its settings, as they were resolved when it was opened.
    pub fn settings(&self) -> &RunSettings {
        &self.settings
    }

    /// Warnings about its file, and costs that could not be read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Its file as it was named.
    pub fn path(&self) -> &Path {
        &self.texts.path
    }

    /// Its file as it can be found from everywhere.
    pub(crate) fn origin(&self) -> String {
        let path = &self.texts.path;
        std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string()
    }

    /// Sets so many bytes of every bound of memory aside, for the program itself: what is resident includes it.
    #[must_use]
    pub fn setting_aside(mut self, bytes: u64) -> Self {
        self.aside = bytes;
        self
    }

    /// The study.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// How often the plan of one part is carried out.
    pub fn multiplicity(&self) -> Multiplicity {
        Multiplicity { parts: self.inputs.parts.len() as u64, images: self.inputs.images.len() as u64 }
    }

    /// Pixels that a part sees around itself, as its operations need them.
    pub(crate) fn halo(&self) -> u64 {
        self.study.halo(&self.workflow, &self.catalogue)
    }

    /// Pixels of the largest part.
    pub(crate) fn largest_part(&self) -> u64 {
        self.inputs.layout().parts.iter().map(|part| part.pixels).max().unwrap_or(0)
    }

    /// One sentence for each way in which images were brought to the resolution of the study.
    pub fn resampling(&self) -> Vec<String> {
        resampling_words(self.inputs.images.iter().map(|image| (image.name.as_str(), image.resampled)))
    }
}

pub(crate) fn no_phase() -> EngineError {
    let error = Diagnostic::error("the study has no phase, so it asks for no row");
    error
        .expected_found("at least one [[phase]]", "none")
        .with_hint("add [[phase]] with name and method")
        .into()
}

impl From<FlowError> for EngineError {
    fn from(error: FlowError) -> Self {
        Diagnostic::error(format!("the workflow cannot be run: {error}")).into()
    }
}

impl From<PlanError> for EngineError {
    fn from(error: PlanError) -> Self {
        Diagnostic::error(format!("the study cannot be planned: {error}")).into()
    }
}

impl From<RowsError> for EngineError {
    fn from(error: RowsError) -> Self {
        Self::Internal(error.to_string())
    }
}
