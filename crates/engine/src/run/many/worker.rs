//! A worker: takes buckets from the folder of a run until none is left.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use onceflow_cluster::ClaimRules;
use onceflow_study::Diagnostic;

use super::attempt_lines::AttemptLines;
use super::bucket_file::BucketReader;
use super::pulse::Pulse;
use crate::resume::journal::{JournalLine, RowLines as _, identity};
use crate::run::bucket::{BucketAids, BucketCost, BucketInput, BucketMakes, BucketResult, BucketWork};
use crate::run::products::RunProducts;
use crate::work::{ClaimCare, Claimer, NextClaim, PhaseFolder, SIGN, WorkJob, WorkRoot};
use crate::{EngineError, OpenStudy, Progress, RunFolder, RunSettings};

/// What a worker is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkOptions {
    /// Its name, which no other worker has; made up without one.
    pub name: Option<String>,
    /// Only this bucket of the phase that is computed now.
    pub bucket: Option<usize>,
    /// The token of the run, where it is known: a folder with another is not that of the run.
    pub token: Option<String>,
}

/// What a worker did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkSummary {
    /// Its name.
    pub name: String,
    /// Buckets that it computed.
    pub buckets: usize,
    /// Rows at parts in them.
    pub instances: usize,
    /// Buckets of which it said that they failed, since they killed their workers.
    pub given_up: usize,
    /// Seconds of computing.
    pub seconds: f64,
    /// Whether it was stopped while buckets were left.
    pub stopped: bool,
}

/// While there is nothing to take, a worker looks after these pauses, ever longer.
const PAUSES: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(500)];
/// Without a sign of the manager for this long a worker with nothing to do ends.
const ORPHANED: Duration = Duration::from_secs(20);

/// Computes buckets of the run in a folder until none is left, the run is over, or it is stopped.
///
/// # Errors
/// When the folder holds no work for this version and this study, when commands may not run here, when the memory bound is
/// too small, or when results cannot be written.
pub fn work(
    study: &OpenStudy,
    settings: &RunSettings,
    folder: &RunFolder,
    options: &WorkOptions,
    progress: &mut dyn Progress,
) -> Result<WorkSummary, EngineError> {
    let job = WorkJob::read(folder)?;
    job.check_token(folder, options.token.as_deref())?;
    if job.identity != format!("{:?}", identity(study)) {
        return Err(changed(folder).into());
    }
    study.check_commands()?;
    let name = options.name.clone().unwrap_or_else(made_up_name);
    let rules = ClaimRules { lease: job.lease_s.max(1.0), ..ClaimRules::default() };
    let pulse = Pulse::default();
    let worker = Worker {
        study,
        settings,
        folder,
        root: WorkRoot::of(folder),
        rules,
        pulse: &pulse,
        products: RunProducts::open(study, settings, folder, progress),
        reader: BucketReader::default(),
        summary: WorkSummary { name, ..WorkSummary::default() },
    };
    std::thread::scope(|scope| {
        scope.spawn(|| pulse.beat(rules.beat()));
        let done = worker.serve(options, progress);
        pulse.end();
        done
    })
}

struct Worker<'a> {
    study: &'a OpenStudy,
    settings: &'a RunSettings,
    folder: &'a RunFolder,
    root: WorkRoot,
    rules: ClaimRules,
    pulse: &'a Pulse,
    products: Option<RunProducts>,
    reader: BucketReader,
    summary: WorkSummary,
}

/// The manager as a worker sees it.
struct ManagerSeen {
    looks: Option<SystemTime>,
    since: Instant,
    looked: Option<Instant>,
    /// Whether it was said that none is there.
    said: bool,
}

impl Worker<'_> {
    fn serve(
        mut self,
        options: &WorkOptions,
        progress: &mut dyn Progress,
    ) -> Result<WorkSummary, EngineError> {
        let served = match options.bucket {
            Some(number) => self.one(number, progress),
            None => self.all(progress),
        };
        let _nothing = std::fs::remove_dir_all(self.scratch());
        self.products
            .take()
            .map(|products| products.finish().0)
            .into_iter()
            .flatten()
            .for_each(|note| progress.note(&note));
        served.map(|()| self.summary)
    }

    /// Computes one bucket.
    fn one(&mut self, number: usize, progress: &mut dyn Progress) -> Result<(), EngineError> {
        let phase = self.root.now().ok_or_else(|| nothing_now(self.folder))?;
        let Some(mut claimer) = self.claimer(&phase) else { return Err(nothing_now(self.folder).into()) };
        if number >= claimer.len() {
            return Err(no_bucket(number, claimer.len()).into());
        }
        loop {
            match claimer.this(number).map_err(|error| self.unreadable(error))? {
                NextClaim::Finished => return Ok(()),
                NextClaim::Wait if self.is_stopped() => return Ok(()),
                NextClaim::Wait => std::thread::sleep(PAUSES[1]),
                next => {
                    self.take(&phase, &mut claimer, next, progress)?;
                    return Ok(());
                }
            }
        }
    }

    /// Computes buckets until none is left.
    fn all(&mut self, progress: &mut dyn Progress) -> Result<(), EngineError> {
        let (mut at, mut pause) = (None::<(PhaseFolder, Claimer)>, PAUSES[0]);
        let mut manager = ManagerSeen { looks: None, since: Instant::now(), looked: None, said: false };
        while !self.is_stopped() {
            if manager.is_gone(&self.root) && !manager.said && !self.root.is_over() {
                manager.said = true;
                progress.note(&no_manager(self.folder));
            }
            if let Some(phase) = self.root.now().filter(|now| at.as_ref().is_none_or(|(at, _)| at != now)) {
                at = self.claimer(&phase).map(|claimer| (phase, claimer));
            }
            let next = match &mut at {
                Some((_, claimer)) => claimer.next(),
                None => Ok(NextClaim::Finished),
            };
            let next = match next {
                Err(error) if error.kind() == io::ErrorKind::NotFound => NextClaim::Finished,
                next => next.map_err(|error| self.unreadable(error))?,
            };
            match (next, &mut at) {
                (NextClaim::Wait, _) => {}
                (NextClaim::Finished, _) => {
                    if self.root.is_over() || manager.is_gone(&self.root) {
                        return Ok(());
                    }
                }
                (next, Some((phase, claimer))) => {
                    let phase = phase.clone();
                    if !self.take(&phase, claimer, next, progress)? {
                        break;
                    }
                    pause = PAUSES[0];
                    continue;
                }
                (_, None) => {}
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(PAUSES[1]);
        }
        self.summary.stopped = true;
        Ok(())
    }

    fn claimer(&self, phase: &PhaseFolder) -> Option<Claimer> {
        Some(Claimer::new(phase.clone(), &phase.cut(None)?, &self.summary.name, self.rules))
    }

    fn is_stopped(&self) -> bool {
        self.settings.stop.load(Ordering::Relaxed)
    }

    /// Carries out what was claimed; says whether it came to its end.
    fn take(
        &mut self,
        phase: &PhaseFolder,
        claimer: &mut Claimer,
        next: NextClaim,
        progress: &mut dyn Progress,
    ) -> Result<bool, EngineError> {
        match next {
            NextClaim::Compute { number, attempt, lines, care } => {
                if phase.result(number).exists() {
                    claimer.note_done(number);
                    return attempt.release().map(|()| true).map_err(|error| self.unreadable(error));
                }
                let pulse = Arc::new(AttemptLines::new(attempt, care.keeps_each));
                self.pulse.set(Some(Arc::clone(&pulse)));
                let done = self.compute(phase, number, (&pulse, parsed(&lines)), &care, progress);
                self.pulse.set(None);
                if !matches!(done, Ok(true)) {
                    pulse.release();
                }
                if matches!(done, Ok(true)) {
                    claimer.note_done(number);
                }
                done
            }
            NextClaim::GiveUp { number, lines, reason } => {
                let bucket = self.reader.read(phase, number)?;
                let message = self.killed_words(&reason);
                let rows = bucket.given_up(parsed(&lines), &message)?;
                let cost = BucketCost { worker: self.summary.name.clone(), ..BucketCost::default() };
                self.leave(phase, number, &BucketResult { rows, cost })?;
                claimer.note_done(number);
                self.summary.given_up += 1;
                Ok(true)
            }
            NextClaim::Wait | NextClaim::Finished => Ok(true),
        }
    }

    fn compute(
        &mut self,
        phase: &PhaseFolder,
        number: usize,
        (lines, mut earlier): (&Arc<AttemptLines>, Vec<JournalLine>),
        care: &ClaimCare,
        progress: &mut dyn Progress,
    ) -> Result<bool, EngineError> {
        let bucket: BucketInput = self.reader.read(phase, number)?;
        if let Some((row, reason)) = &care.fails {
            let mut sink = Arc::clone(lines);
            let failed = bucket.failed_row(*row, &earlier, &self.killed_words(reason));
            failed.iter().try_for_each(|line| sink.write(line))?;
            earlier.extend(failed);
        }
        let result = if care.one_by_one && bucket.makes == BucketMakes::Rows {
            self.row_by_row(&bucket, (lines, earlier), progress)?
        } else {
            self.execute(&bucket, (lines, earlier), progress)?
        };
        if !result.rows.complete {
            return Ok(false);
        }
        self.leave(phase, number, &result)?;
        self.summary.buckets += 1;
        self.summary.instances += bucket.instances();
        self.summary.seconds += result.cost.seconds;
        Ok(true)
    }

    fn execute(
        &self,
        bucket: &BucketInput,
        (lines, earlier): (&Arc<AttemptLines>, Vec<JournalLine>),
        progress: &mut dyn Progress,
    ) -> Result<BucketResult, EngineError> {
        let mut sink = Arc::clone(lines);
        let aids = BucketAids {
            worker: self.summary.name.clone(),
            products: self.products.as_ref(),
            earlier,
            lines: Some(&mut sink),
            scratch: Some(self.scratch()),
        };
        let work = BucketWork { study: self.study, settings: self.settings, folder: self.folder, aids };
        work.execute(bucket, progress)
    }

    /// The rows of a bucket one after the other: the file of the attempt says which one ends its worker.
    fn row_by_row(
        &self,
        bucket: &BucketInput,
        (lines, mut earlier): (&Arc<AttemptLines>, Vec<JournalLine>),
        progress: &mut dyn Progress,
    ) -> Result<BucketResult, EngineError> {
        let mut cost = BucketCost { worker: self.summary.name.clone(), ..BucketCost::default() };
        for row in &bucket.rows {
            let Some(only) = bucket.only(row, &earlier).filter(|_| !self.is_stopped()) else { continue };
            lines.try_row(row.row).map_err(|error| self.unreadable(error))?;
            let result = self.execute(&only, (lines, earlier.clone()), progress)?;
            earlier.extend(result.rows.parsed()?);
            cost.add(result.cost);
        }
        Ok(BucketResult { rows: bucket.results(earlier)?, cost })
    }

    fn killed_words(&self, reason: &str) -> String {
        let times = self.rules.strikes;
        format!("its worker ended {times} times while it computed this row (the last time: {reason})")
    }

    fn leave(&self, phase: &PhaseFolder, number: usize, result: &BucketResult) -> Result<(), EngineError> {
        phase.write(&phase.result(number), result.to_json()?.as_bytes())
    }

    /// Its own folder for results that memory has no room for.
    fn scratch(&self) -> PathBuf {
        self.root.path().join("scratch").join(&self.summary.name)
    }

    fn unreadable(&self, error: io::Error) -> EngineError {
        EngineError::Write { path: self.root.path().to_path_buf(), error }
    }
}

impl ManagerSeen {
    /// Whether nothing was seen of it for long. The file is not looked at for every bucket.
    fn is_gone(&mut self, root: &WorkRoot) -> bool {
        if self.looked.is_none_or(|looked| looked.elapsed() >= SIGN / 2) {
            let now = Instant::now();
            self.looked = Some(now);
            let looks = root.manager();
            if looks != self.looks {
                (self.looks, self.since) = (looks, now);
            }
        }
        self.since.elapsed() > ORPHANED
    }
}

fn parsed(lines: &[String]) -> Vec<JournalLine> {
    lines.iter().filter_map(|line| JournalLine::parse(line)).collect()
}

/// A name from the host, the process and the time.
fn made_up_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String = host.trim().chars().filter(char::is_ascii_alphanumeric).take(20).collect();
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    format!("{}-{}-{:x}", if host.is_empty() { "host" } else { &host }, std::process::id(), since)
}

fn no_manager(folder: &RunFolder) -> String {
    format!(
        "note: no sign of a manager in {} for {} s: it has ended, or this folder is not the one that it writes to. Results \
         stay here until the same onceflow run is given again",
        folder.path().display(),
        ORPHANED.as_secs()
    )
}

fn changed(folder: &RunFolder) -> Diagnostic {
    Diagnostic::error(format!("the run in {} is of another form of this study", folder.path().display()))
        .expected_found(
            "the study, workflow and images with which the run was started",
            "one of them changed since",
        )
        .with_hint("give onceflow run again, which hands out the buckets of the study as it is now")
}

fn nothing_now(folder: &RunFolder) -> Diagnostic {
    Diagnostic::error(format!("{} has no buckets now", folder.path().display()))
        .expected_found("a phase that is being computed", "none")
        .with_hint("onceflow work without --bucket waits for the next phase")
}

fn no_bucket(number: usize, count: usize) -> Diagnostic {
    Diagnostic::error(format!("there is no bucket {number}"))
        .expected_found(format!("a number below {count}"), number.to_string())
        .with_hint("buckets are numbered from 0 in each phase")
}
