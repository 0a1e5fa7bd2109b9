//! One phase carried out: what its tasks take, and what they gave.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::path::PathBuf;
use std::sync::Arc;

use onceflow_costs::Record;
use onceflow_kernels::object_cache::{ObjectCache, ObjectCounts, ObjectOrigins};
use onceflow_region::Lease;
use onceflow_reuse::{Flow, Level, NodeId, ParameterRows, Plan, TaskOrigin};
use onceflow_runtime::{
    DuplicateOptions, ExecuteOptions, Execution, ExecutionContext, KnownFrom, KnownRows, Operation,
    OutputDigests, PartLayout, ResultCache, execute,
};
use onceflow_study::OnUnreadable;

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::open::metrics::Tally;
use crate::open::supply::{References, Sources};
use crate::plan::duplicates::Duplicates;
use crate::plan::earlier::TakenResults;
use crate::resume::journal::{PastPhase, RowLines};
use crate::run::bucket::{BucketResults, PublishedResults};
use crate::run::context::RunContext;
use crate::run::digests::Digests;
use crate::run::keep::Keeper;
use crate::run::operations::{ProgramFolder, Steps};
use crate::run::products::{ComparedRows, Comparing, PhaseProducts, RunProducts, RunResults, count_taken};
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
    pub(super) earlier: TakenResults,
}

/// Rows to carry out on this machine: all of a phase, or those of a bucket.
pub(super) struct PhaseWork<'w> {
    pub(super) study: &'w OpenStudy,
    pub(super) options: &'w RunSettings,
    pub(super) folder: &'w RunFolder,
    pub(super) context: &'w mut RunContext,
    /// The store of results of earlier runs, and the rows that are looked for there.
    pub(super) products: Option<(&'w RunProducts, &'w ParameterRows)>,
    /// Results that other processes published for this phase.
    pub(super) published: Option<&'w PublishedResults>,
    /// Where results go that memory has no room for, in place of the folder of the run.
    pub(super) scratch: Option<PathBuf>,
    /// Takes what becomes of each row.
    pub(super) lines: &'w mut dyn RowLines,
    /// Keeps pieces of images and results for pictures.
    pub(super) clips: &'w PictureClips,
    pub(super) progress: &'w mut dyn Progress,
    /// The numbers of the plan's rows.
    pub(super) numbers: RowNumbers,
    /// Whether a phase follows that may need the same results.
    pub(super) is_followed: bool,
    /// Whether regions of the reference row are saved: the plan has it, and phases follow.
    pub(super) saves_reference: bool,
    /// More failed rows than this stop the work.
    pub(super) most_failed: u64,
    /// Images that turned out to be unreadable.
    pub(super) unread: UnreadImages,
    /// For each part whether rows are run there; everywhere without it.
    pub(super) asked_parts: Option<Vec<bool>>,
}

/// What need not be run.
pub(super) enum KnownWork<'p> {
    /// What the journal knows of the phase.
    Past(&'p PastPhase),
    /// What the journal knows of a phase whose rows workers computed: those that failed have failed.
    Worked(&'p PastPhase),
    /// These rows at these parts.
    Instances(KnownRows),
}

impl<'w> PhaseWork<'w> {
    /// Carries out a plan of these rows.
    pub(super) fn execute(
        mut self,
        plan: &mut Plan,
        keeper: Keeper,
        known: KnownWork<'_>,
    ) -> Result<(Execution, Gathered), EngineError> {
        let flow = plan.flow().clone();
        let inputs = &self.study.inputs;
        let waiting = self.begin(plan)?;
        let seen = self.context.objects.clone();
        let supply = self.sources(plan, &flow);
        let products = self.stored_rows(plan)?;
        let (stored_tasks, asked) = self.products.unzip();
        let digests = self.digests(&flow);
        let steps = Steps { digests: digests.clone(), ..Steps::default() };
        let operations = self.operations(plan, &flow, &steps)?;
        let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
        let (rows, layout) = (plan.rows(), inputs.layout());
        let wanted = if self.saves_reference { wanted(plan) } else { Vec::new() };
        let options = self.scheduling(&flow, self.duplicates(&flow, &keeper, &wanted));
        let Self {
            study,
            options: settings,
            folder,
            context,
            lines,
            progress,
            numbers,
            published,
            scratch,
            asked_parts,
            ..
        } = self;
        let mut collector = RunRecorder {
            inputs,
            layout: &layout,
            flow: &flow,
            level: settings.level,
            folder,
            progress,
            budget: &context.budget,
            stop: &settings.stop,
            reference: plan.reference(),
            wanted,
            lines,
            earlier: TakenResults::default(),
            products: products.as_ref(),
            clips: self.clips,
            keeper,
            steps: Arc::clone(&steps.log),
            fused_nodes: fused_nodes(plan),
            failed_steps: HashMap::new(),
            numbers,
            tallies: RunRecorder::tallies(&study.metrics, rows, inputs.images.len()),
            records: Vec::new(),
            same: Duplicates::new(),
            saved: References::new(),
            error: None,
            failed: HashSet::new(),
            skipped: skips_unreadable(study).then_some(self.unread),
            most_failed: self.most_failed,
        };
        let known = match known {
            KnownWork::Past(past) => collector.resume(plan, past),
            KnownWork::Worked(past) => collector.take_worked(plan, past),
            KnownWork::Instances(known) => known,
        };
        let known = without_others(plan, asked_parts.as_deref(), known);
        let known = collector.serve(plan, known);
        let spill = spill_store(settings, scratch.unwrap_or_else(|| folder.path().into()), waiting);
        let references = context.references.clone();
        let results = RunResults::new(
            &context.results,
            stored_tasks,
            (study, &flow),
            (&supply, &references),
            [context.budget.clone(), context.spare.clone()],
        );
        let of_bucket = published.map(|published| BucketResults {
            of_run: &context.results,
            published,
            sources: &supply,
        });
        let work = ExecutionContext {
            operations: &operations,
            provider: &supply,
            results: of_bucket.as_ref().map_or(&results as &dyn ResultCache, |of_bucket| of_bucket),
            spill: &spill,
            meter: settings.meter,
            digests: digests.as_ref().map(|digests| digests.as_ref() as &dyn OutputDigests),
        };
        let options = ExecuteOptions { stop: Some(&settings.stop), known, ..options };
        let ran = compare_and_run(plan, &layout, &work, options, asked, &mut collector);
        let mut gathered = gathered(collector, seen.as_deref())?;
        let execution = ran?;
        results.note_taken(&execution.log, &mut gathered.earlier);
        Ok((execution, gathered))
    }

    /// What tasks take that no task makes: images, and regions of the reference row.
    fn sources(&self, plan: &Plan, flow: &Flow) -> Sources<'w> {
        let RunContext { budget, spare, references, .. } = &*self.context;
        let supply =
            Sources::new(&self.study.inputs, flow.sources.clone(), references.clone(), budget.clone(), 0);
        let shown = clip_phase(self.study, plan, self.numbers.first());
        self.clips.begin_phase(shown, [budget.clone(), spare.clone()]);
        supply.of_run(spare).keeping(self.clips).noting(self.unread.clone())
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
}

/// Compares the rows whose outputs are stored, then runs the tasks of the others; rows that are known count as taken where the
/// work was stopped.
fn compare_and_run(
    plan: &mut Plan,
    layout: &PartLayout,
    work: &ExecutionContext<'_>,
    mut options: ExecuteOptions<'_>,
    asked: Option<&ParameterRows>,
    recorder: &mut RunRecorder<'_>,
) -> Result<Execution, EngineError> {
    let compared = match (recorder.products, asked) {
        (Some(products), Some(rows)) if recorder.keeper.tasks().is_empty() => {
            let mut known = mem::take(&mut options.known);
            let comparing = Comparing { rows, context: *work, options: options.clone() };
            let compared = products.compare(plan, &mut known, &comparing, recorder)?;
            options.known = known;
            compared
        }
        _ => None,
    };
    let taken = options.known.taken(plan.reference()) as u64;
    let mut execution = execute(plan, layout, work, &options, recorder)?;
    execution.stopped |= compared.as_ref().is_some_and(ComparedRows::is_stopped);
    if execution.stopped {
        count_taken(plan, taken, &mut execution);
    }
    if let Some(compared) = compared {
        compared.add_to(plan, &mut execution);
    }
    Ok(execution)
}

/// Where results go that memory has no room for: the folders of the settings, then the last one.
fn spill_store(settings: &RunSettings, last: PathBuf, waiting: Option<Lease>) -> Scratch {
    let folders = settings.scratch.iter().cloned().chain([last]).collect();
    Scratch::new(folders, settings.staging, waiting)
}

/// Notes that rows have nothing to do at parts that are not asked for.
fn without_others(plan: &Plan, asked: Option<&[bool]>, mut known: KnownRows) -> KnownRows {
    for part in asked.into_iter().flat_map(|asked| (0..asked.len()).filter(|part| !asked[*part])) {
        (0..plan.rows()).for_each(|row| known.note(row, part, KnownFrom::Journal));
    }
    known
}

/// Whether images that turn out to be unreadable are left out.
pub(super) fn skips_unreadable(study: &OpenStudy) -> bool {
    study.study.run.unreadable == OnUnreadable::Skip
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

/// What a collector has, with what is known of objects.
fn gathered(mut collector: RunRecorder<'_>, seen: Option<&ObjectCache>) -> Result<Gathered, EngineError> {
    let (objects, origins) = seen.map(|seen| (seen.counts(), seen.take_origins())).unwrap_or_default();
    collector.take_steps();
    let RunRecorder { tallies, records, same, saved, error, failed, most_failed, keeper, earlier, .. } =
        collector;
    let too_many = failed.len() as u64 > most_failed;
    match error {
        Some(error) => Err(error),
        None => Ok(Gathered { tallies, records, same, objects, origins, saved, too_many, keeper, earlier }),
    }
}
