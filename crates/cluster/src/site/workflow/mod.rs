//! A planned workflow as jobs of a batch system that wait for each other: what is submitted next, and what the answers of the
//! system mean. Nothing is run here, and nothing knows the time.
//!
//! The record that a job writes itself is the truth; what the batch system says is a hint that may be late, lost or garbage.

mod judge;
mod load;
mod pbs;
mod progress;
mod slurm;
mod system;

pub use load::{LoadAnswerError, QueueLoad, QueuedJob, RunningJob};
pub use progress::{AgainReason, JobChange, JobStage, NextJob, PlannedJob, WorkflowProgress};
pub use system::{JobRecord, JobReport, JobReports, JobScript, JobSystem, job_system};

#[cfg(test)]
mod tests;
