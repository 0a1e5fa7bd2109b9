//! What a grain is expected to cost: instances that are executed, times what each takes with its bookkeeping.

use super::Prices;
use crate::plan::counts;
use crate::{Flow, FlowInput, Level, ParameterRows, PlanError};

/// The figures of a flow's tasks before any is fused.
pub(super) struct GrainModel {
    /// Distinct instances of each task for one part.
    pub(super) count: Vec<u64>,
    /// The share of them that is executed, beyond the first: where contents are compared, some turn out to be equal.
    executed: Vec<f64>,
    /// Seconds of one.
    seconds: Vec<f64>,
    /// Seconds of its bookkeeping.
    bookkeeping: Vec<f64>,
    /// How often the plan of one part is carried out.
    times: Vec<f64>,
}

impl GrainModel {
    pub(super) fn new(
        written: &Flow,
        flow: &Flow,
        rows: &ParameterRows,
        level: Level,
        prices: &Prices<'_>,
    ) -> Result<Self, PlanError> {
        let count = counts(flow, rows, level)?;
        let tasks = || (0..flow.tasks.len()).map(|task| (&flow.tasks[task], flow.scope(task)));
        let duplicates = if level >= Level::Convergent { prices.duplicates } else { 0.0 };
        Ok(Self {
            count,
            executed: of_steps(written, flow, &executed(written, duplicates)),
            seconds: tasks().map(|(task, scope)| (prices.seconds)(task, scope)).collect(),
            bookkeeping: tasks().map(|(task, scope)| (prices.bookkeeping)(&task.spec, scope)).collect(),
            times: tasks().map(|(_, scope)| prices.many.of(scope) as f64).collect(),
        })
    }

    /// What tasks cost as one: each of them is executed for every instance of the last one, as far as the first ones see
    /// that instances are equal.
    pub(super) fn cost(&self, group: &[usize]) -> f64 {
        let Some(root) = group.last().copied() else { return 0.0 };
        let share = group.iter().map(|task| self.executed[*task]).fold(0.0, f64::max);
        let instances = match self.count[root] {
            0 => 0.0,
            count => 1.0 + (count - 1) as f64 * share,
        };
        let each: f64 = group.iter().map(|task| self.seconds[*task]).sum();
        self.times[root] * instances * (each + self.bookkeeping[root])
    }

    /// What all tasks cost, those of each group as one.
    pub(super) fn total(&self, groups: &[Vec<usize>]) -> f64 {
        let alone = (0..self.count.len()).filter(|task| !groups.iter().any(|group| group.contains(task)));
        let alone: f64 = alone.map(|task| self.cost(&[task])).sum();
        alone + groups.iter().map(|group| self.cost(group)).sum::<f64>()
    }

    /// The cheapest way to fuse the tasks of a stretch: groups of neighbours.
    pub(super) fn best_groups(&self, stretch: &[usize]) -> Vec<Vec<usize>> {
        // For each length of a beginning the least cost, and where its last group begins.
        let mut best = vec![(0.0, 0)];
        for end in 1..=stretch.len() {
            let ways = (0..end).rev().map(|begin| (best[begin].0 + self.cost(&stretch[begin..end]), begin));
            // Of two that cost the same the one with the smaller last group.
            let least = ways.reduce(|least: (f64, usize), way| if way.0 < least.0 { way } else { least });
            best.extend(least);
        }
        let (mut groups, mut end) = (Vec::new(), stretch.len());
        while end > 0 {
            let begin = best[end].1;
            groups.push(stretch[begin..end].to_vec());
            end = begin;
        }
        groups.reverse();
        groups
    }
}

/// A step is executed as often as its task as it is written: cutting tasks makes no more of them equal.
fn of_steps(written: &Flow, flow: &Flow, executed: &[f64]) -> Vec<f64> {
    let share = |name: &str| written.task(name).map_or(1.0, |task| executed[task]);
    flow.tasks.iter().map(|task| share(task.written())).collect()
}

/// Where contents are compared, a share of what a task makes is equal to what others make, and so on along the flow.
fn executed(flow: &Flow, duplicates: f64) -> Vec<f64> {
    let mut executed: Vec<f64> = Vec::with_capacity(flow.tasks.len());
    for task in &flow.tasks {
        let makers = task.inputs.iter().filter_map(|input| match input {
            FlowInput::Task { task, .. } => Some(executed[*task]),
            FlowInput::Source(_) | FlowInput::Reference { .. } => None,
        });
        let least = makers.reduce(f64::min).map(|least| least * (1.0 - duplicates));
        executed.push(least.unwrap_or(1.0));
    }
    executed
}
