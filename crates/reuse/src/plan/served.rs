//! The account of a plan: which level finds which merge first.

use std::collections::HashMap;

use super::rekey::{EndedStages, Keyring};
use super::table::NodeTable;
use super::{NodeId, Plan};
use crate::{Account, Level, TaskAccount};

/// What became of a task of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskServed {
    /// A node did it.
    Node(NodeId),
    /// Its stage had ended, so that it was not needed.
    Ended,
    /// It failed, or something it needs did.
    Failed,
    /// An earlier start of the same run had done the row.
    Resumed,
    /// Nothing became of it: the run was stopped before. It counts as not asked for.
    Left,
    /// Another run had done the row.
    Product,
}

impl Plan {
    /// The account of one part as planned: nothing ends early, nothing fails.
    pub fn account(&self) -> Account {
        let ladder: Vec<_> = self.ladder().collect();
        let task = |at: usize| {
            let counts = ladder.iter().map(|(level, table)| (*level, u64::from(table.classes[at].count)));
            entry(TaskAccount { asked: self.rows as u64, ..TaskAccount::default() }, counts)
        };
        let account = Account { tasks: (0..self.flow.tasks.len()).map(task).collect() };
        debug_assert!(account.is_balanced());
        account
    }

    /// The account of one part when `state` says what became of each row's task.
    pub fn account_with(&self, state: &dyn Fn(usize, usize) -> TaskServed) -> Account {
        let ladder: Vec<_> = self.ladder().collect();
        let mut lower =
            ladder.iter().map(|(level, table)| LowerKeys::new(self, *level, table)).collect::<Vec<_>>();
        let tasks =
            (0..self.flow.tasks.len()).map(|task| self.task_account(task, state, &mut lower)).collect();
        let account = Account { tasks };
        debug_assert!(account.is_balanced());
        account
    }

    fn task_account(
        &self,
        task: usize,
        state: &dyn Fn(usize, usize) -> TaskServed,
        lower: &mut [LowerKeys<'_>],
    ) -> TaskAccount {
        let mut account = TaskAccount { asked: self.rows as u64, ..TaskAccount::default() };
        let mut live = Vec::new();
        for row in 0..self.rows {
            match state(row, task) {
                TaskServed::Node(node) => live.push((row, node)),
                TaskServed::Ended => account.ended_early += 1,
                TaskServed::Failed => account.failed += 1,
                TaskServed::Resumed => account.resumed += 1,
                TaskServed::Left => account.asked -= 1,
                TaskServed::Product => account.products += 1,
            }
        }
        let counts = lower.iter_mut().map(|keys| (keys.level, keys.distinct(task, &live)));
        entry(account, counts)
    }
}

/// Each level saves what the one before it left and it no longer needs.
fn entry(mut account: TaskAccount, left_by: impl Iterator<Item = (Level, u64)>) -> TaskAccount {
    let known = account.resumed + account.products;
    account.planned = account.asked - account.ended_early - account.failed - known;
    let left_by: Vec<(Level, u64)> = left_by.collect();
    let computed = left_by.last().map_or(account.planned, |(_, left)| *left);
    for (level, left) in left_by {
        // Stages that became equal only when something ended early may be in different buckets: then no level saves them.
        let left = left.max(computed);
        account.by[level as usize - Level::Stage as usize] = account.planned - left;
        account.planned = left;
    }
    account
}

/// The keys that rows' tasks have under one level, diverted ones included.
struct LowerKeys<'p> {
    plan: &'p Plan,
    level: Level,
    table: &'p NodeTable,
    keys: Keyring,
    rekeyed: HashMap<EndedStages, Vec<u32>>,
}

impl<'p> LowerKeys<'p> {
    fn new(plan: &'p Plan, level: Level, table: &'p NodeTable) -> Self {
        Self { plan, level, table, keys: Keyring::new(level), rekeyed: HashMap::new() }
    }

    /// How many different keys these rows have.
    fn distinct(&mut self, task: usize, live: &[(usize, NodeId)]) -> u64 {
        let mut keys: Vec<u64> = live.iter().map(|(row, node)| self.key(task, *row, *node)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len() as u64
    }

    fn key(&mut self, task: usize, row: usize, node: NodeId) -> u64 {
        let plan = self.plan;
        if self.level == plan.level {
            return u64::from(node.0);
        }
        if (node.0 as usize) < plan.planned() {
            return u64::from(self.table.id(row, task));
        }
        match plan.origin(row, node) {
            Some(ends) => u64::from(self.diverted(ends)[task]),
            // This row was not diverted to the node: only the plan's own level finds them equal.
            None => u64::MAX - row as u64,
        }
    }

    fn diverted(&mut self, ends: &EndedStages) -> &[u32] {
        if !self.rekeyed.contains_key(ends) {
            let rekeyed = self.plan.rekey(self.table, &mut self.keys, ends);
            self.rekeyed.insert(ends.clone(), rekeyed.ids);
        }
        &self.rekeyed[ends]
    }
}
