//! Tasks with what they need, make and cost: a bucket's, or any others'.

use std::collections::HashMap;

use crate::{NodeId, NodeInput, Plan};

/// Tasks, each after those it takes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskGraph {
    /// What each is called outside, such as a plan's node.
    pub(super) names: Vec<u32>,
    /// The tasks that each takes from; smaller numbers.
    pub(super) inputs: Vec<Vec<u32>>,
    /// Bytes that each makes.
    pub(super) outputs: Vec<u64>,
    /// Bytes that each needs besides while it runs.
    pub(super) scratch: Vec<u64>,
    /// What each costs, in seconds or any other unit.
    pub(super) costs: Vec<f64>,
}

impl TaskGraph {
    /// Adds a task that takes from tasks that are there, and gives its number.
    pub fn push(&mut self, name: u32, inputs: &[u32], output: u64, scratch: u64, cost: f64) -> u32 {
        let number = self.names.len() as u32;
        let mut inputs: Vec<u32> = inputs.iter().copied().filter(|input| *input < number).collect();
        inputs.sort_unstable();
        inputs.dedup();
        self.names.push(name);
        self.inputs.push(inputs);
        self.outputs.push(output);
        self.scratch.push(scratch);
        self.costs.push(cost);
        number
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no task.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Who takes from each.
    pub(super) fn takers(&self) -> Vec<Vec<u32>> {
        let mut takers = vec![Vec::new(); self.len()];
        for (task, inputs) in self.inputs.iter().enumerate() {
            inputs.iter().for_each(|input| takers[*input as usize].push(task as u32));
        }
        takers
    }

    /// The least that any order takes: what one task needs at once.
    pub fn largest_task(&self) -> u64 {
        let taken =
            |task: usize| self.inputs[task].iter().map(|input| self.outputs[*input as usize]).sum::<u64>();
        let need = |task: usize| taken(task) + self.outputs[task] + self.scratch[task];
        (0..self.len()).map(need).max().unwrap_or_default()
    }
}

impl Plan {
    /// The tasks of some rows on a part of so many pixels; `costs` says what one of a task costs. Only tasks for which
    /// `counts` says so are in the graph: others are taken as being there.
    pub fn task_graph(
        &self,
        rows: &[u32],
        pixels: u64,
        counts: &dyn Fn(usize) -> bool,
        costs: &dyn Fn(usize) -> f64,
    ) -> TaskGraph {
        let tasks = 0..self.flow().tasks.len();
        let mut nodes: Vec<NodeId> = tasks
            .filter(|task| counts(*task))
            .flat_map(|task| rows.iter().map(move |row| self.node(*row as usize, task)))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut graph = TaskGraph::default();
        let mut numbers: HashMap<NodeId, u32> = HashMap::with_capacity(nodes.len());
        for id in nodes {
            let task = self.task_of(id);
            let spec = &self.flow().tasks[task].spec;
            let number = |input: NodeInput| match input {
                NodeInput::Node { node, .. } => numbers.get(&node).copied(),
                NodeInput::Source(_) | NodeInput::Empty { .. } => None,
            };
            let inputs: Vec<u32> = self.inputs_of(id).filter_map(number).collect();
            let bytes = |per_pixel: u32| pixels.saturating_mul(u64::from(per_pixel));
            let (output, scratch) = (bytes(spec.output_bytes_per_pixel), bytes(spec.scratch_bytes_per_pixel));
            numbers.insert(id, graph.push(id.0, &inputs, output, scratch, costs(task)));
        }
        graph
    }
}
