//! The straight line: phase after phase, rows are sampled, planned, run, and their metrics analysed.

mod account;
mod bucket;
mod built_in;
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
mod outcome;
pub(crate) mod products;
mod proposed;
mod recorder;
mod resources;
mod results;
mod resumed;
mod row_numbers;
pub(crate) mod scratch;
mod shown;
mod tune;

use std::time::Instant;

use onceflow_costs::{Finding, Record};
use onceflow_report::{
    EarlierRun, MetricTable, PhaseAnswer, PhaseGrain, ProposedWork, RunEnding, TraceEntry, TuneAnswer,
};
use onceflow_reuse::{Level, ParameterRows, Plan, plan};
use onceflow_runtime::Moves;
use onceflow_sensitivity::Analysis;
use onceflow_study::Phase;

use crate::clips::PictureClips;
use crate::open::inputs::UnreadImages;
use crate::open::metrics::Tally;
use crate::open::study::OpenStudy;
use crate::plan::duplicates;
use crate::plan::duplicates::Duplicates;
use crate::plan::earlier;
use crate::plan::findings::{as_if_unknown, findings};
use crate::plan::grain::Grained;
use crate::plan::object_origins;
use crate::plan::phase::PhaseRows;
use crate::resume::journal::{Journal, RowsIdentity, identity};
use crate::run::account::Ledger;
use crate::{EngineError, Progress, RunFolder, RunSettings};
pub use bucket::{
    BucketCost, BucketImage, BucketInput, BucketMakes, BucketPhase, BucketReference, BucketResult, BucketRow,
    BucketRows, BucketValue, SavedFile, SavedRegion, SharedTask, SplitCost, execute_bucket, next_buckets,
    record_bucket,
};
pub use built_in::apply_built_in;
use context::RunContext;
pub use ended::Run;
use executed::{KnownWork, PhaseWork};
use growth::run_until_decided;
use keep::Keeper;
pub use logs::find_logs;
use logs::{forget_logs, list_logs};
use many::WorkManager;
pub use many::{INTERIM_FILE, WorkOptions, WorkSummary, is_running, work};
use products::RunProducts;
pub use products::{
    PixelBox, StoredInstances, StoredPhase, StoredPixels, StoredPixelsError, StoredUnknown, stored_phases,
    stored_pixels, stored_row,
};
use row_numbers::RowNumbers;
use shown::shown_parts;
pub use tune::{AskedOptions, AskedRow, AskedSearch};
use tune::{ImageSplit, TunedWork, leave_out, tune_design};

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
    runner.manager = WorkManager::begin(study, options, folder, progress)?;
    if runner.begin_tuned(phases, progress)? {
        for phase in phases {
            runner.phase(phase, progress)?;
            if runner.ending != RunEnding::Complete {
                break;
            }
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
    let (notes, store) = runner.products.take().map(RunProducts::finish).unzip();
    runner.notes.extend(notes.unwrap_or_default());
    Ok(Run { store, ..runner.finish(best) })
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
    proposed: ProposedWork,
    grain: Vec<PhaseGrain>,
    records: Vec<Record>,
    findings: Vec<Finding>,
    trace: Vec<TraceEntry>,
    notes: Vec<String>,
    duplicates: String,
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
    /// What searches took.
    tuned: TunedWork,
    /// Which images only confirm, in a study that tunes.
    split: Option<ImageSplit>,
    /// What the defaults gave on each image, in a study that tunes.
    default_tallies: Vec<Tally>,
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
            proposed: ProposedWork::default(),
            grain: Vec::new(),
            records: Vec::new(),
            findings: Vec::new(),
            trace: Vec::new(),
            notes: study.doubts(),
            duplicates: duplicates::HEAD.to_owned(),
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
            tuned: TunedWork::default(),
            split: None,
            default_tallies: Vec::new(),
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
        let asked = self.parts_without_held();
        if let Some(asked) = &asked {
            ahead.instances = (plan.rows() * asked.iter().filter(|asked| **asked).count()) as u64;
        }
        if let Some(workers) = self.options.on.as_ref().and_then(|on| on.engine.workers()) {
            ahead.workers = workers;
        }
        progress.phase(&ahead);
        let identity = RowsIdentity::new(self.study, &sampled, with_reference, self.table.rows.len());
        let mut past = self.journal.phase(&phase.name, &identity)?;
        let first = self.table.rows.len();
        let worked = self.hand_out(phase, (&sampled, &identity), &mut past, progress)?;
        let known = if self.manager.is_some() { KnownWork::Worked(&past) } else { KnownWork::Past(&past) };
        let mut work = self.work(first, plan.rows(), with_reference, Some(&rows), progress);
        work.asked_parts.clone_from(&asked);
        let (mut execution, mut gathered) = work.execute(&mut plan, Keeper::new(kept), known)?;
        self.clips.end_phase(&gathered.same);
        self.add_rows(phase, &sampled, with_reference, &gathered);
        self.trace(&phase.name, &plan, first, &execution.log);
        self.duplicates.push_str(&duplicates::lines(&phase.name, &plan, &gathered.same, first));
        self.objects.push_str(&object_origins::lines(&phase.name, std::mem::take(&mut gathered.origins)));
        self.earlier.0.push_str(&gathered.earlier.lines(&phase.name, &plan, first));
        let name = |node| plan.flow().tasks[plan.task_of(node)].name.clone();
        earlier::add(&mut self.earlier.1, gathered.earlier.sums(&phase.name, name));
        self.list_logs(&plan, &gathered.same, first)?;
        self.conclude(&execution, &gathered);
        self.moves += execution.moves;
        if let Some(asked) = &asked {
            leave_out(&mut execution.account, plan.flow(), plan.rows(), asked, &self.asked_images(asked));
        }
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
}
