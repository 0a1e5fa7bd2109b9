//! One phase carried out: what its tasks take, and what they gave.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use onceflow_costs::Record;
use onceflow_kernels::object_cache::{ObjectCache, ObjectCounts, ObjectOrigins};
use onceflow_region::Lease;
use onceflow_reuse::{Flow, Level, NodeId, Plan, TaskOrigin};
use onceflow_runtime::{DuplicateOptions, Execution, ExecutionContext, Operation, OutputDigests, execute};

use super::Runner;
use crate::open::metrics::Tally;
use crate::open::supply::{References, Sources};
use crate::plan::duplicates::Duplicates;
use crate::resume::journal::PastPhase;
use crate::run::keep::Keeper;
use crate::run::operations::{ProgramFolder, Steps};
use crate::run::recorder::RunRecorder;
use crate::run::scratch::{Scratch, set_aside};
use crate::{EngineError, Progress};

/// How often a task that failed for a reason that may pass is tried again.
const RETRIES: u32 = 2;

/// Unreferenced outputs may occupy at most 1/8 of the memory, and at most 64 masks of the largest part. Rows run depth
/// first, so that most duplicates appear soon: more memory finds hardly any more.
const RETAINED: u64 = 8;
const MOST_RETAINED: u64 = 64;

/// What a phase gave besides the account.
pub(super) struct Gathered {
    pub(super) tallies: Vec<Vec<Tally>>,
    pub(super) records: Vec<Record>,
    pub(super) same: Duplicates,
    pub(super) objects: BTreeMap<String, ObjectCounts>,
    pub(super) origins: Vec<ObjectOrigins>,
    pub(super) saved: References,
    pub(super) too_many: bool,
    pub(super) keeper: Keeper,
}

impl<'a> Runner<'a> {
    /// A phase begins in the bytes that no task needs; gives the bytes in which results wait to be written. Where memory is
    /// too tight for these, nothing waits.
    pub(super) fn begin_phase(&mut self, plan: &mut Plan) -> Result<Option<Lease>, EngineError> {
        let (workers, memory) = (self.options.workers, self.options.memory);
        let waiting = set_aside(&self.options.staging, memory);
        let (spare, waiting) = match self.prepared.spare(plan, workers, memory - waiting) {
            Ok(spare) => (spare, Some(waiting)),
            Err(_) => (self.prepared.spare(plan, workers, memory)?, None),
        };
        self.context.begin_phase(spare, self.table.rows.len(), self.is_followed());
        Ok(waiting.and_then(|waiting| self.context.budget.try_reserve(waiting)))
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
        let place = ProgramFolder::Run(self.folder, self.table.rows.len());
        let waiting = self.begin_phase(plan)?;
        let (context, seen) = (&self.context, self.context.objects.clone());
        let (references, budget) = (context.references.clone(), context.budget.clone());
        let supply = Sources::new(inputs, flow.sources.clone(), references, budget, 0);
        let supply = supply.of_run(&context.spare).keeping(&self.clips);
        self.clips.begin_phase(self.clip_phase(plan), [context.budget.clone(), context.spare.clone()]);
        let digests = (self.options.level >= Level::Convergent)
            .then(|| context.digests(self.prepared.worth_digests(&flow, self.options.level)));
        let steps = Steps { digests: digests.clone(), ..Steps::default() };
        let operations = self.prepared.operations(&flow, inputs, &place, seen.as_ref(), &steps)?;
        let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
        let (rows, layout) = (plan.rows(), inputs.layout());
        let wanted = if with_reference { self.wanted(plan) } else { Vec::new() };
        let options = self.scheduling(&flow, self.duplicates(&flow, &keeper, &wanted));
        let mut collector = RunRecorder {
            inputs,
            layout: &layout,
            flow: &flow,
            level: self.options.level,
            folder: self.folder,
            progress,
            budget: &context.budget,
            stop: &self.options.stop,
            reference: plan.reference(),
            wanted,
            journal: &mut self.journal,
            clips: &self.clips,
            keeper,
            steps: Arc::clone(&steps.log),
            fused_nodes: fused_nodes(plan),
            failed_steps: HashMap::new(),
            first: self.table.rows.len(),
            tallies: RunRecorder::tallies(&self.prepared.metrics, rows, inputs.images.len()),
            records: Vec::new(),
            same: Duplicates::new(),
            saved: References::new(),
            error: None,
            failed: HashSet::new(),
            most_failed: (self.prepared.study.run.stop_above * rows as f64) as u64,
        };
        let known = collector.resume(plan, past);
        let folders = self.options.scratch.iter().cloned().chain([self.folder.path().into()]).collect();
        let spill = Scratch::new(folders, self.options.staging, waiting);
        let work = ExecutionContext {
            operations: &operations,
            provider: &supply,
            results: &context.results,
            spill: &spill,
            meter: self.options.meter,
            digests: digests.as_ref().map(|digests| digests.as_ref() as &dyn OutputDigests),
        };
        let options = onceflow_runtime::ExecuteOptions { known, ..options };
        let execution = execute(plan, &layout, &work, &options, &mut collector);
        let gathered = gathered(collector, seen.as_deref())?;
        Ok((execution?, gathered))
    }

    /// How the tasks of a phase of which nothing is known are scheduled.
    fn scheduling(
        &self,
        flow: &Flow,
        duplicates: Option<DuplicateOptions>,
    ) -> onceflow_runtime::ExecuteOptions<'a> {
        let options = self.options;
        let recompute = |bandwidth| self.prepared.recompute(flow, options.level, bandwidth);
        onceflow_runtime::ExecuteOptions {
            spilling: true,
            stop: Some(&*options.stop),
            policy: options.policy,
            retries: RETRIES,
            pinned: options.pinned,
            recompute: options.disk.map(recompute),
            duplicates,
            ..onceflow_runtime::ExecuteOptions::new(options.workers, self.context.budget.clone())
        }
    }

    /// What may turn out to be equal while it runs: all tasks but those whose outputs are kept.
    pub(super) fn duplicates(
        &self,
        flow: &Flow,
        keeper: &Keeper,
        wanted: &[(NodeId, usize, String)],
    ) -> Option<DuplicateOptions> {
        (self.options.level >= Level::Convergent).then(|| DuplicateOptions {
            tasks: keeper.tasks(),
            nodes: wanted.iter().map(|(node, _, _)| *node).collect(),
            retained: (self.context.budget.limit() / RETAINED)
                .min(MOST_RETAINED * self.prepared.largest_part()),
            execution: self.context.phase,
            contents: self.context.source_contents(flow),
        })
    }

    /// What later phases compare with, when there are some.
    pub(super) fn wanted(&self, plan: &Plan) -> Vec<(NodeId, usize, String)> {
        let (Some(row), true) = (plan.reference(), self.prepared.study.phases.len() > 1) else {
            return Vec::new();
        };
        let flow = plan.flow();
        let taken = flow.tasks.iter().flat_map(|task| &task.inputs);
        let reference = |input: &onceflow_reuse::FlowInput| match input {
            onceflow_reuse::FlowInput::Reference { task, output } => {
                let name = flow.tasks[*task].outputs[*output].name.clone();
                Some((plan.node(row, *task), *output, name))
            }
            _ => None,
        };
        taken.filter_map(reference).collect()
    }
}

/// The nodes of each fused task, by row.
fn fused_nodes(plan: &Plan) -> HashMap<usize, Vec<NodeId>> {
    let tasks = plan.flow().tasks.iter().enumerate();
    let fused = tasks.filter(|(_, task)| matches!(task.made, TaskOrigin::Fused(_))).map(|(task, _)| task);
    fused.map(|task| (task, (0..plan.rows()).map(|row| plan.node(row, task)).collect())).collect()
}

/// What a collector has, with what is known of objects.
fn gathered(mut collector: RunRecorder<'_>, seen: Option<&ObjectCache>) -> Result<Gathered, EngineError> {
    let (objects, origins) = seen.map(|seen| (seen.counts(), seen.take_origins())).unwrap_or_default();
    collector.take_steps();
    let RunRecorder { tallies, records, same, saved, error, failed, most_failed, keeper, .. } = collector;
    let too_many = failed.len() as u64 > most_failed;
    match error {
        Some(error) => Err(error),
        None => Ok(Gathered { tallies, records, same, objects, origins, saved, too_many, keeper }),
    }
}
