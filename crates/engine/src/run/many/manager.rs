//! The manager of a run: buckets of each phase go into the folder of the run, and their results into the journal.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use onceflow_cluster::SplitRules;
use onceflow_costs::Record;
use onceflow_report::Amounts;
use onceflow_study::{Phase, counted};

use super::bucket_file::{self, BucketReader};
use crate::plan::phase::PhaseRows;
use crate::resume::journal::{JournalLine, PastPhase, RowLines as _, RowsIdentity, identity};
use crate::run::Runner;
use crate::run::bucket::{BucketPhase, BucketResult, PhaseToCut, amounts, plan_digest};
use crate::work::driver::{LostOwner, WorkerDriver};
use crate::work::{AttemptLog, CutFile, LostWorker, PhaseFolder, WorkJob, WorkRoot};
use crate::{EngineError, OpenStudy, Progress, RowOver, RunFolder, RunSettings, WorkersOn};

/// Hands out the buckets of a run.
pub(in crate::run) struct WorkManager {
    root: WorkRoot,
    driver: Box<dyn WorkerDriver>,
    rules: SplitRules,
    told: Instant,
}

/// What workers did in a phase.
#[derive(Default)]
pub(in crate::run) struct WorkedPhase {
    /// The terms of the account, in tasks and in seconds.
    pub(in crate::run) account: [Amounts; 2],
    /// Rows at parts that they computed.
    pub(in crate::run) instances: u64,
}

/// The folder is looked at this often while results come, and less often while none do.
const LOOKS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(250)];
/// The manager says so often that it lives.
const SIGN: Duration = Duration::from_secs(2);
/// Workers of which nothing is known, so that there are buckets for many.
const UNKNOWN_WORKERS: usize = 16;

impl WorkManager {
    /// The manager of a run in a folder, where the settings name workers.
    pub(in crate::run) fn begin(
        study: &OpenStudy,
        settings: &RunSettings,
        folder: &RunFolder,
    ) -> Result<Option<Self>, EngineError> {
        let Some(on) = &settings.on else { return Ok(None) };
        folder.make()?;
        let root = WorkRoot::of(folder);
        root.begin()?;
        job(study, settings, on).write(folder)?;
        let driver = on.driver(folder, settings.memory);
        let workers = on.engine.workers().unwrap_or(UNKNOWN_WORKERS);
        let rules = SplitRules { workers, ..SplitRules::default() };
        Ok(Some(Self { root, driver, rules, told: Instant::now() }))
    }

    /// The run is over: what its journal has needs no files any more.
    pub(in crate::run) fn end(mut self, clears: bool) -> Result<(), EngineError> {
        self.root.end()?;
        if clears {
            self.driver.end();
        }
        drop(self.driver);
        if clears {
            self.root.clear();
        }
        Ok(())
    }

    /// Says now and then that it lives.
    fn tell(&mut self) -> Result<(), EngineError> {
        if self.told.elapsed() < SIGN {
            return Ok(());
        }
        self.told = Instant::now();
        self.root.tell_of_manager()
    }
}

/// What workers must know.
fn job(study: &OpenStudy, settings: &RunSettings, on: &WorkersOn) -> WorkJob {
    WorkJob {
        version: WorkJob::VERSION,
        program: env!("CARGO_PKG_VERSION").into(),
        study: study.origin().into(),
        identity: format!("{:?}", identity(study)),
        reuse: settings.level.word().into(),
        lease_s: on.lease,
    }
}

/// A phase while workers compute it.
struct HandedPhase<'p> {
    folder: PhaseFolder,
    plan: String,
    done: Vec<bool>,
    left: usize,
    over: HashSet<(usize, usize)>,
    failed: HashSet<usize>,
    past: &'p mut PastPhase,
    worked: WorkedPhase,
}

impl Runner<'_> {
    /// Lets workers compute what is left of a phase, and adds what they did to what is known of it.
    pub(in crate::run) fn hand_out(
        &mut self,
        phase: &Phase,
        (sampled, rows): (&PhaseRows, &RowsIdentity),
        past: &mut PastPhase,
        progress: &mut dyn Progress,
    ) -> Result<WorkedPhase, EngineError> {
        let Some(mut manager) = self.manager.take() else { return Ok(WorkedPhase::default()) };
        let handed = self.handed(&mut manager, phase, (sampled, rows), past, progress);
        self.manager = Some(manager);
        handed
    }

    fn handed(
        &mut self,
        manager: &mut WorkManager,
        phase: &Phase,
        (sampled, rows): (&PhaseRows, &RowsIdentity),
        past: &mut PastPhase,
        progress: &mut dyn Progress,
    ) -> Result<WorkedPhase, EngineError> {
        let first = self.table.rows.len();
        let (name, digest, with_reference) = (phase.name.clone(), rows.digest(rows.len()), first == 0);
        let phase = BucketPhase { name, rows: rows.len(), digest, first, with_reference };
        let plan = plan_digest(self.study, &phase);
        let folder = manager.root.phase(&plan);
        let known = folder.cut(Some(&plan));
        let count = known.as_ref().map_or(0, |cut| cut.buckets.len());
        let mut handed = HandedPhase {
            folder,
            plan,
            done: vec![false; count],
            left: count,
            over: HashSet::new(),
            failed: HashSet::new(),
            past,
            worked: WorkedPhase::default(),
        };
        self.tell_of_known(&mut handed, first, progress);
        self.take_results(&mut handed, first, progress)?;
        if known.is_none() || !handed.is_whole() {
            let lines = std::mem::take(&mut handed.past.lines);
            let asked = PhaseToCut { sampled, phase: &phase, lines: &lines, rules: &manager.rules };
            let cut = self.publish(&handed.folder, &handed.plan, &asked, progress);
            handed.past.lines = lines;
            handed.left = cut?.buckets.len();
            handed.done = vec![false; handed.left];
        }
        manager.root.go_on_with(&handed.folder)?;
        let most_failed = self.most_failed(rows.len() + usize::from(with_reference));
        let (mut draining, mut pause) = (false, LOOKS[0]);
        loop {
            let gained = self.take_results(&mut handed, first, progress)?;
            let lost = manager.driver.poll(handed.left, gained)?;
            lost.iter().for_each(|lost| handed.note_lost(lost, progress));
            manager.driver.trouble().into_iter().for_each(|words| progress.note(&words));
            progress.workers(manager.driver.running());
            manager.tell()?;
            let stops = self.options.stop.load(Ordering::Relaxed) || handed.failed.len() as u64 > most_failed;
            if handed.left == 0 || (draining && manager.driver.running() == 0) {
                break;
            }
            if stops && !draining {
                draining = true;
                manager.driver.drain();
            }
            pause = if gained { LOOKS[0] } else { (pause * 2).min(LOOKS[1]) };
            std::thread::sleep(pause);
        }
        if handed.left > 0 {
            self.take_results(&mut handed, first, progress)?;
            self.options.stop.store(true, Ordering::Relaxed);
        }
        self.journal.sync()?;
        Ok(handed.worked)
    }

    /// More failed rows than this end the run.
    pub(in crate::run) fn most_failed(&self, rows: usize) -> u64 {
        (self.study.study.run.stop_above * rows as f64) as u64
    }

    /// Cuts what is left of a phase into buckets, and writes them.
    fn publish(
        &self,
        folder: &PhaseFolder,
        plan: &str,
        asked: &PhaseToCut<'_>,
        progress: &mut dyn Progress,
    ) -> Result<CutFile, EngineError> {
        let fine = self.cut_finely(asked)?;
        // What another cut left would be taken for that of this one.
        folder.clear()?;
        folder.make()?;
        let shares = fine.cut.iter().any(|bucket| !bucket.after.is_empty());
        let published = folder.shared();
        let published = published.strip_prefix(self.folder.path()).unwrap_or(&published);
        let published = shares.then(|| published.display().to_string());
        for (number, mut bucket) in fine.buckets.into_iter().enumerate() {
            bucket.published.clone_from(&published);
            bucket_file::write(folder, number, &bucket)?;
        }
        let cut = CutFile {
            version: CutFile::VERSION,
            plan: plan.to_owned(),
            buckets: fine.cut,
            seconds: fine.seconds,
        };
        folder.publish_cut(&cut)?;
        let words = splitting_words(&cut, asked.rules.workers);
        words.into_iter().for_each(|words| progress.note(&words));
        Ok(cut)
    }

    /// Tells the progress of rows that an earlier command left in the journal.
    fn tell_of_known(&self, handed: &mut HandedPhase<'_>, first: usize, progress: &mut dyn Progress) {
        for line in &handed.past.lines {
            let JournalLine::Done { row, part, status, .. } = line else { continue };
            if *part < self.study.inputs.parts.len() && handed.over.insert((*row, *part)) {
                let status = status.as_deref().unwrap_or("ok");
                self.tell_of_row((first + row, *part), (status, true), progress);
            }
        }
        if !handed.over.is_empty() {
            progress.resumed(handed.over.len() as u64);
        }
    }

    fn tell_of_row(
        &self,
        (row, part): (usize, usize),
        (status, resumed): (&str, bool),
        progress: &mut dyn Progress,
    ) {
        let image = &self.study.inputs.images[self.study.inputs.parts[part].image].name;
        progress.row(&RowOver { row, image, part, status, resumed });
    }

    /// Takes results that came; says whether there were any.
    fn take_results(
        &mut self,
        handed: &mut HandedPhase<'_>,
        first: usize,
        progress: &mut dyn Progress,
    ) -> Result<bool, EngineError> {
        let results = handed.folder.results();
        let results =
            results.map_err(|error| EngineError::Write { path: handed.folder.path().into(), error })?;
        let new: Vec<usize> =
            results.into_iter().filter(|number| handed.done.get(*number) == Some(&false)).collect();
        let mut gained = false;
        for number in new {
            let path = handed.folder.result(number);
            let read = fs::read_to_string(&path).ok().and_then(|text| BucketResult::from_json(&text).ok());
            let whole = read.filter(|result| result.rows.complete && result.rows.plan == handed.plan);
            match whole {
                Some(result) => {
                    self.take_result(handed, result, first, progress)?;
                    handed.done[number] = true;
                    handed.left -= 1;
                    gained = true;
                }
                None => handed.refuse(number, progress),
            }
        }
        Ok(gained)
    }

    fn take_result(
        &mut self,
        handed: &mut HandedPhase<'_>,
        result: BucketResult,
        first: usize,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let parts = self.study.inputs.parts.len();
        for line in result.rows.parsed()? {
            let told = match &line {
                JournalLine::Done { row, part, status, .. } => {
                    Some((*row, *part, status.clone().unwrap_or_else(|| "ok".into())))
                }
                JournalLine::Failed { row, part, .. } => Some((*row, *part, "failed".into())),
                _ => None,
            };
            if let Some((row, part, status)) = told {
                if part >= parts || !handed.over.insert((row, part)) {
                    continue;
                }
                if status == "failed" {
                    handed.failed.insert(row);
                }
                handed.worked.instances += 1;
                self.tell_of_row((first + row, part), (&status, false), progress);
            }
            self.journal.write(&line)?;
            handed.past.lines.push(line);
        }
        for (sum, terms) in handed.worked.account.iter_mut().zip(&result.cost.account) {
            sum.add(&amounts(terms));
        }
        self.records.extend(result.cost.records.iter().filter_map(|line| Record::parse_line(line).ok()));
        result.cost.unread.iter().for_each(|(image, why)| self.unread.note_words(*image, why));
        Ok(())
    }
}

impl HandedPhase<'_> {
    /// Whether all buckets without results can be read: a loss of power may have taken some.
    fn is_whole(&self) -> bool {
        let mut reader = BucketReader::default();
        let left = (0..self.done.len()).filter(|number| !self.done[*number]);
        left.into_iter().all(|number| reader.read(&self.folder, number).is_ok())
    }

    /// A worker is gone: its buckets may be taken by others at once.
    fn note_lost(&self, lost: &LostOwner, progress: &mut dyn Progress) {
        let loss = LostWorker { excused: lost.excused, reason: lost.reason.clone() };
        for (number, count) in self.folder.attempts().unwrap_or_default() {
            if self.done.get(number).copied().unwrap_or(true) {
                continue;
            }
            for attempt in 1..=count {
                let log = AttemptLog::read(&self.folder.attempt(number, attempt));
                let held = log.is_ok_and(|log| log.owner == lost.owner && !log.released);
                if held && self.folder.loss_of(number, attempt).is_none() {
                    // Without this note the bucket is taken again when its lease is over.
                    let _noted = self.folder.note_loss((number, attempt), &loss);
                    progress.note(&format!(
                        "note: the worker {} is gone ({}); bucket {number} is computed again",
                        lost.owner, lost.reason
                    ));
                }
            }
        }
    }

    /// Results that are not whole, as after a loss of power: the bucket is computed again.
    fn refuse(&self, number: usize, progress: &mut dyn Progress) {
        progress.note(&format!("note: the results of bucket {number} are damaged; it is computed again"));
        let attempts = self.folder.attempts().unwrap_or_default();
        let loss = LostWorker { excused: true, reason: "its results were damaged".into() };
        for attempt in 1..=attempts.get(&number).copied().unwrap_or(0) {
            if self.folder.loss_of(number, attempt).is_none() {
                let _noted = self.folder.note_loss((number, attempt), &loss);
            }
        }
        let _gone = fs::remove_file(self.folder.result(number));
    }
}

/// What splitting costs, where it costs anything.
fn splitting_words(cut: &CutFile, workers: usize) -> Option<String> {
    let (whole, split) = cut.seconds;
    let more = if whole > 0.0 { split / whole - 1.0 } else { 0.0 };
    let buckets = counted(cut.buckets.len(), "bucket");
    (more > 0.005).then(|| {
        format!("{buckets} for {}: {:.0} % more work than one", counted(workers, "worker"), more * 100.0)
    })
}
