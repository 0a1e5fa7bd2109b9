//! What became of objects that tasks have seen: a task that works object by object computes only those that are new.
//!
//! An object is known by a digest ([`Shape`]) of everything its result follows from: the operation and its version, the
//! parameters that work on it reads, the contents of the other inputs, its runs and their place. It lives as long as one
//! phase, for contents are told apart inside one run only.

mod counts;
mod table;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_kernels::compare::LabelledRuns;
use onceflow_region::Budget;

pub use counts::ObjectCounts;
pub(crate) use counts::Tally;
use table::{Room, Table};

/// Results of objects, shared by all workers.
#[derive(Debug)]
pub(crate) struct ObjectsSeen {
    results: Table<Box<[u32]>>,
    labelled: Table<Arc<LabelledRuns>>,
    tallies: Mutex<BTreeMap<String, Arc<Tally>>>,
}

impl ObjectsSeen {
    /// Keeps results in bytes that are spare in a budget, and are reserved in both.
    pub(crate) fn new(budget: &Budget, spare: Budget) -> Self {
        let room = Room { shared: budget.clone(), spare };
        Self { results: Table::new(&room), labelled: Table::new(&room), tallies: Mutex::default() }
    }

    /// What each task, by its name, asked for and found.
    pub(crate) fn counts(&self) -> BTreeMap<String, ObjectCounts> {
        let tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.iter().map(|(task, tally)| (task.clone(), tally.counts())).collect()
    }

    /// Where a task counts.
    pub(crate) fn tally(&self, task: &str) -> Arc<Tally> {
        let mut tallies = self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(tallies.entry(task.to_owned()).or_default())
    }

    /// The results of objects.
    pub(crate) fn results(&self) -> &Table<Box<[u32]>> {
        &self.results
    }

    /// Objects that results are compared with.
    pub(crate) fn labelled(&self) -> &Table<Arc<LabelledRuns>> {
        &self.labelled
    }
}
