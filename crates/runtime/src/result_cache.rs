//! Results of earlier runs, by key: the trait that a product store implements.

use std::sync::Arc;

use onceflow_region::Region;
use onceflow_reuse::{ContentDigest, Digest32, TaskKey};

use crate::{InputProvider, OperationError};

/// Keeps results between runs. Only workers call it, and only for tasks that give the same bytes in every run.
///
/// A result has two keys: the static key is known before anything runs, the content key when the inputs of the task are
/// there. Each of them leads to the same result. An error never fails a run: what cannot be fetched is computed, and what
/// cannot be stored is computed again by a later run.
pub trait ResultCache: Send + Sync {
    /// Whether it takes part in the run: keys cost time.
    fn is_enabled(&self) -> bool {
        true
    }

    /// Whether it keeps results of a task: of others, no keys are made for it.
    fn wants(&self, _task: usize) -> bool {
        true
    }

    /// Whether it looks for results of a task by the contents of its inputs, which have so many bytes: to know the contents
    /// takes time.
    fn wants_contents(&self, _task: usize, _bytes: u64) -> bool {
        true
    }

    /// The digest of a region in content keys; none for a region that has none.
    fn digest(&self, region: &Region) -> Option<Digest32> {
        region.digest().map(|digest| digest.0)
    }

    /// A cache behind it that outlives the run, with the sources by digests that hold in other runs. It is asked when this one
    /// does not hold a result, and is given what was computed.
    fn lasting(&self) -> Option<LastingResults<'_>> {
        None
    }

    /// Whether it lives as long as one run. Contents as the run tells them apart are then keys too.
    fn is_of_run(&self) -> bool {
        false
    }

    /// What it holds under each of these keys, in their order.
    ///
    /// # Errors
    /// When the index cannot be read: it then holds nothing.
    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError>;

    /// The outputs under a key of which [`ResultCache::lookup`] said that it is held.
    ///
    /// # Errors
    /// When they are gone or damaged.
    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError>;

    /// Keeps a result under all of its keys. A result that ended its stage is never stored, so a result that is found again
    /// did not end it. None where the result was not worth its bytes.
    ///
    /// # Errors
    /// When there is no room or no connection.
    fn store(&self, keys: &[TaskKey], result: &NewResult<'_>)
    -> Result<Option<CachedResult>, OperationError>;

    /// Bytes of all results that it holds.
    fn bytes(&self) -> u64;
}

/// Results that outlive a run.
#[derive(Clone, Copy)]
pub struct LastingResults<'a> {
    /// Holds them.
    pub cache: &'a dyn ResultCache,
    /// Gives the digests of sources that are part of their keys.
    pub provider: &'a dyn InputProvider,
}

/// A result that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedResult {
    /// The digest of each output's bytes and form.
    pub digests: Vec<Digest32>,
    /// The content of each output as the run tells contents apart, where the cache is of one run and knows them.
    pub contents: Vec<ContentDigest>,
    /// Bytes of all outputs.
    pub bytes: u64,
    /// The number by which a cache that outlives the run knows who made it.
    pub origin: Option<u32>,
}

/// A result to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewResult<'a> {
    /// The task.
    pub task: usize,
    /// The part or the image that it ran on; 0 for a task of the study.
    pub site: usize,
    /// The outputs of the task.
    pub outputs: &'a [Arc<Region>],
    /// The content of each output as the run tells contents apart; none where it does not.
    pub contents: &'a [ContentDigest],
    /// Seconds that it took to compute them.
    pub seconds: f64,
}

/// How the result cache was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounts {
    /// Results that were served.
    pub served: u64,
    /// Their bytes.
    pub served_bytes: u64,
    /// Results that were stored.
    pub stored: u64,
    /// Their bytes.
    pub stored_bytes: u64,
    /// Calls of the cache that failed.
    pub failed: u64,
}

/// Holds nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResultCache;

impl ResultCache for NoResultCache {
    fn is_enabled(&self) -> bool {
        false
    }

    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        Ok(vec![None; keys.len()])
    }

    fn fetch(&self, _: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        Err(OperationError::new("no result cache is set up"))
    }

    fn store(&self, _: &[TaskKey], _: &NewResult<'_>) -> Result<Option<CachedResult>, OperationError> {
        Ok(None)
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl std::ops::AddAssign for CacheCounts {
    fn add_assign(&mut self, other: Self) {
        self.served += other.served;
        self.served_bytes += other.served_bytes;
        self.stored += other.stored;
        self.stored_bytes += other.stored_bytes;
        self.failed += other.failed;
    }
}
