//! Tasks with what they need, make and cost: a bucket's, or any others'.

use std::collections::HashMap;

use crate::{NodeId, NodeInput, Plan};

/// Tasks, each after those it takes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderGraph {
    /// What each is called outside, such as a plan's node.
    pub(super) names: Vec<u32>,
    /// The tasks that each takes from; smaller numbers.
    pub(super) inputs: Vec<Vec<u32>>,
    /// The tasks that each waits for: those it takes from, and the one before it in its chain.
    pub(super) waits: Vec<Vec<u32>>,
    /// Bytes that each makes.
    pub(super) outputs: Vec<u64>,
    /// Bytes that each needs besides while it runs.
    pub(super) scratch: Vec<u64>,
    /// What each costs, in seconds or any other unit.
    pub(super) costs: Vec<f64>,
}

impl OrderGraph {
    /// Adds a task that takes from tasks that are there and comes after another in its chain, and gives its number.
    pub fn push(
        &mut self,
        name: u32,
        inputs: &[u32],
        previous: Option<u32>,
        (output, scratch): (u64, u64),
        cost: f64,
    ) -> u32 {
        let number = self.names.len() as u32;
        let there = |tasks: &mut dyn Iterator<Item = u32>| {
            let mut tasks: Vec<u32> = tasks.filter(|task| *task < number).collect();
            tasks.sort_unstable();
            tasks.dedup();
            tasks
        };
        self.names.push(name);
        self.inputs.push(there(&mut inputs.iter().copied()));
        self.waits.push(there(&mut inputs.iter().copied().chain(previous)));
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

    /// Who waits for each.
    pub(super) fn waiters(&self) -> Vec<Vec<u32>> {
        let mut waiters = vec![Vec::new(); self.len()];
        for (task, waits) in self.waits.iter().enumerate() {
            waits.iter().for_each(|wait| waiters[*wait as usize].push(task as u32));
        }
        waiters
    }

    /// How many take from each.
    pub(super) fn takers(&self) -> Vec<usize> {
        let mut takers = vec![0; self.len()];
        self.inputs.iter().flatten().for_each(|input| takers[*input as usize] += 1);
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
    /// `counts` says so are in the graph: others are taken as being there. Each waits for the one before it in its chain, as
    /// in the papers.
    pub fn task_graph(
        &self,
        rows: &[u32],
        pixels: u64,
        counts: &dyn Fn(usize) -> bool,
        costs: &dyn Fn(usize) -> f64,
    ) -> OrderGraph {
        let tasks = 0..self.flow().tasks.len();
        let mut nodes: Vec<NodeId> = tasks
            .filter(|task| counts(*task))
            .flat_map(|task| rows.iter().map(move |row| self.node(*row as usize, task)))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut graph = OrderGraph::default();
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
            let needs = (bytes(spec.output_bytes_per_pixel), spec.scratch(pixels));
            let row = self.first_row(id) as usize;
            let previous =
                self.flow().previous(task).and_then(|before| numbers.get(&self.node(row, before)).copied());
            numbers.insert(id, graph.push(id.0, &inputs, previous, needs, costs(task)));
        }
        graph
    }
}
