//! The straight line: phase after phase, rows are sampled, planned, run, and their metrics analysed.

mod account;
mod bucket;
mod composite;
mod context;
mod digests;
mod ended;
mod executed;
mod growth;
mod keep;
mod logs;
mod many;
pub(crate) mod operations;
pub(crate) mod products;
mod proposed;
mod recorder;
mod results;
mod resumed;
mod row_numbers;
pub(crate) mod scratch;
mod shown;
mod tune;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Instant;

use onceflow_cluster::SimulationError;
use onceflow_costs::{Finding, Record};
use onceflow_report::{
    Answer, BestRow, EarlierRun, ImageAnalysis, ImageSummary, MetricTable, PhaseAnswer, PhaseGrain,
    RowStatus, RunEnding, TraceEntry, TraceOutcome, TuneAnswer,
};
use onceflow_reuse::{Level, ParameterRows, Plan, plan};
use onceflow_runtime::{ExecuteError, Execution, Moves, SchedulerError, TaskLogEntry};
use onceflow_sensitivity::Analysis;
use onceflow_study::{Phase, Value};

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::open::metrics::Tally;
use crate::open::study::OpenStudy;
use crate::plan::duplicates as converged;
use crate::plan::duplicates::Duplicates;
use crate::plan::earlier;
use crate::plan::findings::{as_if_unknown, findings};
use crate::plan::grain::Grained;
use crate::plan::object_origins;
use crate::plan::phase::{Measured, PhaseRows};
use crate::resume::journal::{Journal, RowsIdentity, identity};
use crate::run::account::{Ledger, PhaseTasks};
use crate::run::keep::HEAD;
use crate::{EngineError, Progress, RunFolder, RunSettings, peak_resident};
pub use bucket::{
    BucketCost, BucketImage, BucketInput, BucketMakes, BucketPhase, BucketReference, BucketResult, BucketRow,
    BucketRows, BucketValue, SavedFile, SavedRegion, SharedTask, execute_bucket, next_buckets, record_bucket,
};
use context::RunContext;
pub use ended::Run;
use executed::{Gathered, KnownWork, PhaseWork, skips_unreadable};
use growth::run_until_decided;
use keep::Keeper;
pub use logs::find_logs;
use logs::{forget_logs, list_logs};
use many::WorkManager;
pub use many::{WorkOptions, WorkSummary, work};
use products::RunProducts;
pub use products::{
    PixelBox, StoredInstances, StoredPixels, StoredPixelsError, stored_instances, stored_pixels, stored_row,
};
use row_numbers::RowNumbers;
use shown::shown_parts;
use tune::tune_design;

/// Runs a study and says what it found. Files of the run go into `folder`; nothing else is written.
pub fn run(
    study: &OpenStudy,
    options: &RunSettings,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<Run, EngineError> {
    match options.until_decided {
        None => run_phases(study, options, folder, &study.study.phases, progress),
        Some(bound) => run_until_decided(study, options, folder, bound, progress),
    }
}

/// Runs these phases of a study.
fn run_phases(
    study: &OpenStudy,
    options: &RunSettings,
    folder: &RunFolder,
    phases: &[Phase],
    progress: &mut dyn Progress,
) -> Result<Run, EngineError> {
    study.inputs.warm();
    study.check_commands()?;
    let mut runner = Runner::open(study, options, folder)?;
    runner.products = RunProducts::open(study, options, folder, progress);
    runner.manager = WorkManager::begin(study, options, folder)?;
    for phase in phases {
        runner.phase(phase, progress)?;
        if runner.ending != RunEnding::Complete {
            break;
        }
    }
    if let Some(manager) = runner.manager.take() {
        manager.end(runner.ending != RunEnding::Stopped)?;
    }
    let best = match runner.tuned_best() {
        Some(best) => Some(best),
        None => runner.best(progress)?,
    };
    runner.journal.sync()?;
    let notes = runner.products.take().map(RunProducts::finish).unwrap_or_default();
    runner.notes.extend(notes);
    Ok(runner.finish(best))
}

struct Runner<'a> {
    study: &'a OpenStudy,
    options: &'a RunSettings,
    folder: &'a RunFolder,
    journal: Journal,
    began: Instant,
    table: MetricTable,
    phases: Vec<PhaseAnswer>,
    analyses: Vec<(String, Vec<Analysis>)>,
    truth_objects: Vec<Option<u64>>,
    ledger: Ledger,
    grain: Vec<PhaseGrain>,
    records: Vec<Record>,
    findings: Vec<Finding>,
    trace: Vec<TraceEntry>,
    notes: Vec<String>,
    converged: String,
    objects: String,
    kept: String,
    /// What came from earlier runs, result by result, and run by run.
    earlier: (String, Vec<EarlierRun>),
    moves: Moves,
    context: RunContext,
    clips: PictureClips,
    products: Option<RunProducts>,
    manager: Option<WorkManager>,
    ending: RunEnding,
    /// Images that turned out to be unreadable.
    unread: UnreadImages,
    /// What a phase that tunes found.
    tuning: Option<TuneAnswer>,
    /// Tasks of that phase: computed, and not computed since their results were there.
    tuned_tasks: (u64, u64),
    /// The row of an earlier phase that it began from.
    seeded: Option<Vec<Value>>,
}

impl<'a> Runner<'a> {
    /// A run in a folder, from where its journal ends.
    fn open(
        study: &'a OpenStudy,
        options: &'a RunSettings,
        folder: &'a RunFolder,
    ) -> Result<Self, EngineError> {
        let journal = Journal::open(folder, &identity(study))?;
        if journal.is_new() {
            forget_logs(folder.path())?;
        }
        Ok(Self::new(study, options, folder, journal))
    }

    fn new(study: &'a OpenStudy, options: &'a RunSettings, folder: &'a RunFolder, journal: Journal) -> Self {
        let names =
            |images: &[crate::open::inputs::OpenedImage]| images.iter().map(|i| i.name.clone()).collect();
        let table = MetricTable {
            parameters: study.reference.names.clone(),
            metrics: study.study.outputs(),
            images: names(&study.inputs.images),
            rows: Vec::new(),
        };
        Self {
            study,
            options,
            folder,
            journal,
            began: Instant::now(),
            table,
            phases: Vec::new(),
            analyses: Vec::new(),
            truth_objects: vec![None; study.inputs.images.len()],
            ledger: Ledger::default(),
            grain: Vec::new(),
            records: Vec::new(),
            findings: Vec::new(),
            trace: Vec::new(),
            notes: study.doubts(),
            converged: converged::HEAD.to_owned(),
            objects: object_origins::HEAD.to_owned(),
            kept: String::new(),
            earlier: Default::default(),
            moves: Moves::default(),
            context: RunContext::new(study, options, study.budget(options.memory)),
            clips: PictureClips::new(shown_parts(study, options)),
            products: None,
            manager: None,
            ending: RunEnding::Complete,
            unread: UnreadImages::default(),
            tuning: None,
            tuned_tasks: (0, 0),
            seeded: None,
        }
    }

    fn phase(&mut self, phase: &Phase, progress: &mut dyn Progress) -> Result<(), EngineError> {
        if let Some(design) = tune_design(phase) {
            return self.tune(phase, design, progress);
        }
        let start = Instant::now();
        let sampled = PhaseRows::new(&self.study.study, phase, &self.analyses)?;
        let with_reference = self.table.rows.is_empty();
        let rows = self.study.rows(&sampled, with_reference)?;
        let granularity = self.study.granularity(self.options.level, &self.options.merge);
        let grained = self.study.grained(&phase.name, &rows, self.options.level, &granularity)?;
        let Grained { flow, kept, grain } = grained;
        let plan = plan(flow, &rows, self.options.level)?;
        let mut plan = self.study.grouped(plan, &self.options.merge, self.options.level)?.plan;
        let mut ahead = self.study.ahead(&phase.name, &plan, self.options);
        if let Some(workers) = self.options.on.as_ref().and_then(|on| on.engine.workers()) {
            ahead.workers = workers;
        }
        progress.phase(&ahead);
        let identity = RowsIdentity::new(self.study, &sampled, with_reference, self.table.rows.len());
        let mut past = self.journal.phase(&phase.name, &identity)?;
        let first = self.table.rows.len();
        let worked = self.hand_out(phase, (&sampled, &identity), &mut past, progress)?;
        let known = if self.manager.is_some() { KnownWork::Worked(&past) } else { KnownWork::Past(&past) };
        let work = self.work(first, plan.rows(), with_reference, Some(&rows), progress);
        let (execution, mut gathered) = work.execute(&mut plan, Keeper::new(kept), known)?;
        self.clips.end_phase(&gathered.same);
        self.add_rows(phase, &sampled, with_reference, &gathered);
        self.trace(&phase.name, &plan, first, &execution.log);
        self.converged.push_str(&converged::lines(&phase.name, &plan, &gathered.same, first));
        self.objects.push_str(&object_origins::lines(&phase.name, std::mem::take(&mut gathered.origins)));
        self.earlier.0.push_str(&gathered.earlier.lines(&phase.name, &plan, first));
        earlier::add(&mut self.earlier.1, gathered.earlier.sums());
        self.list_logs(&plan, &gathered.same, first)?;
        self.conclude(&execution, &gathered);
        self.moves += execution.moves;
        let expected = self.study.seconds(plan.flow(), Level::None);
        let tasks = self.ledger.add(&execution, &plan, &gathered.objects, &expected);
        let all = (plan.rows() * self.study.inputs.parts.len()) as f64;
        let tasks = self.ledger.take_worked(tasks, &worked.account, worked.instances as f64 / all.max(1.0));
        self.grain.push(grain);
        self.kept.push_str(&gathered.keeper.lines(&plan, &self.study.inputs, first));
        self.context.references.extend(gathered.saved);
        if self.options.level >= Level::Convergent {
            let told = self.study.worth_digests(plan.flow(), self.options.level);
            let findings = findings(&plan, &execution, &gathered.objects, &told);
            as_if_unknown(&mut gathered.records, &findings);
            self.findings.extend(findings);
        }
        self.records.extend(gathered.records);
        if self.ending == RunEnding::Complete {
            let rows = first + usize::from(with_reference)..self.table.rows.len();
            let seconds = start.elapsed().as_secs_f64();
            self.analyse(phase, sampled, rows, tasks, seconds);
        }
        Ok(())
    }

    /// Rows as one piece of work; those that are `asked` for are looked for in the store of results.
    fn work<'w>(
        &'w mut self,
        first: usize,
        rows: usize,
        with_reference: bool,
        asked: Option<&'w ParameterRows>,
        progress: &'w mut dyn Progress,
    ) -> PhaseWork<'w> {
        let (is_followed, most_failed) = (self.is_followed(), self.most_failed(rows));
        PhaseWork {
            study: self.study,
            options: self.options,
            folder: self.folder,
            context: &mut self.context,
            products: self.products.as_ref().zip(asked),
            published: None,
            scratch: None,
            lines: &mut self.journal,
            clips: &self.clips,
            progress,
            numbers: RowNumbers::of_phase(first),
            is_followed,
            saves_reference: with_reference && self.study.study.phases.len() > 1,
            most_failed,
            asked_parts: None,
            unread: self.unread.clone(),
        }
    }

    /// Whether another phase follows the one that runs.
    fn is_followed(&self) -> bool {
        self.phases.len() + 1 < self.study.study.phases.len()
    }

    /// Which row has which log of a program.
    fn list_logs(&self, plan: &Plan, same: &Duplicates, first: usize) -> Result<(), EngineError> {
        let is_own =
            |task: &usize| self.study.own.iter().any(|own| own.spec.id == plan.flow().tasks[*task].spec.id);
        let tasks: Vec<usize> = (0..plan.flow().tasks.len()).filter(is_own).collect();
        if tasks.is_empty() {
            return Ok(());
        }
        list_logs(self.folder.path(), (plan, same), &self.study.inputs, &tasks, first)
    }

    /// Rows that are done on all images, or failed on one; a run that was stopped has others.
    fn add_rows(&mut self, phase: &Phase, sampled: &PhaseRows, with_reference: bool, gathered: &Gathered) {
        let first = if with_reference { 1 } else { self.table.rows.last().map_or(0, |r| r.row + 1) };
        let reference = with_reference.then(|| self.study.reference.record());
        let records = sampled.records(phase, &self.study.reference, first);
        let parts = self.study.inputs.parts.len();
        let left_out = self.left_out();
        for (mut record, tallies) in reference.into_iter().chain(records).zip(&gathered.tallies) {
            let done = tallies.iter().map(Tally::parts).sum::<usize>() == parts;
            if done || tallies.iter().any(Tally::has_failed) {
                self.study.metrics.fill(&mut record, tallies, &self.study.inputs, &left_out);
                self.table.rows.push(record);
                for (known, tally) in self.truth_objects.iter_mut().zip(tallies) {
                    *known = known.or(tally.truth_objects());
                }
            }
        }
    }

    /// The images that rows are computed without; all of them would leave nothing to compute rows from.
    fn left_out(&self) -> BTreeSet<usize> {
        let found: BTreeSet<usize> = self.unread.found().into_keys().collect();
        let some = skips_unreadable(self.study) && found.len() < self.study.inputs.images.len();
        if some { found } else { BTreeSet::new() }
    }

    /// What a reader must know of images that turned out to be unreadable.
    fn note_unread(&mut self) {
        let left_out = self.left_out();
        for (image, why) in self.unread.found() {
            let name = &self.study.inputs.images[image].name;
            let then =
                if left_out.contains(&image) { "rows are computed without it" } else { "rows failed on it" };
            self.notes.push(format!("Image {name} could not be read while rows ran, and {then}: {why}."));
        }
    }

    fn trace(&mut self, phase: &str, plan: &Plan, first: usize, log: &[TaskLogEntry]) {
        let since =
            self.began.elapsed().as_secs_f64() - log.iter().map(|e| e.start + e.seconds).fold(0.0, f64::max);
        self.trace.extend(log.iter().filter(|entry| !entry.served).map(|entry| TraceEntry {
            phase: phase.to_owned(),
            task: plan.flow().tasks[entry.task].name.clone(),
            row: first + entry.row as usize,
            site: entry.instance.site,
            worker: entry.worker,
            start: since.max(0.0) + entry.start,
            seconds: entry.seconds,
            bytes: entry.bytes,
            cause: entry.cause.words(),
            outcome: trace_outcome(entry),
        }));
    }

    fn conclude(&mut self, execution: &Execution, gathered: &Gathered) {
        if gathered.too_many {
            self.ending = RunEnding::TooManyFailures;
        } else if execution.stopped || self.options.stop.load(Ordering::Relaxed) {
            self.ending = RunEnding::Stopped;
        }
    }

    fn analyse(
        &mut self,
        phase: &Phase,
        sampled: PhaseRows,
        rows: std::ops::Range<usize>,
        PhaseTasks { computed, reused }: PhaseTasks,
        seconds: f64,
    ) {
        let (study, table) = (&self.study.study, &self.table);
        let overall = sampled
            .analyses(study, phase, &table.metrics, |row, m| Measured::over_all(table, rows.start + row, m));
        let per_image = |image: usize| {
            let analyses = sampled.analyses(study, phase, &table.metrics, |row, m| {
                Measured::on_image(table, image, rows.start + row, m)
            });
            analyses.ok().filter(|a| !a.is_empty()).map(|analyses| ImageAnalysis { image, analyses })
        };
        let per_image = if table.images.len() > 1 {
            (0..table.images.len()).filter_map(per_image).collect()
        } else {
            Vec::new()
        };
        let progress = sampled
            .progress(study, phase, &table.metrics, |row, m| Measured::over_all(table, rows.start + row, m));
        let analyses = overall.unwrap_or_else(|error| {
            self.notes.push(format!("Phase {} could not be analysed: {error}.", phase.name));
            Vec::new()
        });
        let failed = |r: &&crate::RowRecord| matches!(r.status, RowStatus::Failed { .. });
        self.analyses.push((phase.name.clone(), analyses.clone()));
        self.phases.push(PhaseAnswer {
            name: phase.name.clone(),
            method: method_word(phase).into(),
            space: sampled.space,
            failed: self.table.rows[rows.clone()].iter().filter(failed).count() as u64,
            rows,
            kept: sampled.kept,
            analyses,
            per_image,
            progress,
            computed,
            reused,
            seconds,
        });
    }

    fn images(&self) -> Vec<ImageSummary> {
        let mut images = self.study.inputs.summaries();
        for (image, objects) in images.iter_mut().zip(&self.truth_objects) {
            image.truth_objects = *objects;
        }
        images
    }

    fn finish(mut self, best: Option<BestRow>) -> Run {
        self.note_unread();
        let study = &self.study.study;
        let images = self.images();
        let mut work = self.ledger.work();
        work.grain.clone_from(&self.grain);
        work.wall = self.began.elapsed().as_secs_f64();
        work.workers = self.options.workers;
        work.memory = self.options.memory;
        work.spilled = self.moves.spilled;
        work.spilled_bytes = self.moves.spilled_bytes;
        work.recomputed = self.moves.recomputed;
        work.peak_reserved = self.context.budget.peak().saturating_add(self.study.aside);
        work.peak_resident = peak_resident();
        work.rows = self.table.rows.len() as u64;
        work.earlier = self.earlier.1;
        work.instances = work.rows * self.study.inputs.parts.len() as u64;
        let workflow = &self.study.workflow;
        let answer = Answer {
            study: study.name.clone(),
            workflow: format!("{} {}", workflow.name, workflow.version),
            seed: study.seed,
            images,
            metrics: study.metrics.clone(),
            seams: study.parts.seams,
            halo: self.study.inputs.halo,
            table: self.table,
            phases: self.phases,
            best,
            tuning: self.tuning,
            work,
            notes: self.notes,
        };
        let earlier = (!self.earlier.0.is_empty()).then(|| format!("{}{}", earlier::HEAD, self.earlier.0));
        let kept = (!self.study.kept.is_empty()).then(|| format!("{HEAD}{}", self.kept));
        let Self { ending, records, findings, trace, converged, objects, clips, .. } = self;
        Run { answer, ending, records, findings, trace, converged, objects, earlier, kept, clips }
    }
}

fn trace_outcome(entry: &TaskLogEntry) -> TraceOutcome {
    match entry {
        TaskLogEntry { failed: true, .. } => TraceOutcome::Failed,
        TaskLogEntry { known: true, .. } => TraceOutcome::Known,
        _ => TraceOutcome::Computed,
    }
}

/// The word that studies use.
fn method_word(phase: &Phase) -> &'static str {
    match phase.design.method.word() {
        "morris" => "moat",
        "saltelli" => "vbd",
        other => other,
    }
}

impl From<ExecuteError> for EngineError {
    fn from(error: ExecuteError) -> Self {
        match error {
            ExecuteError::Scheduler(refused) => refused.into(),
            other => Self::Internal(other.to_string()),
        }
    }
}

impl From<SimulationError> for EngineError {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Scheduler(refused) => refused.into(),
            other @ SimulationError::Halted { .. } => Self::Internal(other.to_string()),
        }
    }
}

impl From<SchedulerError> for EngineError {
    fn from(error: SchedulerError) -> Self {
        match error {
            SchedulerError::MemoryTooSmall { task, needed, limit } => Self::Memory { task, needed, limit },
            other => Self::Internal(other.to_string()),
        }
    }
}
