//! The tasks of a workflow as the planner sees them: flat, each after what it needs.

mod build;
mod narrow;

use onceflow_study::{Canonical, Cycle, OpSpec, ParameterKind, RegionKind, Repeats, Scope};

/// What an input's name ends with when the region of the reference row is meant.
pub const REFERENCE_SUFFIX: &str = "@reference";

/// A workflow ready to be planned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// The stages, in the order of the descriptor.
    pub stages: Vec<FlowStage>,
    /// The tasks, each after those whose regions it takes.
    pub tasks: Vec<FlowTask>,
    /// Names of the regions that no task makes, and of the reference regions that stand in for a missing reference row.
    pub sources: Vec<String>,
    /// The tasks whose outputs are what a row gives.
    pub results: Vec<usize>,
}

/// Tasks that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowStage {
    /// Its name.
    pub name: String,
    /// How much of the images one instance covers.
    pub scope: Scope,
    /// Its tasks, each after those of the stage it depends on and otherwise as declared: the papers' chain.
    pub tasks: Vec<usize>,
}

/// One task.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowTask {
    /// Its name, `inner/t` when it stood in a nested stage.
    pub name: String,
    /// Its stage.
    pub stage: usize,
    /// What is known of its operation.
    pub spec: OpSpec,
    /// The parameters it reads, in the order of the operation's parameters.
    pub reads: Vec<FlowRead>,
    /// The regions it takes, in the order of the operation's inputs.
    pub inputs: Vec<FlowInput>,
    /// The regions it makes, in the order of the operation's outputs.
    pub outputs: Vec<FlowRegion>,
    /// Statuses that end its stage for the part. They are control, so they are in no key.
    pub ends: Vec<String>,
    /// Tasks that must be finished first although it takes nothing of them.
    pub after: Vec<usize>,
    /// How it stands to the workflow as it is written.
    pub made: TaskOrigin,
}

/// How a task stands to the workflow as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TaskOrigin {
    /// It is a task of the workflow.
    #[default]
    Written,
    /// It is one of the steps that a task of the workflow was split into.
    Step {
        /// The name of that task.
        of: String,
    },
    /// It is several tasks in one, each after those it takes from; what the last one makes is what it makes.
    Fused(Vec<FusedStep>),
}

/// A task inside another.
#[derive(Clone, Debug, PartialEq)]
pub struct FusedStep {
    /// The task, without its own inputs.
    pub task: FlowTask,
    /// Where it takes regions from, in the order of the operation's inputs.
    pub inputs: Vec<FusedInput>,
    /// For each of its reads the place among those of the whole.
    pub reads: Vec<usize>,
}

/// Where a task inside another takes a region from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusedInput {
    /// An input of the whole, by its place.
    Outer(usize),
    /// What a step before it makes, which no other task sees.
    Inner {
        /// The step.
        step: usize,
        /// Which of its outputs.
        output: usize,
    },
}

/// A parameter that a task reads.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowRead {
    /// The operation's name for it.
    pub name: String,
    /// How it is read.
    pub kind: ParameterKind,
    /// Where its value comes from.
    pub from: ReadFrom,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadFrom {
    /// A parameter of the rows.
    Parameter(String),
    /// The same in every row.
    Constant(Canonical),
}

/// Where a region comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlowInput {
    /// No task makes it: the number of the source.
    Source(usize),
    /// A task of the same row makes it.
    Task {
        /// The task.
        task: usize,
        /// Which of its outputs.
        output: usize,
    },
    /// A task of the reference row makes it.
    Reference {
        /// The task.
        task: usize,
        /// Which of its outputs.
        output: usize,
    },
}

/// A region that a task makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRegion {
    /// The workflow's name for it.
    pub name: String,
    /// What it holds.
    pub kind: RegionKind,
}

/// Why a workflow cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum FlowError {
    #[error(
        "{what} wait for each other: expected an order in which each comes after what it needs, found {cycle}; break the cycle"
    )]
    Cycle { what: &'static str, cycle: Cycle },
    #[error(
        "task `{task}` cannot be run: expected a built-in operation, found `{found}`; give it an operation of the catalogue"
    )]
    NotBuiltIn { task: String, found: String },
    #[error(
        "task `{task}` cannot be run: expected an operation of the catalogue, found `{operation}`; check its name"
    )]
    UnknownOperation { task: String, operation: String },
    #[error(
        "task `{task}`: expected {expected} {what} as `{operation}` has, found {found}; check the descriptor"
    )]
    Count { task: String, operation: String, what: &'static str, expected: usize, found: usize },
    #[error(
        "task `{task}` does not say where `{parameter}` of `{operation}` comes from; name it in its `reads`"
    )]
    Unbound { task: String, operation: String, parameter: String },
    #[error(
        "task `{task}`: expected a value that can be read as {kind} for `{parameter}`, found `{found}`; change the constant"
    )]
    Constant { task: String, parameter: String, kind: &'static str, found: String },
    #[error(
        "task `{task}` waits for `{after}`, which is not there; name a task of its stage, or take it away"
    )]
    UnknownAfter { task: String, after: String },
    #[error(
        "region `{region}` is made by `{first}` and by `{second}`: expected one maker; rename one of them"
    )]
    MadeTwice { region: String, first: String, second: String },
    #[error(
        "task `{task}` of scope {scope} takes `{region}` of scope {narrower}: expected a region of scope {scope} or wider, \
         since regions of several parts are not joined; make the stage's scope {narrower}"
    )]
    FanIn { task: String, scope: &'static str, region: String, narrower: &'static str },
    #[error(
        "task `{task}` takes `{region}` of the reference row: expected a region of another stage, since a stage of one \
         row would wait for the same stage of another; move the task into a stage of its own"
    )]
    OwnReference { task: String, region: String },
}

impl Flow {
    /// The place of the task with that name; the first one when stages use a name twice.
    pub fn task(&self, name: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.name == name)
    }

    /// The number of the source with that name.
    pub fn source(&self, name: &str) -> Option<usize> {
        self.sources.iter().position(|source| source == name)
    }

    /// How much of the images one instance of the task covers.
    pub fn scope(&self, task: usize) -> Scope {
        self.stages[self.tasks[task].stage].scope
    }

    /// The parameters that its tasks read from the rows, each once, in the order in which they are met.
    pub fn parameters(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in self.tasks.iter().flat_map(FlowTask::parameters) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// What the tasks of a stage take from outside it, each once, in the order of the chain.
    pub fn stage_inputs(&self, stage: usize) -> Vec<FlowInput> {
        let mut inputs = Vec::new();
        for input in self.stages[stage].tasks.iter().flat_map(|task| &self.tasks[*task].inputs) {
            let inside = matches!(input, FlowInput::Task { task, .. } if self.tasks[*task].stage == stage);
            if !inside && !inputs.contains(input) {
                inputs.push(*input);
            }
        }
        inputs
    }

    /// The task before this one in its stage's chain.
    pub fn previous(&self, task: usize) -> Option<usize> {
        let chain = &self.stages[self.tasks[task].stage].tasks;
        let place = chain.iter().position(|other| *other == task)?;
        place.checked_sub(1).map(|before| chain[before])
    }

    /// The source that stands for a task's output when no row is the reference row.
    pub fn reference_source(&self, task: usize, output: usize) -> Option<usize> {
        self.source(&format!("{}{REFERENCE_SUFFIX}", self.tasks[task].outputs[output].name))
    }

    /// As [`Flow::reference_source`], of a flow that was checked: the source is there. Where it is not, the number after the
    /// last source, which every reader refuses.
    pub(crate) fn checked_reference_source(&self, task: usize, output: usize) -> usize {
        self.reference_source(task, output).unwrap_or(self.sources.len())
    }

    /// Whether a task may be served by another row's result at all.
    pub fn repeats(&self, task: usize) -> bool {
        self.tasks[task].spec.repeats != Repeats::Never
    }
}

impl FlowTask {
    /// The task of the workflow that it is a step of: itself when it was not split. Of several in one it is the last one's.
    pub fn written(&self) -> &str {
        match &self.made {
            TaskOrigin::Written => &self.name,
            TaskOrigin::Step { of } => of,
            TaskOrigin::Fused(steps) => steps.last().map_or(&self.name, |step| step.task.written()),
        }
    }

    /// The tasks that it carries out: itself, or those that were fused.
    pub fn parts(&self) -> Vec<&Self> {
        match &self.made {
            TaskOrigin::Fused(steps) => steps.iter().map(|step| &step.task).collect(),
            TaskOrigin::Written | TaskOrigin::Step { .. } => vec![self],
        }
    }

    /// The rows' parameters it reads.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.reads.iter().filter_map(|read| match &read.from {
            ReadFrom::Parameter(name) => Some(name.as_str()),
            ReadFrom::Constant(_) => None,
        })
    }
}

impl FlowInput {
    /// The task that makes it, in this row or in the reference row.
    pub fn maker(self) -> Option<usize> {
        match self {
            Self::Source(_) => None,
            Self::Task { task, .. } | Self::Reference { task, .. } => Some(task),
        }
    }
}
