//! Tasks whose operation is a program: found in a workflow, their files checked, and made operations of the catalogue.

mod changes;
mod file;
mod spec;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::Digest;
use onceflow_study::{
    Catalogue, Diagnostic, OpRegion, OpSpec, ProgramCommand, Repeats, Stage, StageStep, Task, TaskOperation,
    Workflow,
};
use serde_json::{Value, json};

pub(crate) use self::file::FILE_DIGEST;
use self::file::{find, find_container};
use self::spec::spec;
use crate::error::ProgramError;

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
}

/// A file that a program declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramFile {
    /// Its name in the descriptor.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// The digest of its contents.
    pub digest: Digest,
}

/// Checks the files that programs declare, without running anything. Returns all problems.
pub fn look_at_commands(workflow: &Workflow, folder: &Path) -> Vec<Diagnostic> {
    let folder = folder_of(workflow, folder);
    let tasks = workflow.tasks().filter_map(|task| Some((task, command_of(task)?)));
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
    let folder = folder_of(workflow, folder);
    let mut catalogue = catalogue;
    for task in bound.stages.iter_mut().flat_map(|stage| tasks_of(stage)) {
        if let Some(command) = command_of(task).cloned() {
            let found = ProgramTask::new(workflow, task, command, &folder).map_err(ProgramError::BadInput)?;
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

fn command_of(task: &Task) -> Option<&ProgramCommand> {
    match &task.op {
        TaskOperation::Command(command) => Some(command),
        _ => None,
    }
}

/// The folder that names of files are relative to: the descriptor's, or the study's for a workflow without a file.
fn folder_of(workflow: &Workflow, study: &Path) -> PathBuf {
    let descriptor =
        workflow.source.as_ref().map(|source| Path::new(&source.name)).filter(|path| path.is_file());
    let parent = |path: &Path| path.parent().map(Path::to_path_buf);
    let folder = descriptor.and_then(parent).unwrap_or_else(|| study.to_path_buf());
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
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
        command: ProgramCommand,
        folder: &Path,
    ) -> Result<Self, Box<Diagnostic>> {
        let found = command.files.iter().map(|name| find(task, name, folder)?.digested(task));
        let files = found.collect::<Result<Vec<_>, _>>()?;
        let container = command.container.as_ref().filter(|_| command.container_is_file());
        let container =
            container.map(|name| find_container(task, name, folder)?.digested(task)).transpose()?;
        let mut own = Self {
            name: task.name.clone(),
            spec: spec(workflow, task, &command)?,
            command,
            files,
            container,
            ends: task.ends.clone(),
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
        whole["in"] = regions(&self.spec.inputs).into();
        whole["reads"] = reads.into();
        whole["out"] = regions(&self.spec.outputs).into();
        Digest::of_text("onceflow command v1", &whole.to_string())
    }

    /// The command and what it consists of.
    pub fn to_json(&self) -> Value {
        let files: serde_json::Map<String, Value> =
            self.files.iter().map(|file| (file.name.clone(), file.digest.to_string().into())).collect();
        json!({
            "task": self.name,
            "command": self.command.command,
            "files": files,
            "container": self.command.container,
            "container_digest": self.container.as_ref().map(|file| file.digest.to_string()),
            "serve": self.command.serve,
        })
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
