//! One phase carried out: what its tasks take, and what they gave.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use onceflow_costs::Record;
use onceflow_region::Lease;
use onceflow_reuse::{Flow, Level, NodeId, Plan};
use onceflow_runtime::{Contents, Converging, Execution, NoMemo, Operation, Work as RuntimeWork, execute};

use super::Runner;
use crate::collect::{Collector, Converged};
use crate::contents::Digests;
use crate::journal::PastPhase;
use crate::keep::Keeper;
use crate::metrics::Tally;
use crate::objects_seen::origins::Origins;
use crate::objects_seen::{ObjectCounts, ObjectsSeen};
use crate::operations::{Place, Steps};
use crate::scratch::{Scratch, set_aside};
use crate::supply::{References, Sources};
use crate::{EngineError, Progress};

/// How often a task that failed for a reason that may pass is tried again.
const RETRIES: u32 = 2;

/// Outputs that nobody reads are kept in at most one part in so many of the memory, and at most so many masks of the
/// largest part. Rows follow each other depth first, so that most of what turns out to be equal does so soon: more finds
/// hardly any more.
const RETAINED: u64 = 8;
const MOST_RETAINED: u64 = 64;

/// What a phase gave besides the account.
pub(super) struct Gathered {
    pub(super) tallies: Vec<Vec<Tally>>,
    pub(super) records: Vec<Record>,
    pub(super) same: Converged,
    pub(super) objects: BTreeMap<String, ObjectCounts>,
    pub(super) origins: Vec<Origins>,
    pub(super) saved: References,
    pub(super) too_many: bool,
    pub(super) keeper: Keeper,
}

impl<'a> Runner<'a> {
    /// The bytes that no task needs, and those in which results wait to be written. Where memory is too tight for
    /// these, nothing waits.
    pub(super) fn memory(&self, plan: &mut Plan) -> Result<(u64, Option<Lease>), EngineError> {
        let (workers, memory) = (self.options.workers, self.options.memory);
        let waiting = set_aside(&self.options.staging, memory);
        if let Ok(spare) = self.prepared.spare(plan, workers, memory - waiting) {
            return Ok((spare, self.budget.try_reserve(waiting)));
        }
        Ok((self.prepared.spare(plan, workers, memory)?, None))
    }

    pub(super) fn execute(
        &mut self,
        plan: &mut Plan,
        keeper: Keeper,
        with_reference: bool,
        past: &PastPhase,
        progress: &mut dyn Progress,
    ) -> Result<(Execution, Gathered), EngineError> {
        let flow = plan.flow().clone();
        let inputs = &self.prepared.inputs;
        let place = Place::Run(self.folder, self.table.rows.len());
        let (spare, waiting) = self.memory(plan)?;
        let (references, budget) = (self.references.clone(), self.budget.clone());
        let supply = Sources::new(inputs, flow.sources.clone(), references, budget, spare);
        let (seen, digests) = self.comparing(&flow, &supply);
        let steps = Steps { digests: digests.clone(), ..Steps::default() };
        let operations = self.prepared.operations(&flow, inputs, &place, seen.as_ref(), &steps)?;
        let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
        let (rows, layout) = (plan.rows(), inputs.layout());
        let wanted = if with_reference { self.wanted(plan) } else { Vec::new() };
        let options = self.scheduling(&flow, self.converging(&keeper, &wanted));
        let mut collector = Collector {
            inputs,
            layout: &layout,
            flow: &flow,
            level: self.options.level,
            folder: self.folder,
            progress,
            budget: &self.budget,
            stop: &self.options.stop,
            reference: plan.reference(),
            wanted,
            journal: &mut self.journal,
            keeper,
            steps: Arc::clone(&steps.log),
            first: self.table.rows.len(),
            tallies: Collector::tallies(&self.prepared.metrics, rows, inputs.images.len()),
            records: Vec::new(),
            same: Converged::new(),
            saved: References::new(),
            error: None,
            failed: HashSet::new(),
            most_failed: (self.prepared.study.run.stop_above * rows as f64) as u64,
        };
        let known = collector.resume(plan, past);
        let folders = self.options.scratch.iter().cloned().chain([self.folder.path().into()]).collect();
        let below = Scratch::new(folders, self.options.staging, waiting);
        let work = RuntimeWork {
            operations: &operations,
            supply: &supply,
            memo: &NoMemo,
            below: &below,
            meter: self.options.meter,
            contents: digests.as_ref().map(|digests| digests.as_ref() as &dyn Contents),
        };
        let options = onceflow_runtime::Options { known, ..options };
        let execution = execute(plan, &layout, &work, &options, &mut collector);
        let gathered = gathered(collector, seen.as_deref())?;
        Ok((execution?, gathered))
    }

    /// What tells equal objects and equal contents, at levels that look for them.
    fn comparing(
        &self,
        flow: &Flow,
        supply: &Sources<'_>,
    ) -> (Option<Arc<ObjectsSeen>>, Option<Arc<Digests>>) {
        let level = self.options.level;
        let seen = (level >= Level::Object).then(|| Arc::new(ObjectsSeen::new(&self.budget, supply.spare())));
        let digests = (level >= Level::Convergent)
            .then(|| Arc::new(Digests::new(self.prepared.worth_digests(flow, level))));
        (seen, digests)
    }

    /// How the tasks of a phase of which nothing is known are scheduled.
    fn scheduling(&self, flow: &Flow, converging: Option<Converging>) -> onceflow_runtime::Options<'a> {
        let options = self.options;
        let remaking = |bandwidth| self.prepared.remaking(flow, options.level, bandwidth);
        onceflow_runtime::Options {
            spilling: true,
            stop: Some(&options.stop),
            policy: options.policy,
            retries: RETRIES,
            pinned: options.pinned,
            remaking: options.disk.map(remaking),
            converging,
            ..onceflow_runtime::Options::new(options.workers, self.budget.clone())
        }
    }

    /// What may turn out to be equal while it runs: all but what somebody wants to see for itself.
    pub(super) fn converging(
        &self,
        keeper: &Keeper,
        wanted: &[(NodeId, usize, String)],
    ) -> Option<Converging> {
        (self.options.level >= Level::Convergent).then(|| Converging {
            tasks: keeper.tasks(),
            nodes: wanted.iter().map(|(node, _, _)| *node).collect(),
            retained: (self.budget.limit() / RETAINED).min(MOST_RETAINED * self.prepared.largest_part()),
        })
    }

    /// What later phases compare with, when there are some.
    pub(super) fn wanted(&self, plan: &Plan) -> Vec<(NodeId, usize, String)> {
        let (Some(row), true) = (plan.reference(), self.prepared.study.phases.len() > 1) else {
            return Vec::new();
        };
        let flow = plan.flow();
        let taken = flow.tasks.iter().flat_map(|task| &task.inputs);
        let reference = |input: &onceflow_reuse::Input| match input {
            onceflow_reuse::Input::Reference { task, output } => {
                let name = flow.tasks[*task].outputs[*output].name.clone();
                Some((plan.node(row, *task), *output, name))
            }
            _ => None,
        };
        taken.filter_map(reference).collect()
    }
}

/// What a collector has, with what is known of objects.
fn gathered(mut collector: Collector<'_>, seen: Option<&ObjectsSeen>) -> Result<Gathered, EngineError> {
    let (objects, origins) = seen.map(|seen| (seen.counts(), seen.origins())).unwrap_or_default();
    collector.take_steps();
    let Collector { tallies, records, same, saved, error, failed, most_failed, keeper, .. } = collector;
    let too_many = failed.len() as u64 > most_failed;
    match error {
        Some(error) => Err(error),
        None => Ok(Gathered { tallies, records, same, objects, origins, saved, too_many, keeper }),
    }
}
