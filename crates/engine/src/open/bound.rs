//! A study bound to its workflow: all that can be said of it without its images.

use std::path::Path;
use std::sync::Arc;

use onceflow_programs::look_at_commands;
use onceflow_reuse::Flow;
use onceflow_study::{Catalogue, Diagnostic, Diagnostics, Study, Workflow};

use super::command::{ProgramTask, bind_programs};
use super::compare::with_compare;
use super::granularity::check_steps;
use super::kept::KeptOutputs;
use super::measures;
use super::metrics::Metrics;
use super::reference::Reference;
use super::study::no_phase;
use super::{runnable, sampling};
use crate::{EngineError, Operations};

/// What a study asks of its workflow, in the order of its tasks.
#[derive(Debug)]
pub(super) struct BoundStudy {
    pub(super) metrics: Metrics,
    pub(super) reference: Reference,
    /// What is known of the operations, programs of the user included.
    pub(super) catalogue: Catalogue,
    /// The tasks whose operation is a program.
    pub(super) own: Vec<Arc<ProgramTask>>,
    pub(super) flow: Flow,
    pub(super) kept: KeptOutputs,
}

impl BoundStudy {
    /// Binds a study; files of programs are relative to the descriptor, or to `folder`.
    pub(super) fn new(
        study: &Study,
        workflow: &Workflow,
        folder: &Path,
        operations: &Operations,
    ) -> Result<Self, EngineError> {
        if study.phases.is_empty() {
            return Err(no_phase());
        }
        refuse(refusals(study, workflow, folder))?;
        let compared = with_compare(workflow, &study.metrics);
        let (bound, catalogue, own) = bind_programs(&compared, operations.catalogue().clone(), folder)?;
        let flow = Flow::new(&bound, &catalogue)?;
        check_steps(&flow, &catalogue)?;
        let kept = KeptOutputs::new(study, &flow)?;
        let (metrics, reference) = (Metrics::new(study, workflow), Reference::new(study)?);
        Ok(Self { metrics, reference, catalogue, own, flow, kept })
    }
}

fn refusals(study: &Study, workflow: &Workflow, folder: &Path) -> Vec<Diagnostic> {
    let measures = measures::refusals(&study.metrics, workflow).into_iter().map(|refusal| refusal.message);
    let mut found: Vec<Diagnostic> = measures.collect();
    found.extend(runnable::refusals(workflow));
    found.extend(look_at_commands(workflow, folder));
    found.extend(sampling::refusals(study));
    found
}

fn refuse(found: Vec<Diagnostic>) -> Result<(), EngineError> {
    if found.is_empty() { Ok(()) } else { Err(EngineError::Invalid(Diagnostics(found))) }
}
