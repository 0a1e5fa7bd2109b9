//! Which task must come before which: by the regions they take, and by control dependencies.

use std::collections::HashMap;
use std::fmt;

use super::digraph::Digraph;
use super::{Stage, StageStep, Task, Workflow};

/// The tasks of a workflow, nested ones included, and their order.
#[derive(Clone, Debug)]
pub struct WorkflowGraph<'w> {
    tasks: Vec<PlacedTask<'w>>,
    nodes: Digraph,
    task_at: Vec<Option<usize>>,
    edges: Vec<(usize, usize)>,
}

/// A task and the stage it belongs to.
#[derive(Clone, Debug)]
pub struct PlacedTask<'w> {
    /// The stage that is not nested.
    pub stage: &'w Stage,
    /// The task's name within that stage: `inner/t` when it stands in a nested one.
    pub name: String,
    /// The task.
    pub task: &'w Task,
}

/// Steps that wait for each other: the first is the last.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Cycle {
    /// Names of the steps, in the order in which one needs the other's result.
    pub path: Vec<String>,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path.join(" -> "))
    }
}

impl Workflow {
    /// The tasks and their dependencies.
    pub fn graph(&self) -> WorkflowGraph<'_> {
        let mut builder = TaskGraphBuilder::default();
        let ends = self.stages.iter().map(|stage| (stage.name.as_str(), builder.stage(stage, stage, "")));
        let ends: Vec<_> = ends.collect();
        builder.link_after(&ends, self.stages.iter().map(|stage| stage.after.as_slice()));
        builder.finish()
    }

    /// Places of the stages such that each comes after those whose regions it takes, or why there is no such order.
    pub fn stage_order(&self) -> Result<Vec<usize>, Cycle> {
        let mut nodes = Digraph::default();
        let place: HashMap<_, _> =
            self.stages.iter().map(|s| (s.name.as_str(), nodes.add(&s.name))).collect();
        let makers: HashMap<_, _> = makers(self.stages.iter().map(|s| s.tasks().collect()));
        for (at, stage) in self.stages.iter().enumerate() {
            let by_region = stage.tasks().flat_map(|t| &t.inputs).filter_map(|r| makers.get(r.as_str()));
            let by_name = stage.after.iter().filter_map(|name| place.get(name.as_str()));
            // Inside a stage regions go from task to task; that is no cycle of stages.
            for from in by_region.filter(|from| **from != at).chain(by_name) {
                nodes.link(*from, at);
            }
        }
        nodes.order()
    }
}

impl<'w> WorkflowGraph<'w> {
    /// The tasks, in the order of the descriptor.
    pub fn tasks(&self) -> &[PlacedTask<'w>] {
        &self.tasks
    }

    /// Pairs of tasks by their places, of which the first makes a region the second takes or hands on.
    pub fn region_edges(&self) -> &[(usize, usize)] {
        &self.edges
    }

    /// Places of all tasks, each after those it depends on and otherwise in the order of the descriptor.
    pub fn order(&self) -> Result<Vec<usize>, Cycle> {
        Ok(self.nodes.order()?.into_iter().filter_map(|node| self.task_at[node]).collect())
    }

    /// Places of the tasks that cannot start before this one is finished, next ones only.
    pub fn successors(&self, task: usize) -> Vec<usize> {
        let start = self.task_at.iter().position(|at| *at == Some(task));
        let mut found = Vec::new();
        let mut open: Vec<usize> = start.into_iter().collect();
        let mut met = vec![false; self.task_at.len()];
        while let Some(node) = open.pop() {
            for next in self.nodes.successors(node).iter().filter(|n| !std::mem::replace(&mut met[**n], true))
            {
                match self.task_at[*next] {
                    Some(task) => found.push(task),
                    // The ends of stages are nodes of their own; what lies behind them comes next.
                    None => open.push(*next),
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// First and last node of a step: the same for a task, two for a stage.
type StepEnds = (usize, usize);

#[derive(Default)]
struct TaskGraphBuilder<'w> {
    tasks: Vec<PlacedTask<'w>>,
    nodes: Digraph,
    task_at: Vec<Option<usize>>,
}

impl<'w> TaskGraphBuilder<'w> {
    fn node(&mut self, name: String, task: Option<usize>) -> usize {
        self.task_at.push(task);
        self.nodes.add(name)
    }

    fn stage(&mut self, top: &'w Stage, stage: &'w Stage, prefix: &str) -> StepEnds {
        let label = format!("{prefix}{}", stage.name);
        let begin = self.node(label.clone(), None);
        // A task's name starts below the stage that is not nested.
        let prefix = if std::ptr::eq(top, stage) { String::new() } else { format!("{label}/") };
        let ends: Vec<_> =
            stage.steps.iter().map(|step| (step.name(), self.step(top, step, &prefix))).collect();
        self.link_after(&ends, stage.steps.iter().map(StageStep::after));
        let end = self.node(label, None);
        if ends.is_empty() {
            self.nodes.link(begin, end);
        }
        for (_, (first, last)) in ends {
            self.nodes.link(begin, first);
            self.nodes.link(last, end);
        }
        (begin, end)
    }

    fn step(&mut self, top: &'w Stage, step: &'w StageStep, prefix: &str) -> StepEnds {
        match step {
            StageStep::Stage(stage) => self.stage(top, stage, prefix),
            StageStep::Task(task) => {
                let name = format!("{prefix}{}", task.name);
                let node = self.node(name.clone(), Some(self.tasks.len()));
                self.tasks.push(PlacedTask { stage: top, name, task });
                (node, node)
            }
        }
    }

    fn link_after<'a>(&mut self, steps: &[(&str, StepEnds)], after: impl Iterator<Item = &'a [String]>) {
        let places: HashMap<&str, StepEnds> = steps.iter().copied().collect();
        for ((_, (first, _)), names) in steps.iter().zip(after) {
            for (_, last) in names.iter().filter_map(|name| places.get(name.as_str())) {
                self.nodes.link(*last, *first);
            }
        }
    }

    fn finish(mut self) -> WorkflowGraph<'w> {
        let makers = makers(self.tasks.iter().map(|t| vec![t.task]));
        let mut edges = Vec::new();
        for (to, placed) in self.tasks.iter().enumerate() {
            let taken = placed.task.inputs.iter().chain(&placed.task.forwards);
            edges.extend(taken.filter_map(|region| makers.get(region.as_str())).map(|from| (*from, to)));
        }
        edges.sort_unstable();
        edges.dedup();
        let mut node_of = vec![0; self.tasks.len()];
        for (node, task) in self.task_at.iter().enumerate() {
            if let Some(task) = task {
                node_of[*task] = node;
            }
        }
        for (from, to) in &edges {
            self.nodes.link(node_of[*from], node_of[*to]);
        }
        WorkflowGraph { tasks: self.tasks, nodes: self.nodes, task_at: self.task_at, edges }
    }
}

/// The index of the task that makes a region; the first one when several do.
fn makers<'w>(groups: impl Iterator<Item = Vec<&'w Task>>) -> HashMap<&'w str, usize> {
    let mut makers = HashMap::new();
    for (place, tasks) in groups.enumerate() {
        for region in tasks.into_iter().flat_map(|task| &task.outputs) {
            makers.entry(region.as_str()).or_insert(place);
        }
    }
    makers
}
