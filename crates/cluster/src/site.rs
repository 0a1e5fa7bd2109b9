//! Batch systems: what their commands are given, and what their answers mean. Nothing is run here.
//!
//! Workers are the tasks of array jobs. Each takes buckets from the folder of the run until none is left, so that a job that
//! never starts, or ends too early, costs time and no result.

mod pbs;
mod profile;
mod slurm;
mod workflow;

use std::collections::BTreeMap;

pub use pbs::Pbs;
pub use profile::{SiteProfile, SiteProfileError};
pub use slurm::Slurm;
pub use workflow::{
    AgainReason, JobChange, JobRecord, JobReport, JobReports, JobScript, JobStage, JobSystem,
    LoadAnswerError, NextJob, PlannedJob, QueueLoad, QueuedJob, RunningJob, WorkflowProgress, job_system,
};

/// An array job whose tasks are workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayJob {
    /// The name that lists of jobs show.
    pub name: String,
    /// How many workers.
    pub workers: usize,
    /// Processors of each.
    pub cores: usize,
    /// Bytes of memory of each.
    pub memory: u64,
    /// The command of a worker but its name, as a shell takes it.
    pub command: String,
    /// The folder in which each worker begins.
    pub folder: String,
    /// Where its output goes; the batch system fills in the numbers.
    pub logs: String,
}

/// What has become of a task of an array job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// It waits for a node.
    Waiting,
    /// It runs.
    Running,
    /// It ended well.
    Done,
    /// It ended with an error that its worker may be the reason of.
    Failed(String),
    /// It was ended for a reason that lies outside: a node failed, it was preempted, cancelled, or out of time.
    Ended(String),
}

/// The states of tasks by job and number in its array.
pub type TaskStates = BTreeMap<(String, usize), TaskState>;

/// Why an answer of a batch system is of no use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found `{found}`")]
pub struct SiteAnswerError {
    /// What was expected.
    pub expected: &'static str,
    /// The first line of what was found.
    pub found: String,
}

/// A batch system.
pub trait BatchSystem {
    /// Its word on the command line.
    fn word(&self) -> &'static str;

    /// How many tasks an array has that is to have so many workers: no more than the site allows. The others are another
    /// array.
    fn tasks(&self, workers: usize, profile: &SiteProfile) -> usize;

    /// The script of an array job with as many tasks as [`BatchSystem::tasks`] says.
    fn script(&self, job: &ArrayJob, profile: &SiteProfile) -> String;

    /// The command that submits a script.
    fn submit(&self, script: &str) -> Vec<String>;

    /// The number of the job that was submitted.
    ///
    /// # Errors
    /// When the answer has none.
    fn submitted(&self, answer: &str) -> Result<String, SiteAnswerError>;

    /// The command that lists all tasks of jobs that are not over.
    fn list(&self, jobs: &[String]) -> Vec<String>;

    /// The states in the answer of the list; lines that mean nothing are left out.
    ///
    /// # Errors
    /// When no line of an answer that is not empty means anything.
    fn listed(&self, answer: &str) -> Result<TaskStates, SiteAnswerError>;

    /// Whether a list that ended with an error complains of jobs alone that are over or forgotten: what it listed beside
    /// that is true.
    fn complains_of_past_jobs(&self, complaint: &str) -> bool;

    /// The command that says how tasks ended.
    fn history(&self, jobs: &[String]) -> Vec<String>;

    /// The states in its answer; nothing where the site keeps no history.
    fn remembered(&self, answer: &str) -> TaskStates;

    /// The command that cancels jobs.
    fn cancel(&self, jobs: &[String]) -> Vec<String>;

    /// The name of the worker that is a task of a job.
    fn owner(&self, job: &str, task: usize) -> String {
        format!("{}-{job}-{task}", self.word())
    }
}

/// The batch system of a word on the command line.
pub fn batch_system(word: &str) -> Option<Box<dyn BatchSystem + Send>> {
    match word {
        "slurm" => Some(Box::new(Slurm)),
        "pbs" => Some(Box::new(Pbs)),
        _ => None,
    }
}

fn no_answer(expected: &'static str, answer: &str) -> SiteAnswerError {
    let first = answer.lines().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    SiteAnswerError { expected, found: first.chars().take(200).collect() }
}

/// The lines of an answer as states, or an error where none of them is one.
fn states_of(
    answer: &str,
    expected: &'static str,
    state: impl Fn(&str) -> Option<((String, usize), TaskState)>,
) -> Result<TaskStates, SiteAnswerError> {
    let lines = || answer.lines().filter(|line| !line.trim().is_empty());
    let states: TaskStates = lines().filter_map(&state).collect();
    if states.is_empty() && lines().next().is_some() {
        return Err(no_answer(expected, answer));
    }
    Ok(states)
}

/// Whether each line of a complaint has one of these texts, and there is one.
fn all_lines_have(complaint: &str, texts: &[&str]) -> bool {
    let mut lines = complaint.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|line| texts.iter().any(|text| line.contains(text)))
}

/// Lines of the profile that every job begins with.
fn beginning(profile: &SiteProfile) -> String {
    let modules = profile.modules.iter().map(|module| format!("module load {module}"));
    modules.chain(profile.prologue.iter().cloned()).map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests;
