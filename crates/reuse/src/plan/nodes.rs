//! What a node is: read off the columns when it is asked for, so that a million rows take no memory per node.

use onceflow_study::Canonical;

use super::{Node, NodeId, NodeInput, Plan};
use crate::FlowInput;

impl Plan {
    /// The task of a node.
    pub fn task_of(&self, node: NodeId) -> usize {
        self.added(node).map_or_else(|| self.table.task(node.0), |added| added.task)
    }

    /// The first row that asks for a node.
    pub fn first_row(&self, node: NodeId) -> u32 {
        self.added(node)
            .map_or_else(|| self.rows_of(node).first().copied().unwrap_or_default(), |added| added.row)
    }

    /// What a node takes, in the order of [`crate::FlowTask::inputs`].
    pub fn inputs_of(&self, node: NodeId) -> impl Iterator<Item = NodeInput> {
        let added = self.added(node);
        let planned =
            if added.is_none() { self.flow.tasks[self.table.task(node.0)].inputs.as_slice() } else { &[] };
        let row = if added.is_none() { self.first_row(node) as usize } else { 0 };
        let resolved = planned.iter().map(move |input| self.resolve(row, *input));
        resolved.chain(added.into_iter().flat_map(|node| node.inputs.iter().copied()))
    }

    /// A node with all that is known of it.
    pub fn spelled(&self, node: NodeId) -> Node {
        if let Some(added) = self.added(node) {
            return added.clone();
        }
        let (task, row) = (self.task_of(node), self.first_row(node));
        let parameters = self.values(task, row as usize);
        Node { task, row, parameters, inputs: self.inputs_of(node).collect() }
    }

    /// What a task reads in a row.
    pub(crate) fn values(&self, task: usize, row: usize) -> Vec<Canonical> {
        self.reads.values(&self.flow.tasks[task], task, row)
    }

    /// The numbers of a task's planned nodes.
    pub(crate) fn numbers_of(&self, task: usize) -> std::ops::Range<u32> {
        let base = self.table.bases[task];
        base..base + self.table.classes[task].count
    }

    /// A node that [`Plan::divert`] added.
    fn added(&self, node: NodeId) -> Option<&Node> {
        node.0.checked_sub(self.table.total).map(|at| &self.diverted.added[at as usize])
    }

    /// Where a task of a row takes a region from.
    fn resolve(&self, row: usize, input: FlowInput) -> NodeInput {
        let made = |row, task, output| NodeInput::Node { node: self.node(row, task), output };
        match (input, self.reference) {
            (FlowInput::Source(source), _) => NodeInput::Source(source),
            (FlowInput::Task { task, output }, _) => made(row, task, output),
            (FlowInput::Reference { task, output }, Some(reference)) => made(reference, task, output),
            (FlowInput::Reference { task, output }, None) => {
                NodeInput::Source(self.flow.checked_reference_source(task, output))
            }
        }
    }
}
