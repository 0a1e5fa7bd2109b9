//! Buckets of a plan: how the instances of its stages are grouped, and what that costs.

use onceflow_reuse::merge::{MergeError, Merging};
use onceflow_reuse::order::{OrderGraph, RehearsalOrder, rehearse};
use onceflow_reuse::{BucketsError, Level, MergedStage, Plan};
use onceflow_study::Diagnostic;

use crate::{EngineError, Merge, OpenStudy};

/// A plan, and what its buckets are.
#[derive(Debug)]
pub(crate) struct Grouped {
    pub(crate) plan: Plan,
    /// The plan before it was cut, when it was.
    pub(crate) whole: Option<Plan>,
    pub(crate) merged: Vec<MergedStage>,
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

impl OpenStudy {
    /// A plan whose stages are in buckets as wished, by what tasks cost at a level.
    pub(crate) fn grouped(&self, whole: Plan, merge: &Merge, level: Level) -> Result<Grouped, EngineError> {
        let costs = self.seconds(whole.flow(), level);
        let parts = self.part_weights();
        let merged = match merge {
            Merge::Nothing => return Ok(Grouped { plan: whole, whole: None, merged: Vec::new() }),
            Merge::By(merging) => whole.merge(merging, &parts, &|task| costs[task])?,
            Merge::Within { bytes, merging } => self.within(&whole, *bytes, merging, &costs)?,
            Merge::Given(pairs) => whole.merge_as_given(pairs, &|task| costs[task])?,
        };
        let plan = whole.in_buckets(&merged)?;
        Ok(Grouped { plan, whole: Some(whole), merged })
    }

    /// The largest buckets whose tasks fit a bound: level after level, as the papers' workers keep them, or in the order
    /// that keeps least where the algorithm chooses sizes by itself.
    fn within(
        &self,
        plan: &Plan,
        bytes: u64,
        merging: &Merging,
        costs: &[f64],
    ) -> Result<Vec<MergedStage>, EngineError> {
        let parts = self.part_weights();
        let order = match merging {
            Merging::Trtma { .. } | Merging::Auto { .. } => RehearsalOrder::Postorder,
            _ => RehearsalOrder::BreadthFirst,
        };
        let merged = |most: usize| -> Result<(Vec<MergedStage>, u64), EngineError> {
            let merged = plan.merge(&sized(merging, most, plan.rows()), &parts, &|task| costs[task])?;
            let needs = merged.iter().map(|stage| self.most_bytes(plan, stage, order)).max();
            Ok((merged, needs.unwrap_or_default()))
        };
        let (mut best, needed) = merged(1)?;
        if needed > bytes {
            return Err(EngineError::BucketMemory { needed, limit: bytes });
        }
        let (mut low, mut high) = (1, plan.rows().max(1) + 1);
        while high - low > 1 {
            let most = low + (high - low) / 2;
            let (found, needed) = merged(most)?;
            if needed <= bytes {
                (low, best) = (most, found);
            } else {
                high = most;
            }
        }
        Ok(best)
    }

    /// What the hungriest bucket takes.
    fn most_bytes(&self, plan: &Plan, merged: &MergedStage, order: RehearsalOrder) -> u64 {
        let bytes = |rows: Vec<u32>| rehearse(&self.bucket_graph(plan, merged, &rows), order, 1).peak;
        merged.rows().into_iter().map(bytes).max().unwrap_or_default()
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
            makespan: merged.makespan(workers, &self.part_weights()),
            peaks: self.peaks(plan, merged),
        }
    }

    /// What the largest bucket takes on one worker with one thread, by the order of its tasks.
    fn peaks(&self, plan: &Plan, merged: &MergedStage) -> Vec<(String, u64)> {
        let Some(rows) = merged.rows().into_iter().max_by_key(Vec::len) else { return Vec::new() };
        let graph = self.bucket_graph(plan, merged, &rows);
        let orders = [
            ("breadth-first", RehearsalOrder::BreadthFirst),
            ("rmsr with 1 active path", RehearsalOrder::Rmsr { active_paths: 1 }),
            ("postorder", RehearsalOrder::Postorder),
        ];
        orders.map(|(name, order)| (name.to_owned(), rehearse(&graph, order, 1).peak)).to_vec()
    }

    /// The tasks of a bucket's rows on the largest part.
    fn bucket_graph(&self, plan: &Plan, merged: &MergedStage, rows: &[u32]) -> OrderGraph {
        let stage = merged.instances.stage;
        let costs = self.seconds(plan.flow(), plan.level());
        let pixels = self.inputs.layout().parts.iter().map(|part| part.pixels).max().unwrap_or_default();
        let inside = |task: usize| plan.flow().tasks[task].stage == stage;
        plan.task_graph(rows, pixels, &inside, &|task| costs[task])
    }
}

/// An algorithm with so many instances in a bucket, or so many buckets that each has about as many.
fn sized(merging: &Merging, most: usize, rows: usize) -> Merging {
    let buckets = rows.div_ceil(most.max(1));
    match *merging {
        Merging::Naive { .. } => Merging::Naive { most },
        Merging::Sca { .. } => Merging::Sca { most },
        Merging::Rtma { .. } => Merging::Rtma { most },
        Merging::Packed { .. } => Merging::Packed { most },
        Merging::Trtma { buckets: asked, pruning, small } => {
            Merging::Trtma { buckets: buckets.max(asked), pruning, small }
        }
        Merging::Auto { workers } => Merging::Auto { workers: buckets.max(workers) },
    }
}

impl From<MergeError> for EngineError {
    fn from(error: MergeError) -> Self {
        Diagnostic::error(format!("the study cannot be merged: {error}")).into()
    }
}

impl From<BucketsError> for EngineError {
    fn from(error: BucketsError) -> Self {
        Diagnostic::error(format!("the buckets cannot be used: {error}")).into()
    }
}
