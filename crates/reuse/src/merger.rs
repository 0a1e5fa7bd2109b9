//! What turns out to be equal while a plan is carried out: instances of one task that read the same values and whose
//! inputs turned out to hold the same bytes are one.

use std::collections::HashMap;

use onceflow_study::Canonical;

use crate::{ContentDigest, NodeId};

/// Knows what outputs hold and who was first to do a piece of work, place by place: a place is a part, an image, the study.
#[derive(Clone, Debug, Default)]
pub struct Merger {
    places: HashMap<u32, SiteContents>,
}

#[derive(Clone, Debug, Default)]
struct SiteContents {
    first: HashMap<Met, NodeId>,
    held: HashMap<NodeId, Box<[ContentDigest]>>,
}

/// A piece of work as it shows when its inputs are there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Met {
    /// The task.
    pub task: usize,
    /// What it reads.
    pub parameters: Vec<Canonical>,
    /// What its inputs hold.
    pub inputs: Vec<ContentDigest>,
}

impl Merger {
    /// The node that did a piece of work first, or does it.
    pub fn first(&self, place: u32, met: &Met) -> Option<NodeId> {
        self.places.get(&place)?.first.get(met).copied()
    }

    /// From now on a node does a piece of work for all.
    pub fn lead(&mut self, place: u32, met: Met, node: NodeId) {
        self.places.entry(place).or_default().first.insert(met, node);
    }

    /// The outputs of a node hold this.
    pub fn learn(&mut self, place: u32, node: NodeId, digests: &[ContentDigest]) {
        self.places.entry(place).or_default().held.insert(node, digests.into());
    }

    /// The outputs of a node hold what those of another hold.
    pub fn learn_from(&mut self, place: u32, node: NodeId, other: NodeId) {
        if let Some(digests) = self.digests(place, other).map(Box::from) {
            self.places.entry(place).or_default().held.insert(node, digests);
        }
    }

    /// What the outputs of a node hold, where that is known.
    pub fn digests(&self, place: u32, node: NodeId) -> Option<&[ContentDigest]> {
        self.places.get(&place)?.held.get(&node).map(AsRef::as_ref)
    }

    /// Nothing more is done at a place.
    pub fn close(&mut self, place: u32) {
        self.places.remove(&place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(task: usize, value: i64, content: u64) -> Met {
        let inputs = vec![ContentDigest([content; 4])];
        Met { task, parameters: vec![Canonical::Integer(value)], inputs }
    }

    #[test]
    fn work_is_equal_in_task_values_and_contents_at_one_place() {
        let mut merger = Merger::default();
        merger.lead(0, met(1, 7, 3), NodeId(10));
        assert_eq!(merger.first(0, &met(1, 7, 3)), Some(NodeId(10)));
        for (place, other) in [(0, met(2, 7, 3)), (0, met(1, 8, 3)), (0, met(1, 7, 4)), (1, met(1, 7, 3))] {
            assert_eq!(merger.first(place, &other), None);
        }
        merger.lead(0, met(1, 7, 3), NodeId(11));
        assert_eq!(merger.first(0, &met(1, 7, 3)), Some(NodeId(11)));
    }

    #[test]
    fn contents_are_learned_and_forgotten_with_their_place() {
        let (mut merger, digests) = (Merger::default(), [ContentDigest([1; 4]), ContentDigest([2; 4])]);
        merger.learn(3, NodeId(0), &digests);
        merger.learn_from(3, NodeId(5), NodeId(0));
        merger.learn_from(3, NodeId(6), NodeId(4));
        assert_eq!(merger.digests(3, NodeId(5)), Some(digests.as_slice()));
        assert_eq!(merger.digests(3, NodeId(6)), None);
        merger.close(3);
        assert_eq!(merger.digests(3, NodeId(0)), None);
    }
}
