//! What a batch system is told of one job of a workflow, and what its answers say.

use std::collections::BTreeMap;

use crate::site::{SiteAnswerError, SiteProfile, beginning};

use super::load::{LoadAnswerError, QueueLoad};
use super::{pbs, slurm};

/// All that the script of a job says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobScript {
    /// The name in lists of jobs, which no other attempt of any job has.
    pub name: String,
    /// The task.
    pub task: String,
    /// Nodes, as a whole.
    pub nodes: u64,
    /// Seconds that it may take.
    pub limit: u64,
    /// Numbers of the jobs that must end well before.
    pub after: Vec<String>,
    /// The line that a shell carries out.
    pub command: String,
    /// The folder of the workflow, as nodes see it.
    pub folder: String,
    /// What the names of its files begin with, within that folder.
    pub files: String,
}

/// What a batch system says of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobReport {
    /// It waits.
    Waiting,
    /// It runs.
    Running,
    /// It ended well.
    Done,
    /// Its command failed.
    Failed(String),
    /// It was ended at its limit.
    TimedOut,
    /// It was ended since its node failed or was needed for something else.
    Lost(String),
    /// A user cancelled it, or the batch system did, since a job before it failed.
    Cancelled(String),
}

/// Reports by the numbers of jobs.
pub type JobReports = BTreeMap<String, JobReport>;

/// What a job wrote down of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobRecord {
    /// The exit code of its command, once it is over.
    pub ended: Option<i32>,
    /// Whether it began longer ago than its limit.
    pub is_overdue: bool,
}

/// Jobs that wait for each other in a batch system.
pub trait JobSystem {
    /// Its word on the command line.
    fn word(&self) -> &'static str;

    /// The commands that must be there.
    fn commands(&self) -> &'static [&'static str];

    /// The lines of options of a script, each with its mark.
    fn options(&self, job: &JobScript, profile: &SiteProfile) -> Vec<String>;

    /// The command that submits a script.
    fn submit(&self, script: &str) -> Vec<String>;

    /// The number of the job that was submitted.
    ///
    /// # Errors
    /// When the answer has none.
    fn submitted(&self, answer: &str) -> Result<String, SiteAnswerError>;

    /// The command that lists jobs by their numbers.
    fn list(&self, numbers: &[String]) -> Vec<String>;

    /// The reports in its answer; lines that mean nothing are left out.
    ///
    /// # Errors
    /// When no line of an answer that is not empty means anything.
    fn listed(&self, answer: &str) -> Result<JobReports, SiteAnswerError>;

    /// The command that says how jobs ended that the list no longer has.
    fn history(&self, numbers: &[String]) -> Vec<String>;

    /// The command that finds a job by its name.
    fn find(&self, name: &str) -> Vec<String>;

    /// The number of the job in its answer, if there is one.
    fn found(&self, answer: &str) -> Option<String>;

    /// The command that cancels jobs.
    fn cancel(&self, numbers: &[String]) -> Vec<String>;

    /// The command that lists the jobs of everybody.
    fn load(&self) -> Vec<String>;

    /// The load in its answer.
    ///
    /// # Errors
    /// At the first line that is no job.
    fn loaded(&self, answer: &str) -> Result<QueueLoad, LoadAnswerError>;

    /// The script of a job: it writes down when it begins and how its command ends.
    fn script(&self, job: &JobScript, profile: &SiteProfile) -> String {
        let options: String = self.options(job, profile).iter().map(|line| format!("{line}\n")).collect();
        let (beginning, files) = (beginning(profile), &job.files);
        let (folder, task) = (quoted(&job.folder), quoted(&job.task));
        format!(
            "#!/bin/sh\n{options}\ncd {folder} || exit 3\nexport ONCEFLOW_TASK={task} ONCEFLOW_NODES={}\n\
             PATH={folder}/programs:$PATH\n{beginning}date +%s.%N > {files}.start\n(\n{}\n)\ncode=$?\n\
             echo \"$code $(date +%s.%N)\" > {files}.end.part && mv {files}.end.part {files}.end\nexit $code\n",
            job.nodes, job.command,
        )
    }
}

/// The batch system of a word on the command line.
pub fn job_system(word: &str) -> Option<Box<dyn JobSystem>> {
    match word {
        "slurm" => Some(Box::new(slurm::SlurmJobs)),
        "pbs" => Some(Box::new(pbs::PbsJobs)),
        _ => None,
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
