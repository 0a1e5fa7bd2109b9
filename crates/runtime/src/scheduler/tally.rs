//! The account of a run, summed site by site as they close.

use onceflow_reuse::{Account, NodeId, Plan, Served, TaskAccount};

use super::shape::Shape;
use super::site::Site;

/// The account so far.
#[derive(Debug)]
pub(super) struct Tally {
    /// What a site gives when nothing ends or fails.
    usual: Account,
    sum: Account,
}

impl Tally {
    pub(super) fn new(plan: &Plan) -> Self {
        let nothing = vec![TaskAccount::default(); plan.flow().tasks.len()];
        Self { usual: plan.account(), sum: Account { tasks: nothing } }
    }

    /// Adds the tasks of a closed site's scope.
    pub(super) fn add(&mut self, plan: &Plan, shape: &Shape, site: &Site) {
        let own = |task: usize| shape.scope[task] == site.scope;
        let eventful;
        let account = if site.is_eventful() {
            // Tasks of other scopes are counted by their own sites; what is said of them here is not used.
            let served = |row, task| if own(task) { site.served(row, task) } else { Served::Failed };
            eventful = plan.account_with(&served);
            &eventful
        } else {
            &self.usual
        };
        let converged = site.converged(shape.tasks(), |node| plan.task_of(NodeId(node)));
        for (task, sum) in self.sum.tasks.iter_mut().enumerate().filter(|(task, _)| own(*task)) {
            *sum += account.tasks[task];
            sum.converge(converged[task]);
        }
    }

    pub(super) fn account(&self) -> &Account {
        &self.sum
    }
}
