//! The plan as the sites see it: what a node is, whom it serves, and what stands in when stages end.

use onceflow_reuse::{NodeId, NodeInput, Plan};

/// The plan, to which diversions add nodes.
pub(super) struct Diversions<'p> {
    pub(super) plan: &'p mut Plan,
}

impl Diversions<'_> {
    /// The task of a node.
    pub(super) fn task(&self, node: u32) -> usize {
        self.plan.task_of(NodeId(node))
    }

    /// The nodes it takes from, as often as it does.
    pub(super) fn inputs(&self, node: u32) -> impl Iterator<Item = u32> {
        let made =
            |input: NodeInput| if let NodeInput::Node { node, .. } = input { Some(node.0) } else { None };
        self.plan.inputs_of(NodeId(node)).filter_map(made)
    }

    /// The rows that a planned node was planned for.
    pub(super) fn planned_rows(&self, node: u32) -> &[u32] {
        self.plan.rows_of(NodeId(node))
    }

    /// Whether a status ends the stage of a task.
    pub(super) fn ends(&self, task: usize, status: &str) -> bool {
        self.plan.flow().tasks[task].ends.iter().any(|ends| ends == status)
    }

    /// What a row needs instead; no row stands for what others take from the reference row.
    pub(super) fn instead(
        &mut self,
        row: Option<usize>,
        ended: &[usize],
        reference_ended: &[usize],
    ) -> Vec<(usize, NodeId)> {
        if ended.is_empty() && reference_ended.is_empty() {
            return Vec::new();
        }
        let row = row.or(self.plan.reference()).unwrap_or_default();
        self.plan.divert(row, ended, reference_ended)
    }
}
