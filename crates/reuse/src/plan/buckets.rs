//! A plan whose stages are cut into buckets: equal work is done once in each of them, not across.

use std::collections::HashMap;

use onceflow_study::Scope;

use super::reads::ReadColumns;
use super::table::NodeTable;
use super::{Plan, PlanError};
use crate::Level;
use crate::merge::{Buckets, MergeError, MergeWork, Merging, ReuseTree, makespan, merge};

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
    pub work: MergeWork,
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
    /// The algorithm with its limit, in words.
    pub how: String,
}

/// Why given buckets cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum BucketsError {
    #[error("row {row} is in no bucket: expected every row from 0 to {last} in one; add it")]
    Missing { row: usize, last: usize },
    #[error("row {row} is in two buckets: expected one; take it out of one")]
    Twice { row: usize },
    #[error("row {row} is not there: expected rows from 0 to {last}; leave it out")]
    Unknown { row: usize, last: usize },
    #[error(
        "rows {one} and {other} are the same instance of stage `{stage}`, but in different buckets: expected one bucket, \
         since equal stages are computed once; put them together"
    )]
    Torn { one: usize, other: usize, stage: String },
    #[error("no stage of the workflow has instances that share anything: expected something to merge")]
    NothingToMerge,
}

impl Plan {
    /// The instances of a stage; `costs` says what one of a task costs.
    pub fn instances(&self, stage: usize, costs: &dyn Fn(usize) -> f64) -> Instances {
        let chain = &self.flow.stages[stage].tasks;
        let chained = match self.level {
            Level::Dataflow | Level::Convergent | Level::Object => {
                self.ladder().find(|(level, _)| *level == Level::Task).map(|(_, table)| table)
            }
            Level::None | Level::Stage | Level::Task => None,
        };
        let chained = chained.unwrap_or(&self.table);
        // The last task of the chain has all in its key that the stage reads and takes.
        let whole = chain.last().map(|task| &chained.classes[*task]);
        let rows = whole.map_or_else(Vec::new, |classes| classes.first_rows());
        let of_row = whole.map_or_else(Vec::new, |classes| classes.of.clone());
        let columns = |table: &NodeTable| -> Vec<Vec<u32>> {
            let column =
                |task: &usize| rows.iter().map(|row| table.classes[*task].of[*row as usize]).collect();
            chain.iter().map(column).collect()
        };
        let prices: Vec<f64> = chain.iter().map(|task| costs(*task)).collect();
        let tree = ReuseTree::new(rows.len(), &slices(&columns(chained)));
        let work = match self.level {
            Level::Dataflow | Level::Convergent | Level::Object => {
                MergeWork::new(tree.instances(), &slices(&columns(&self.table)), &prices)
            }
            Level::None | Level::Stage | Level::Task => MergeWork::of_tree(&tree, &prices),
        };
        Instances { stage, of_row, tree, work }
    }

    /// Groups the instances of every stage of scope part in which instances share anything.
    ///
    /// `parts` says how dear each part is beside one of average size: work of different parts is never equal, so that each has
    /// its own buckets.
    ///
    /// # Errors
    /// When the algorithm refuses.
    pub fn merge(
        &self,
        merging: &Merging,
        parts: &[f64],
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

    /// Puts rows into given buckets: pairs of row and bucket, whatever the buckets' numbers.
    ///
    /// # Errors
    /// When not every row is in one bucket, or equal instances are apart.
    pub fn merge_as_given(
        &self,
        pairs: &[(usize, u64)],
        costs: &dyn Fn(usize) -> f64,
    ) -> Result<Vec<MergedStage>, BucketsError> {
        let of_row = numbered(pairs, self.rows)?;
        let merged = self.sharing(costs).map(|instances| self.given(instances, &of_row));
        let merged = merged.collect::<Result<Vec<_>, _>>()?;
        if merged.is_empty() { Err(BucketsError::NothingToMerge) } else { Ok(merged) }
    }

    fn given(&self, instances: Instances, of_row: &[u32]) -> Result<MergedStage, BucketsError> {
        let mut of_instance: Vec<Option<(usize, u32)>> = vec![None; instances.len()];
        for (row, instance) in instances.of_row.iter().enumerate() {
            match of_instance[*instance as usize] {
                Some((one, bucket)) if bucket != of_row[row] => {
                    let stage = self.flow.stages[instances.stage].name.clone();
                    return Err(BucketsError::Torn { one, other: row, stage });
                }
                _ => of_instance[*instance as usize] = Some((row, of_row[row])),
            }
        }
        let mut places: Vec<Vec<u32>> =
            vec![Vec::new(); of_row.iter().max().map_or(0, |most| *most as usize + 1)];
        for (place, instance) in instances.tree.instances().iter().enumerate() {
            let bucket = of_instance[*instance as usize].map_or(0, |(_, bucket)| bucket);
            places[bucket as usize].push(place as u32);
        }
        let mut buckets = Buckets::default();
        places.into_iter().for_each(|places| buckets.push(places));
        let costs = buckets.iter().map(|places| instances.work.cost(places)).collect();
        Ok(MergedStage { instances, buckets, costs, how: "given".into() })
    }

    /// The instances of stages of scope part in which instances share anything.
    fn sharing(&self, costs: &dyn Fn(usize) -> f64) -> impl Iterator<Item = Instances> {
        let stages =
            (0..self.flow.stages.len()).filter(|stage| self.flow.stages[*stage].scope == Scope::Part);
        stages.map(|stage| self.instances(stage, costs)).filter(Instances::share)
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

    /// How many there are.
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
    fn new(instances: Instances, merging: &Merging, parts: &[f64]) -> Result<Self, MergeError> {
        let grouped = |merging: Merging| {
            let buckets = merge(&instances.tree, &instances.work, &merging)?;
            let costs: Vec<f64> = buckets.iter().map(|places| instances.work.cost(places)).collect();
            Ok((buckets, costs, merging))
        };
        let (buckets, costs, merging) = match *merging {
            Merging::Auto { workers } if parts.len() > 1 && workers > 0 => {
                let tried = numbers(workers, parts.len()).map(|workers| grouped(Merging::Auto { workers }));
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
        Ok(Self { instances, buckets, costs, how: merging.to_string() })
    }

    /// The bucket of each row.
    pub fn of_row(&self) -> Vec<u32> {
        let of_instance = self.buckets.of_instances(&self.instances.tree);
        self.instances.of_row.iter().map(|instance| of_instance[*instance as usize]).collect()
    }

    /// The rows of each bucket, ascending.
    pub fn rows(&self) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); self.buckets.len()];
        for (row, bucket) in self.of_row().into_iter().enumerate() {
            rows[bucket as usize].push(row as u32);
        }
        rows
    }

    /// The cost of one part.
    pub fn cost(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// When the last of the workers is done with this stage on all parts.
    pub fn makespan(&self, workers: usize, parts: &[f64]) -> f64 {
        span_of_parts(&self.costs, workers, parts)
    }
}

/// The bucket of each row, numbered from 0 in the order in which buckets are met.
fn numbered(pairs: &[(usize, u64)], rows: usize) -> Result<Vec<u32>, BucketsError> {
    let last = rows.saturating_sub(1);
    let mut of_row: Vec<Option<u32>> = vec![None; rows];
    let mut known: HashMap<u64, u32> = HashMap::new();
    for (row, bucket) in pairs {
        let place = of_row.get_mut(*row).ok_or(BucketsError::Unknown { row: *row, last })?;
        let next = known.len() as u32;
        if place.replace(*known.entry(*bucket).or_insert(next)).is_some() {
            return Err(BucketsError::Twice { row: *row });
        }
    }
    let missing = |(row, bucket): (usize, Option<u32>)| bucket.ok_or(BucketsError::Missing { row, last });
    of_row.into_iter().enumerate().map(missing).collect()
}

/// Numbers of buckets for a part worth trying, for so many workers and parts.
fn numbers(workers: usize, parts: usize) -> impl Iterator<Item = usize> {
    let parts = parts.max(1);
    let mut numbers: Vec<usize> =
        (1..=4).map(|times| workers.saturating_mul(times).div_ceil(parts)).collect();
    numbers.extend([1, (workers / parts).max(1)]);
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter()
}

/// With more buckets than this, gaps at the end do not matter.
const MOST_SCHEDULED: usize = 1_000_000;

/// When the last of the workers is done with the buckets of all parts, each as dear as it is.
fn span_of_parts(costs: &[f64], workers: usize, parts: &[f64]) -> f64 {
    if costs.len().saturating_mul(parts.len()) > MOST_SCHEDULED {
        let all = costs.iter().sum::<f64>() * parts.iter().sum::<f64>();
        return all / workers.max(1) as f64;
    }
    let all: Vec<f64> = parts.iter().flat_map(|part| costs.iter().map(move |cost| cost * part)).collect();
    makespan(&all, workers)
}

fn slices(columns: &[Vec<u32>]) -> Vec<&[u32]> {
    columns.iter().map(Vec::as_slice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dear_parts_take_longer() {
        assert_eq!(span_of_parts(&[2.0, 1.0], 2, &[1.0]), 2.0);
        assert_eq!(span_of_parts(&[2.0, 1.0], 2, &[0.5, 1.5]), 3.0);
        assert_eq!(
            span_of_parts(&[1.0; 1001], 10, &[1.0; 1000]),
            100_100.0,
            "too many to schedule one by one"
        );
        assert_eq!(numbers(8, 3).collect::<Vec<_>>(), [1, 2, 3, 6, 8, 11]);
    }
}
