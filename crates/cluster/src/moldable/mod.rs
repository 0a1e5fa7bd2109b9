//! Workflows of moldable tasks: how many nodes should each take on a batch cluster?
//!
//! A [`MoldableWorkflow`] has a table of durations for each task, a plan gives each task one of its numbers of nodes, and a
//! [`PlanEvaluator`] simulates it. [`best_by_search`], [`best_of_all`] and [`pareto_front`] look for good plans.

mod bounds;
mod commands;
mod evaluate;
mod exact;
mod explain;
mod front;
mod genetic;
mod goal;
mod heuristics;
mod random;
mod read;
mod space;
mod ultrasound;
mod vary;
mod wfcommons;
mod workflow;

pub use bounds::LowerBound;
pub use commands::{RegisteredProgram, TaskCommand, WorkflowCommands, read_commands};
pub use evaluate::{PlanEvaluator, PlanValue};
pub use exact::{BestOfAll, best_of_all, front_of_all};
pub use explain::explain;
pub use front::pareto_front;
pub use genetic::{SearchOptions, SearchResult, best_by_search};
pub use goal::PlanGoal;
pub use read::{TaskQuestion, read_moldable};
pub use ultrasound::{neurostimulation, photoacoustic};
pub use wfcommons::{TraceScaling, read_wfcommons};
pub use workflow::{Margin, MoldableTask, MoldableWorkflow, WorkflowError};
