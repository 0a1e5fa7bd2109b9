//! What carries out the tasks of a study: kernels, operations of a program that links the engine, programs of the user.

use std::path::Path;
use std::sync::Arc;

use onceflow_kernels::object_cache::ObjectCache;
use onceflow_nuclei::operation;
use onceflow_registration::LevelStates;
use onceflow_reuse::{Flow, FlowTask, TaskOrigin};
use onceflow_runtime::Operation;

use crate::open::command::{ExternalOperation, ProgramTask, ProgramWorkspace, extents};
use crate::open::inputs::StudyInputs;
use crate::run::composite::{Composite, StepLog};
use crate::run::digests::Digests;
use crate::{EngineError, OpenStudy, RunFolder};

/// Where programs of the user run, when there are some.
pub(crate) enum ProgramFolder<'a> {
    /// In the folder of a run; the number of each row of the plan in the table.
    Run(&'a RunFolder, Vec<usize>),
    /// In a folder of a worker's own, with logs in that of the run.
    Worker(&'a RunFolder, &'a Path, Vec<usize>),
    /// Where nothing stays.
    Passing,
    /// Where the folders of tasks stay.
    Kept(&'a Path),
}

/// What tasks in one need besides.
#[derive(Default)]
pub(crate) struct Steps {
    /// What tells what their inner regions hold, where that is asked.
    pub(crate) digests: Option<Arc<Digests>>,
    /// What their steps took.
    pub(crate) log: Arc<StepLog>,
    /// The states of levels of registrations, where calls may take iterations of others.
    pub(crate) states: Option<Arc<LevelStates>>,
}

impl OpenStudy {
    /// The operation of each task of a flow, at one place; those of our own remember the objects they have seen, where
    /// they are given a table for them. Tasks in one note in `steps` what each of them took.
    pub(crate) fn operations(
        &self,
        flow: &Flow,
        inputs: &StudyInputs,
        place: &ProgramFolder<'_>,
        seen: Option<&Arc<ObjectCache>>,
        steps: &Steps,
    ) -> Result<Vec<Arc<dyn Operation>>, EngineError> {
        let is_asked = |task: &Arc<ProgramTask>| flow.tasks.iter().any(|other| other.spec.id == task.spec.id);
        let workspace = if self.own.iter().any(is_asked) {
            self.check_commands()?;
            Some(Arc::new(workspace(inputs, place)?))
        } else {
            None
        };
        let bind = |at: usize, task: &FlowTask| -> Result<Arc<dyn Operation>, EngineError> {
            let own = self.own.iter().find(|own| own.spec.id == task.spec.id);
            if let (Some(own), Some(workspace)) = (own, &workspace) {
                let (own, workspace) = (Arc::clone(own), Arc::clone(workspace));
                return Ok(Arc::new(ExternalOperation::new(own, flow.scope(at), workspace, seen)?));
            }
            let of_pairs = || onceflow_registration::operation(task, steps.states.as_ref());
            let known =
                self.operations.own(&task.spec.id).or_else(|| operation(task, seen)).or_else(of_pairs);
            known.ok_or_else(|| not_built_in(&task.name))
        };
        let bound = flow.tasks.iter().enumerate().map(|(at, task)| match &task.made {
            TaskOrigin::Written | TaskOrigin::Step { .. } => bind(at, task),
            TaskOrigin::Fused(fused) => {
                let operations =
                    fused.iter().map(|step| bind(at, &step.task)).collect::<Result<Vec<_>, _>>()?;
                let log = Arc::clone(&steps.log);
                let composite = Composite::new(at, fused, operations, steps.digests.clone(), log);
                Ok(Arc::new(composite) as Arc<dyn Operation>)
            }
        });
        bound.collect()
    }
}

fn workspace(inputs: &StudyInputs, place: &ProgramFolder<'_>) -> Result<ProgramWorkspace, EngineError> {
    let (images, parts) = extents(inputs);
    Ok(match place {
        ProgramFolder::Run(folder, rows) => {
            ProgramWorkspace::of_run(folder.path(), rows.clone(), &images, &parts)?
        }
        ProgramFolder::Worker(folder, own, rows) => {
            ProgramWorkspace::of_worker(folder.path(), own, rows.clone(), &images, &parts)?
        }
        ProgramFolder::Passing => ProgramWorkspace::temporary(&images, &parts)?,
        ProgramFolder::Kept(folder) => ProgramWorkspace::keeping(folder, &images, &parts)?,
    })
}

fn not_built_in(task: &str) -> EngineError {
    EngineError::Internal(format!("the operation of task {task} is in the catalogue but has no kernel"))
}
