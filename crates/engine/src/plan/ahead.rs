//! What a phase has to do, for its progress.

use onceflow_reuse::Plan;

use crate::{OpenStudy, PhaseBegun, RunSettings, TaskAhead};

impl OpenStudy {
    /// What a plan of a phase has to do.
    pub(crate) fn ahead(&self, name: &str, plan: &Plan, options: &RunSettings) -> PhaseBegun {
        let RunSettings { level, workers, memory, .. } = *options;
        let flow = plan.flow();
        let account = plan.account().times(flow, self.multiplicity());
        let ahead = |(number, account): (usize, &onceflow_reuse::TaskAccount)| TaskAhead {
            name: flow.tasks[number].name.clone(),
            stage: flow.tasks[number].stage,
            asked: account.asked,
            planned: account.planned,
            seconds: self.expected_seconds(flow, number, level),
        };
        PhaseBegun {
            name: name.to_owned(),
            instances: plan.rows() as u64 * self.multiplicity().parts,
            stages: flow.stages.iter().map(|stage| stage.name.clone()).collect(),
            tasks: account.tasks.iter().enumerate().map(ahead).collect(),
            workers,
            memory,
        }
    }
}
