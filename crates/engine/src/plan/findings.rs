//! What a phase found out that the next plan is to know: how many results turned out to be equal, and what known objects
//! saved.

use std::collections::BTreeMap;

use onceflow_costs::{Finding, Record};
use onceflow_reuse::{Flow, FlowTask, Level, Plan};
use onceflow_runtime::Execution;

use crate::{ObjectCounts, OpenStudy};

/// What was found about each operation whose inputs' contents were told, so that equal ones could be noticed.
pub(crate) fn findings(
    plan: &Plan,
    execution: &Execution,
    objects: &BTreeMap<String, ObjectCounts>,
    told: &[bool],
) -> Vec<Finding> {
    let tasks = &plan.flow().tasks;
    let is_told =
        |task: usize| tasks[task].inputs.iter().all(|input| input.maker().is_none_or(|maker| told[maker]));
    let mut seconds = vec![0.0; tasks.len()];
    execution.log.iter().for_each(|entry| seconds[entry.task] += entry.seconds);
    let finding = |task: usize| {
        let (spec, account) = (&tasks[task].spec, &execution.account.tasks[task]);
        let saved = objects.get(&tasks[task].name).map_or(0.0, ObjectCounts::seconds_saved);
        Finding {
            operation: spec.id.clone(),
            version: spec.version,
            met: account.convergent + account.planned,
            same: account.convergent,
            seconds: seconds[task] + saved,
            saved,
        }
    };
    (0..tasks.len()).filter(|task| is_told(*task)).map(finding).filter(|found| found.met > 0).collect()
}

/// Makes records say what tasks would have taken if no object had been known: that is what plans ask, and what known
/// objects save is told apart from it.
pub(crate) fn as_if_unknown(records: &mut [Record], findings: &[Finding]) {
    let mut factors: BTreeMap<(&str, u64), (f64, f64)> = BTreeMap::new();
    for finding in findings {
        let (all, left) = factors.entry((&finding.operation, finding.version)).or_default();
        *all += finding.seconds;
        *left += finding.seconds - finding.saved;
    }
    for record in records {
        if let Some((all, left)) = factors.get(&(record.operation.as_str(), record.version))
            && *left > 0.0
        {
            record.seconds *= all / left;
        }
    }
}

/// What earlier runs let expect of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foreseen {
    /// Seconds of tasks that are expected to turn out to be equal to others.
    pub same: f64,
    /// Seconds that known objects are expected to save of the rest.
    pub objects: f64,
    /// Findings of earlier runs that say so.
    pub findings: u64,
}

impl Foreseen {
    /// Seconds that are expected to be spared.
    pub fn seconds(&self) -> f64 {
        self.same + self.objects
    }
}

impl OpenStudy {
    /// What is expected to be found at a level while so many of each task are carried out, each of so many seconds.
    pub(crate) fn expected(&self, plan: &Plan, level: Level, counts: &[u64], seconds: &[f64]) -> Foreseen {
        let mut expected = Foreseen::default();
        for ((task, count), seconds) in plan.flow().tasks.iter().zip(counts).zip(seconds) {
            let all = *count as f64 * seconds;
            let [same, objects] = self.spared(task, level);
            expected.same += all * same;
            expected.objects += all * (1.0 - same) * objects;
            expected.findings = expected.findings.max(self.costs.found(&task.spec).findings);
        }
        expected
    }

    /// Seconds that one of a task is expected to take at a level, those that turn out to be equal to others included.
    pub(crate) fn expected_seconds(&self, flow: &Flow, task: usize, level: Level) -> f64 {
        let seconds = self.mean_seconds(&flow.tasks[task], &self.sizes(flow.scope(task)), level);
        let spared = self.spared(&flow.tasks[task], level);
        spared.into_iter().fold(seconds, |seconds, share| seconds * (1.0 - share))
    }

    /// The share of a task's instances that turned out to be equal to others, and of the others' seconds that known
    /// objects saved, as far as a level looks for them.
    fn spared(&self, task: &FlowTask, level: Level) -> [f64; 2] {
        let found = self.costs.found(&task.spec);
        let share = |from: Level, share: f64| if level >= from { share } else { 0.0 };
        [share(Level::Convergent, found.same_seen()), share(Level::Object, found.saved_seen())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_tell_what_tasks_take_without_known_objects() {
        let record = |operation: &str| Record {
            operation: operation.into(),
            version: 1,
            device: "cpu".into(),
            pixels: 10,
            seconds: 1.0,
            output_bytes: 0,
            scratch_bytes: 0,
            reuse: Some("object".into()),
        };
        let finding = |seconds: f64, saved: f64| Finding {
            operation: "a".into(),
            version: 1,
            met: 4,
            same: 0,
            seconds,
            saved,
        };
        let mut records = [record("a"), record("b")];
        as_if_unknown(&mut records, &[finding(6.0, 4.5), finding(2.0, 1.5)]);
        assert_eq!(records.map(|record| record.seconds), [4.0, 1.0]);
    }
}
