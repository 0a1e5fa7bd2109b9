//! Tasks whose operation is a program: found in a workflow, their files checked, and made operations of the catalogue.

mod changes;
mod spec;

use std::path::Path;
use std::sync::Arc;

use onceflow_region::Digest;
use onceflow_study::{
    Catalogue, Diagnostic, OpRegion, OpSpec, ProgramCommand, Python, PythonFunction, Repeats, Stage,
    StageStep, Task, TaskOperation, Workflow,
};
use serde_json::{Value, json};

use self::spec::spec;
use crate::declared::{ProgramFile, find, find_container, folder_of};
use crate::error::ProgramError;
use crate::python::describe_functions;

/// A task whose operation is a program, with all that its results depend on.
#[derive(Clone, Debug)]
pub struct ProgramTask {
    /// Its name.
    pub name: String,
    /// The program, as the descriptor has it.
    pub command: ProgramCommand,
    /// Its specification; the id is a digest of all that its results depend on.
    pub spec: OpSpec,
    /// The files it declares.
    pub files: Vec<ProgramFile>,
    /// The file of its container, when it has one.
    pub container: Option<ProgramFile>,
    /// Statuses with which it may end its part.
    pub ends: Vec<String>,
    /// The function, when the program is Python that runs one.
    pub function: Option<Arc<PythonFunction>>,
}

/// Checks the files that programs declare, without running anything. Returns all problems.
pub fn look_at_commands(workflow: &Workflow, folder: &Path) -> Vec<Diagnostic> {
    let folder = folder_of(workflow, folder);
    let tasks = workflow.tasks().filter_map(|task| Some((task, command_of(task)?.0)));
    let looked = tasks.flat_map(|(task, command)| {
        let files = command.files.iter().map(|name| find(task, name, &folder));
        let container = command.container.iter().filter(|_| command.container_is_file());
        let containers = container.map(|name| find_container(task, name, &folder));
        files.chain(containers).collect::<Vec<_>>()
    });
    looked.filter_map(|found| found.err().map(|message| *message)).collect()
}

/// The programs among the tasks of a workflow, with the workflow and the catalogue in which each is a built-in operation.
///
/// # Errors
/// When a file that one of them declares does not exist, or lies outside the descriptor's folder.
pub fn bind_programs(
    workflow: &Workflow,
    catalogue: Catalogue,
    folder: &Path,
) -> Result<(Workflow, Catalogue, Vec<Arc<ProgramTask>>), ProgramError> {
    let (mut bound, mut programs) = (workflow.clone(), Vec::new());
    if let Some(problem) = describe_functions(&mut bound, folder).into_iter().next() {
        return Err(ProgramError::BadInput(Box::new(problem)));
    }
    let described = bound.clone();
    let folder = folder_of(workflow, folder);
    let mut catalogue = catalogue;
    for task in bound.stages.iter_mut().flat_map(|stage| tasks_of(stage)) {
        if let Some(command) = command_of(task) {
            let found =
                ProgramTask::new(&described, task, command, &folder).map_err(ProgramError::BadInput)?;
            task.op = TaskOperation::BuiltIn(found.spec.id.clone());
            catalogue = catalogue.with(found.spec.clone());
            programs.push(Arc::new(found));
        }
    }
    Ok((bound, catalogue, programs))
}

fn tasks_of(stage: &mut Stage) -> Vec<&mut Task> {
    let tasks = stage.steps.iter_mut().flat_map(|step| match step {
        StageStep::Task(task) => vec![task],
        StageStep::Stage(inner) => tasks_of(inner),
    });
    tasks.collect()
}

/// The command of a task whose operation is a program, and the function when it is Python that runs one.
fn command_of(task: &Task) -> Option<(ProgramCommand, Option<Arc<PythonFunction>>)> {
    match &task.op {
        TaskOperation::Command(command) => Some(((**command).clone(), None)),
        TaskOperation::Python(python) => Some((python_command(python), python.described.clone())),
        TaskOperation::BuiltIn(_) | TaskOperation::Foreign(_) => None,
    }
}

/// A worker serves the tasks of a function.
fn python_command(python: &Python) -> ProgramCommand {
    ProgramCommand {
        command: vec!["python3".into(), format!("{}:{}", python.file, python.function)],
        files: python.files.clone(),
        container: None,
        serve: true,
        declared: python.declared.clone(),
    }
}

/// How ids of programs begin.
const PROGRAM: &str = "command:";

/// Whether an operation is a program of the user.
pub fn is_program(id: &str) -> bool {
    id.starts_with(PROGRAM)
}

impl ProgramTask {
    fn new(
        workflow: &Workflow,
        task: &Task,
        (command, function): (ProgramCommand, Option<Arc<PythonFunction>>),
        folder: &Path,
    ) -> Result<Self, Box<Diagnostic>> {
        let found = command.files.iter().map(|name| find(task, name, folder)?.digested(task));
        let files = found.collect::<Result<Vec<_>, _>>()?;
        let container = command.container.as_ref().filter(|_| command.container_is_file());
        let container =
            container.map(|name| find_container(task, name, folder)?.digested(task)).transpose()?;
        let mut own = Self {
            name: task.name.clone(),
            spec: spec(workflow, task, &command, function.is_some())?,
            command,
            files,
            container,
            ends: task.ends.clone(),
            function,
        };
        own.spec.id = format!("{PROGRAM}{}", own.digest());
        Ok(own)
    }

    /// A digest of all that its results depend on: the command, its files and container, the names and kinds of its inputs,
    /// parameters and outputs. Limits of time and memory are not included.
    fn digest(&self) -> Digest {
        let regions = |regions: &[OpRegion]| -> Vec<Value> {
            regions.iter().map(|region| json!([region.name, region.kind.word()])).collect()
        };
        let reads: Vec<Value> = self.spec.parameters.iter().map(|p| json!([p.name, p.kind.word()])).collect();
        let mut whole = self.to_json();
        // The name of the task has no influence on its results.
        whole["task"] = Value::Null;
        if let Some(function) = &self.function {
            // The key of a function says all that counts: not its name or place, and not by which words it is explained.
            whole["command"] = Value::Null;
            whole["python"] = function.key.as_str().into();
        }
        whole["in"] = regions(&self.spec.inputs).into();
        whole["reads"] = reads.into();
        whole["out"] = regions(&self.spec.outputs).into();
        Digest::of_text("onceflow command v1", &whole.to_string())
    }

    /// The command and what it consists of.
    pub fn to_json(&self) -> Value {
        let files: serde_json::Map<String, Value> =
            self.files.iter().map(|file| (file.name.clone(), file.digest.to_string().into())).collect();
        let mut said = json!({
            "task": self.name,
            "command": self.command.command,
            "files": files,
            "container": self.command.container,
            "container_digest": self.container.as_ref().map(|file| file.digest.to_string()),
            "serve": self.command.serve,
        });
        if let Some(function) = &self.function {
            said["python"] = json!({ "key": function.key, "uses": function.uses });
        }
        said
    }

    /// Whether equal inputs are declared to give equal bytes.
    pub(crate) fn is_exact(&self) -> bool {
        self.spec.repeats == Repeats::Exact
    }

    /// `python flood.py ...`: enough of a command to recognise it.
    pub(crate) fn short_command(&self) -> String {
        let words = &self.command.command;
        let first: Vec<&str> = words.iter().take(2).map(String::as_str).collect();
        let more = if words.len() > 2 { " ..." } else { "" };
        format!("{}{more}", first.join(" "))
    }
}
