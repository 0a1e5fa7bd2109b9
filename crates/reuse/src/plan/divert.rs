//! What a row needs instead when stages of it ended early.

use std::collections::HashMap;

use super::rekey::{EndedStages, Keyring, Rekeyed, Resolved};
use super::{Node, NodeId, NodeInput, Plan};
use crate::{FlowInput, Level};

impl Plan {
    /// The nodes a row needs instead, when these stages ended early for it and these for the reference row: one for
    /// every task of a stage that did not end which depends on a region of a stage that did.
    ///
    /// Such a region is [`NodeInput::Empty`]. Equal ones are one node under the plan's level; asking again gives the
    /// same nodes.
    pub fn divert(&mut self, row: usize, ended: &[usize], reference_ended: &[usize]) -> Vec<(usize, NodeId)> {
        let ends = EndedStages::new(row, ended, reference_ended);
        if let Some(done) = self.diverted.done.get(&ends) {
            return done.clone();
        }
        let mut keys = std::mem::take(&mut self.diverted.keys);
        let rekeyed = self.rekey(&self.table, &mut keys, &ends);
        self.diverted.keys = keys;
        if let Some(of_reference) = &rekeyed.of_reference {
            // Nodes of the reference row come first: others take from them.
            self.add_nodes(of_reference);
        }
        let moved = self.add_nodes(&rekeyed);
        for (_, node) in &moved {
            self.diverted.origin.entry((row, *node)).or_insert_with(|| ends.clone());
        }
        self.diverted.done.insert(ends, moved.clone());
        moved
    }

    /// The stages that had ended when a row was given a diverted node.
    pub(super) fn origin(&self, row: usize, node: NodeId) -> Option<&EndedStages> {
        self.diverted.origin.get(&(row, node))
    }

    /// Adds the nodes of the tasks that moved, unless they are there; those of stages that ended are not needed.
    fn add_nodes(&mut self, rekeyed: &Rekeyed) -> Vec<(usize, NodeId)> {
        let mut added = Vec::new();
        for task in (0..self.flow.tasks.len()).filter(|task| rekeyed.moved[*task]) {
            if rekeyed.ends.own.contains(&self.flow.tasks[task].stage) {
                continue;
            }
            let known = self.diverted.nodes.get(&rekeyed.ids[task]).copied();
            let node = known.unwrap_or_else(|| self.add_node(rekeyed, task));
            added.push((task, node));
        }
        added
    }

    fn add_node(&mut self, rekeyed: &Rekeyed, task: usize) -> NodeId {
        let value = &self.flow.tasks[task];
        let input = |input: &FlowInput| match self.resolved(rekeyed, task, *input) {
            Resolved::Source(source) => NodeInput::Source(source),
            Resolved::Empty(kind) => NodeInput::Empty { kind },
            Resolved::Made(id, output) => {
                let node = self.diverted.nodes.get(&id).copied().unwrap_or(NodeId(id));
                NodeInput::Node { node, output }
            }
        };
        let node = Node {
            task,
            row: rekeyed.ends.row as u32,
            parameters: self.reads.values(value, task, rekeyed.ends.row),
            inputs: value.inputs.iter().map(input).collect(),
        };
        let id = NodeId(self.node_count() as u32);
        self.diverted.added.push(node);
        self.diverted.nodes.insert(rekeyed.ids[task], id);
        id
    }
}

/// What has been diverted so far.
#[derive(Clone, Debug)]
pub(super) struct Diverted {
    keys: Keyring,
    /// The nodes that were added, numbered after the planned ones.
    pub(super) added: Vec<Node>,
    /// The node of a key, for keys that are not planned ones.
    nodes: HashMap<u32, NodeId>,
    done: HashMap<EndedStages, Vec<(usize, NodeId)>>,
    origin: HashMap<(usize, NodeId), EndedStages>,
}

impl Diverted {
    pub(super) fn new(level: Level) -> Self {
        Self {
            keys: Keyring::new(level),
            added: Vec::new(),
            nodes: HashMap::new(),
            done: HashMap::new(),
            origin: HashMap::new(),
        }
    }
}
