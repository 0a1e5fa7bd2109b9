//! The manager of a run: buckets of each phase go into the folder of the run, and their results into the journal.

use std::sync::atomic::Ordering;
use std::time::Duration;

use onceflow_cluster::SplitRules;
use onceflow_report::Amounts;
use onceflow_study::{Method, Phase, counted};

use super::bucket_file;
use super::handed::HandedPhase;
use super::interim::{self, Interim};
use crate::plan::phase::PhaseRows;
use crate::resume::journal::{JournalLine, PastPhase, RowsIdentity, identity};
use crate::run::Runner;
use crate::run::bucket::{BucketPhase, PhaseToCut, SplitCost, plan_digest};
use crate::work::driver::WorkerDriver;
use crate::work::{CutFile, Heartbeat, PhaseFolder, SIGN, WorkJob, WorkRoot};
use crate::{EngineError, OpenStudy, Progress, RowOver, RunFolder, RunSettings, WorkersOn};

/// Hands out the buckets of a run.
pub(in crate::run) struct WorkManager {
    root: WorkRoot,
    driver: Box<dyn WorkerDriver>,
    rules: SplitRules,
    /// Says that it lives, whatever it is busy with.
    _heartbeat: Heartbeat,
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

impl WorkManager {
    /// The manager of a run in a folder, where the settings name workers.
    pub(in crate::run) fn begin(
        study: &OpenStudy,
        settings: &RunSettings,
        folder: &RunFolder,
        progress: &mut dyn Progress,
    ) -> Result<Option<Self>, EngineError> {
        let Some(on) = &settings.on else { return Ok(None) };
        note_tuning(study, settings, progress);
        folder.make()?;
        let root = WorkRoot::of(folder);
        let token = WorkJob::token_of(folder);
        root.begin()?;
        let signs = root.clone();
        // A sign that cannot be written now is written a moment later.
        let heartbeat = Heartbeat::start(SIGN, move || _ = signs.tell_of_manager());
        job(study, settings, on, &token).write(folder)?;
        let arguments = [on.arguments.clone(), vec!["--token".into(), token]].concat();
        let driver = WorkersOn { arguments, ..on.clone() }.driver(folder, settings.memory);
        let rules = SplitRules { workers: on.workers(), most: on.target, ..SplitRules::default() };
        Ok(Some(Self { root, driver, rules, _heartbeat: heartbeat }))
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
            interim::remove(self.root.path().parent().unwrap_or(self.root.path()));
        }
        Ok(())
    }
}

/// Says of phases that tune that workers do not compute them: each of their small batches follows from the one before.
fn note_tuning(study: &OpenStudy, settings: &RunSettings, progress: &mut dyn Progress) {
    for phase in &study.study.phases {
        if matches!(phase.design.method, Method::Tune(_)) {
            progress.note(&format!(
                "note: phase {} tunes: its rows are computed by this process with {}, not by workers",
                phase.name,
                counted(settings.workers, "thread")
            ));
        }
    }
}

/// What workers must know.
fn job(study: &OpenStudy, settings: &RunSettings, on: &WorkersOn, token: &str) -> WorkJob {
    WorkJob {
        version: WorkJob::VERSION,
        program: env!("CARGO_PKG_VERSION").into(),
        token: token.into(),
        study: study.origin().into(),
        identity: format!("{:?}", identity(study)),
        reuse: settings.level.word().into(),
        lease_s: on.lease,
    }
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
        let (first, asked_phase) = (self.table.rows.len(), phase);
        let (name, digest, with_reference) = (phase.name.clone(), rows.digest(rows.len()), first == 0);
        let phase = BucketPhase { name, rows: rows.len(), digest, first, with_reference };
        let plan = plan_digest(self.study, &phase);
        let folder = manager.root.phase(&plan);
        let known = folder.cut(Some(&plan));
        let mut handed =
            HandedPhase::new(folder, plan, known.clone().map_or_else(Vec::new, |cut| cut.buckets), past);
        self.tell_of_known(&mut handed, first, progress);
        self.take_results(&mut handed, first, progress)?;
        if known.is_none() || !handed.is_whole() {
            let lines = std::mem::take(&mut handed.past.lines);
            let asked = PhaseToCut { sampled, phase: &phase, lines: &lines, rules: &manager.rules };
            let cut = self.publish(&handed.folder, &handed.plan, &asked, progress);
            handed.past.lines = lines;
            let (cut, cost) = cut?;
            handed.cut(cut.buckets);
            self.notes.push(format!("Phase {} was computed in {}.", phase.name, cost.words()));
        }
        handed.begin_work();
        manager.root.go_on_with(&handed.folder)?;
        let most_failed = self.most_failed(rows.len() + usize::from(with_reference));
        let (mut draining, mut pause) = (false, LOOKS[0]);
        let mut interim = Interim::new();
        loop {
            let gained = self.take_results(&mut handed, first, progress)?;
            let lost = manager.driver.poll(handed.left, gained)?;
            lost.iter().for_each(|lost| handed.note_lost(lost, progress));
            manager.driver.trouble().into_iter().for_each(|words| progress.note(&words));
            progress.workers(manager.driver.running());
            if gained && handed.left > 0 {
                interim.tell(self, asked_phase, sampled, &handed);
            }
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
    ) -> Result<(CutFile, SplitCost), EngineError> {
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
        let cost =
            SplitCost { workers: asked.rules.workers, buckets: cut.buckets.len(), seconds: cut.seconds };
        progress.note(&cost.words());
        Ok((cut, cost))
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

    pub(super) fn tell_of_row(
        &self,
        (row, part): (usize, usize),
        (status, resumed): (&str, bool),
        progress: &mut dyn Progress,
    ) {
        let image = &self.study.inputs.images[self.study.inputs.parts[part].image].name;
        progress.row(&RowOver { row, image, part, status, resumed });
    }
}
