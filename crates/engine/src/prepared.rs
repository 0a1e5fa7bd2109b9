//! A study that is ready to be planned and run: its images are open, its metrics known, its tasks in order.

use std::path::Path;
use std::sync::Arc;

use onceflow_costs::Costs;
use onceflow_reuse::{Flow, FlowError, Multiplicity, PlanError, Rows, RowsError};
use onceflow_study::{Catalogue, Diagnostic, Study, Workflow};

use crate::command::{OwnTask, own_tasks};
use crate::compare::with_compare;
use crate::grain::{Wish, check_steps};
use crate::inputs::Inputs;
use crate::journal::stamps;
use crate::keep::Keeper;
use crate::metrics::Metrics;
use crate::phase::{PhaseRows, Reference};
use crate::reading::reserve_reading;
use crate::{EngineError, Operations, resampling_words};

/// What stands before the first row: everything that can be wrong with a study has been said by now.
#[derive(Debug)]
pub struct Prepared<'s> {
    pub(crate) study: &'s Study,
    pub(crate) workflow: &'s Workflow,
    pub(crate) inputs: Inputs,
    pub(crate) metrics: Metrics,
    pub(crate) reference: Reference,
    /// The tasks as they are written, with what reading takes.
    pub(crate) flow: Flow,
    /// The same as the workflow gives them.
    pub(crate) written: Flow,
    /// What is known of the operations, programs of the user included.
    pub(crate) catalogue: Catalogue,
    /// Who decides how fine tasks are.
    pub(crate) grain: Wish,
    pub(crate) keeper: Keeper,
    /// Which files of images there are, as they were when they were opened.
    pub(crate) stamps: String,
    /// Bytes of a bound of memory that the program needs for itself.
    pub(crate) aside: u64,
    /// What earlier runs measured, for predictions only.
    pub(crate) costs: Costs,
    /// What carries out tasks, beside programs of the user.
    pub(crate) operations: Operations,
    /// The tasks whose operation is a program.
    pub(crate) own: Vec<Arc<OwnTask>>,
    /// Whether they may be run.
    pub(crate) allowed: bool,
}

impl<'s> Prepared<'s> {
    /// Opens the images of a study, relative to `folder`, and puts the tasks of its workflow and metrics in order.
    ///
    /// # Errors
    /// When the study asks for nothing, or for something that cannot be, or a file it names cannot be read.
    pub fn new(study: &'s Study, workflow: &'s Workflow, folder: &Path) -> Result<Self, EngineError> {
        Self::with_operations(study, workflow, folder, Operations::built_in())
    }

    /// The same for a program that brings operations of its own.
    ///
    /// # Errors
    /// As [`Prepared::new`].
    pub fn with_operations(
        study: &'s Study,
        workflow: &'s Workflow,
        folder: &Path,
        operations: Operations,
    ) -> Result<Self, EngineError> {
        if study.phases.is_empty() {
            return Err(no_phase());
        }
        let metrics = Metrics::new(study)?;
        let reference = Reference::new(study)?;
        let compared = with_compare(workflow, &study.metrics);
        let (bound, catalogue, own) = own_tasks(&compared, operations.catalogue().clone(), folder)?;
        let written = Flow::new(&bound, &catalogue)?;
        check_steps(&written, &catalogue)?;
        let mut flow = written.clone();
        let inputs = Inputs::open(study, study.halo(workflow, &catalogue), folder)?;
        reserve_reading(&mut flow, &inputs);
        let keeper = Keeper::new(study, &flow)?;
        let (stamps, costs) = (stamps(study, folder), Costs::default());
        let allowed = false;
        Ok(Self {
            study,
            workflow,
            inputs,
            metrics,
            reference,
            flow,
            written,
            catalogue,
            grain: Wish::default(),
            keeper,
            stamps,
            aside: 0,
            costs,
            operations,
            own,
            allowed,
        })
    }

    /// Sets so many bytes of every bound of memory aside, for the program itself: what is resident includes it.
    #[must_use]
    pub fn setting_aside(self, bytes: u64) -> Self {
        Self { aside: bytes, ..self }
    }

    /// The study.
    pub fn study(&self) -> &'s Study {
        self.study
    }

    /// How often the plan of one part is carried out.
    pub fn multiplicity(&self) -> Multiplicity {
        Multiplicity { parts: self.inputs.parts.len() as u64, images: self.inputs.images.len() as u64 }
    }

    /// Pixels of the largest part.
    pub(crate) fn largest_part(&self) -> u64 {
        self.inputs.layout().parts.iter().map(|part| part.pixels).max().unwrap_or(0)
    }

    /// One sentence for each way in which images were brought to the resolution of the study.
    pub fn resampling(&self) -> Vec<String> {
        resampling_words(self.inputs.images.iter().map(|image| (image.name.as_str(), image.resampled)))
    }

    /// The rows of a phase, after the reference row when it is wanted.
    pub(crate) fn rows(&self, phase: &PhaseRows, with_reference: bool) -> Result<Rows, EngineError> {
        let mut rows = Rows::new(self.reference.names.clone());
        if with_reference {
            rows.push(&self.reference.values)?;
            rows.reference = Some(0);
        }
        for row in 0..phase.sample.len() {
            rows.push(&phase.values(&self.reference, row))?;
        }
        Ok(rows)
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
