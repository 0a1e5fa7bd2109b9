//! The one gate of users' programs: which they are, and whether they may run.

use std::sync::Arc;

use onceflow_study::{Diagnostic, Repeats, counted};
use serde_json::Value;

use super::ProgramTask;
use crate::{EngineError, OpenStudy};

impl OpenStudy {
    /// Allows the study to run its programs: its author can then do what its user can.
    #[must_use]
    pub fn allow_commands(mut self, allowed: bool) -> Self {
        self.allowed = allowed;
        self
    }

    /// What the study would run beside our own operations, one entry per task, with digests of the files.
    pub fn commands(&self) -> Value {
        self.own.iter().map(|task| task.to_json()).collect()
    }

    /// Refuses a study that runs programs without permission, or one of them is not there.
    ///
    /// # Errors
    /// As said.
    pub fn check_commands(&self) -> Result<(), EngineError> {
        if self.own.is_empty() || self.allowed { Ok(()) } else { Err(forbidden(&self.own)) }
    }

    /// What a reader must know: programs whose results are not the same each time, and images that are left out.
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
        let left_out = self.inputs.left_out.iter().map(|image| format!("The {}.", image.words()));
        close.into_iter().chain(never).chain(left_out).collect()
    }
}

fn forbidden(own: &[Arc<ProgramTask>]) -> EngineError {
    let task = |task: &Arc<ProgramTask>| format!("{} `{}`", task.name, task.command.command.join(" "));
    let commands = own.iter().map(task).collect::<Vec<_>>().join("; ");
    let message = format!("the study runs {} of its own without permission", counted(own.len(), "command"));
    Diagnostic::error(message)
        .expected_found("--allow-commands", commands)
        .with_why("a study of someone else can do with them whatever you can")
        .with_hint("read them and their files, then add --allow-commands, or set ONCEFLOW_ALLOW_COMMANDS=1")
        .into()
}
