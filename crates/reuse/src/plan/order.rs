//! The order of the rows: depth first through the tree of reuse.

use super::classes::Classes;
use super::table::NodeTable;
use crate::Flow;
use crate::sorting::sorted_by_rank;

/// Rows sorted by their nodes, task after task, so that rows with equal work are neighbours; the reference row first.
pub(super) fn depth_first(flow: &Flow, table: &NodeTable, rows: usize, reference: Option<usize>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    // Sorting stably by the last task first leaves the rows in the order of the first task, then the second, ...
    for task in task_order(flow, table).into_iter().rev() {
        order = sorted(&order, &table.classes[task], reference);
    }
    if let Some(place) = order.iter().position(|row| Some(*row as usize) == reference) {
        // Only rows equal to the reference row in every task stand before it.
        order[..=place].rotate_right(1);
    }
    order
}

/// Tasks after what they need, and of those that are free the one with fewest nodes first: its regions serve most rows.
fn task_order(flow: &Flow, table: &NodeTable) -> Vec<usize> {
    let mut left: Vec<usize> = (0..flow.tasks.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let needs = |task: usize| flow.tasks[task].inputs.iter().filter_map(|input| input.maker());
        let free = |task: usize| {
            needs(task).chain(flow.tasks[task].after.iter().copied()).all(|n| !left.contains(&n))
        };
        let best = (0..left.len())
            .filter(|place| free(left[*place]))
            .min_by_key(|place| (table.classes[left[*place]].count, left[*place]));
        // Control dependencies of a hand-made flow may wait for each other; data does not.
        order.push(left.remove(best.unwrap_or_default()));
    }
    order
}

/// The rows stably sorted by class, with the reference row's class before the others.
fn sorted(order: &[u32], classes: &Classes, reference: Option<usize>) -> Vec<u32> {
    let first = reference.map(|row| classes.of[row]);
    let rank = |row: u32| match classes.of[row as usize] {
        class if Some(class) == first => 0,
        class => class as usize + 1,
    };
    sorted_by_rank(order, classes.count as usize + 1, rank)
}
