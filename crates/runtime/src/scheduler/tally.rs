//! The account of a run, summed site by site as they close.

use onceflow_reuse::{Account, NodeId, Plan, TaskAccount, TaskServed};

use super::shape::FlowShape;
use super::site::Site;

/// The account so far.
#[derive(Debug)]
pub(super) struct AccountSum {
    /// What a site gives when nothing ends or fails.
    usual: Account,
    sum: Account,
}

impl AccountSum {
    pub(super) fn new(plan: &Plan) -> Self {
        let nothing = vec![TaskAccount::default(); plan.flow().tasks.len()];
        Self { usual: plan.account(), sum: Account { tasks: nothing } }
    }

    /// Adds the tasks of a closed site's scope.
    pub(super) fn add(&mut self, plan: &Plan, shape: &FlowShape, site: &Site) {
        let own = |task: usize| shape.scope[task] == site.scope;
        let eventful;
        let account = if site.is_eventful() {
            // Tasks of other scopes are counted by their own sites; what is said of them here is not used.
            let served = |row, task| if own(task) { site.served(row, task) } else { TaskServed::Failed };
            eventful = plan.account_with(&served);
            &eventful
        } else {
            &self.usual
        };
        let duplicates = site.duplicates(shape.tasks(), |node| plan.task_of(NodeId(node)));
        let served = site.served_by_cache(shape.tasks(), |node| plan.task_of(NodeId(node)));
        for (task, sum) in self.sum.tasks.iter_mut().enumerate().filter(|(task, _)| own(*task)) {
            *sum += account.tasks[task];
            sum.merge_duplicates(duplicates[task]);
            sum.serve(served[task]);
        }
    }

    pub(super) fn account(&self) -> &Account {
        &self.sum
    }
}
