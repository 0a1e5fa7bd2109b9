//! What lives until the tasks of a phase have ended: its flow, sources, operations, and rows in the store of results.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onceflow_region::{Budget, Lease};
use onceflow_registration::LevelStates;
use onceflow_reuse::{Flow, Level, NodeId, Plan, TaskOrigin};
use onceflow_runtime::{
    DuplicateOptions, ExecuteOptions, ExecutionContext, MemoryMeter, Operation, OutputDigests, PartLayout,
    ResultCache,
};

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::open::sources::{References, Sources};
use crate::plan::duplicates::Duplicates;
use crate::plan::earlier::TakenResults;
use crate::resume::journal::RowLines;
use crate::run::context::RunContext;
use crate::run::digests::Digests;
use crate::run::executed::{PhaseWork, skips_unreadable};
use crate::run::keep::Keeper;
use crate::run::operations::{ProgramFolder, Steps};
use crate::run::products::PhaseProducts;
use crate::run::recorder::RunRecorder;
use crate::run::row_numbers::RowNumbers;
use crate::run::scratch::{Scratch, set_aside};
use crate::run::shown::clip_phase;
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};

/// How often a task that failed for a reason that may pass is tried again.
const RETRIES: u32 = 2;

/// Unreferenced outputs may occupy at most 1/8 of the memory, and at most 64 masks of the largest part. Rows run depth
/// first, so that most duplicates appear soon: more memory finds hardly any more.
const RETAINED: u64 = 8;
const MOST_RETAINED: u64 = 64;

/// What lives until the tasks of a phase have ended.
pub(super) struct PhaseResources<'w> {
    pub(super) flow: Flow,
    pub(super) layout: PartLayout,
    pub(super) sources: Sources<'w>,
    /// How tasks are scheduled when no row is known.
    pub(super) options: ExecuteOptions<'static>,
    study: &'w OpenStudy,
    settings: &'w RunSettings,
    folder: &'w RunFolder,
    clips: &'w PictureClips,
    budget: Budget,
    products: Option<PhaseProducts<'w>>,
    digests: Option<Arc<Digests>>,
    steps: Steps,
    operations: Vec<Arc<dyn Operation>>,
    spill: Scratch,
    /// Nodes whose outputs later phases compare with, the output, and its name.
    wanted: Vec<(NodeId, usize, String)>,
    numbers: RowNumbers,
    skipped: Option<UnreadImages>,
    most_failed: u64,
}

impl PhaseResources<'_> {
    /// The operation of each task.
    pub(super) fn operations(&self) -> Vec<&dyn Operation> {
        self.operations.iter().map(AsRef::as_ref).collect()
    }

    /// What tasks run with.
    pub(super) fn context<'a>(
        &'a self,
        operations: &'a [&'a dyn Operation],
        results: &'a dyn ResultCache,
        meter: Option<MemoryMeter>,
    ) -> ExecutionContext<'a> {
        ExecutionContext {
            operations,
            provider: &self.sources,
            results,
            spill: &self.spill,
            meter,
            digests: self.digests.as_ref().map(|digests| digests.as_ref() as &dyn OutputDigests),
        }
    }

    /// Takes what the tasks of a plan give; rows and progress are told of it.
    pub(super) fn recorder<'a>(
        &'a self,
        plan: &Plan,
        keeper: Keeper,
        (lines, progress): (&'a mut dyn RowLines, &'a mut dyn Progress),
    ) -> RunRecorder<'a> {
        let inputs = &self.study.inputs;
        RunRecorder {
            inputs,
            layout: &self.layout,
            flow: &self.flow,
            level: self.settings.level,
            folder: self.folder,
            progress,
            budget: &self.budget,
            stop: &self.settings.stop,
            reference: plan.reference(),
            wanted: self.wanted.clone(),
            lines,
            earlier: TakenResults::default(),
            products: self.products.as_ref(),
            clips: self.clips,
            keeper,
            steps: Arc::clone(&self.steps.log),
            fused_nodes: fused_nodes(plan),
            failed_steps: HashMap::new(),
            numbers: self.numbers.clone(),
            tallies: RunRecorder::tallies(&self.study.metrics, plan.rows(), inputs.images.len()),
            records: Vec::new(),
            same: Duplicates::new(),
            saved: References::new(),
            error: None,
            failed: HashSet::new(),
            skipped: self.skipped.clone(),
            most_failed: self.most_failed,
        }
    }
}

impl<'w> PhaseWork<'w> {
    /// Begins the phase, and opens what its tasks take.
    pub(super) fn resources(
        &mut self,
        plan: &mut Plan,
        keeper: &Keeper,
    ) -> Result<PhaseResources<'w>, EngineError> {
        let flow = plan.flow().clone();
        let waiting = self.begin(plan)?;
        let sources = self.sources(plan, &flow);
        let products = self.stored_rows(plan)?;
        let digests = self.digests(&flow);
        let steps = Steps { digests: digests.clone(), states: self.states(), ..Steps::default() };
        let operations = self.operations(plan, &flow, &steps)?;
        let wanted = if self.saves_reference { wanted(plan) } else { Vec::new() };
        let options = self.scheduling(&flow, self.duplicates(&flow, keeper, &wanted));
        Ok(PhaseResources {
            flow,
            layout: self.study.inputs.layout(),
            sources,
            options,
            study: self.study,
            settings: self.options,
            folder: self.folder,
            clips: self.clips,
            budget: self.context.budget.clone(),
            products,
            digests,
            steps,
            operations,
            spill: self.spill_store(waiting),
            wanted,
            numbers: self.numbers.clone(),
            skipped: skips_unreadable(self.study).then(|| self.unread.clone()),
            most_failed: self.most_failed,
        })
    }

    /// What tasks take that no task makes: images, and regions of the reference row.
    fn sources(&self, plan: &Plan, flow: &Flow) -> Sources<'w> {
        let RunContext { budget, spare, references, .. } = &*self.context;
        let sources =
            Sources::new(&self.study.inputs, flow.sources.clone(), references.clone(), budget.clone(), 0);
        let shown = clip_phase(self.study, plan, self.numbers.first());
        self.clips.begin_phase(shown, [budget.clone(), spare.clone()]);
        sources.of_run(spare).keeping(self.clips).noting(self.unread.clone())
    }

    /// The rows in the store of results.
    fn stored_rows(&self, plan: &Plan) -> Result<Option<PhaseProducts<'w>>, EngineError> {
        let Some((store, asked)) = self.products else { return Ok(None) };
        let RunContext { budget, spare, references, .. } = &*self.context;
        store.phase(self.study, asked, plan, references, [budget, spare])
    }

    /// Digests of the results that may turn out to be equal.
    fn digests(&self, flow: &Flow) -> Option<Arc<Digests>> {
        let level = self.options.level;
        (level >= Level::Convergent).then(|| self.context.digests(self.study.worth_digests(flow, level)))
    }

    /// Iterations are taken where objects are: both are parts of tasks that other tasks did.
    fn states(&self) -> Option<Arc<LevelStates>> {
        let RunContext { budget, spare, .. } = &*self.context;
        (self.options.level >= Level::Object)
            .then(|| Arc::new(LevelStates::new([budget.clone(), spare.clone()])))
    }

    /// The operations of the plan's tasks.
    fn operations(
        &self,
        plan: &Plan,
        flow: &Flow,
        steps: &Steps,
    ) -> Result<Vec<Arc<dyn Operation>>, EngineError> {
        let numbers = (0..plan.rows()).map(|row| self.numbers.in_table(row)).collect();
        let place = match &self.scratch {
            Some(own) => ProgramFolder::Worker(self.folder, own, numbers),
            None => ProgramFolder::Run(self.folder, numbers),
        };
        self.study.operations(flow, &self.study.inputs, &place, self.context.objects.as_ref(), steps)
    }

    /// Begins in the bytes that no task needs; gives the bytes in which results wait to be written. Where memory is too
    /// tight for these, nothing waits.
    fn begin(&mut self, plan: &mut Plan) -> Result<Option<Lease>, EngineError> {
        let (workers, memory) = (self.options.workers, self.options.memory);
        let waiting = set_aside(&self.options.staging, memory);
        let (spare, waiting) = match self.study.spare(plan, workers, memory - waiting) {
            Ok(spare) => (spare, Some(waiting)),
            Err(_) => (self.study.spare(plan, workers, memory)?, None),
        };
        self.context.begin_phase(spare, self.numbers.first(), self.is_followed);
        Ok(waiting.and_then(|waiting| self.context.budget.try_reserve(waiting)))
    }

    /// How the tasks of a phase of which nothing is known are scheduled.
    fn scheduling(&self, flow: &Flow, duplicates: Option<DuplicateOptions>) -> ExecuteOptions<'static> {
        let options = self.options;
        let recompute = |bandwidth| self.study.recompute(flow, options.level, bandwidth);
        ExecuteOptions {
            spilling: true,
            policy: options.policy,
            retries: RETRIES,
            pinned: options.pinned,
            recompute: options.disk.map(recompute),
            duplicates,
            ..ExecuteOptions::new(options.workers, self.context.budget.clone())
        }
    }

    /// What may turn out to be equal while it runs: all tasks but those whose outputs are kept.
    fn duplicates(
        &self,
        flow: &Flow,
        keeper: &Keeper,
        wanted: &[(NodeId, usize, String)],
    ) -> Option<DuplicateOptions> {
        (self.options.level >= Level::Convergent).then(|| DuplicateOptions {
            tasks: keeper.tasks(),
            nodes: wanted.iter().map(|(node, _, _)| *node).collect(),
            retained: (self.context.budget.limit() / RETAINED).min(MOST_RETAINED * self.study.largest_part()),
            execution: self.context.phase,
            contents: self.context.source_contents(flow),
        })
    }

    /// Where results go that memory has no room for: the folders of the settings, then that of the work.
    fn spill_store(&self, waiting: Option<Lease>) -> Scratch {
        let last = self.scratch.clone().unwrap_or_else(|| self.folder.path().into());
        let folders = self.options.scratch.iter().cloned().chain([last]).collect();
        Scratch::new(folders, self.options.staging, waiting)
    }
}

/// What later phases compare with.
fn wanted(plan: &Plan) -> Vec<(NodeId, usize, String)> {
    let Some(row) = plan.reference() else { return Vec::new() };
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

/// The nodes of each fused task, by row.
fn fused_nodes(plan: &Plan) -> HashMap<usize, Vec<NodeId>> {
    let tasks = plan.flow().tasks.iter().enumerate();
    let fused = tasks.filter(|(_, task)| matches!(task.made, TaskOrigin::Fused(_))).map(|(task, _)| task);
    fused.map(|task| (task, (0..plan.rows()).map(|row| plan.node(row, task)).collect())).collect()
}
