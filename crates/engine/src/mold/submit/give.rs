//! Jobs are given to the batch system, each once: an answer that was lost is looked for by the name of the job.

use std::time::Duration;

use onceflow_cluster::{AgainReason, JobChange, JobScript, NextJob};
use onceflow_study::Diagnostic;

use super::folder::SubmittedPlan;
use super::follow::Follower;
use super::programs::check_copies;
use super::record::files;
use super::site_shell::SiteShell;
use crate::{EngineError, write_whole};

/// Submissions that fail are tried again so often.
const SUBMISSIONS: u32 = 3;
/// Between them.
const BETWEEN: Duration = Duration::from_secs(1);

impl Follower {
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
    pub(super) fn settle(&mut self, job: usize) -> Result<(), EngineError> {
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
