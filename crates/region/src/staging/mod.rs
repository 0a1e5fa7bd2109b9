//! Staging to disk: who writes what computing threads make.
//!
//! [`Placement::CoLocated`]: the threads that compute write, and wait for the disk. Each may write by itself at once, or in
//! a group: what its threads make waits until one of them has made a batch; then the group goes into a write session, and
//! none of its threads that comes meanwhile computes on before all is written. [`Placement::Separated`]: threads
//! that do nothing else write. What is staged goes to the queue of one of them, in turn or at random; when a queue holds
//! as many blobs as make a batch, all writers of its group go into a write session and write what their queues hold.
//! Small groups wait for each other less, large ones give the disk more at a time. Which is faster depends on the disk:
//! [`measure`] tells.
//!
//! ```
//! use std::sync::Arc;
//! use onceflow_region::Budget;
//! use onceflow_region::blob::{BlobStore, DiskBlobs};
//! use onceflow_region::staging::Staging;
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
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;
use std::thread::JoinHandle;

pub use error::StagingError;
pub use measure::{Load, Measured, measure};

use crate::blob::{BlobStore, Content, digest};
use crate::{Budget, Digest};
use groups::Groups;
use queues::{Buffer, Queues};

/// How regions and other blobs are brought to disk. The words of a configuration are read with [`str::parse`]:
/// `co-located`, `co-located:group=2,batch=4`, or `separated:writers=4,group=2,random`, where also `round-robin`,
/// `random=SEED` and `batch=8` can stand.
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
        /// How many blobs of a thread make its group write.
        batch: usize,
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

/// Which writer gets a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// One after the other.
    RoundRobin,
    /// Any, by numbers that follow from a seed.
    Random(u64),
}

impl Staging {
    /// Starts the writers, where there are any. What waits in queues draws from the budget.
    ///
    /// # Errors
    /// When a number is none to work with, or the system has no threads.
    pub fn start(&self, store: Arc<dyn BlobStore>, budget: Budget) -> Result<Stager, StagingError> {
        words::check(self.placement)?;
        let way = match self.placement {
            Placement::CoLocated { group_size: 1, batch: 1 } => Way::AtOnce,
            Placement::CoLocated { group_size, batch } => Way::Together(Groups::new(group_size, batch)),
            Placement::Separated { writers, group_size, batch, distribution } => {
                Way::Queued(Arc::new(Queues::new(writers, group_size, batch, distribution)))
            }
        };
        let mut stager = Stager { store, budget, way, threads: Vec::new() };
        for writer in 0..self.placement.writers() {
            stager.spawn(writer)?;
        }
        Ok(stager)
    }
}

impl Placement {
    /// Threads that do nothing but write.
    fn writers(self) -> usize {
        if let Placement::Separated { writers, .. } = self { writers } else { 0 }
    }
}

/// Brings blobs to a store, each thread through the same handle. Dropping it writes what still waits.
#[derive(Debug)]
pub struct Stager {
    store: Arc<dyn BlobStore>,
    budget: Budget,
    way: Way,
    threads: Vec<JoinHandle<()>>,
}

/// The way of a blob to the store.
#[derive(Debug)]
enum Way {
    AtOnce,
    Together(Groups),
    Queued(Arc<Queues>),
}

impl Stager {
    /// Stages a blob and tells its digest. Where each thread writes by itself at once, it is in the store then; else it may
    /// wait for its group or its writer. Separated, the call itself waits only when the budget has no room for the blob.
    ///
    /// # Errors
    /// When it cannot be written, it is larger than the budget of queues, or a writer has failed since the last call.
    pub fn stage(&self, content: impl Content + Send + 'static) -> Result<Digest, StagingError> {
        let digest = digest(&content)?;
        match &self.way {
            Way::AtOnce => self.store.write(&digest, &content)?,
            Way::Together(groups) => match self.budget.try_reserve(content.length()) {
                Some(lease) => {
                    groups
                        .push(Buffer { digest, content: Box::new(content), _lease: lease }, &*self.store)?;
                }
                // What cannot wait is written at once, after what takes the memory.
                None => {
                    groups.flush(&*self.store)?;
                    self.store.write(&digest, &content)?;
                }
            },
            Way::Queued(queues) => {
                let lease = queues.reserve(&self.budget, content.length())?;
                queues.push(Buffer { digest, content: Box::new(content), _lease: lease })?;
            }
        }
        Ok(digest)
    }

    /// Waits until everything that was staged is in the store.
    ///
    /// # Errors
    /// When a writer has failed.
    pub fn flush(&self) -> Result<(), StagingError> {
        match &self.way {
            Way::AtOnce => Ok(()),
            Way::Together(groups) => groups.flush(&*self.store),
            Way::Queued(queues) => queues.flush(),
        }
    }

    fn spawn(&mut self, writer: usize) -> Result<(), StagingError> {
        let Way::Queued(queues) = &self.way else { return Ok(()) };
        let (queues, store) = (Arc::clone(queues), Arc::clone(&self.store));
        let name = format!("writer {writer}");
        let thread = std::thread::Builder::new().name(name).spawn(move || queues.work(writer, &*store));
        let thread = thread.map_err(|error| StagingError::Thread { reason: error.to_string() })?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Stager {
    fn drop(&mut self) {
        match &self.way {
            Way::AtOnce => {}
            // Whoever wants to know of failures flushes before.
            Way::Together(groups) => drop(groups.flush(&*self.store)),
            Way::Queued(queues) => queues.close(),
        }
        // A thread that panicked has told so already.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}
