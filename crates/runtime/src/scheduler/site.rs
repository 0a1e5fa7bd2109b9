//! One place of work with all rows in it: dense vectors, made when the place opens and dropped when it closes.
//!
//! Every row walks through its own tasks; nodes are where rows meet. The walking is in `walk`, the counting of readers
//! in `release`, the beginning in `open`.

mod duplicates;
mod open;
mod release;
mod walk;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use onceflow_reuse::{NodeId, TaskServed};
use onceflow_study::Scope;

use super::diversion::Diversions;
use super::shape::FlowShape;
use super::{RowOutcome, TaskOutcome};
use crate::KnownFrom;

/// A part, an image or the study, open for work.
///
/// A *walker* goes through tasks: first the rows, then the providers. Vectors over (walker, task) are read
/// with [`Site::at`], vectors over nodes with the node's number.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) scope: Scope,
    tasks: usize,
    rows: usize,
    /// The row that providers walk for.
    reference: Option<usize>,
    /// The node that serves the walker's task.
    node_of: Vec<u32>,
    /// How many others the walker's task waits for.
    waits: Vec<u16>,
    step: Vec<WalkStep>,
    walks: Vec<RowWalk>,
    nodes: Vec<NodeState>,
    /// Why nodes failed or with what status they ended.
    reasons: HashMap<u32, Arc<str>>,
    /// Nodes that turned out to be equal to others, and to which.
    same: HashMap<u32, u32>,
    /// Nodes that came by diversion, with their walkers.
    diverted: BTreeMap<u32, Vec<u32>>,
    /// Stages that ended for the reference row, as far as others take from it.
    reference_ended: Vec<usize>,
    /// Steps that may yet end a stage: until there is none, a row may still be diverted.
    undecided: usize,
    /// Whether diverted nodes are kept for rows that may still be diverted to them.
    guarded: bool,
    /// Walkers that are not through.
    walking: usize,
    /// Instances that run.
    running: usize,
    /// Whether a stage ended or a task failed.
    eventful: bool,
    /// Whether a result cache served any node.
    any_served: bool,
    /// Walkers' tasks that wait for nothing more and were not looked at yet.
    due: Vec<(u32, u32)>,
}

/// Where a walker is with one of its tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkStep {
    /// It belongs to another scope, or the walker does not walk there.
    Elsewhere,
    /// It waits for others or for its node.
    Waiting,
    /// It is over.
    Settled,
    /// Its stage ended first.
    Ended,
    /// It failed, or the walker failed elsewhere.
    Failed,
}

/// Where a walker is as a whole.
#[derive(Clone, Debug, Default)]
struct RowWalk {
    /// Its steps that are not over.
    pending: u32,
    ended: Vec<StageEnd>,
    failure: Option<WalkFailure>,
    through: bool,
    /// Where what became of it is known from, if it is known from before.
    known: Option<KnownFrom>,
}

/// A stage that ended early.
#[derive(Clone, Debug)]
struct StageEnd {
    stage: usize,
    rank: u32,
    status: Arc<str>,
}

/// The first failure of a walker, in the order of the tasks.
#[derive(Clone, Debug)]
struct WalkFailure {
    rank: u32,
    task: usize,
    message: Arc<str>,
}

/// What is known of a node at this site.
#[derive(Clone, Copy, Debug, Default)]
struct NodeState {
    progress: NodeProgress,
    /// Walkers that could go on if it were finished.
    openers: u32,
    /// Reads of its outputs that may still come.
    holds: u32,
    /// Whether its outputs were let go.
    released: bool,
    /// Whether a result cache served it.
    served: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NodeProgress {
    #[default]
    Idle,
    Queued,
    Running,
    Done,
    Ended,
    Failed,
}

/// How far a node is, for those that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// No walker has asked for it, or none does any more.
    Idle,
    /// It waits for its turn, or runs.
    Open,
    /// It is over, and its outputs are there.
    Over,
    /// It is over, and its outputs were let go.
    Released,
}

/// What a change at a site asks of the scheduler, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteEffect {
    /// A node can run, on behalf of this walker.
    Ready { node: u32, walker: u32 },
    /// A row is through.
    Row { row: u32 },
    /// The last read of a node's outputs is over.
    Release { node: u32 },
}

impl SiteEffect {
    /// Results are read before they are let go, and let go before others look for them.
    pub(super) fn rank(&self) -> u8 {
        match self {
            Self::Row { .. } => 0,
            Self::Release { .. } => 1,
            Self::Ready { .. } => 2,
        }
    }
}

/// What a site needs besides itself.
pub(super) struct Surroundings<'a, 'p> {
    pub(super) shape: &'a FlowShape,
    pub(super) diversions: &'a mut Diversions<'p>,
    pub(super) effects: &'a mut Vec<SiteEffect>,
}

impl Site {
    /// Marks a queued node that no walker needs any more; one may need it later.
    pub(super) fn forget(&mut self, node: u32) {
        self.nodes[node as usize].progress = NodeProgress::Idle;
    }

    /// Whether a node would be started.
    pub(super) fn wants(&self, node: u32) -> bool {
        self.nodes[node as usize].openers > 0
    }

    /// Whether a node's outputs were let go for good.
    pub(super) fn is_released(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|state| state.released)
    }

    /// A result cache served a node.
    pub(super) fn note_served(&mut self, node: u32) {
        self.nodes[node as usize].served = true;
        self.any_served = true;
    }

    /// How many nodes of each task a result cache served.
    pub(super) fn served_by_cache(&self, tasks: usize, task: impl Fn(u32) -> usize) -> Vec<u64> {
        let mut counts = vec![0; tasks];
        if self.any_served {
            let served = (0..).zip(&self.nodes).filter(|(_, state)| state.served);
            served.for_each(|(node, _)| counts[task(node)] += 1);
        }
        counts
    }

    /// Whether every walker is through.
    pub(super) fn is_settled(&self) -> bool {
        self.walking == 0
    }

    /// Whether nothing of it runs.
    pub(super) fn is_quiet(&self) -> bool {
        self.running == 0
    }

    /// Whether anything but the plan happened.
    pub(super) fn is_eventful(&self) -> bool {
        self.eventful
    }

    /// What became of a row's task of this scope. What a provider did when the reference row itself had failed was still
    /// done for it, and comes before what others did at the node that the row would have come to.
    pub(super) fn served(&self, row: usize, task: usize) -> TaskServed {
        let providers = if self.reference == Some(row) { self.rows..self.walkers() } else { 0..0 };
        let known = self.walks[row].known;
        let own = known.is_none().then_some(row);
        let went_there = own.filter(|row| self.step[self.at(*row, task)] != WalkStep::Failed);
        let walkers = went_there.into_iter().chain(providers).chain(own);
        let mut served = walkers.map(|walker| self.served_to(walker, task));
        let otherwise = match known {
            Some(KnownFrom::Journal) => TaskServed::Resumed,
            Some(KnownFrom::Products) => TaskServed::Product,
            None => TaskServed::Failed,
        };
        served.find(|served| *served != TaskServed::Failed).unwrap_or(otherwise)
    }

    /// The same while the site is open: what was not reached is left.
    pub(super) fn served_so_far(&self, row: usize, task: usize) -> TaskServed {
        match self.served(row, task) {
            TaskServed::Failed if self.step[self.at(row, task)] == WalkStep::Waiting => TaskServed::Left,
            served => served,
        }
    }

    fn served_to(&self, walker: usize, task: usize) -> TaskServed {
        let at = self.at(walker, task);
        let node = self.node_of[at];
        match (self.step[at], self.nodes[node as usize].progress) {
            (WalkStep::Ended, _) => TaskServed::Ended,
            // Where a provider does not walk, it does not hear what ended, and its node may be another row's alone.
            (WalkStep::Elsewhere, _) => TaskServed::Failed,
            (_, NodeProgress::Done | NodeProgress::Ended) => TaskServed::Node(NodeId(node)),
            _ => TaskServed::Failed,
        }
    }

    /// How it went for a row that is through.
    pub(super) fn outcome(&self, row: usize) -> RowOutcome {
        let walk = &self.walks[row];
        if let Some(WalkFailure { task, message, .. }) = &walk.failure {
            return RowOutcome::Failed { task: *task, message: message.to_string() };
        }
        let first = walk.ended.iter().min_by_key(|ending| ending.rank);
        RowOutcome::Done { status: first.map(|ending| ending.status.to_string()) }
    }

    /// Whether a stage ended early for a walker.
    pub(super) fn has_ended(&self, walker: usize, stage: usize) -> bool {
        self.walks[walker].ended.iter().any(|ending| ending.stage == stage)
    }

    /// The node that serves a walker's task.
    pub(super) fn node(&self, walker: usize, task: usize) -> u32 {
        self.node_of[self.at(walker, task)]
    }

    fn at(&self, walker: usize, task: usize) -> usize {
        walker * self.tasks + task
    }

    fn walkers(&self) -> usize {
        self.walks.len()
    }
}

impl NodeProgress {
    fn of(outcome: &TaskOutcome, ends: impl Fn(&str) -> bool) -> Self {
        match outcome {
            TaskOutcome::Done => Self::Done,
            TaskOutcome::Ended(status) if ends(status) => Self::Ended,
            TaskOutcome::Ended(_) => Self::Done,
            TaskOutcome::Failed { .. } => Self::Failed,
        }
    }
}
