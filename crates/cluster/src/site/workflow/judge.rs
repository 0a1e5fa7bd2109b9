//! What the answers of a batch system and the records of jobs mean for a workflow.

use std::collections::BTreeMap;

use super::progress::{AgainReason, JobChange, JobStage, WorkflowProgress};
use super::system::{JobRecord, JobReport, JobReports};

/// A job that is killed at its limit is submitted again once, with this times the limit.
const LONGER: u64 = 2;
/// A job that is lost is submitted again so often.
const MOST_LOSSES: u32 = 3;
/// Answers in a row that are waited for records, and for jobs that a list does not have.
const PATIENCE: u32 = 3;

impl WorkflowProgress {
    /// What an answer of the batch system and the records of jobs mean: the steps, which are taken.
    pub fn observe(&mut self, reports: &JobReports, records: &BTreeMap<usize, JobRecord>) -> Vec<JobChange> {
        let mut changes = Vec::new();
        for job in 0..self.jobs.len() {
            let Some(number) = self.states[job].stage.number().map(str::to_owned) else { continue };
            let record = records.get(&job).copied().unwrap_or_default();
            let Some(change) = self.judged(job, reports.get(&number), record) else { continue };
            self.take(change, &mut changes);
        }
        changes
    }

    /// The next step of a job that has a number, if there is one.
    fn judged(&mut self, job: usize, report: Option<&JobReport>, record: JobRecord) -> Option<JobChange> {
        if record.ended == Some(0) {
            return Some(JobChange::Done(job));
        }
        if report == Some(&JobReport::TimedOut) {
            return Some(self.out_of_time(job));
        }
        if let Some(code) = record.ended {
            return Some(JobChange::Failed(job, format!("its command ended with exit code {code}")));
        }
        match report {
            Some(JobReport::Waiting) => self.fits(job),
            Some(JobReport::Running) => {
                self.states[job].odd_answers = 0;
                matches!(self.states[job].stage, JobStage::Queued(_)).then_some(JobChange::Running(job))
            }
            Some(JobReport::Lost(_)) => Some(self.lost(job)),
            // The batch system cancels what waits for a job that failed: that job is judged first.
            Some(JobReport::Cancelled(_)) if !self.may_start(job) => self.fits(job),
            Some(JobReport::Cancelled(why) | JobReport::Failed(why)) => {
                self.odd(job).then(|| JobChange::Failed(job, why.clone()))
            }
            Some(JobReport::Done) => self.odd(job).then(|| {
                let why = "the batch system says that it ended well, but its record is missing: do nodes see this folder?";
                JobChange::Failed(job, why.into())
            }),
            Some(JobReport::TimedOut) | None => self.odd(job).then(|| {
                if record.is_overdue { self.out_of_time(job) } else { self.lost(job) }
            }),
        }
    }

    fn fits(&mut self, job: usize) -> Option<JobChange> {
        self.states[job].odd_answers = 0;
        None
    }

    /// Counts an answer that may be too early or wrong; whether there were enough of them.
    fn odd(&mut self, job: usize) -> bool {
        self.states[job].odd_answers += 1;
        self.states[job].odd_answers >= PATIENCE
    }

    fn may_start(&self, job: usize) -> bool {
        self.jobs[job].after.iter().all(|before| self.states[*before].stage == JobStage::Done)
    }

    fn out_of_time(&self, job: usize) -> JobChange {
        let state = &self.states[job];
        if state.limits_reached > 0 {
            let why = format!("it reached its limit of {} s, which was a longer one already", state.limit);
            return JobChange::Failed(job, why);
        }
        JobChange::Again(job, state.limit.saturating_mul(LONGER), AgainReason::Limit)
    }

    fn lost(&self, job: usize) -> JobChange {
        let state = &self.states[job];
        if state.losses >= MOST_LOSSES {
            return JobChange::Failed(job, format!("it was lost {} times", state.losses + 1));
        }
        JobChange::Again(job, state.limit, AgainReason::Lost)
    }
}
