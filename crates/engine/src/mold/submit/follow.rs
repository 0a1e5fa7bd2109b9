//! A submission is followed to its end: lists of jobs are asked for, jobs are submitted again, and every step is written down
//! before the next one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use onceflow_cluster::{
    AgainReason, JobChange, JobRecord, JobReports, JobStage, JobSystem, SiteProfile, WorkflowProgress,
};

use super::folder::SubmittedPlan;
use super::journal::SubmitJournal;
use super::plan::now;
use super::record::AttemptTimes;
use super::score::{collect, score};
use super::site_shell::SiteShell;
use crate::mold::MoldAnswer;
use crate::{EngineError, StopFlag};

/// How a submission is followed.
#[derive(Clone, Debug)]
pub struct FollowRequest {
    /// The folder of the submission.
    pub folder: PathBuf,
    /// Between two questions to the batch system.
    pub poll: Duration,
    /// Whether its jobs are cancelled.
    pub cancel: bool,
    /// A table of measurements to which those of the workflow are added.
    pub collect: Option<PathBuf>,
    /// Set when the follower is to end; jobs stay where they are.
    pub stop: StopFlag,
}

/// Follows a submission to its end; whether all of its tasks ended well. `say` gets a line for each step.
///
/// # Errors
/// When the folder has no submission, or the batch system takes no more jobs; the same call goes on from there.
pub fn mold_follow(request: &FollowRequest, say: &dyn Fn(&str)) -> Result<(MoldAnswer, bool), EngineError> {
    let mut follower = Follower::open(&request.folder)?;
    if request.cancel {
        follower.cancel(say)?;
    }
    while !follower.progress.is_over() {
        follower.submit(say)?;
        follower.look(say)?;
        if follower.progress.is_over() || !follower.waits(request) {
            break;
        }
    }
    if !follower.progress.is_over() {
        say(&format!(
            "jobs stay in the queue; go on with: onceflow mold follow {}",
            request.folder.display()
        ));
        return Err(EngineError::Stopped);
    }
    let is_done = follower.progress.is_done();
    let answer = score(&follower.plan, &follower.progress, &request.folder)?;
    collect(&follower.plan, &follower.progress, &request.folder, request.collect.as_deref())?;
    Ok((answer, is_done))
}

/// One who follows a submission.
pub(super) struct Follower {
    pub(super) folder: PathBuf,
    pub(super) plan: SubmittedPlan,
    pub(super) profile: SiteProfile,
    pub(super) system: Box<dyn JobSystem>,
    pub(super) shell: SiteShell,
    pub(super) progress: WorkflowProgress,
    pub(super) journal: SubmitJournal,
    /// Answers in a row that meant nothing.
    silent: u32,
}

/// Jobs of a user in a queue at once, where the site does not say it.
const MOST_JOBS: usize = 1000;

impl Follower {
    /// Goes on where the journal ends.
    pub(super) fn open(folder: &Path) -> Result<Self, EngineError> {
        let plan = SubmittedPlan::read(folder)?;
        let (system, profile) = (plan.batch_system(folder)?, plan.profile(folder)?);
        let (journal, changes) = SubmitJournal::open(folder)?;
        let mut progress = WorkflowProgress::new(plan.jobs(), profile.most_tasks.unwrap_or(MOST_JOBS));
        changes.iter().for_each(|change| progress.apply(change));
        let shell = plan.shell(folder);
        if !progress.is_over() {
            shell.check(system.as_ref())?;
        }
        Ok(Self { folder: folder.into(), plan, profile, system, shell, progress, journal, silent: 0 })
    }

    pub(super) fn in_queue(&self) -> usize {
        self.progress.numbers().len()
    }

    /// Asks once, and takes what follows from the answer.
    fn look(&mut self, say: &dyn Fn(&str)) -> Result<(), EngineError> {
        let numbers = self.progress.numbers();
        if numbers.is_empty() {
            return Ok(());
        }
        let fetched = self.shell.fetch().map_err(|error| error.to_string());
        let answered = fetched.and_then(|()| self.reports(&numbers));
        let (reports, records) = match answered {
            Ok(reports) => (reports, self.records()),
            Err(why) => {
                self.silent += 1;
                if self.silent == 3 {
                    say(&format!("note: {} gives no answer that means anything: {why}", self.system.word()));
                }
                return Ok(());
            }
        };
        self.silent = 0;
        let changes = self.progress.observe(&reports, &records);
        for change in &changes {
            self.journal.write(change)?;
            self.tell(change, say);
        }
        self.cancel_unwanted();
        Ok(())
    }

    /// The reports of the list, and of the history for jobs that it does not have.
    fn reports(&self, numbers: &[String]) -> Result<JobReports, String> {
        let said = self.shell.hear(&self.system.list(numbers)).map_err(|error| error.to_string())?;
        let mut reports = self.system.listed(&said).map_err(|error| error.to_string())?;
        let missing: Vec<String> =
            numbers.iter().filter(|number| !reports.contains_key(*number)).cloned().collect();
        if !missing.is_empty() {
            let told = self.shell.hear(&self.system.history(&missing)).ok();
            let told = told.and_then(|text| self.system.listed(&text).ok()).unwrap_or_default();
            reports.extend(told.into_iter().filter(|(number, _)| missing.contains(number)));
        }
        Ok(reports)
    }

    fn records(&self) -> BTreeMap<usize, JobRecord> {
        let now = now();
        let in_queue =
            (0..self.progress.jobs().len()).filter(|job| self.progress.stage(*job).number().is_some());
        let record = |job: usize| {
            let times = AttemptTimes::read(&self.folder, job, self.progress.attempt(job));
            (job, times.record(self.progress.limit(job), now))
        };
        in_queue.map(record).collect()
    }

    fn cancel(&mut self, say: &dyn Fn(&str)) -> Result<(), EngineError> {
        for job in self.progress.sent() {
            self.settle(job)?;
        }
        for change in self.progress.cancel() {
            self.journal.write(&change)?;
            self.tell(&change, say);
        }
        self.cancel_unwanted();
        Ok(())
    }

    /// A job that is over already cannot be cancelled: what the command says does not matter.
    fn cancel_unwanted(&mut self) {
        let unwanted = self.progress.take_unwanted();
        if !unwanted.is_empty() {
            let _over = self.shell.hear(&self.system.cancel(&unwanted));
        }
    }

    /// Waits for the next question; whether there is to be one.
    fn waits(&self, request: &FollowRequest) -> bool {
        const TICK: Duration = Duration::from_millis(50);
        let mut left = request.poll;
        while !request.stop.load(Ordering::Relaxed) && !left.is_zero() {
            std::thread::sleep(left.min(TICK));
            left = left.saturating_sub(TICK);
        }
        !request.stop.load(Ordering::Relaxed)
    }

    pub(super) fn step(&mut self, change: JobChange, say: &dyn Fn(&str)) -> Result<(), EngineError> {
        self.journal.write(&change)?;
        self.progress.apply(&change);
        self.tell(&change, say);
        Ok(())
    }

    fn tell(&self, change: &JobChange, say: &dyn Fn(&str)) {
        let task = |job: usize| self.plan.tasks[job].id.as_str();
        let number = |job: usize| self.progress.stage(job).number().unwrap_or("?");
        match change {
            JobChange::Sent(_) => {}
            JobChange::Queued(job, number) => say(&format!("{}: submitted as {number}", task(*job))),
            JobChange::Running(job) => say(&format!("{}: runs as {}", task(*job), number(*job))),
            JobChange::Done(job) => say(&format!("{}: ended well", task(*job))),
            JobChange::Failed(job, why) => say(&format!("{}: failed: {why}", task(*job))),
            JobChange::Skipped(job, failed) => {
                say(&format!("{}: never starts, since {} failed", task(*job), task(*failed)));
            }
            JobChange::Again(job, limit, reason) => {
                let why = match reason {
                    AgainReason::Limit => "it reached its limit",
                    AgainReason::Lost => "it was lost",
                    AgainReason::Earlier => "one before it is",
                };
                say(&format!("{}: is submitted again with a limit of {limit} s, since {why}", task(*job)));
            }
        }
    }
}

/// The word of a stage, with what is known of it.
pub(super) fn stage_words(plan: &SubmittedPlan, stage: &JobStage) -> String {
    match stage {
        JobStage::Failed(why) => format!("failed: {why}"),
        JobStage::Skipped(failed) => format!("never started, since {} failed", plan.tasks[*failed].id),
        other => other.word().to_owned(),
    }
}
