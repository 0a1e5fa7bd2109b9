//! The straight line: phase after phase, rows are sampled, planned, run, and their metrics analysed.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use onceflow_costs::{Finding, Record};
use onceflow_region::staging::Staging;
use onceflow_region::{Budget, Lease};
use onceflow_reuse::{Account, Level, NodeId, Plan, plan};
use onceflow_runtime::{
    Contents, Converging, Entry, ExecuteError, Execution, Meter, Moves, NoMemo, Operation, Policy,
    SchedulerError, Work as RuntimeWork, execute,
};
use onceflow_sensitivity::Analysis;
use onceflow_study::Phase;

use crate::account::Ledger;
use crate::answer::{Answer, ImageAnalysis, MetricTable, PhaseAnswer, RowStatus};
use crate::collect::{Collector, Converged};
use crate::command::{forget_logs, list_logs};
use crate::contents::Digests;
use crate::findings::{as_if_unknown, findings};
use crate::grain::{Grained, PhaseGrain};
use crate::journal::{Journal, PastPhase, RowsIdentity, identity};
use crate::keep::{HEAD, Keeper};
use crate::metrics::Tally;
use crate::objects_seen::{ObjectCounts, ObjectsSeen};
use crate::operations::{Place, Steps};
use crate::phase::PhaseRows;
use crate::prepared::Prepared;
use crate::scratch::{Scratch, set_aside};
use crate::supply::{References, Sources};
use crate::{
    EngineError, Merge, Progress, RunFolder, available_memory, available_workers, best, converged,
    peak_resident,
};

/// How often a task that failed for a reason that may pass is tried again.
const RETRIES: u32 = 2;

/// Outputs that nobody reads are kept in at most one part in so many of the memory, and at most so many masks of the
/// largest part. Rows follow each other depth first, so that most of what turns out to be equal does so soon: more finds
/// hardly any more.
const RETAINED: u64 = 8;
const MOST_RETAINED: u64 = 64;

/// How a study is run.
#[derive(Debug)]
pub struct RunOptions {
    /// What makes two tasks one.
    pub level: Level,
    /// Whether equal work is done once in each bucket rather than once in the run.
    pub merge: Merge,
    /// Threads that run tasks.
    pub workers: usize,
    /// The bound of memory in bytes.
    pub memory: u64,
    /// Where results go that memory has no room for; the folder of the run when it is not said.
    pub scratch: Option<PathBuf>,
    /// Who writes them there. What waits to be written takes a share of the memory, unless it is written at once.
    pub staging: Staging,
    /// Bytes per second to and from there: what is made again in less time is not kept. Nothing is made again without it.
    pub disk: Option<f64>,
    /// What memory is measured with, where the program can tell.
    pub meter: Option<Meter>,
    /// How the next task is chosen.
    pub policy: Policy,
    /// Whether each worker stays on a processor of its own.
    pub pinned: bool,
    /// Set from outside: start nothing more.
    pub stop: AtomicBool,
}

/// All reuse, and what the machine allows.
impl Default for RunOptions {
    fn default() -> Self {
        Self {
            level: Level::default(),
            merge: Merge::Nothing,
            workers: available_workers().max(1),
            memory: available_memory(),
            scratch: None,
            staging: Staging::default(),
            disk: None,
            meter: None,
            policy: Policy::default(),
            pinned: false,
            stop: AtomicBool::new(false),
        }
    }
}

/// A run that is over.
#[derive(Debug)]
pub struct Run {
    /// What it found.
    pub answer: Answer,
    /// Why it is over.
    pub ending: Ending,
    /// What each task that ran cost; where objects were known, what it would have cost without.
    pub records: Vec<Record>,
    /// What it found out about operations that no plan could know.
    pub findings: Vec<Finding>,
    /// When each task ran, per phase.
    pub trace: Vec<TraceEntry>,
    /// What turned out to be the same while it ran, as lines of a CSV file.
    pub converged: String,
    /// Which row has which file of the regions that were kept, as lines of a CSV file; `None` when nothing was asked.
    pub kept: Option<String>,
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All of it is done.
    Complete,
    /// It was stopped from outside; the rows that were done are in the table.
    Stopped,
    /// More rows failed than the study allows; the rows that were done are in the table.
    TooManyFailures,
}

/// When a task ran.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEntry {
    /// The phase.
    pub phase: String,
    /// The task.
    pub task: String,
    /// The first row that asked for it, in the table.
    pub row: usize,
    /// Number of the part or image.
    pub site: usize,
    /// The worker.
    pub worker: usize,
    /// Seconds since the run began.
    pub start: f64,
    /// Seconds it took.
    pub seconds: f64,
    /// Most bytes its operation held at once; 0 where nobody counts.
    pub bytes: u64,
    /// Why it was its turn.
    pub cause: &'static str,
}

impl Run {
    /// The first row that failed, and why, in words.
    pub fn first_failure(&self) -> Option<String> {
        self.answer.table.rows.iter().find_map(|row| match &row.status {
            RowStatus::Failed { task, message } => Some(format!("row {}, {task}: {message}", row.row)),
            _ => None,
        })
    }
}

/// Runs a study and says what it found. Files of the run go into `folder`; nothing else is written.
pub fn run(
    prepared: &Prepared<'_>,
    options: &RunOptions,
    folder: &RunFolder,
    progress: &mut dyn Progress,
) -> Result<Run, EngineError> {
    prepared.inputs.warm();
    prepared.check_commands()?;
    let journal = Journal::open(folder, &identity(prepared))?;
    if journal.is_new() {
        forget_logs(folder.path());
    }
    let mut runner = Runner::new(prepared, options, folder, journal);
    for phase in &prepared.study.phases {
        runner.phase(phase, progress)?;
        if runner.ending != Ending::Complete {
            break;
        }
    }
    runner.journal.sync()?;
    Ok(runner.finish())
}

struct Runner<'a> {
    prepared: &'a Prepared<'a>,
    options: &'a RunOptions,
    folder: &'a RunFolder,
    journal: Journal,
    budget: Budget,
    began: Instant,
    table: MetricTable,
    phases: Vec<PhaseAnswer>,
    analyses: Vec<(String, Vec<Analysis>)>,
    references: References,
    truth_objects: Vec<Option<u64>>,
    ledger: Ledger,
    grain: Vec<PhaseGrain>,
    records: Vec<Record>,
    findings: Vec<Finding>,
    trace: Vec<TraceEntry>,
    notes: Vec<String>,
    converged: String,
    kept: String,
    moves: Moves,
    ending: Ending,
}

impl<'a> Runner<'a> {
    fn new(
        prepared: &'a Prepared<'a>,
        options: &'a RunOptions,
        folder: &'a RunFolder,
        journal: Journal,
    ) -> Self {
        let names = |images: &[crate::inputs::OpenedImage]| images.iter().map(|i| i.name.clone()).collect();
        let table = MetricTable {
            parameters: prepared.reference.names.clone(),
            metrics: prepared.study.outputs(),
            images: names(&prepared.inputs.images),
            rows: Vec::new(),
        };
        Self {
            prepared,
            options,
            folder,
            journal,
            budget: prepared.budget(options.memory),
            began: Instant::now(),
            table,
            phases: Vec::new(),
            analyses: Vec::new(),
            references: References::new(),
            truth_objects: vec![None; prepared.inputs.images.len()],
            ledger: Ledger::default(),
            grain: Vec::new(),
            records: Vec::new(),
            findings: Vec::new(),
            trace: Vec::new(),
            notes: prepared.doubts(),
            converged: converged::HEAD.to_owned(),
            kept: String::new(),
            moves: Moves::default(),
            ending: Ending::Complete,
        }
    }

    fn phase(&mut self, phase: &Phase, progress: &mut dyn Progress) -> Result<(), EngineError> {
        let start = Instant::now();
        let sampled = PhaseRows::new(self.prepared.study, phase, &self.analyses)?;
        let with_reference = self.table.rows.is_empty();
        let rows = self.prepared.rows(&sampled, with_reference)?;
        let wish = self.prepared.grain.or_by_costs(self.options.level, &self.options.merge);
        let grained = self.prepared.grained(&phase.name, &rows, self.options.level, &wish)?;
        let Grained { flow, keeper, grain } = grained;
        let plan = plan(flow, &rows, self.options.level)?;
        let mut plan = self.prepared.grouped(plan, &self.options.merge)?.plan;
        progress.phase(&self.prepared.ahead(&phase.name, &plan, self.options));
        let rows = RowsIdentity::new(self.prepared, &sampled, with_reference, self.table.rows.len());
        let past = self.journal.phase(&phase.name, &rows)?;
        let (execution, mut gathered) = self.execute(&mut plan, keeper, with_reference, &past, progress)?;
        let first = self.table.rows.len();
        self.add_rows(phase, &sampled, with_reference, &gathered);
        self.trace(phase, &plan, first, &execution.log);
        self.converged.push_str(&converged::lines(&phase.name, &plan, &gathered.same, first));
        self.list_logs(&plan, &gathered.same, first)?;
        self.conclude(&execution, &gathered);
        self.moves += execution.moves;
        let account = self.ledger.add(&execution, &plan, &gathered.objects);
        self.grain.push(grain);
        self.kept.push_str(&gathered.keeper.lines(&plan, &self.prepared.inputs, first));
        self.references.extend(gathered.saved);
        if self.options.level >= Level::Convergent {
            let told = self.prepared.worth_digests(plan.flow());
            let findings = findings(&plan, &execution, &gathered.objects, &told);
            as_if_unknown(&mut gathered.records, &findings);
            self.findings.extend(findings);
        }
        self.records.extend(gathered.records);
        if self.ending == Ending::Complete {
            let rows = first + usize::from(with_reference)..self.table.rows.len();
            let seconds = start.elapsed().as_secs_f64();
            self.analyse(phase, sampled, rows, &account, seconds);
        }
        Ok(())
    }

    /// The bytes that no task needs, and those in which results wait to be written. Where memory is too tight for
    /// these, nothing waits.
    fn memory(&self, plan: &mut Plan) -> Result<(u64, Option<Lease>), EngineError> {
        let (workers, memory) = (self.options.workers, self.options.memory);
        let waiting = set_aside(&self.options.staging, memory);
        if let Ok(spare) = self.prepared.spare(plan, workers, memory - waiting) {
            return Ok((spare, self.budget.try_reserve(waiting)));
        }
        Ok((self.prepared.spare(plan, workers, memory)?, None))
    }

    fn execute(
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
        let seen = (self.options.level >= Level::Object)
            .then(|| Arc::new(ObjectsSeen::new(&self.budget, supply.spare())));
        let digests = (self.options.level >= Level::Convergent)
            .then(|| Arc::new(Digests::new(self.prepared.worth_digests(&flow))));
        let steps = Steps { digests: digests.clone(), ..Steps::default() };
        let operations = self.prepared.operations(&flow, inputs, &place, seen.as_ref(), &steps)?;
        let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
        let (rows, layout) = (plan.rows(), inputs.layout());
        let wanted = if with_reference { self.wanted(plan) } else { Vec::new() };
        let converging = self.converging(&keeper, &wanted);
        let mut collector = Collector {
            inputs,
            layout: &layout,
            flow: &flow,
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
        let meter = self.options.meter;
        let folders = self.options.scratch.iter().cloned().chain([self.folder.path().into()]).collect();
        let below = Scratch::new(folders, self.options.staging, waiting);
        let work = RuntimeWork {
            operations: &operations,
            supply: &supply,
            memo: &NoMemo,
            below: &below,
            meter,
            contents: digests.as_ref().map(|digests| digests.as_ref() as &dyn Contents),
        };
        let options = onceflow_runtime::Options {
            spilling: true,
            known,
            stop: Some(&self.options.stop),
            policy: self.options.policy,
            retries: RETRIES,
            pinned: self.options.pinned,
            remaking: self.options.disk.map(|bandwidth| self.prepared.remaking(&flow, bandwidth)),
            converging,
            ..onceflow_runtime::Options::new(self.options.workers, self.budget.clone())
        };
        let execution = execute(plan, &layout, &work, &options, &mut collector);
        let objects = seen.map(|seen| seen.counts()).unwrap_or_default();
        collector.take_steps();
        let Collector { tallies, records, same, saved, error, failed, most_failed, keeper, .. } = collector;
        if let Some(error) = error {
            return Err(error);
        }
        let too_many = failed.len() as u64 > most_failed;
        Ok((execution?, Gathered { tallies, records, same, objects, saved, too_many, keeper }))
    }

    /// Which row has which log of a program.
    fn list_logs(&self, plan: &Plan, same: &Converged, first: usize) -> Result<(), EngineError> {
        let is_own = |task: &usize| {
            self.prepared.own.iter().any(|own| own.spec.id == plan.flow().tasks[*task].spec.id)
        };
        let tasks: Vec<usize> = (0..plan.flow().tasks.len()).filter(is_own).collect();
        if tasks.is_empty() {
            return Ok(());
        }
        let listed = list_logs(self.folder.path(), (plan, same), &self.prepared.inputs, &tasks, first);
        listed.map_err(|error| EngineError::Write { path: self.folder.path().into(), error })
    }

    /// What may turn out to be equal while it runs: all but what somebody wants to see for itself.
    fn converging(&self, keeper: &Keeper, wanted: &[(NodeId, usize, String)]) -> Option<Converging> {
        (self.options.level >= Level::Convergent).then(|| Converging {
            tasks: keeper.tasks(),
            nodes: wanted.iter().map(|(node, _, _)| *node).collect(),
            retained: (self.budget.limit() / RETAINED).min(MOST_RETAINED * self.prepared.largest_part()),
        })
    }

    /// What later phases compare with, when there are some.
    fn wanted(&self, plan: &Plan) -> Vec<(NodeId, usize, String)> {
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

    /// Rows that are done on all images, or failed on one; a run that was stopped has others.
    fn add_rows(&mut self, phase: &Phase, sampled: &PhaseRows, with_reference: bool, gathered: &Gathered) {
        let first = if with_reference { 1 } else { self.table.rows.last().map_or(0, |r| r.row + 1) };
        let reference = with_reference.then(|| self.prepared.reference.record());
        let records = sampled.records(phase, &self.prepared.reference, first);
        let parts = self.prepared.inputs.parts.len();
        for (mut record, tallies) in reference.into_iter().chain(records).zip(&gathered.tallies) {
            let done = tallies.iter().map(Tally::parts).sum::<usize>() == parts;
            if done || tallies.iter().any(Tally::has_failed) {
                self.prepared.metrics.fill(&mut record, tallies, &self.prepared.inputs);
                self.table.rows.push(record);
                for (known, tally) in self.truth_objects.iter_mut().zip(tallies) {
                    *known = known.or(tally.truth_objects());
                }
            }
        }
    }

    fn trace(&mut self, phase: &Phase, plan: &Plan, first: usize, log: &[Entry]) {
        let since =
            self.began.elapsed().as_secs_f64() - log.iter().map(|e| e.start + e.seconds).fold(0.0, f64::max);
        self.trace.extend(log.iter().map(|entry| TraceEntry {
            phase: phase.name.clone(),
            task: plan.flow().tasks[entry.task].name.clone(),
            row: first + entry.row as usize,
            site: entry.instance.site,
            worker: entry.worker,
            start: since.max(0.0) + entry.start,
            seconds: entry.seconds,
            bytes: entry.bytes,
            cause: entry.cause.words(),
        }));
    }

    fn conclude(&mut self, execution: &Execution, gathered: &Gathered) {
        if gathered.too_many {
            self.ending = Ending::TooManyFailures;
        } else if execution.stopped || self.options.stop.load(Ordering::Relaxed) {
            self.ending = Ending::Stopped;
        }
    }

    fn analyse(
        &mut self,
        phase: &Phase,
        sampled: PhaseRows,
        rows: std::ops::Range<usize>,
        account: &Account,
        seconds: f64,
    ) {
        let (study, table) = (self.prepared.study, &self.table);
        let overall =
            sampled.analyses(study, phase, &table.metrics, |row, m| table.measured(rows.start + row, m));
        let per_image = |image: usize| {
            let analyses = sampled.analyses(study, phase, &table.metrics, |row, m| {
                table.measured_on(image, rows.start + row, m)
            });
            analyses.ok().filter(|a| !a.is_empty()).map(|analyses| ImageAnalysis { image, analyses })
        };
        let per_image = if table.images.len() > 1 {
            (0..table.images.len()).filter_map(per_image).collect()
        } else {
            Vec::new()
        };
        let progress =
            sampled.progress(study, phase, &table.metrics, |row, m| table.measured(rows.start + row, m));
        let analyses = overall.unwrap_or_else(|error| {
            self.notes.push(format!("Phase {} could not be analysed: {error}.", phase.name));
            Vec::new()
        });
        let failed = |r: &&crate::RowRecord| matches!(r.status, RowStatus::Failed { .. });
        let total = account.total();
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
            computed: total.planned,
            reused: total.asked - total.planned - total.failed - total.resumed,
            seconds,
        });
    }

    fn finish(self) -> Run {
        let study = self.prepared.study;
        let mut images = self.prepared.inputs.summaries();
        for (image, objects) in images.iter_mut().zip(&self.truth_objects) {
            image.truth_objects = *objects;
        }
        let best = best(&self.table, &study.metrics, study.space.parameters(), &images);
        let mut work = self.ledger.work();
        work.grain.clone_from(&self.grain);
        work.wall = self.began.elapsed().as_secs_f64();
        work.workers = self.options.workers;
        work.memory = self.options.memory;
        work.spilled = self.moves.spilled;
        work.spilled_bytes = self.moves.spilled_bytes;
        work.recomputed = self.moves.recomputed;
        work.peak_reserved = self.budget.peak().saturating_add(self.prepared.aside);
        work.peak_resident = peak_resident();
        work.rows = self.table.rows.len() as u64;
        work.instances = work.rows * self.prepared.inputs.parts.len() as u64;
        let workflow = self.prepared.workflow;
        let answer = Answer {
            study: study.name.clone(),
            workflow: format!("{} {}", workflow.name, workflow.version),
            seed: study.seed,
            images,
            metrics: study.metrics.clone(),
            seams: study.parts.seams,
            halo: self.prepared.inputs.halo,
            table: self.table,
            phases: self.phases,
            best,
            work,
            notes: self.notes,
        };
        let kept = (!self.prepared.keeper.is_idle()).then(|| format!("{HEAD}{}", self.kept));
        let Self { ending, records, findings, trace, converged, .. } = self;
        Run { answer, ending, records, findings, trace, converged, kept }
    }
}

/// What a phase gave besides the account.
struct Gathered {
    tallies: Vec<Vec<Tally>>,
    records: Vec<Record>,
    same: Converged,
    objects: BTreeMap<String, ObjectCounts>,
    saved: References,
    too_many: bool,
    keeper: Keeper,
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
            ExecuteError::Scheduler(SchedulerError::MemoryTooSmall { task, needed, limit }) => {
                Self::Memory { task, needed, limit }
            }
            other => Self::Internal(other.to_string()),
        }
    }
}
