//! What can run, in the order in which it should: site by site, within a site row by row, within a row task by task.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes whose inputs are there.
#[derive(Debug, Default)]
pub(super) struct Ready(BinaryHeap<Reverse<Candidate>>);

/// A node that can run; smaller ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// The place of its site in the order of sites.
    pub(super) sequence: u32,
    /// The place of the row on whose behalf it runs.
    pub(super) position: u32,
    /// The place of its task.
    pub(super) rank: u32,
    /// The node.
    pub(super) node: u32,
}

impl Ready {
    pub(super) fn push(&mut self, candidate: Candidate) {
        self.0.push(Reverse(candidate));
    }

    pub(super) fn first(&self) -> Option<Candidate> {
        self.0.peek().map(|Reverse(candidate)| *candidate)
    }

    pub(super) fn pop(&mut self) -> Option<Candidate> {
        self.0.pop().map(|Reverse(candidate)| candidate)
    }
}
