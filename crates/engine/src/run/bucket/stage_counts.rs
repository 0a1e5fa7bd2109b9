//! How many tasks of each stage a bucket computed, as its progress hears of them.

use onceflow_reuse::{Account, Flow};

use crate::{PhaseBegun, PicturesAhead, Progress, RowOver, TaskOver};

/// Passes progress on, and counts.
pub(super) struct StageCounts<'p> {
    progress: &'p mut dyn Progress,
    /// The stages by their names.
    stages: Vec<(String, u64)>,
    /// The stage of each task.
    of_task: Vec<usize>,
}

impl<'p> StageCounts<'p> {
    pub(super) fn of(progress: &'p mut dyn Progress) -> Self {
        Self { progress, stages: Vec::new(), of_task: Vec::new() }
    }

    /// The stages of which tasks were computed, and how many.
    pub(super) fn computed(self) -> Vec<(String, u64)> {
        self.stages.into_iter().filter(|(_, count)| *count > 0).collect()
    }
}

/// The same from an account of tasks that are all computed.
pub(super) fn computed_stages(flow: &Flow, account: &Account, counts: &mut Vec<(String, u64)>) {
    for (task, account) in flow.tasks.iter().zip(&account.tasks).filter(|(_, account)| account.planned > 0) {
        let name = &flow.stages[task.stage].name;
        match counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += account.planned,
            None => counts.push((name.clone(), account.planned)),
        }
    }
}

impl Progress for StageCounts<'_> {
    fn phase(&mut self, phase: &PhaseBegun) {
        self.stages = phase.stages.iter().map(|name| (name.clone(), 0)).collect();
        self.of_task = phase.tasks.iter().map(|task| task.stage).collect();
        self.progress.phase(phase);
    }

    fn resumed(&mut self, instances: u64) {
        self.progress.resumed(instances);
    }

    fn task(&mut self, task: &TaskOver<'_>) {
        let stage = self.of_task.get(task.task).and_then(|stage| self.stages.get_mut(*stage));
        if let Some((_, count)) = stage.filter(|_| !task.known && task.failed.is_none()) {
            *count += 1;
        }
        self.progress.task(task);
    }

    fn duplicate(&mut self, task: usize) {
        self.progress.duplicate(task);
    }

    fn row(&mut self, row: &RowOver<'_>) {
        self.progress.row(row);
    }

    fn pictures(&mut self, ahead: &PicturesAhead) {
        self.progress.pictures(ahead);
    }

    fn note(&mut self, text: &str) {
        self.progress.note(text);
    }
}
