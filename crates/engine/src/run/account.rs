//! The work of all phases, added up in tasks and in seconds.

use std::collections::BTreeMap;

use onceflow_report::{Amounts, WorkAccount};
use onceflow_reuse::{Account, Plan};
use onceflow_runtime::{Execution, TaskLogEntry};

use crate::ObjectCounts;

/// The tasks of a phase, in one meaning of each word for all that speaks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhaseTasks {
    /// Tasks whose result was computed: none that failed, and none of which all was known.
    pub(crate) computed: u64,
    /// Tasks that were not computed since their result was there, or was not needed.
    pub(crate) reused: u64,
}

/// Adds up accounts of phases.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    tasks: Amounts,
    seconds: Amounts,
    objects: BTreeMap<String, ObjectCounts>,
    digesting: f64,
    /// What the last phase took from the journal.
    resumed: f64,
}

impl Ledger {
    /// Adds a phase, whose tasks cost what they took on average in it, and says what became of them. A task that no row of
    /// this run computed, since rows of other runs were taken, costs what is expected of it.
    pub(crate) fn add(
        &mut self,
        execution: &Execution,
        plan: &Plan,
        objects: &BTreeMap<String, ObjectCounts>,
        expected: &[f64],
    ) -> PhaseTasks {
        let tasks = &plan.flow().tasks;
        let known: Vec<ObjectCounts> =
            tasks.iter().map(|task| objects.get(&task.name).copied().unwrap_or_default()).collect();
        let mut means = means(&known, &execution.log);
        let account = merged_phases(&execution.account, &execution.log);
        for ((mean, task), expected) in means.iter_mut().zip(&account.tasks).zip(expected) {
            if *mean == 0.0 && task.products > 0 {
                *mean = *expected;
            }
        }
        add(&mut self.tasks, &account, |_| 1.0);
        add(&mut self.seconds, &account, |task| means[task]);
        let whole = execution.log.iter().filter(|entry| entry.known && !entry.failed).count() as u64;
        self.add_objects(whole, &known);
        for (task, counts) in objects {
            self.objects.entry(task.clone()).or_default().add(counts);
        }
        self.digesting += execution.digesting;
        let total = account.total();
        self.resumed = total.resumed as f64;
        let computed = total.planned - whole.min(total.planned);
        PhaseTasks { computed, reused: total.asked - computed - total.failed - total.resumed }
    }

    /// Adds what workers did in a phase that this process took from its journal, of which they did a share. Tasks of a whole
    /// image that several buckets asked for were asked for once.
    pub(crate) fn take_worked(
        &mut self,
        tasks: PhaseTasks,
        [counts, seconds]: &[Amounts; 2],
        share: f64,
    ) -> PhaseTasks {
        let gone = (self.resumed * share).round();
        let mut counts = *counts;
        counts.asked -= std::mem::take(&mut counts.resumed);
        let mut more = counts.asked - gone;
        for saved in [&mut counts.products, &mut counts.dataflow, &mut counts.task, &mut counts.stage] {
            let less = saved.min(more).max(0.0);
            *saved -= less;
            more -= less;
        }
        counts.dataflow -= more.min(0.0);
        counts.asked = gone + more.max(0.0);
        self.tasks.resumed -= gone;
        self.tasks.asked -= gone;
        self.tasks.add(&counts);
        let mut seconds = *seconds;
        seconds.asked -= std::mem::take(&mut seconds.resumed);
        self.seconds.add(&seconds);
        let saved = counts.asked - counts.computed - counts.failed;
        PhaseTasks {
            computed: tasks.computed + counts.computed.max(0.0) as u64,
            reused: tasks.reused + saved.max(0.0) as u64,
        }
    }

    /// The account of the run so far.
    pub(crate) fn work(&self) -> WorkAccount {
        let (tasks, seconds, digesting) = (self.tasks, self.seconds, self.digesting);
        WorkAccount { tasks, seconds, objects: self.objects.clone(), digesting, ..WorkAccount::default() }
    }

    /// What known objects saved of what was to be computed: whole tasks, and seconds.
    fn add_objects(&mut self, whole: u64, known: &[ObjectCounts]) {
        let saved = known.iter().map(ObjectCounts::seconds_saved).sum::<f64>();
        for (sum, saved) in [(&mut self.tasks, whole as f64), (&mut self.seconds, saved)] {
            sum.object += saved;
            sum.computed -= saved;
        }
    }
}

/// Results of an earlier phase are merged by dataflow: they were computed in the same run. Those of other runs are products.
fn merged_phases(account: &Account, log: &[TaskLogEntry]) -> Account {
    let mut account = account.clone();
    for entry in log.iter().filter(|entry| entry.origin.is_some()) {
        let task = &mut account.tasks[entry.task];
        let served = task.cached.min(1);
        task.cached -= served;
        task.products += served;
    }
    for task in &mut account.tasks {
        task.by[2] += std::mem::take(&mut task.cached);
    }
    account
}

fn add(sum: &mut Amounts, account: &Account, cost: impl Fn(usize) -> f64) {
    let more = account.weighed(&cost);
    sum.asked += more.asked;
    let [stage, task, dataflow] = more.by;
    sum.stage += stage;
    sum.task += task;
    sum.dataflow += dataflow;
    sum.convergent += more.convergent;
    sum.products += more.products;
    sum.ended_early += more.ended_early;
    sum.failed += more.failed;
    sum.resumed += more.resumed;
    sum.computed += more.planned;
}

/// What one of each task takes on average when no object is known; a task that never ran cost nothing.
fn means(known: &[ObjectCounts], log: &[TaskLogEntry]) -> Vec<f64> {
    let mut sums: Vec<(f64, u64)> = known.iter().map(|counts| (counts.seconds_saved(), 0)).collect();
    for entry in log.iter().filter(|entry| !entry.served && !entry.failed) {
        sums[entry.task].0 += entry.seconds;
        sums[entry.task].1 += 1;
    }
    sums.into_iter().map(|(seconds, count)| if count == 0 { 0.0 } else { seconds / count as f64 }).collect()
}
