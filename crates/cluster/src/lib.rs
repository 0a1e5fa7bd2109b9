//! Many machines: the manager that hands out buckets, machine files, the simulated executor, and batch systems.
//!
//! A [`Machine`] describes nodes and the links between them, a [`Manager`] hands out buckets of work to nodes on demand,
//! and [`simulate`] carries out a plan on such a machine in virtual time. Every simulated node has the
//! [`Scheduler`](onceflow_runtime::Scheduler) of real runs. [`batch`] simulates the queue of a batch cluster,
//! and [`moldable`] chooses numbers of nodes for the tasks of a workflow on it.

pub mod batch;
mod claim;
mod machine;
mod manager;
pub mod moldable;
mod simulation;
mod site;
mod split;

pub use claim::{
    AttemptEnd, ClaimAttempt, ClaimDecision, ClaimOrder, ClaimRules, ClaimedBucket, SimulatedClaims,
    SimulatedWorkers, simulate_claims,
};
pub use machine::{Machine, Network, NodeKind, SharedFiles};
pub use manager::{Bucket, BucketId, Directive, Manager, Notice};
pub use simulation::{
    Chance, NodeFigures, Simulated, SimulatedTask, Simulation, SimulationError, Transfers, simulate,
};
pub use site::{
    AgainReason, JobChange, JobRecord, JobReport, JobReports, JobScript, JobStage, JobSystem,
    LoadAnswerError, NextJob, PlannedJob, QueueLoad, QueuedJob, RunningJob, WorkflowProgress, job_system,
};
pub use site::{
    ArrayJob, BatchSystem, Pbs, SiteAnswerError, SiteProfile, SiteProfileError, Slurm, TaskState, TaskStates,
    batch_system,
};
pub use split::{SplitRules, SplitRuns};
