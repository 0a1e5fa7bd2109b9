//! The account of a run, summed site by site as they close.

use onceflow_reuse::{Account, NodeId, Plan, TaskAccount, TaskServed};

use super::shape::FlowShape;
use super::site::Site;

/// The account so far.
#[derive(Clone, Debug)]
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
        if site.is_eventful() {
            self.add_site(plan, shape, site, &|row, task| site.served(row, task));
        } else {
            let usual = std::mem::take(&mut self.usual);
            self.add_account(plan, shape, site, &usual);
            self.usual = usual;
        }
    }

    /// Adds what an open site has done so far.
    pub(super) fn add_open(&mut self, plan: &Plan, shape: &FlowShape, site: &Site) {
        self.add_site(plan, shape, site, &|row, task| site.served_so_far(row, task));
    }

    fn add_site(
        &mut self,
        plan: &Plan,
        shape: &FlowShape,
        site: &Site,
        served: &dyn Fn(usize, usize) -> TaskServed,
    ) {
        // Tasks of other scopes are counted by their own sites; what is said of them here is not used.
        let own = |row: usize, task: usize| {
            if shape.scope[task] == site.scope { served(row, task) } else { TaskServed::Failed }
        };
        self.add_account(plan, shape, site, &plan.account_with(&own));
    }

    fn add_account(&mut self, plan: &Plan, shape: &FlowShape, site: &Site, account: &Account) {
        let own = |task: usize| shape.scope[task] == site.scope;
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
