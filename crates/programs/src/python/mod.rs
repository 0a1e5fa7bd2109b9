//! Python functions as operations: their files are read to know what they take, read and use, and workers run exactly the
//! source that was digested.

mod complete;
mod describe;
mod memory;
mod messages;
mod regions;
mod source;

use std::path::Path;

use onceflow_study::{Diagnostic, NameRole, Python, Stage, StageStep, Task, TaskOperation, Workflow};

use self::complete::complete;
pub(crate) use self::memory::SharedMemory;
pub(crate) use self::messages::{CallPlace, head_line, plain, task_line};
pub(crate) use self::regions::{Given, WorkerMemory};
pub use self::source::use_python;
pub(crate) use self::source::{BOOT, WORKER, first_line};
use crate::declared::{find, folder_of};

/// Completes the tasks of a workflow whose operation is a Python function, by what the functions' files say: regions and
/// parameters that the descriptor does not name, options, and the key. Nothing of the files is run. Files are relative to the
/// descriptor, or to `folder`. Returns all problems.
pub fn describe_functions(workflow: &mut Workflow, folder: &Path) -> Vec<Diagnostic> {
    let folder = folder_of(workflow, folder);
    let places: Vec<(String, Python)> = workflow.tasks().filter_map(not_described).collect();
    if places.is_empty() {
        return Vec::new();
    }
    let tasks = |name: &str| workflow.tasks().find(|task| task.name == name);
    let unusable: Vec<Diagnostic> = places
        .iter()
        .filter_map(|(name, python)| find(tasks(name)?, &python.file, &folder).err())
        .map(|error| *error)
        .collect();
    if !unusable.is_empty() {
        return unusable;
    }
    let asked: Vec<(&str, &str)> =
        places.iter().map(|(_, python)| (python.file.as_str(), python.function.as_str())).collect();
    let answers = match describe::ask(&folder, &asked) {
        Ok(answers) => answers,
        Err(error) => {
            let place = tasks(&places[0].0).and_then(|task| task.place_of(NameRole::Operation, ""));
            return vec![error.at_place(place.as_ref(), "")];
        }
    };
    let mut problems = Vec::new();
    for ((name, mut python), answer) in places.into_iter().zip(&answers.functions) {
        let Some(mut task) = workflow.tasks().find(|task| task.name == name).cloned() else { continue };
        match complete(workflow, &mut task, &mut python, answer, &answers.interpreter) {
            Ok(()) => {
                task.op = TaskOperation::Python(Box::new(python));
                replace(workflow, task);
            }
            Err(problem) => problems.push(*problem),
        }
    }
    problems
}

fn not_described(task: &Task) -> Option<(String, Python)> {
    match &task.op {
        TaskOperation::Python(python) if python.described.is_none() => {
            Some((task.name.clone(), (**python).clone()))
        }
        _ => None,
    }
}

fn replace(workflow: &mut Workflow, with: Task) {
    for stage in &mut workflow.stages {
        replace_in(stage, &with);
    }
}

fn replace_in(stage: &mut Stage, with: &Task) {
    for step in &mut stage.steps {
        match step {
            StageStep::Task(task) if task.name == with.name => *task = with.clone(),
            StageStep::Task(_) => {}
            StageStep::Stage(inner) => replace_in(inner, with),
        }
    }
}
