//! A plan whose stages are cut into buckets: equal work is done once in each of them, not across.

use onceflow_study::Scope;

use super::reads::ReadColumns;
use super::{Plan, PlanError};
use crate::Level;
use crate::merge::{Buckets, MergeError, Merging, ReuseTree, Work, makespan, merge};

/// The instances of a stage: rows that are equal in all that the stage reads and takes are one.
#[derive(Clone, Debug)]
pub struct Instances {
    /// The stage.
    pub stage: usize,
    /// The instance of each row.
    pub of_row: Vec<u32>,
    /// How they share beginnings of the chain.
    pub tree: ReuseTree,
    /// What they need, in the order of the tree, under the plan's level.
    pub work: Work,
}

/// A stage whose instances are in buckets.
#[derive(Clone, Debug)]
pub struct MergedStage {
    /// The instances.
    pub instances: Instances,
    /// How they are grouped; buckets hold places of the tree.
    pub buckets: Buckets,
    /// The cost of each bucket for one part.
    pub costs: Vec<f64>,
    /// The algorithm.
    pub merging: Merging,
}

impl Plan {
    /// The instances of a stage; `costs` says what one of a task costs.
    pub fn instances(&self, stage: usize, costs: &dyn Fn(usize) -> f64) -> Instances {
        let chain = &self.flow.stages[stage].tasks;
        let tables: Vec<_> = self.ladder().collect();
        let table = |level: Level| tables.iter().find(|(found, _)| *found == level).map(|(_, table)| *table);
        let whole = table(Level::Stage).zip(chain.first()).map(|(table, task)| &table.classes[*task]);
        let rows = whole.map_or_else(|| (0..self.rows as u32).collect(), |classes| classes.first_rows());
        let of_row = whole.map_or_else(|| rows.clone(), |classes| classes.of.clone());
        let columns = |level: Level| -> Vec<Vec<u32>> {
            let classes = table(level).map_or(&self.table.classes, |table| &table.classes);
            let column = |task: &usize| rows.iter().map(|row| classes[*task].of[*row as usize]).collect();
            chain.iter().map(column).collect()
        };
        let prices: Vec<f64> = chain.iter().map(|task| costs(*task)).collect();
        let tree = ReuseTree::new(rows.len(), &slices(&columns(Level::Task)));
        let work = match self.level {
            Level::Dataflow => Work::new(tree.instances(), &slices(&columns(Level::Dataflow)), &prices),
            Level::None | Level::Stage | Level::Task => Work::of_tree(&tree, &prices),
        };
        Instances { stage, of_row, tree, work }
    }

    /// Groups the instances of every stage of scope part in which instances share anything.
    ///
    /// `parts` is how many parts there are: work of different parts is never equal, so that each has its own buckets.
    ///
    /// # Errors
    /// When the algorithm refuses.
    pub fn merge(
        &self,
        merging: &Merging,
        parts: u64,
        costs: &dyn Fn(usize) -> f64,
    ) -> Result<Vec<MergedStage>, MergeError> {
        let stages =
            (0..self.flow.stages.len()).filter(|stage| self.flow.stages[*stage].scope == Scope::Part);
        let instances = stages.map(|stage| self.instances(stage, costs));
        instances
            .filter(Instances::share)
            .map(|instances| MergedStage::new(instances, merging, parts))
            .collect()
    }

    /// The same rows with equal work done once in each bucket of those stages.
    ///
    /// # Errors
    /// When there are more nodes than numbers.
    pub fn in_buckets(&self, stages: &[MergedStage]) -> Result<Self, PlanError> {
        let mut reads: ReadColumns = self.reads.clone();
        for merged in stages {
            reads.in_buckets(merged.instances.stage, merged.of_row(), merged.buckets.len());
        }
        super::assemble(self.flow.clone(), reads, self.rows, self.reference, self.level)
    }
}

impl Instances {
    /// Whether any two of them share a task.
    fn share(&self) -> bool {
        self.work.once() < self.work.whole() * self.work.len() as f64
            || self.tree.shared().iter().any(|shared| *shared > 0)
    }

    /// The instance of each place of the tree, in the rows that ask for it first.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }
}

impl MergedStage {
    /// Groups instances. For `auto` the workers are those of all parts together: several numbers of buckets are tried, and
    /// the one with which all parts are done first stays.
    fn new(instances: Instances, merging: &Merging, parts: u64) -> Result<Self, MergeError> {
        let grouped = |merging: Merging| {
            let buckets = merge(&instances.tree, &instances.work, &merging)?;
            let costs: Vec<f64> = buckets.iter().map(|places| instances.work.cost(places)).collect();
            Ok((buckets, costs, merging))
        };
        let (buckets, costs, merging) = match *merging {
            Merging::Auto { workers } if parts > 1 && workers > 0 => {
                let tried = numbers(workers, parts).map(|workers| grouped(Merging::Auto { workers }));
                let tried = tried.collect::<Result<Vec<_>, _>>()?;
                let rank = |costs: &[f64]| (span_of_parts(costs, workers, parts), costs.iter().sum::<f64>());
                let better = |one: &(f64, f64), other: &(f64, f64)| one.partial_cmp(other);
                let best = tried.into_iter().min_by(|one, other| {
                    better(&rank(&one.1), &rank(&other.1)).unwrap_or(std::cmp::Ordering::Equal)
                });
                best.map_or_else(|| grouped(*merging), Ok)?
            }
            merging => grouped(merging)?,
        };
        Ok(Self { instances, buckets, costs, merging })
    }

    /// The bucket of each row.
    pub fn of_row(&self) -> Vec<u32> {
        let of_instance = self.buckets.of_instances(&self.instances.tree);
        self.instances.of_row.iter().map(|instance| of_instance[*instance as usize]).collect()
    }

    /// The cost of one part.
    pub fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// When the last of the workers is done with this stage on all parts.
    pub fn makespan(&self, workers: usize, parts: u64) -> f64 {
        span_of_parts(&self.costs, workers, parts)
    }
}

/// Numbers of buckets for a part worth trying, for so many workers and parts.
fn numbers(workers: usize, parts: u64) -> impl Iterator<Item = usize> {
    let parts = usize::try_from(parts).unwrap_or(usize::MAX).max(1);
    let mut numbers: Vec<usize> =
        (1..=4).map(|times| workers.saturating_mul(times).div_ceil(parts)).collect();
    numbers.extend([1, (workers / parts).max(1)]);
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter()
}

/// Bounds the list of a list schedule: beyond it, parts go round evenly and only the rest is scheduled.
const MOST_SCHEDULED: u64 = 4_096;

/// When the last of the workers is done with the buckets of all parts.
fn span_of_parts(costs: &[f64], workers: usize, parts: u64) -> f64 {
    let workers = workers.max(1);
    // Whole rounds, in which each worker does every bucket once, take the same time for all.
    let rounds = if parts > MOST_SCHEDULED { (parts - MOST_SCHEDULED) / workers as u64 } else { 0 };
    let rest = parts - rounds * workers as u64;
    let all: Vec<f64> = (0..rest).flat_map(|_| costs.iter().copied()).collect();
    rounds as f64 * costs.iter().sum::<f64>() + makespan(&all, workers)
}

fn slices(columns: &[Vec<u32>]) -> Vec<&[u32]> {
    columns.iter().map(Vec::as_slice).collect()
}
