//! Staging to disk: which threads write the results of computing threads.
//!
//! [`Placement::CoLocated`]: the threads that compute write, and wait for the disk. Each may write by itself at once, or in
//! a group: what is made waits with the group of its maker, or with groups in turn or at random, until one thread has
//! brought a batch; then the group goes into a write session, and none of its threads that comes meanwhile computes on
//! before all is written. [`Placement::Separated`]: threads that do nothing else write. What is staged goes to the queue
//! of one of them, in turn or at random; when a queue holds as much as makes a batch, all writers of its group go into a
//! write session and write what their queues hold. Small groups wait for each other less, large ones give the disk more at
//! a time. Which is faster depends on the disk: [`measure`] tells.
//!
//! What waits draws from a budget. What has no room to wait is written at once by the thread that brings it.
//!
//! ```
//! use std::sync::Arc;
//! use onceflow_region::Budget;
//! use onceflow_store::blob::{BlobStore, DiskBlobs};
//! use onceflow_store::staging::Staging;
//!
//! let folder = tempfile::tempdir()?;
//! let disk = Arc::new(DiskBlobs::open(folder.path())?);
//! let staging: Staging = "separated:writers=2,group=1,random".parse()?;
//! let stager = staging.start(disk.clone(), Budget::new(1 << 20))?;
//! let digest = stager.stage(vec![1, 2, 3])?;
//! stager.flush()?;
//! assert_eq!(disk.get(&digest)?[..], [1, 2, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod groups;
mod measure;
mod queues;
mod sink;
mod stager;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use onceflow_region::Budget;

pub use error::StagingError;
pub use measure::{Load, StagingMeasure, measure};
pub use sink::{Blobs, Sink};
pub use stager::Stager;

use crate::blob::BlobStore;

/// How regions and other blobs are brought to disk. The words of a configuration are read with [`str::parse`]:
/// `co-located`, `co-located:group=2,batch=4`, or `separated:writers=4,group=2,random`, where also `round-robin`,
/// `random=SEED` and `batch=8` can stand. Without a word, each computing thread writes by itself at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staging {
    /// Who writes.
    pub placement: Placement,
}

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The computing threads.
    CoLocated {
        /// How many of them write together.
        group_size: usize,
        /// How many blobs of a thread make a group write.
        batch: usize,
        /// Which group a blob waits with; that of its maker without it.
        distribution: Option<Distribution>,
    },
    /// Threads of their own.
    Separated {
        /// How many.
        writers: usize,
        /// How many of them write together.
        group_size: usize,
        /// How many blobs in the queue of a writer make its group write.
        batch: usize,
        /// Which writer gets a blob.
        distribution: Distribution,
    },
}

/// Which writer, or which group of computing threads, gets a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// One after the other.
    RoundRobin,
    /// Any, by numbers that follow from a seed.
    Random(u64),
}

impl Default for Staging {
    fn default() -> Staging {
        Staging { placement: Placement::CoLocated { group_size: 1, batch: 1, distribution: None } }
    }
}

impl Staging {
    /// Starts the writers, where there are any, of blobs. What waits draws from the budget.
    ///
    /// # Errors
    /// When a number is 0 or too large, or the system has no threads.
    pub fn start(&self, store: Arc<dyn BlobStore>, budget: Budget) -> Result<Stager, StagingError> {
        Stager::new(self.placement, Blobs(store), budget)
    }

    /// As [`start`](Staging::start), of anything that a sink takes.
    ///
    /// # Errors
    /// As [`start`](Staging::start).
    pub fn start_with<S: Sink>(&self, sink: S, budget: Budget) -> Result<Stager<S>, StagingError> {
        Stager::new(self.placement, sink, budget)
    }

    /// Whether what is staged is written before the call returns, so that nothing ever waits in memory.
    pub fn is_at_once(&self) -> bool {
        matches!(self.placement, Placement::CoLocated { group_size: 1, batch: 1, .. })
    }
}

impl Placement {
    /// Threads that do nothing but write.
    fn writers(self) -> usize {
        if let Placement::Separated { writers, .. } = self { writers } else { 0 }
    }
}

impl Distribution {
    /// Of so many places, that of what comes after so many others.
    fn choose(self, given: u64, places: usize) -> usize {
        let number = match self {
            Distribution::RoundRobin => given,
            Distribution::Random(seed) => mixed(seed.wrapping_add(given.wrapping_mul(0x9e3779b97f4a7c15))),
        };
        (number % places.max(1) as u64) as usize
    }
}

/// Splitmix64: numbers that look random.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d049bb133111eb);
    number ^ (number >> 31)
}
