//! The choices of a workflow's tasks as a search moves through them: steps along numbers of nodes that pay, and tasks that are
//! alike.

use std::collections::BTreeMap;

use super::random::SearchRandom;
use super::workflow::MoldableWorkflow;

/// The choices of all tasks.
#[derive(Clone, Debug)]
pub(super) struct SearchSpace {
    /// How many choices each task has.
    pub(super) counts: Vec<u16>,
    /// Tasks of one depth with the same durations: their choices can change places.
    pub(super) alike: Vec<Vec<usize>>,
    /// For each task the choices that pay, from few nodes to many.
    paying: Vec<Vec<u16>>,
}

/// The depth of a task, and its durations.
type Likeness<'w> = (usize, &'w [(u64, u64)]);

impl SearchSpace {
    pub(super) fn new(workflow: &MoldableWorkflow) -> Self {
        let tasks = workflow.tasks();
        let mut depths: Vec<usize> = Vec::with_capacity(tasks.len());
        for after in workflow.after() {
            depths.push(after.iter().map(|before| depths[*before] + 1).max().unwrap_or(0));
        }
        let mut alike: BTreeMap<Likeness<'_>, Vec<usize>> = BTreeMap::new();
        for (place, task) in tasks.iter().enumerate() {
            alike.entry((depths[place], &task.seconds)).or_default().push(place);
        }
        Self {
            counts: tasks.iter().map(|task| task.seconds.len() as u16).collect(),
            alike: alike.into_values().collect(),
            paying: tasks.iter().map(|task| paying(&task.seconds)).collect(),
        }
    }

    /// The next choice of a task that pays, up or down.
    pub(super) fn step(&self, task: usize, choice: u16, random: &mut SearchRandom) -> u16 {
        let paying = &self.paying[task];
        let next = if random.happens(0.5) {
            paying.iter().rev().find(|other| **other < choice)
        } else {
            paying.iter().find(|other| **other > choice)
        };
        next.copied().unwrap_or(choice)
    }
}

/// Numbers of nodes whose cost is hardly above that of one node less, and not above that of one node more: where durations fall
/// in steps, the beginnings of the steps.
fn paying(seconds: &[(u64, u64)]) -> Vec<u16> {
    let cost = |at: usize| u128::from(seconds[at].0) * u128::from(seconds[at].1);
    let pays = |at: &usize| {
        (at + 1 == seconds.len() || cost(*at) <= cost(at + 1))
            && (*at == 0 || 20 * cost(*at) <= 21 * cost(at - 1))
    };
    (0..seconds.len()).filter(pays).map(|at| at as u16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginnings_of_steps_pay() {
        let seconds = [(1, 1614), (2, 817), (3, 724), (4, 409), (5, 377), (7, 351), (8, 209), (9, 199)];
        assert_eq!(paying(&seconds), [0, 1, 3, 6]);
    }
}
