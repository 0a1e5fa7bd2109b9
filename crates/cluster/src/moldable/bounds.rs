//! What no plan can beat.

use super::workflow::MoldableWorkflow;

/// Bounds of the makespan of any plan on the empty cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowerBound {
    /// The longest path, each task as fast as it can be.
    pub critical_path: u64,
    /// The least node time of all tasks, over all nodes.
    pub area: f64,
}

impl LowerBound {
    /// The bounds of a workflow.
    pub fn of(workflow: &MoldableWorkflow) -> Self {
        let overhead = workflow.cluster().overhead();
        let mut ends: Vec<u64> = Vec::with_capacity(workflow.tasks().len());
        let mut area = 0u128;
        for (task, after) in workflow.tasks().iter().zip(workflow.after()) {
            let begin = after.iter().map(|before| ends[*before]).max().unwrap_or(0);
            let fastest = task.seconds.iter().map(|(_, seconds)| seconds + overhead).min().unwrap_or(0);
            let node_time =
                |(nodes, seconds): &(u64, u64)| u128::from(*nodes) * u128::from(seconds + overhead);
            area += task.seconds.iter().map(node_time).min().unwrap_or(0);
            ends.push(begin + fastest);
        }
        let critical_path = ends.into_iter().max().unwrap_or(0);
        Self { critical_path, area: area as f64 / workflow.cluster().nodes() as f64 }
    }

    /// The larger of the two.
    pub fn makespan(&self) -> f64 {
        self.area.max(self.critical_path as f64)
    }
}
