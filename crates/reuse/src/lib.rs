//! Rows become a task graph in which equal work stands once.
//!
//! This crate decides what is equal; it executes nothing and touches no pixels. A [`Flow`] is a workflow's tasks in an
//! order that can be run, [`ParameterRows`] are the parameter sets, and [`plan`] gives each (row, task) the [`Node`] that serves
//! it. A [`Level`] is nothing but a choice of what makes two tasks one.

mod account;
pub mod attributes;
mod comparison;
mod content;
mod explain;
mod flow;
mod grain;
mod key;
mod level;
pub mod merge;
mod merger;
mod objects;
pub mod order;
mod plan;
mod rows;
mod rules;
mod sorting;

pub use account::{Account, Multiplicity, TaskAccount, Weighed};
pub use comparison::{LevelComparison, LevelFigures};
pub use content::{ContentDigest, source_word};
pub use explain::{Difference, Nearest, Why};
pub use flow::{
    Flow, FlowError, FlowInput, FlowRead, FlowRegion, FlowStage, FlowTask, FusedInput, FusedStep,
    REFERENCE_SUFFIX, ReadFrom, TaskOrigin,
};
pub use grain::{ChosenGrain, Grain, GrainChange, GrainTask, Granularity, Prices, grain};
pub use key::{Digest32, InputDigest, StaticKeys, TaskKey, content_key};
pub use level::Level;
pub use merger::{Merger, Met};
pub use objects::ObjectCounts;
pub use plan::{
    Broken, BucketsError, Instances, MergedStage, Node, NodeId, NodeInput, Plan, PlanError, TaskServed, plan,
};
pub use rows::{ParameterRows, RowsError};
pub use rules::RuleReport;
