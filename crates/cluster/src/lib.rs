//! Many machines: the manager that hands out buckets, machine files, and the simulated executor.
//!
//! A [`Machine`] describes nodes and the links between them, a [`Manager`] hands out buckets of work to nodes on demand,
//! and [`simulate`] carries out a plan on such a machine in virtual time. Every simulated node has the
//! [`Scheduler`](onceflow_runtime::Scheduler) of real runs.

mod machine;
mod manager;
mod simulation;

pub use machine::{Machine, Network, NodeKind, SharedFiles};
pub use manager::{Bucket, BucketId, Directive, Manager, Notice};
pub use simulation::{
    Chance, NodeFigures, Simulated, SimulatedTask, Simulation, SimulationError, Transfers, simulate,
};
