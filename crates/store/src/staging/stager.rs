//! The handle through which threads stage, and the threads of writers behind it.

use std::sync::Arc;
use std::thread::JoinHandle;

use onceflow_region::{Budget, Digest, Lease};

use super::groups::StagingGroups;
use super::queues::Queues;
use super::{Blobs, Placement, Sink, StagingError, words};
use crate::blob::{BlobContent, digest};

/// Brings what is staged to its place, each thread through the same handle. Dropping it writes what still waits.
pub struct Stager<S: Sink = Blobs> {
    sink: Arc<S>,
    budget: Budget,
    way: StagingWay<S::Staged>,
    threads: Vec<JoinHandle<()>>,
}

/// The way of an item to the sink.
enum StagingWay<T> {
    AtOnce,
    Together(Box<StagingGroups<T>>),
    Queued(Arc<Queues<T>>),
}

/// An item that waits, with the memory that it takes.
pub(super) struct Buffer<T> {
    pub(super) item: T,
    pub(super) lease: Lease,
}

impl<T> Buffer<T> {
    /// Writes it; tells the failure, if any.
    pub(super) fn write(self, sink: &impl Sink<Staged = T>) -> Option<StagingError> {
        sink.write(self.item, Some(self.lease)).err()
    }
}

impl Stager<Blobs> {
    /// Stages a blob and tells its digest. Where each thread writes by itself at once, it is in the store then; else it may
    /// wait for its group or its writer. Separated, the call itself waits only when the budget has no room for the blob.
    ///
    /// # Errors
    /// When it cannot be written, or a writer has failed since the last call.
    pub fn stage(&self, content: impl BlobContent + Send + 'static) -> Result<Digest, StagingError> {
        let (digest, bytes) = (digest(&content)?, content.length());
        self.hand((digest, Box::new(content)), bytes)?;
        Ok(digest)
    }
}

impl<S: Sink> Stager<S> {
    pub(super) fn new(placement: Placement, sink: S, budget: Budget) -> Result<Stager<S>, StagingError> {
        words::check(placement)?;
        let way = match placement {
            Placement::CoLocated { group_size: 1, batch: 1, .. } => StagingWay::AtOnce,
            Placement::CoLocated { group_size, batch, distribution } => {
                StagingWay::Together(Box::new(StagingGroups::new(group_size, batch, distribution)))
            }
            Placement::Separated { writers, group_size, batch, distribution } => {
                StagingWay::Queued(Arc::new(Queues::new(writers, group_size, batch, distribution)))
            }
        };
        let mut stager = Stager { sink: Arc::new(sink), budget, way, threads: Vec::new() };
        for writer in 0..placement.writers() {
            stager.spawn(writer)?;
        }
        Ok(stager)
    }

    /// Stages an item that takes so many bytes of memory while it waits.
    ///
    /// # Errors
    /// When it cannot be written, or another could not be since the last call.
    pub fn hand(&self, item: S::Staged, bytes: u64) -> Result<(), StagingError> {
        let lease = match &self.way {
            StagingWay::AtOnce => None,
            StagingWay::Together(groups) => groups.reserve(&self.budget, bytes, &*self.sink)?,
            StagingWay::Queued(queues) => queues.reserve(&self.budget, bytes),
        };
        match (lease, &self.way) {
            (Some(lease), StagingWay::Together(groups)) => groups.push(Buffer { item, lease }, &*self.sink),
            (Some(lease), StagingWay::Queued(queues)) => queues.push(Buffer { item, lease }),
            _ => self.sink.write(item, None),
        }
    }

    /// Waits until everything that was staged is written.
    ///
    /// # Errors
    /// When something could not be.
    pub fn flush(&self) -> Result<(), StagingError> {
        match &self.way {
            StagingWay::AtOnce => Ok(()),
            StagingWay::Together(groups) => groups.flush(&*self.sink),
            StagingWay::Queued(queues) => queues.flush(),
        }
    }

    /// The sink.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    fn spawn(&mut self, writer: usize) -> Result<(), StagingError> {
        let StagingWay::Queued(queues) = &self.way else { return Ok(()) };
        let (queues, sink) = (Arc::clone(queues), Arc::clone(&self.sink));
        let name = format!("writer {writer}");
        let thread = std::thread::Builder::new().name(name).spawn(move || queues.work(writer, &*sink));
        let thread = thread.map_err(|error| StagingError::Thread { reason: error.to_string() })?;
        self.threads.push(thread);
        Ok(())
    }
}

impl<S: Sink> Drop for Stager<S> {
    fn drop(&mut self) {
        match &self.way {
            StagingWay::AtOnce => {}
            // Errors are returned by a flush before the drop.
            StagingWay::Together(groups) => drop(groups.flush(&*self.sink)),
            StagingWay::Queued(queues) => queues.close(),
        }
        // A thread that panicked has told so already.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

impl<S: Sink> std::fmt::Debug for Stager<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stager").field("writers", &self.threads.len()).finish_non_exhaustive()
    }
}
