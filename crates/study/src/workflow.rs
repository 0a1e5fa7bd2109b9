//! A workflow: stages made of tasks that take regions, read parameters and make regions.

mod argument;
mod catalogue;
mod check;
mod digraph;
mod display;
mod flatten;
mod graph;
mod halo;
mod operation;
mod read;
mod region_kind;
mod stage;

pub use self::catalogue::{Catalogue, OpParameter, OpRegion, OpSpec, OpStep, StepsError};
pub use self::check::check_workflow;
pub use self::graph::{Cycle, PlacedTask, WorkflowGraph};
pub use self::operation::{
    DeviceKind, Foreign, ForeignPort, Halo, Iteration, OperationDeclaration, ProgramCommand, Python,
    PythonFunction, Repeats, TaskOperation,
};
pub(crate) use self::read::MOST_TASKS;
pub use self::read::read_workflow;
pub use self::region_kind::RegionKind;
pub use self::stage::{Binding, BoundValue, EndedAs, Marks, NameRole, Scope, Stage, StageStep, Task};

use std::collections::HashSet;
use std::sync::Arc;

use crate::{Diagnostic, Domain, ParameterKind, SourceSpan, SourceText, Value};

/// What is run: the value of a workflow descriptor, or of a workflow imported from another system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workflow {
    /// Its name.
    pub name: String,
    /// Its version, counted by its author.
    pub version: u64,
    /// One sentence, for people.
    pub about: Option<String>,
    /// The parameters its tasks may read, in the order of the descriptor.
    pub parameters: Vec<WorkflowParameter>,
    /// Every region its tasks take or make, in the order of the descriptor.
    pub regions: Vec<RegionDeclaration>,
    /// The stages, in the order of the descriptor.
    pub stages: Vec<Stage>,
    /// The regions that are its result.
    pub outputs: Vec<String>,
    /// The text it was read from.
    pub source: Option<Arc<SourceText>>,
    /// Where the names of its outputs stand.
    pub marks: Marks,
}

/// A parameter as the workflow declares it; which values it takes is said by a study.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkflowParameter {
    /// Its name.
    pub name: String,
    /// How it is read.
    pub kind: ParameterKind,
    /// Its value when no study varies it.
    pub default: Option<Value>,
    /// The values that an imported workflow proposes for it.
    pub range: Option<Domain>,
    /// Unit, for people.
    pub unit: Option<String>,
    /// One sentence, for people.
    pub about: Option<String>,
    /// Where it is declared.
    pub place: Option<SourceLocation>,
}

/// A region's name and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionDeclaration {
    /// Its name, unique in the workflow.
    pub name: String,
    /// What it holds.
    pub kind: RegionKind,
    /// Where it is declared.
    pub place: Option<SourceLocation>,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The text.
    pub source: Arc<SourceText>,
    /// The bytes.
    pub span: SourceSpan,
}

impl Workflow {
    /// The parameter with that name.
    pub fn parameter(&self, name: &str) -> Option<&WorkflowParameter> {
        self.parameters.iter().find(|p| p.name == name)
    }

    /// The declaration of a region.
    pub fn region(&self, name: &str) -> Option<&RegionDeclaration> {
        self.regions.iter().find(|r| r.name == name)
    }

    /// The stage with that name, among those that are not nested.
    pub fn stage(&self, name: &str) -> Option<&Stage> {
        self.stages.iter().find(|s| s.name == name)
    }

    /// The first stage with a task that reads the parameter.
    pub fn reader_of(&self, parameter: &str) -> Option<&str> {
        let reads = |stage: &&Stage| stage.tasks().any(|task| task.reads_parameter(parameter));
        self.stages.iter().find(reads).map(|stage| stage.name.as_str())
    }

    /// Number of stages, without nested ones: they become tasks of the stage around them.
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// Number of tasks, those of nested stages included.
    pub fn task_count(&self) -> usize {
        self.tasks().count()
    }

    /// Every task, nested ones included, in the order of the descriptor.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.stages.iter().flat_map(Stage::tasks)
    }

    /// The regions that no task makes: what the workflow is given.
    pub fn inputs(&self) -> impl Iterator<Item = &RegionDeclaration> {
        let made: HashSet<&str> = self.tasks().flat_map(|t| &t.outputs).map(String::as_str).collect();
        self.regions.iter().filter(move |r| !made.contains(r.name.as_str()))
    }
}

impl WorkflowParameter {
    /// A parameter of which only name and kind are known.
    pub fn new(name: impl Into<String>, kind: ParameterKind) -> Self {
        Self { name: name.into(), kind, default: None, range: None, unit: None, about: None, place: None }
    }
}

impl SourceLocation {
    /// A place in a shared text.
    pub fn new(source: &Arc<SourceText>, span: impl Into<SourceSpan>) -> Self {
        Self { source: Arc::clone(source), span: span.into() }
    }
}

impl Diagnostic {
    /// Marks a place that may be unknown.
    #[must_use]
    pub fn at_place(self, place: Option<&SourceLocation>, text: impl Into<String>) -> Self {
        match place {
            Some(place) => self.at(&place.source, place.span, text),
            None => self,
        }
    }
}
