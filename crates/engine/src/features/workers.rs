//! Objects measured side by side.

use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_kernels::features::{Extent, Measured, Meter, Scene};
use onceflow_region::Lease;

use super::internal;
use crate::{Desk, EngineError};

/// Pixels of a window that any thread may look at; larger ones are looked at by one thread, one after the other, so
/// that scratch memory stays bounded.
const SMALL: u64 = 1 << 18;

/// Bytes of scratch for a pixel that an object looks at.
const SCRATCH: u64 = 32;

/// Objects that a thread takes at once.
const CHUNK: usize = 32;

/// Threads, each with its own scratch memory.
#[derive(Debug)]
pub(super) struct Workers {
    meters: Vec<Meter>,
    _scratch: Lease,
}

impl Workers {
    /// As many as are wished, and as a quarter of the free memory allows.
    pub(super) fn new(extents: &[Extent], desk: &Desk<'_>) -> Result<Self, EngineError> {
        let windows = || extents.iter().map(window);
        let small = windows().filter(|window| *window <= SMALL).max().unwrap_or(1);
        let largest = windows().max().unwrap_or(1);
        let most = desk.free() / 4 / (small * SCRATCH);
        let threads = (desk.workers as u64).min(most).max(1);
        let pixels = largest.max(small.saturating_mul(threads));
        let scratch = desk.reserve("features of the largest object", pixels.saturating_mul(SCRATCH))?;
        Ok(Self { meters: (0..threads).map(|_| Meter::new()).collect(), _scratch: scratch })
    }

    /// Measures objects, in their order.
    pub(super) fn measure(
        &mut self,
        scene: Scene<'_>,
        extents: &[Extent],
    ) -> Result<Vec<Measured>, EngineError> {
        let (small, large): (Vec<Extent>, Vec<Extent>) =
            extents.iter().partition(|extent| window(extent) <= SMALL);
        let next = AtomicUsize::new(0);
        let work = |meter: &mut Meter| {
            let mut measured = Vec::new();
            while let Some(chunk) = small.chunks(CHUNK).nth(next.fetch_add(1, Ordering::Relaxed)) {
                measured.extend(chunk.iter().filter_map(|extent| meter.measure(scene, *extent)));
            }
            measured
        };
        let mut measured = side_by_side(&mut self.meters, work)?;
        for meter in self.meters.iter_mut().take(1) {
            measured.extend(large.iter().filter_map(|extent| meter.measure(scene, *extent)));
        }
        measured.sort_by_key(|object| object.extent.label);
        if measured.len() != extents.len() {
            return Err(internal("an object that could not be measured"));
        }
        Ok(measured)
    }
}

/// Pixels of the window that an object looks at.
fn window(extent: &Extent) -> u64 {
    let side = |side: usize| side as u64 + 2 * Meter::REACH as u64;
    side(extent.width()).saturating_mul(side(extent.height()))
}

/// What the threads return, one after the other; the caller's own is one of them.
fn side_by_side<T: Send>(
    meters: &mut [Meter],
    work: impl Fn(&mut Meter) -> Vec<T> + Sync,
) -> Result<Vec<T>, EngineError> {
    let Some((own, others)) = meters.split_first_mut() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = others.iter_mut().map(|meter| scope.spawn(move || work(meter))).collect();
        let mut results = work(own);
        for other in others {
            results.extend(other.join().map_err(|_| internal("a thread measured in vain"))?);
        }
        Ok(results)
    })
}
