//! The nodes of all rows and tasks under one level, as classes of rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::PlanError;
use super::classes::Classes;
use super::ingredients::{Ingredient, ingredients};
use super::reads::ReadColumns;
use crate::{Flow, FlowInput, Level};

/// For each task its classes of rows; node numbers go on from task to task.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeTable {
    pub(super) classes: Vec<Arc<Classes>>,
    /// The number of each task's first node.
    pub(super) bases: Vec<u32>,
    /// How many nodes there are.
    pub(super) total: u32,
}

impl NodeTable {
    pub(super) fn new(
        flow: &Flow,
        reads: &ReadColumns,
        rows: usize,
        level: Level,
    ) -> Result<Self, PlanError> {
        let mut table = Self::default();
        // Tasks whose keys are made of the same things, as all of a stage are at its level, share their classes.
        let mut known: HashMap<Vec<Ingredient>, Arc<Classes>> = HashMap::new();
        for task in 0..flow.tasks.len() {
            let made_of = ingredients(flow, reads, level, task);
            let classes = match known.get(&made_of) {
                Some(classes) => Arc::clone(classes),
                None => Arc::new(table.meet(reads, rows, &made_of)),
            };
            table.push(Arc::clone(&classes))?;
            known.insert(made_of, classes);
        }
        Ok(table)
    }

    /// The task of a node.
    pub(super) fn task(&self, node: u32) -> usize {
        self.bases.partition_point(|base| *base <= node).saturating_sub(1)
    }

    /// The node of a task in a row.
    pub(super) fn id(&self, row: usize, task: usize) -> u32 {
        self.bases[task] + self.classes[task].of[row]
    }

    fn meet(&self, reads: &ReadColumns, rows: usize, made_of: &[Ingredient]) -> Classes {
        if made_of.contains(&Ingredient::Row) {
            return Classes::each(rows);
        }
        let mut tasks: Vec<usize> = made_of.iter().filter_map(varying_task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        let read = made_of.iter().filter_map(|ingredient| match ingredient {
            Ingredient::Read(column) => Some(reads.classes(*column)),
            _ => None,
        });
        let taken = tasks.into_iter().map(|task| &*self.classes[task]);
        Classes::meet(rows, read.chain(taken).filter(|classes| classes.count > 1))
    }

    fn push(&mut self, classes: Arc<Classes>) -> Result<(), PlanError> {
        self.bases.push(self.total);
        let total = self.total.checked_add(classes.count).filter(|total| *total <= MOST_NODES);
        self.total = total.ok_or(PlanError::TooManyNodes { most: MOST_NODES })?;
        self.classes.push(classes);
        Ok(())
    }
}

/// Half of what the numbers hold, so that diverted nodes have room.
const MOST_NODES: u32 = u32::MAX / 2;

/// The task whose node an ingredient is, when it may differ from row to row: sources and the reference row do not.
fn varying_task(ingredient: &Ingredient) -> Option<usize> {
    match ingredient {
        Ingredient::Input(FlowInput::Task { task, .. }) | Ingredient::Previous(task) => Some(*task),
        Ingredient::Input(FlowInput::Source(_) | FlowInput::Reference { .. })
        | Ingredient::Read(_)
        | Ingredient::Row => None,
    }
}
