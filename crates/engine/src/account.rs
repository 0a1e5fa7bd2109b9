//! The work of all phases, added up in tasks and in seconds.

use onceflow_reuse::{Account, Plan};
use onceflow_runtime::Entry;

use crate::answer::{Amounts, Work};

/// Adds up accounts of phases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    tasks: Amounts,
    seconds: Amounts,
}

impl Ledger {
    /// Adds a phase, whose tasks cost what they took on average in it, and gives its account back.
    pub(crate) fn add(&mut self, account: &Account, plan: &Plan, log: &[Entry]) -> Account {
        let means = means(plan.flow().tasks.len(), log);
        add(&mut self.tasks, account, |_| 1.0);
        add(&mut self.seconds, account, |task| means[task]);
        account.clone()
    }

    /// The account of the run so far.
    pub(crate) fn work(&self) -> Work {
        Work { tasks: self.tasks, seconds: self.seconds, ..Work::default() }
    }
}

fn add(sum: &mut Amounts, account: &Account, cost: impl Fn(usize) -> f64) {
    let more = account.weighed(&cost);
    sum.asked += more.asked;
    let [stage, task, dataflow] = more.by;
    sum.stage += stage;
    sum.task += task;
    sum.dataflow += dataflow;
    sum.convergent += more.convergent;
    sum.ended_early += more.ended_early;
    sum.failed += more.failed;
    sum.resumed += more.resumed;
    sum.computed += more.planned;
}

/// What one of each task took on average; a task that never ran cost nothing.
fn means(tasks: usize, log: &[Entry]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0u64); tasks];
    for entry in log {
        sums[entry.task].0 += entry.seconds;
        sums[entry.task].1 += 1;
    }
    sums.into_iter().map(|(seconds, count)| if count == 0 { 0.0 } else { seconds / count as f64 }).collect()
}
