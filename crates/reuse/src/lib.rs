//! Rows become a task graph in which equal work stands once.
//!
//! This crate decides what is equal; it executes nothing and touches no pixels. A [`Flow`] is a workflow's tasks in an
//! order that can be run, [`Rows`] are the parameter sets, and [`plan`] gives each (row, task) the [`Node`] that serves
//! it. A [`Level`] is nothing but a choice of what makes two tasks one.

mod account;
mod comparison;
mod content;
mod explain;
mod flow;
mod grain;
mod key;
mod level;
pub mod merge;
mod merger;
pub mod order;
mod plan;
mod rows;
mod rules;
mod sorting;

pub use account::{Account, Multiplicity, Served, TaskAccount, Weighed};
pub use comparison::{Comparison, LevelFigures};
pub use content::Content;
pub use explain::{Difference, Nearest, Why};
pub use flow::{
    Flow, FlowError, FlowRegion, FlowStage, FlowTask, FusedInput, FusedStep, Input, Made, REFERENCE_SUFFIX,
    Read, ReadFrom,
};
pub use grain::{Chosen, Grain, GrainChange, GrainTask, Granularity, Prices, grain};
pub use key::{Digest32, Key, Keys};
pub use level::Level;
pub use merger::{Merger, Met};
pub use plan::{Broken, Given, Instances, MergedStage, Node, NodeId, NodeInput, Plan, PlanError, plan};
pub use rows::{Rows, RowsError};
pub use rules::RuleReport;
