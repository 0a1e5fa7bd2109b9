//! What carries out the tasks of a study: kernels, operations of a program that links the engine, programs of the user.

use std::path::Path;
use std::sync::Arc;

use onceflow_reuse::{Flow, FlowTask, Made};
use onceflow_runtime::Operation;
use onceflow_study::{Diagnostic, Repeats, counted};
use serde_json::Value;

use crate::command::{External, OwnTask, Workshop};
use crate::contents::Digests;
use crate::inputs::Inputs;
use crate::objects_seen::ObjectsSeen;
use crate::operation::{Composite, StepLog, operation};
use crate::{EngineError, Prepared, RunFolder};

/// Where programs of the user run, when there are some.
pub(crate) enum Place<'a> {
    /// In the folder of a run, whose rows have numbers from this one on.
    Run(&'a RunFolder, usize),
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
}

impl Prepared<'_> {
    /// Allows the study to run its programs. Whoever wrote it can then do whatever its user can.
    #[must_use]
    pub fn allow_commands(mut self, allowed: bool) -> Self {
        self.allowed = allowed;
        self
    }

    /// What the study would run beside our own operations, one entry per task, with digests of the files.
    pub fn commands(&self) -> Value {
        self.own.iter().map(|task| task.to_json()).collect()
    }

    /// Refuses a study that runs programs when nobody has allowed it, or one of them is not there.
    ///
    /// # Errors
    /// As said.
    pub fn check_commands(&self) -> Result<(), EngineError> {
        if self.own.is_empty() || self.allowed { Ok(()) } else { Err(forbidden(&self.own)) }
    }

    /// The operation of each task of a flow, at one place; those of our own remember the objects they have seen, where
    /// they are given a table for them. Tasks in one note in `steps` what each of them took.
    pub(crate) fn operations(
        &self,
        flow: &Flow,
        inputs: &Inputs,
        place: &Place<'_>,
        seen: Option<&Arc<ObjectsSeen>>,
        steps: &Steps,
    ) -> Result<Vec<Arc<dyn Operation>>, EngineError> {
        let is_asked = |task: &Arc<OwnTask>| flow.tasks.iter().any(|other| other.spec.id == task.spec.id);
        let workshop = if self.own.iter().any(is_asked) {
            self.check_commands()?;
            Some(Arc::new(workshop(inputs, place)?))
        } else {
            None
        };
        let bind = |at: usize, task: &FlowTask| -> Result<Arc<dyn Operation>, EngineError> {
            let own = self.own.iter().find(|own| own.spec.id == task.spec.id);
            if let (Some(own), Some(workshop)) = (own, &workshop) {
                let external = External::new(Arc::clone(own), flow.scope(at), Arc::clone(workshop), seen)?;
                return Ok(Arc::new(external));
            }
            let known = self.operations.own(&task.spec.id).or_else(|| operation(task, seen));
            known.ok_or_else(|| not_built_in(&task.name))
        };
        let bound = flow.tasks.iter().enumerate().map(|(at, task)| match &task.made {
            Made::Written | Made::Step { .. } => bind(at, task),
            Made::Fused(fused) => {
                let operations =
                    fused.iter().map(|step| bind(at, &step.task)).collect::<Result<Vec<_>, _>>()?;
                let log = Arc::clone(&steps.log);
                let composite = Composite::new(at, fused, operations, steps.digests.clone(), log);
                Ok(Arc::new(composite) as Arc<dyn Operation>)
            }
        });
        bound.collect()
    }

    /// What a reader must know of programs whose results are not the same each time.
    pub(crate) fn doubts(&self) -> Vec<String> {
        let tasks = |repeats: Repeats| {
            let tasks = self.own.iter().filter(|task| task.spec.repeats == repeats);
            tasks.map(|task| task.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (close, never) = (tasks(Repeats::Close), tasks(Repeats::Never));
        let close = (!close.is_empty()).then(|| {
            format!("Results of {close} are declared close: the first one stands for all that are equal, and another run may differ in its last bits.")
        });
        let never = (!never.is_empty()).then(|| {
            format!("Results of {never} are declared random: each row has its own, and part of the variation is chance.")
        });
        close.into_iter().chain(never).collect()
    }
}

fn workshop(inputs: &Inputs, place: &Place<'_>) -> Result<Workshop, EngineError> {
    match place {
        Place::Run(folder, first) => Workshop::of_run(folder, inputs, *first),
        Place::Passing => Workshop::passing(inputs),
        Place::Kept(folder) => Workshop::keeping(inputs, folder),
    }
}

fn forbidden(own: &[Arc<OwnTask>]) -> EngineError {
    let task = |task: &Arc<OwnTask>| format!("{} `{}`", task.name, task.command.command.join(" "));
    let commands = own.iter().map(task).collect::<Vec<_>>().join("; ");
    let message =
        format!("the study runs {} of its own, and nobody has allowed it", counted(own.len(), "command"));
    Diagnostic::error(message)
        .expected_found("--allow-commands", commands)
        .with_why("a study of someone else can do with them whatever you can")
        .with_hint("read them and their files, then add --allow-commands, or set ONCEFLOW_ALLOW_COMMANDS=1")
        .into()
}

fn not_built_in(task: &str) -> EngineError {
    EngineError::Internal(format!("the operation of task {task} is in the catalogue but has no kernel"))
}
