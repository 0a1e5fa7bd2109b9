//! A submission is followed to its end: lists of jobs are asked for, jobs are submitted again, and every step is written down
//! before the next one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use onceflow_cluster::{
    AgainReason, JobChange, JobRecord, JobReports, JobScript, JobStage, JobSystem, NextJob, SiteProfile,
    WorkflowProgress,
};
use onceflow_study::Diagnostic;

use super::folder::SubmittedPlan;
use super::journal::SubmitJournal;
use super::plan::now;
use super::programs::check_copies;
use super::record::{AttemptTimes, files};
use super::score::{collect, score};
use super::site_shell::SiteShell;
use crate::mold::MoldAnswer;
use crate::{EngineError, StopFlag, write_whole};

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
    folder: PathBuf,
    plan: SubmittedPlan,
    profile: SiteProfile,
    system: Box<dyn JobSystem>,
    shell: SiteShell,
    progress: WorkflowProgress,
    journal: SubmitJournal,
    /// Answers in a row that meant nothing.
    silent: u32,
}

/// Jobs of a user in a queue at once, where the site does not say it.
const MOST_JOBS: usize = 1000;
/// Submissions that fail are tried again so often.
const SUBMISSIONS: u32 = 3;
/// Between them.
const BETWEEN: Duration = Duration::from_secs(1);

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

    /// Submits all that can be submitted.
    pub(super) fn submit(&mut self, say: &dyn Fn(&str)) -> Result<(), EngineError> {
        for job in self.progress.sent() {
            self.settle(job)?;
        }
        if self.progress.next().is_some() {
            check_copies(&self.plan.programs, &self.folder)?;
        }
        while let Some(next) = self.progress.next() {
            self.write_script(&next)?;
            // Scripts of a wave travel one by one: each needs the numbers of those before it.
            self.shell.send()?;
            self.step(JobChange::Sent(next.job), say)?;
            let number = self.given(&next)?;
            self.step(JobChange::Queued(next.job, number), say)?;
        }
        Ok(())
    }

    /// A job whose submission was cut short is found by its name, or submitted again under another.
    fn settle(&mut self, job: usize) -> Result<(), EngineError> {
        let change = match self.found(job, self.progress.attempt(job))? {
            Some(number) => JobChange::Queued(job, number),
            None => JobChange::Again(job, self.progress.limit(job), AgainReason::Earlier),
        };
        self.journal.write(&change)?;
        self.progress.apply(&change);
        Ok(())
    }

    fn found(&self, job: usize, attempt: u32) -> Result<Option<String>, EngineError> {
        let command = self.system.find(&job_name(&self.plan, job, attempt));
        let said = self.shell.patiently(|shell| shell.run(&command).map_err(|error| error.to_string()));
        said.map(|text| self.system.found(&text)).map_err(|found| self.cannot(&command, &found))
    }

    /// Gives a job to the batch system: its number. One that answers late or garbage may have it all the same.
    fn given(&self, next: &NextJob) -> Result<String, EngineError> {
        let script = format!("{}/{}.sh", self.shell.folder(), files(next.job, next.attempt));
        let command = self.system.submit(&script);
        let mut last = String::new();
        for _ in 0..SUBMISSIONS {
            let said = self.shell.run(&command).map_err(|error| error.to_string());
            match said.and_then(|text| self.system.submitted(&text).map_err(|error| error.to_string())) {
                Ok(number) => return Ok(number),
                Err(why) => last = why,
            }
            std::thread::sleep(BETWEEN);
            if let Some(number) = self.found(next.job, next.attempt)? {
                return Ok(number);
            }
        }
        Err(self.cannot(&command, &last))
    }

    fn cannot(&self, command: &[String], found: &str) -> EngineError {
        let message = Diagnostic::error(format!("{} does not take the jobs", self.system.word()));
        let go_on = format!("onceflow mold follow {}", self.folder.display());
        EngineError::environment(
            message
                .expected_found("the number of a job", found)
                .with_hint(format!("try it yourself: {}; then go on with: {go_on}", command.join(" "))),
        )
    }

    fn write_script(&self, next: &NextJob) -> Result<(), EngineError> {
        let job = job_script(&self.plan, &self.shell, next.job, next.attempt, next.limit, next.after.clone());
        let path = self.folder.join(format!("{}.sh", job.files));
        let text = self.system.script(&job, &self.profile);
        write_whole(&path, text.as_bytes()).map_err(|error| EngineError::Write { path, error })
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

    fn step(&mut self, change: JobChange, say: &dyn Fn(&str)) -> Result<(), EngineError> {
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

/// The name of an attempt, which no other has.
fn job_name(plan: &SubmittedPlan, job: usize, attempt: u32) -> String {
    format!("{}.{}.{attempt}", plan.name, job + 1)
}

/// The script of an attempt.
pub(super) fn job_script(
    plan: &SubmittedPlan,
    shell: &SiteShell,
    job: usize,
    attempt: u32,
    limit: u64,
    after: Vec<String>,
) -> JobScript {
    let task = &plan.tasks[job];
    JobScript {
        name: job_name(plan, job, attempt),
        task: task.id.clone(),
        nodes: task.nodes,
        limit,
        after,
        command: task.command.clone(),
        folder: shell.folder(),
        files: files(job, attempt),
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
