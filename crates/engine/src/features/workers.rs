//! Objects measured side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_kernels::View;
use onceflow_kernels::features::{Extent, Measured, Meter};

use crate::EngineError;

/// Pixels of a window that any thread may look at; larger ones are looked at by one thread, one after the other, so
/// that scratch memory stays bounded.
pub(super) const SMALL: u64 = 1 << 18;

/// Objects that a thread takes at once.
const CHUNK: usize = 32;

/// Measures all objects, in their order.
pub(super) fn measure(
    image: View<'_, [u8; 3]>,
    labels: View<'_, u32>,
    extents: &[Extent],
    threads: usize,
) -> Result<Vec<Measured>, EngineError> {
    let (small, large): (Vec<Extent>, Vec<Extent>) =
        extents.iter().partition(|extent| window(extent) <= SMALL);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut meter = Meter::new();
        let mut measured = Vec::new();
        while let Some(chunk) = small.chunks(CHUNK).nth(next.fetch_add(1, Ordering::Relaxed)) {
            measured.extend(chunk.iter().filter_map(|extent| meter.measure(image, labels, *extent)));
        }
        measured
    };
    let mut measured = on_threads(threads, work)?;
    let mut meter = Meter::new();
    measured.extend(large.iter().filter_map(|extent| meter.measure(image, labels, *extent)));
    measured.sort_by_key(|object| object.extent.label);
    Ok(measured)
}

/// Pixels of the window that an object looks at.
pub(super) fn window(extent: &Extent) -> u64 {
    let side = |side: usize| side as u64 + 2 * Meter::REACH as u64;
    side(extent.width()).saturating_mul(side(extent.height()))
}

/// What the threads return, one after the other; the caller's own is one of them.
fn on_threads<T: Send>(threads: usize, work: impl Fn() -> Vec<T> + Sync) -> Result<Vec<T>, EngineError> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = work();
        for other in others {
            let result = other.join();
            results.extend(result.map_err(|_| EngineError::Internal("a thread measured in vain".into()))?);
        }
        Ok(results)
    })
}
