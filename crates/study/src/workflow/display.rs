//! A workflow as text: one line per task, in the order of the descriptor.

use std::fmt;

use super::{BoundValue, PlacedTask, Scope, Stage, StageStep, Task, TaskOperation, Workflow};
use crate::counted;

impl fmt::Display for Workflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        if let Some(about) = &self.about {
            writeln!(f, "{about}")?;
        }
        let inputs: Vec<_> = self.inputs().map(|r| format!("{} ({})", r.name, r.kind)).collect();
        writeln!(f, "takes  {}", or_nothing(&inputs))?;
        let widths = Widths::of(self);
        for stage in &self.stages {
            write_stage(f, stage, &widths, 0)?;
        }
        let kind = |name: &String| self.region(name).map_or_else(String::new, |r| format!(" ({})", r.kind));
        let outputs: Vec<_> = self.outputs.iter().map(|name| format!("{name}{}", kind(name))).collect();
        writeln!(f, "makes  {}", or_nothing(&outputs))
    }
}

impl Workflow {
    /// `nuclei 1: 3 stages, 11 tasks, 15 parameters`.
    pub fn headline(&self) -> String {
        let stages = counted(self.stage_count(), "stage");
        let tasks = counted(self.task_count(), "task");
        let parameters = counted(self.parameters.len(), "parameter");
        format!("{} {}: {stages}, {tasks}, {parameters}", self.name, self.version)
    }
}

impl PlacedTask<'_> {
    /// `segment/t1`.
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.stage.name, self.name)
    }
}

/// Columns of names and operations, so that what tasks take stands in line.
struct Widths {
    name: usize,
    operation: usize,
}

/// Longer operations (commands) push the rest of their own line only.
const WIDEST: usize = 32;

impl Widths {
    fn of(workflow: &Workflow) -> Self {
        let widest =
            |length: &dyn Fn(&Task) -> usize| workflow.tasks().map(length).max().unwrap_or(0).min(WIDEST);
        Self {
            name: widest(&|task| task.name.chars().count()),
            operation: widest(&|task| task.op.to_string().chars().count()),
        }
    }
}

fn write_stage(f: &mut fmt::Formatter<'_>, stage: &Stage, widths: &Widths, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    let scope = if stage.scope == Scope::Part { "" } else { stage.scope.word() };
    write!(f, "{indent}stage {}", stage.name)?;
    let notes = [
        (scope.to_owned(), "per"),
        (stage.after.join(", "), "after"),
        (stage.ended.keys().cloned().collect::<Vec<_>>().join(", "), "when ended, empty:"),
        (rendered(&stage.iteration), "iterates"),
    ];
    write_notes(f, &notes)?;
    for step in &stage.steps {
        match step {
            StageStep::Task(task) => write_task(f, task, widths, &indent)?,
            StageStep::Stage(inner) => write_stage(f, inner, widths, depth + 1)?,
        }
    }
    Ok(())
}

fn write_task(f: &mut fmt::Formatter<'_>, task: &Task, widths: &Widths, indent: &str) -> fmt::Result {
    let (name, operation) = (&task.name, task.op.to_string());
    write!(f, "{indent}  {name:w$}  {operation:v$}", w = widths.name, v = widths.operation)?;
    write!(f, "  {} -> {}", or_nothing(&task.inputs), or_nothing(&task.outputs))?;
    let iteration = match &task.op {
        TaskOperation::Foreign(foreign) => rendered(&foreign.iteration),
        _ => String::new(),
    };
    let reads: Vec<_> = task.reads.iter().map(ToString::to_string).collect();
    let notes = [
        (reads.join(", "), "reads"),
        (task.ends.join(", "), "may end:"),
        (task.forwards.join(", "), "forwards"),
        (task.after.join(", "), "after"),
        (iteration, "iterates"),
    ];
    write_notes(f, &notes)
}

fn write_notes(f: &mut fmt::Formatter<'_>, notes: &[(String, &str)]) -> fmt::Result {
    for (text, word) in notes.iter().filter(|(text, _)| !text.is_empty()) {
        write!(f, "; {word} {text}")?;
    }
    writeln!(f)
}

/// Strategies that say nothing (no port, or a single one) are left out.
fn rendered(iteration: &[super::Iteration]) -> String {
    let telling = iteration.iter().filter(|strategy| strategy.ports() > 1).map(ToString::to_string);
    telling.collect::<Vec<_>>().join(", then ")
}

impl super::Iteration {
    /// How many ports it combines.
    pub fn ports(&self) -> usize {
        match self {
            Self::Port { .. } => 1,
            Self::Cross(inner) | Self::Dot(inner) => inner.iter().map(Self::ports).sum(),
        }
    }
}

/// `G1`, `from = minSize`, `connectivity = 8`.
impl fmt::Display for super::Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.bound {
            BoundValue::Parameter(name) if *name == self.operation_parameter => f.write_str(name),
            BoundValue::Parameter(name) => write!(f, "{} = {name}", self.operation_parameter),
            BoundValue::Constant(value) => write!(f, "{} = {value}", self.operation_parameter),
        }
    }
}

fn or_nothing(names: &[String]) -> String {
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}
