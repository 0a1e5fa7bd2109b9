//! Measuring a staging: threads that compute blobs and stage them, as in figure 12 of the Region Templates paper.

use std::sync::Arc;
use std::time::{Duration, Instant};

use onceflow_region::Budget;

use super::{Stager, Staging, StagingError, mixed};
use crate::blob::BlobStore;

/// The work that a staging is measured with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Threads in all: writers take theirs from those that compute, of which at least one is left.
    pub threads: usize,
    /// Blobs in all.
    pub blobs: usize,
    /// Bytes of a blob.
    pub bytes: usize,
    /// How often the bytes of a blob are computed before it is staged: how much computing there is beside writing.
    pub passes: u32,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct StagingMeasure {
    /// The staging.
    pub staging: Staging,
    /// Threads that computed.
    pub computing: usize,
    /// Seconds until everything was in the store.
    pub seconds: f64,
    /// Megabytes (10^6 bytes) staged each second.
    pub megabytes_per_second: f64,
    /// Seconds that a computing thread waited in the mean for its blobs to be taken.
    pub waited: f64,
}

/// Computes blobs that all differ, stages them, and measures how long that took.
///
/// # Errors
/// When a blob cannot be staged.
pub fn measure(
    staging: &Staging,
    load: &Load,
    store: Arc<dyn BlobStore>,
    budget: &Budget,
) -> Result<StagingMeasure, StagingError> {
    let computing = load.threads.saturating_sub(staging.placement.writers()).max(1);
    let stager = staging.start(store, budget.clone())?;
    let begun = Instant::now();
    let compute = |first: usize| {
        let mine = (first..load.blobs).step_by(computing);
        mine.map(|number| stage_one(&stager, load, number)).sum::<Result<Duration, StagingError>>()
    };
    let waits = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..computing).map(|first| scope.spawn(move || compute(first))).collect();
        let panicked = || StagingError::Thread { reason: "it panicked".into() };
        threads.into_iter().map(|thread| thread.join().map_err(|_| panicked())?).sum::<Result<Duration, _>>()
    })?;
    stager.flush()?;
    let seconds = begun.elapsed().as_secs_f64();
    let megabytes_per_second = load.blobs as f64 * load.bytes as f64 / 1e6 / seconds.max(1e-9);
    let waited = waits.as_secs_f64() / computing as f64;
    Ok(StagingMeasure { staging: *staging, computing, seconds, megabytes_per_second, waited })
}

/// Computes and stages one blob; tells how long the staging took.
fn stage_one(stager: &Stager, load: &Load, number: usize) -> Result<Duration, StagingError> {
    let blob = computed(load, number);
    let begun = Instant::now();
    stager.stage(blob)?;
    Ok(begun.elapsed())
}

fn computed(load: &Load, number: usize) -> Vec<u8> {
    let mut bytes = vec![0; load.bytes];
    for pass in 0..u64::from(load.passes.max(1)) {
        let mut state = mixed(number as u64 + 1) ^ pass;
        for (at, some) in bytes.chunks_mut(8).enumerate() {
            state = mixed(state.wrapping_add(at as u64));
            some.copy_from_slice(&state.to_le_bytes()[..some.len()]);
        }
    }
    bytes
}
