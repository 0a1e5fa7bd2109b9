//! A batch system in virtual time: jobs on a cluster of equal nodes, started by the rule of a scheduler.
//!
//! Pure: a [`Workload`] and a [`BatchPolicy`] in, a [`Schedule`] out. Nodes are alike, and only their number counts.

mod changed;
mod graph;
mod layout;
mod policy;
mod profile;
mod read;
mod schedule;
mod slurm;
mod state;
mod swf;
mod tree;
mod workload;

pub use graph::{JobGraph, JobRequest};
pub use layout::{LaidOutJob, layout};
pub use policy::BatchPolicy;
pub use read::read_workload;
pub(crate) use read::workload_of;
pub use schedule::{JobEnd, JobOutcome, Schedule};
pub use slurm::{SlurmModel, simulate_slurm};
pub use swf::{SwfLog, parse_swf};
pub use workload::{BatchJob, RunningLoad, Workload, WorkloadError};

/// Simulates a workload under a policy.
///
/// ```
/// # use onceflow_cluster::batch::{BatchJob, BatchPolicy, Workload, simulate_batch};
/// let job = |id: &str, nodes, run| BatchJob { id: id.into(), nodes, run, limit: run, after: Vec::new(), submit: 0 };
/// let jobs = vec![job("first", 3, 10), job("wide", 4, 5), job("small", 1, 10)];
/// let workload = Workload::new(4, jobs).unwrap();
/// assert_eq!(simulate_batch(&workload, BatchPolicy::Fcfs).makespan, 25);
/// assert_eq!(simulate_batch(&workload, BatchPolicy::Easy).makespan, 15);
/// ```
pub fn simulate_batch(workload: &Workload, policy: BatchPolicy) -> Schedule {
    let graph = JobGraph::new(workload);
    let requests: Vec<JobRequest> = workload.jobs().iter().map(JobRequest::from).collect();
    graph.simulate(&requests, policy)
}
