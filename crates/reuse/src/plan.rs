//! Each (row, task) gets the node that serves it; equal work is one node.

mod buckets;
mod check;
mod classes;
mod demand;
mod divert;
mod ingredients;
mod nodes;
mod order;
mod reads;
mod rekey;
mod served;
mod table;
mod verify;

use std::sync::OnceLock;

use onceflow_study::{Canonical, RegionKind};

pub use self::buckets::{BucketsError, Instances, MergedStage};
use self::demand::Demand;
use self::divert::Diverted;
use self::reads::ReadColumns;
pub use self::served::TaskServed;
use self::table::NodeTable;
pub use self::verify::Broken;
use crate::{Flow, Level, ParameterRows};

/// A task graph over the rows in which equal work stands once. It is made for one part; the parts are its copies.
#[derive(Clone, Debug)]
pub struct Plan {
    flow: Flow,
    level: Level,
    rows: usize,
    reference: Option<usize>,
    reads: ReadColumns,
    table: NodeTable,
    demand: Vec<Demand>,
    order: Vec<u32>,
    /// The same rows under the levels below, for accounts; made when first asked for.
    below: OnceLock<Vec<NodeTable>>,
    diverted: Diverted,
}

/// The number of a node in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Work that is done once. The inputs of a node have smaller numbers than the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The task.
    pub task: usize,
    /// The first row that asks for it.
    pub row: u32,
    /// What it reads, in the order of [`crate::FlowTask::reads`].
    pub parameters: Vec<Canonical>,
    /// What it takes, in the order of [`crate::FlowTask::inputs`].
    pub inputs: Vec<NodeInput>,
}

/// Where a node takes a region from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeInput {
    /// A source, by its number in [`Flow::sources`].
    Source(usize),
    /// Another node.
    Node {
        /// The node.
        node: NodeId,
        /// Which of its outputs.
        output: usize,
    },
    /// The stage that should have made it ended early: a region with nothing in it.
    Empty {
        /// What it would have held.
        kind: RegionKind,
    },
}

/// Why rows cannot be planned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum PlanError {
    #[error(
        "task `{task}` reads the parameter `{parameter}`: expected a column of that name in the rows, found {found}; add it"
    )]
    MissingParameter { task: String, parameter: String, found: String },
    #[error(
        "task `{task}` reads `{parameter}` as {kind}: expected values of that kind in every row, found `{found}` in row {row}"
    )]
    WrongKind { task: String, parameter: String, kind: &'static str, found: String, row: usize },
    #[error(
        "expected the reference row among {rows} rows, found row {reference}; leave it out or add the row"
    )]
    NoSuchReference { reference: usize, rows: usize },
    #[error("the flow's task `{task}` {what}: expected a flow in which each task comes after what it needs")]
    BrokenFlow { task: String, what: &'static str },
    #[error("expected at most {most} nodes, found more; split the rows")]
    TooManyNodes { most: u32 },
}

/// Plans the rows: finds all work that is equal by the level, as far as that is known before anything runs.
pub fn plan(flow: Flow, rows: &ParameterRows, level: Level) -> Result<Plan, PlanError> {
    check::check(&flow, rows)?;
    let reads = ReadColumns::new(&flow, rows)?;
    assemble(flow, reads, rows.len(), rows.reference, level.planned())
}

/// How many distinct instances each task has for one part.
pub(crate) fn counts(flow: &Flow, rows: &ParameterRows, level: Level) -> Result<Vec<u64>, PlanError> {
    check::check(flow, rows)?;
    let reads = ReadColumns::new(flow, rows)?;
    let table = NodeTable::new(flow, &reads, rows.len(), level.planned())?;
    Ok(table.classes.iter().map(|classes| u64::from(classes.count)).collect())
}

/// The plan of what tasks read in each row.
fn assemble(
    flow: Flow,
    reads: ReadColumns,
    rows: usize,
    reference: Option<usize>,
    level: Level,
) -> Result<Plan, PlanError> {
    let table = NodeTable::new(&flow, &reads, rows, level)?;
    let demand = table.classes.iter().map(|classes| Demand::new(classes)).collect();
    let order = order::depth_first(&flow, &table, rows, reference);
    let (below, diverted) = (OnceLock::new(), Diverted::new(level));
    Ok(Plan { flow, level, rows, reference, reads, table, demand, order, below, diverted })
}

impl Plan {
    /// The tasks that were planned.
    pub fn flow(&self) -> &Flow {
        &self.flow
    }

    /// What makes two tasks one here.
    pub fn level(&self) -> Level {
        self.level
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The reference row.
    pub fn reference(&self) -> Option<usize> {
        self.reference
    }

    /// How many nodes there are: the planned ones, and after them those that [`Plan::divert`] added.
    pub fn node_count(&self) -> usize {
        self.planned() + self.diverted.added.len()
    }

    /// How many nodes were planned.
    pub fn planned(&self) -> usize {
        self.table.total as usize
    }

    /// The node that serves a task of a row when no stage ends early.
    pub fn node(&self, row: usize, task: usize) -> NodeId {
        NodeId(self.table.id(row, task))
    }

    /// The rows that a planned node serves, ascending; none for a node that [`Plan::divert`] added.
    pub fn rows_of(&self, node: NodeId) -> &[u32] {
        if node.0 >= self.table.total {
            return &[];
        }
        let task = self.table.task(node.0);
        self.demand[task].of(node.0 - self.table.bases[task])
    }

    /// All rows such that rows with equal work are neighbours: depth first through the tree of reuse, the reference row
    /// first.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Every (row, task) with the node that serves it, row by row.
    pub fn expand(&self) -> impl Iterator<Item = (usize, usize, NodeId)> {
        let tasks = self.flow.tasks.len();
        (0..self.rows).flat_map(move |row| (0..tasks).map(move |task| (row, task, self.node(row, task))))
    }

    /// Whether a node and all it depends on give the same bytes in every run: only then may its key outlive this one.
    pub fn lasts(&self, node: NodeId) -> bool {
        self.ancestors(node).into_iter().all(|id| self.flow.repeats(self.task_of(id)))
    }

    /// The node and every node it depends on, ascending, so that each comes after its inputs.
    fn ancestors(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = vec![node];
        let mut next = 0;
        while let Some(id) = found.get(next).copied() {
            for input in self.inputs_of(id) {
                if let NodeInput::Node { node, .. } = input
                    && !found.contains(&node)
                {
                    found.push(node);
                }
            }
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// The tables of the levels from stage up to this plan's own.
    fn ladder(&self) -> impl Iterator<Item = (Level, &NodeTable)> {
        let below = self.below.get_or_init(|| {
            let levels = Level::MERGING.into_iter().filter(|level| *level < self.level);
            // A lower level has at most rows x tasks nodes; where their numbers would not fit, it merges less than can
            // be said, and the account gives its share to the next level.
            levels.map_while(|level| NodeTable::new(&self.flow, &self.reads, self.rows, level).ok()).collect()
        });
        let own = (self.level != Level::None).then_some((self.level, &self.table));
        Level::MERGING.into_iter().zip(below).chain(own)
    }
}
