//! Tasks whose operation is a program: found in a workflow, their files looked at, and made operations of the catalogue.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::Digest;
use onceflow_study::{
    Bound, Catalogue, Command, Diagnostic, Kind, OpParameter, OpRegion, OpSpec, Operation, RegionKind,
    Repeats, Role, Stage, Step, Task, Value, Workflow,
};
use serde_json::{Value as Json, json};

use crate::EngineError;

/// A task whose operation is a program, with all that its results depend on.
#[derive(Clone, Debug)]
pub(crate) struct OwnTask {
    /// Its name.
    pub(crate) name: String,
    /// The program, as the descriptor has it.
    pub(crate) command: Command,
    /// What is known of it; the id is a digest of all that its results depend on.
    pub(crate) spec: OpSpec,
    /// The files it declares.
    pub(crate) files: Vec<OwnFile>,
    /// The file of its container, when it has one.
    pub(crate) container: Option<OwnFile>,
    /// Statuses with which it may end its part.
    pub(crate) ends: Vec<String>,
}

/// A file that a program declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnFile {
    /// As the descriptor names it.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) digest: Digest,
}

/// What a pixel of a program's part costs until a run has measured it, in nanoseconds: most of it is starting the program.
const COST: f64 = 100.0;

/// Bytes per pixel for the pixels of units as runs, and for finding them.
const UNITS: u32 = 24;

/// The kind of digests of files.
pub(super) const FILE: &str = "onceflow file of a command v1";

/// Looks at the files that programs declare, without running anything: everything that is wrong with them.
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

/// The programs among the tasks of a workflow, and the workflow in which each is an operation of the catalogue.
///
/// # Errors
/// When a file that one of them declares is not there, or lies outside the descriptor's folder.
pub(crate) fn own_tasks(
    workflow: &Workflow,
    catalogue: Catalogue,
    folder: &Path,
) -> Result<(Workflow, Catalogue, Vec<Arc<OwnTask>>), EngineError> {
    let (mut bound, mut own) = (workflow.clone(), Vec::new());
    let folder = folder_of(workflow, folder);
    let mut catalogue = catalogue;
    for task in bound.stages.iter_mut().flat_map(|stage| tasks_of(stage)) {
        if let Some(command) = command_of(task).cloned() {
            let found = OwnTask::new(workflow, task, command, &folder).map_err(EngineError::BadInput)?;
            task.op = Operation::BuiltIn(found.spec.id.clone());
            catalogue = catalogue.with(found.spec.clone());
            own.push(Arc::new(found));
        }
    }
    Ok((bound, catalogue, own))
}

fn tasks_of(stage: &mut Stage) -> Vec<&mut Task> {
    let tasks = stage.steps.iter_mut().flat_map(|step| match step {
        Step::Task(task) => vec![task],
        Step::Stage(inner) => tasks_of(inner),
    });
    tasks.collect()
}

fn command_of(task: &Task) -> Option<&Command> {
    match &task.op {
        Operation::Command(command) => Some(command),
        _ => None,
    }
}

/// Files are named relative to the descriptor; a workflow that came from no file belongs to the study.
fn folder_of(workflow: &Workflow, study: &Path) -> PathBuf {
    let descriptor =
        workflow.source.as_ref().map(|source| Path::new(&source.name)).filter(|path| path.is_file());
    let parent = |path: &Path| path.parent().map(Path::to_path_buf);
    let folder = descriptor.and_then(parent).unwrap_or_else(|| study.to_path_buf());
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

impl OwnTask {
    fn new(
        workflow: &Workflow,
        task: &Task,
        command: Command,
        folder: &Path,
    ) -> Result<Self, Box<Diagnostic>> {
        let found = command.files.iter().map(|name| find(task, name, folder)?.digested(task));
        let files = found.collect::<Result<Vec<_>, _>>()?;
        let container = command.container.as_ref().filter(|_| command.container_is_file());
        let container =
            container.map(|name| find_container(task, name, folder)?.digested(task)).transpose()?;
        let mut own = Self {
            name: task.name.clone(),
            spec: spec(workflow, task, &command),
            command,
            files,
            container,
            ends: task.ends.clone(),
        };
        own.spec.id = format!("command:{}", own.digest());
        Ok(own)
    }

    /// A digest of all that its results depend on: the command, its files and container, and what it is given and asked for
    /// under which names. Limits of time and memory are not among it.
    fn digest(&self) -> Digest {
        let regions = |regions: &[OpRegion]| -> Vec<Json> {
            regions.iter().map(|region| json!([region.name, region.kind.word()])).collect()
        };
        let reads: Vec<Json> = self.spec.parameters.iter().map(|p| json!([p.name, p.kind.word()])).collect();
        let mut whole = self.to_json();
        // A name that only people see makes no difference.
        whole["task"] = Json::Null;
        whole["in"] = regions(&self.spec.inputs).into();
        whole["reads"] = reads.into();
        whole["out"] = regions(&self.spec.outputs).into();
        Digest::of_text("onceflow command v1", &whole.to_string())
    }

    /// What is run and what it consists of.
    pub(crate) fn to_json(&self) -> Json {
        let files: serde_json::Map<String, Json> =
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

    /// Whether the same inputs are said to give the same bytes.
    pub(crate) fn is_exact(&self) -> bool {
        self.spec.repeats == Repeats::Exact
    }
}

fn spec(workflow: &Workflow, task: &Task, command: &Command) -> OpSpec {
    let declared = &command.declared;
    let kind = |name: &String| workflow.region(name).map_or(RegionKind::Any, |region| region.kind);
    let region = |name: &String| OpRegion { name: name.clone(), kind: kind(name) };
    let mut spec = OpSpec::new("", command.command.join(" "), COST).sees(declared.halo);
    spec.inputs = task.inputs.iter().map(region).collect();
    spec.outputs = task.outputs.iter().map(region).collect();
    spec.output_bytes_per_pixel = spec.outputs.iter().map(|region| region.kind.bytes_per_pixel()).sum();
    spec.parameters = parameters(workflow, task);
    spec.scratch_bytes = declared.memory.unwrap_or(0);
    if declared.per_object.is_some() || declared.per_tile.is_some() {
        // What it is given is a copy, and so is what is put together.
        let given: u32 = spec.inputs.iter().map(|region| region.kind.bytes_per_pixel()).sum();
        spec.scratch_bytes_per_pixel = given + spec.output_bytes_per_pixel + UNITS;
    }
    spec.repeats = declared.repeats;
    spec.per_object.clone_from(&declared.per_object);
    spec.statuses.clone_from(&task.ends);
    spec
}

/// A program reads a parameter as the workflow declares it, and a constant as it is written.
fn parameters(workflow: &Workflow, task: &Task) -> Vec<OpParameter> {
    let parameter = |binding: &onceflow_study::Binding| {
        let kind = match &binding.bound {
            Bound::Parameter(name) => workflow.parameter(name).map_or(Kind::Real, |parameter| parameter.kind),
            Bound::Constant(Value::Text(_)) => Kind::Category,
            Bound::Constant(Value::Integer(_)) => Kind::Integer,
            Bound::Constant(Value::Real(_)) => Kind::Real,
        };
        OpParameter { name: binding.operation_parameter.clone(), kind }
    };
    task.reads.iter().map(parameter).collect()
}

/// A file that is there and lies where it may.
struct Found {
    name: String,
    path: PathBuf,
}

impl Found {
    fn digested(self, task: &Task) -> Result<OwnFile, Box<Diagnostic>> {
        let digest = File::open(&self.path).and_then(|file| Digest::of_reader(FILE, file));
        let digest = digest
            .map_err(|error| unusable(task, &self.name, "a file that can be read", &error.to_string()))?;
        Ok(OwnFile { name: self.name, path: self.path, digest })
    }
}

/// A file of a program. Links are followed, and must not lead out of the folder.
fn find(task: &Task, name: &str, folder: &Path) -> Result<Found, Box<Diagnostic>> {
    let found = find_container(task, name, folder)?;
    let inside = folder.canonicalize().is_ok_and(|folder| found.path.starts_with(folder));
    if inside {
        return Ok(found);
    }
    Err(unusable(task, name, "a file inside the descriptor's folder", "a link that leads out of it"))
}

/// The file of a container, which may lie anywhere: it is not copied, and its content is in the key.
fn find_container(task: &Task, name: &str, folder: &Path) -> Result<Found, Box<Diagnostic>> {
    let missing = |error: std::io::Error| unusable(task, name, "a file", &error.to_string());
    let path = folder.join(name).canonicalize().map_err(missing)?;
    // Devices and pipes have no end.
    if path.metadata().map_err(missing)?.is_file() {
        return Ok(Found { name: name.into(), path });
    }
    Err(unusable(task, name, "a file", "something else of that name"))
}

fn unusable(task: &Task, name: &str, expected: &str, found: &str) -> Box<Diagnostic> {
    let error =
        Diagnostic::error(format!("task `{}` needs `{name}`, which cannot be given to it", task.name));
    let error = error.at_place(task.place_of(Role::File, name).as_ref(), "");
    Box::new(
        error.expected_found(expected, found).with_hint("put it beside the descriptor, or do not declare it"),
    )
}
