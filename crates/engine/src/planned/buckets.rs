//! Buckets of a plan: how the instances of its stages are grouped, and what that costs.

use onceflow_reuse::merge::{MergeError, Merging};
use onceflow_reuse::order::{Order, rehearse};
use onceflow_reuse::{Given, MergedStage, Plan};
use onceflow_study::Diagnostic;

use crate::{EngineError, Prepared};

/// How instances are grouped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Merge {
    /// Not at all: workers share memory, so that equal work is done once in the whole run.
    #[default]
    Nothing,
    /// By an algorithm.
    By(Merging),
    /// As somebody chose: pairs of row and bucket.
    Given(Vec<(usize, u64)>),
}

/// The buckets of one stage, in figures.
#[derive(Clone, Debug, PartialEq)]
pub struct BucketFigures {
    /// The stage.
    pub stage: String,
    /// The algorithm with its limit.
    pub how: String,
    /// Instances of the stage for one part.
    pub instances: usize,
    /// Buckets for one part.
    pub buckets: usize,
    /// Instances of the smallest and of the largest bucket.
    pub sizes: (usize, usize),
    /// Seconds of the cheapest and of the dearest bucket on a part of average size.
    pub seconds: (f64, f64),
    /// Seconds of all buckets for one part, and of the instances without any sharing.
    pub cost: (f64, f64),
    /// When the last worker is done with this stage on all parts.
    pub makespan: f64,
    /// Bytes that the largest bucket takes on one worker, by the order of its tasks.
    pub peaks: Vec<(String, u64)>,
}

impl BucketFigures {
    /// The dearest bucket against the mean.
    pub fn imbalance(&self) -> f64 {
        let mean = self.cost.0 / self.buckets.max(1) as f64;
        if mean > 0.0 { self.seconds.1 / mean } else { 1.0 }
    }

    /// The share of the instances' cost that sharing saves.
    pub fn reuse(&self) -> f64 {
        if self.cost.1 > 0.0 { 1.0 - self.cost.0 / self.cost.1 } else { 0.0 }
    }
}

impl Prepared<'_> {
    /// A plan whose stages are in buckets as wished, with the buckets.
    pub(crate) fn grouped(&self, plan: Plan, merge: &Merge) -> Result<(Plan, Vec<MergedStage>), EngineError> {
        let costs = self.seconds();
        let parts = self.multiplicity().parts;
        let merged = match merge {
            Merge::Nothing => return Ok((plan, Vec::new())),
            Merge::By(merging) => plan.merge(merging, parts, &|task| costs[task])?,
            Merge::Given(pairs) => plan.merge_as_given(pairs, &|task| costs[task])?,
        };
        let plan = plan.in_buckets(&merged)?;
        plan.verify().map_err(|broken| EngineError::Internal(broken.to_string()))?;
        Ok((plan, merged))
    }

    /// The figures of a stage's buckets.
    pub(crate) fn bucket_figures(&self, plan: &Plan, merged: &MergedStage, workers: usize) -> BucketFigures {
        let sizes = || merged.buckets.iter().map(<[u32]>::len);
        let whole = merged.instances.work.whole() * merged.instances.len() as f64;
        let least = merged.costs.iter().copied().fold(f64::INFINITY, f64::min);
        BucketFigures {
            stage: plan.flow().stages[merged.instances.stage].name.clone(),
            how: merged.how.clone(),
            instances: merged.instances.len(),
            buckets: merged.buckets.len(),
            sizes: (sizes().min().unwrap_or_default(), sizes().max().unwrap_or_default()),
            seconds: (
                if least.is_finite() { least } else { 0.0 },
                merged.costs.iter().copied().fold(0.0, f64::max),
            ),
            cost: (merged.cost(), whole),
            makespan: merged.makespan(workers, self.multiplicity().parts),
            peaks: self.peaks(plan, merged),
        }
    }

    /// What the largest bucket takes on one worker with one thread, by the order of its tasks.
    fn peaks(&self, plan: &Plan, merged: &MergedStage) -> Vec<(String, u64)> {
        let largest = (0..merged.buckets.len()).max_by_key(|bucket| merged.buckets.get(*bucket).len());
        let Some(largest) = largest.map(|bucket| bucket as u32) else { return Vec::new() };
        let rows = merged.of_row().into_iter().zip(0u32..).filter(|(bucket, _)| *bucket == largest);
        let rows: Vec<u32> = rows.map(|(_, row)| row).collect();
        let stage = merged.instances.stage;
        let costs = self.seconds();
        let pixels = self.inputs.layout().parts.iter().map(|part| part.pixels).max().unwrap_or_default();
        let inside = |task: usize| plan.flow().tasks[task].stage == stage;
        let graph = plan.task_graph(&rows, pixels, &inside, &|task| costs[task]);
        let orders = [
            ("breadth-first", Order::BreadthFirst),
            ("rmsr with 1 active path", Order::Rmsr { active_paths: 1 }),
            ("postorder", Order::Postorder),
        ];
        orders.map(|(name, order)| (name.to_owned(), rehearse(&graph, order, 1).peak)).to_vec()
    }
}

impl From<MergeError> for EngineError {
    fn from(error: MergeError) -> Self {
        Diagnostic::error(format!("the study cannot be merged: {error}")).into()
    }
}

impl From<Given> for EngineError {
    fn from(error: Given) -> Self {
        Diagnostic::error(format!("the buckets cannot be used: {error}")).into()
    }
}
