//! Nodes that turn out to be equal to others: they are over when the others are, and hold the others' outputs.

use super::{NodeProgress, Site, SiteEffect, Standing, Surroundings};

impl Site {
    /// How far a node is.
    pub(in crate::scheduler) fn standing(&self, node: u32) -> Standing {
        let state = &self.nodes[node as usize];
        match state.progress {
            NodeProgress::Idle => Standing::Idle,
            NodeProgress::Queued | NodeProgress::Running => Standing::Open,
            NodeProgress::Done | NodeProgress::Ended if state.released => Standing::Released,
            NodeProgress::Done | NodeProgress::Ended | NodeProgress::Failed => Standing::Over,
        }
    }

    /// The node whose outputs are those of another.
    pub(in crate::scheduler) fn same_as(&self, node: u32) -> Option<u32> {
        self.same.get(&node).copied()
    }

    /// A node is over as another is, whose outputs it holds until its own have no readers.
    pub(in crate::scheduler) fn adopt(&mut self, node: u32, leader: u32, around: &mut Surroundings<'_, '_>) {
        self.hold(leader);
        self.same.insert(node, leader);
        self.nodes[node as usize].progress = self.nodes[leader as usize].progress;
        if let Some(reason) = self.reasons.get(&leader).cloned() {
            self.reasons.insert(node, reason);
        }
        self.call(node, around.diversions.task(node), around);
        self.walk_on(around);
        self.release_if_unread(node, around.effects);
    }

    /// A node's outputs get one more reader.
    pub(in crate::scheduler) fn hold(&mut self, node: u32) {
        self.nodes[node as usize].holds += 1;
    }

    /// Something that runs will read a node's outputs; one that had let another's go holds them again.
    pub(super) fn hold_input(&mut self, node: u32) {
        self.hold(node);
        if let Some(leader) = self.same_as(node)
            && std::mem::take(&mut self.nodes[node as usize].released)
        {
            self.hold(leader);
        }
    }

    /// A node's outputs lose a reader.
    pub(in crate::scheduler) fn drop_hold(&mut self, node: u32, effects: &mut Vec<SiteEffect>) {
        self.drop_holds(node, 1, effects);
    }

    /// Outputs that were let go are read again.
    pub(in crate::scheduler) fn revive(&mut self, node: u32) {
        self.nodes[node as usize].released = false;
    }

    /// How many nodes of each task were over because others were.
    pub(in crate::scheduler) fn duplicates(&self, tasks: usize, task: impl Fn(u32) -> usize) -> Vec<u64> {
        let mut counts = vec![0; tasks];
        let made = |node: &u32| {
            matches!(self.nodes[*node as usize].progress, NodeProgress::Done | NodeProgress::Ended)
        };
        self.same.keys().filter(|node| made(node)).for_each(|node| counts[task(*node)] += 1);
        counts
    }
}
