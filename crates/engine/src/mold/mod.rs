//! Moldable workflows on batch clusters: files in, estimates, schedules and plans out, each as text, JSON and pictures.

mod chart;
mod estimate;
mod load;
mod optimize;
mod performance;
mod simulate;
mod submit;
mod workflow;

pub use estimate::{EstimateRequest, mold_estimate};
pub use optimize::{OptimizeGoal, OptimizeRequest, mold_optimize};
pub use performance::PerformanceSource;
pub use simulate::{ClusterLoad, SimulateRequest, SimulatedRule, mold_simulate};
pub use submit::{FollowRequest, RemoteSite, SubmitRequest, mold_follow, mold_submit};
pub use workflow::{WorkflowKind, WorkflowRequest, mold_workflow};

/// What a verb of `mold` answers.
#[derive(Clone, Debug, PartialEq)]
pub struct MoldAnswer {
    /// For programs.
    pub json: serde_json::Value,
    /// For people.
    pub text: String,
    /// The Gantt chart of a schedule.
    pub svg: Option<String>,
    /// A page that needs no other file.
    pub html: Option<String>,
}
