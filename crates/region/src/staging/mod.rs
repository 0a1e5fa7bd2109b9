//! Staging to disk: who writes what computing threads make.
//!
//! [`Placement::CoLocated`]: the thread that computed writes, and waits for the disk. [`Placement::Separated`]: threads
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
use queues::{Buffer, Queues};

/// How regions and other blobs are brought to disk. The words of a configuration are read with [`str::parse`]:
/// `co-located`, or `separated:writers=4,group=2,random`, where also `round-robin`, `random=SEED` and `batch=8` can
/// stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staging {
    /// Who writes.
    pub placement: Placement,
}

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The computing thread.
    CoLocated,
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
        let queues = match self.placement {
            Placement::CoLocated => None,
            Placement::Separated { writers, group_size, batch, distribution } => {
                words::check(writers, group_size, batch)?;
                Some(Arc::new(Queues::new(writers, group_size, batch, distribution)))
            }
        };
        let mut stager = Stager { store, budget, queues, threads: Vec::new() };
        let writers = stager.queues.as_ref().map_or(0, |queues| queues.writers());
        for writer in 0..writers {
            stager.spawn(writer)?;
        }
        Ok(stager)
    }
}

/// Brings blobs to a store, each thread through the same handle. Dropping it writes what is still in queues.
#[derive(Debug)]
pub struct Stager {
    store: Arc<dyn BlobStore>,
    budget: Budget,
    queues: Option<Arc<Queues>>,
    threads: Vec<JoinHandle<()>>,
}

impl Stager {
    /// Stages a blob and tells its digest. Co-located, it is in the store then; separated, it is in a queue, and the
    /// call waits only when the budget has no room for it.
    ///
    /// # Errors
    /// When it cannot be written, it is larger than the budget, or a writer has failed since the last call.
    pub fn stage(&self, content: impl Content + Send + 'static) -> Result<Digest, StagingError> {
        let digest = digest(&content)?;
        match &self.queues {
            None => self.store.write(&digest, &content)?,
            Some(queues) => {
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
        self.queues.as_ref().map_or(Ok(()), |queues| queues.flush())
    }

    fn spawn(&mut self, writer: usize) -> Result<(), StagingError> {
        let Some(queues) = self.queues.clone() else { return Ok(()) };
        let store = Arc::clone(&self.store);
        let name = format!("writer {writer}");
        let thread = std::thread::Builder::new().name(name).spawn(move || queues.work(writer, &*store));
        let thread = thread.map_err(|error| StagingError::Thread { reason: error.to_string() })?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Stager {
    fn drop(&mut self) {
        self.queues.iter().for_each(|queues| queues.close());
        // A thread that panicked has told so already.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}
