//! Where the work went: every task that rows ask for is merged by a level, served by
//! products of earlier runs, ended early, failed, or has to be computed.

use std::ops::AddAssign;

use onceflow_study::Scope;

use crate::{Flow, Level};

/// The account of all tasks, in the order of the flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// One entry per task.
    pub tasks: Vec<TaskAccount>,
}

/// The account of one task. It balances: asked = by + convergent + cached + products + ended early + failed + resumed +
/// planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskAccount {
    /// How many of it the rows ask for.
    pub asked: u64,
    /// How many each of [`Level::MERGING`] saves; each merge counts under the first level that finds it.
    pub by: [u64; 3],
    /// How many turned out to be equal to others while the plan was carried out.
    pub convergent: u64,
    /// How many a result cache served.
    pub cached: u64,
    /// How many belong to rows that other runs had computed.
    pub products: u64,
    /// How many were not needed since their stage had ended.
    pub ended_early: u64,
    /// How many failed.
    pub failed: u64,
    /// How many belong to rows that were known before.
    pub resumed: u64,
    /// How many have to be computed.
    pub planned: u64,
}

/// An account in cost: each task counts as much as one of it costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weighed {
    /// The cost of all that the rows ask for.
    pub asked: f64,
    /// The cost that each of [`Level::MERGING`] saves.
    pub by: [f64; 3],
    /// The cost of what turned out to be equal to others while the plan was carried out.
    pub convergent: f64,
    /// The cost of what a result cache served.
    pub cached: f64,
    /// The cost of what belongs to rows that other runs had computed.
    pub products: f64,
    /// The cost of what was not needed since its stage had ended.
    pub ended_early: f64,
    /// The cost of what failed.
    pub failed: f64,
    /// The cost of what belongs to rows that were known before.
    pub resumed: f64,
    /// The cost of what has to be computed.
    pub planned: f64,
}

/// How often the plan of one part is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplicity {
    /// Parts of all images together.
    pub parts: u64,
    /// Images.
    pub images: u64,
}

impl Account {
    /// All tasks together.
    pub fn total(&self) -> TaskAccount {
        let mut total = TaskAccount::default();
        for task in &self.tasks {
            total += *task;
        }
        total
    }

    /// The account in cost, where one of a task costs what `cost` says.
    pub fn weighed(&self, cost: &dyn Fn(usize) -> f64) -> Weighed {
        let mut total = Weighed::default();
        for (at, task) in self.tasks.iter().enumerate() {
            total.add(task, cost(at));
        }
        total
    }

    /// The same for a whole study: a task of scope part once per part, one of scope image once per image.
    #[must_use]
    pub fn times(&self, flow: &Flow, many: Multiplicity) -> Self {
        let times = |task: usize| many.of(flow.scope(task));
        Self { tasks: self.tasks.iter().enumerate().map(|(at, task)| task.times(times(at))).collect() }
    }

    /// Whether every task's entry adds up.
    pub fn is_balanced(&self) -> bool {
        self.tasks.iter().all(TaskAccount::is_balanced)
    }
}

impl TaskAccount {
    /// How many are left when only the levels up to this one merge.
    pub fn left_at(&self, level: Level) -> u64 {
        let saved = Level::MERGING.iter().zip(self.by).filter(|(found, _)| **found <= level);
        let duplicates = if level >= Level::Convergent { self.convergent } else { 0 };
        self.asked - saved.map(|(_, saved)| saved).sum::<u64>() - duplicates
    }

    /// So many of those that were to be computed turned out to be equal to others.
    pub fn merge_duplicates(&mut self, count: u64) {
        let count = count.min(self.planned);
        self.planned -= count;
        self.convergent += count;
    }

    /// So many of those that were to be computed were served by a result cache.
    pub fn serve(&mut self, count: u64) {
        let count = count.min(self.planned);
        self.planned -= count;
        self.cached += count;
    }

    /// Whether it adds up.
    pub fn is_balanced(&self) -> bool {
        let saved: u64 = self.by.iter().sum();
        let found = self.convergent + self.cached + self.products;
        self.asked == saved + found + self.ended_early + self.failed + self.resumed + self.planned
    }

    fn times(&self, times: u64) -> Self {
        Self {
            asked: self.asked * times,
            by: self.by.map(|saved| saved * times),
            convergent: self.convergent * times,
            cached: self.cached * times,
            products: self.products * times,
            ended_early: self.ended_early * times,
            failed: self.failed * times,
            resumed: self.resumed * times,
            planned: self.planned * times,
        }
    }
}

impl Weighed {
    /// The cost that is left when only the levels up to this one merge.
    pub fn left_at(&self, level: Level) -> f64 {
        let saved = Level::MERGING.iter().zip(self.by).filter(|(found, _)| **found <= level);
        let duplicates = if level >= Level::Convergent { self.convergent } else { 0.0 };
        saved.fold(self.asked, |left, (_, saved)| left - saved) - duplicates
    }

    fn add(&mut self, task: &TaskAccount, cost: f64) {
        self.asked += task.asked as f64 * cost;
        for (sum, saved) in self.by.iter_mut().zip(task.by) {
            *sum += saved as f64 * cost;
        }
        self.convergent += task.convergent as f64 * cost;
        self.cached += task.cached as f64 * cost;
        self.products += task.products as f64 * cost;
        self.ended_early += task.ended_early as f64 * cost;
        self.failed += task.failed as f64 * cost;
        self.resumed += task.resumed as f64 * cost;
        self.planned += task.planned as f64 * cost;
    }
}

impl Multiplicity {
    /// How often a task of that scope is carried out.
    pub fn of(self, scope: Scope) -> u64 {
        match scope {
            Scope::Part => self.parts,
            Scope::Image => self.images,
            Scope::Study => 1,
        }
    }
}

impl AddAssign for TaskAccount {
    fn add_assign(&mut self, other: Self) {
        self.asked += other.asked;
        for (sum, more) in self.by.iter_mut().zip(other.by) {
            *sum += more;
        }
        self.convergent += other.convergent;
        self.cached += other.cached;
        self.products += other.products;
        self.ended_early += other.ended_early;
        self.failed += other.failed;
        self.resumed += other.resumed;
        self.planned += other.planned;
    }
}

/// Task by task; an account of nothing takes the other's tasks.
impl AddAssign<&Account> for Account {
    fn add_assign(&mut self, other: &Account) {
        self.tasks.resize(self.tasks.len().max(other.tasks.len()), TaskAccount::default());
        for (sum, more) in self.tasks.iter_mut().zip(&other.tasks) {
            *sum += *more;
        }
    }
}
