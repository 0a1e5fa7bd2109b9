//! Objects measured by several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use onceflow_kernels::features::{FeatureMeter, LabelledImage, MeasuredObject, ObjectExtent};
use onceflow_region::Lease;

use crate::NucleiError;
use crate::workspace::Workspace;

/// The most pixels of a window for all threads; larger ones are measured by one thread, one after the other, so that
/// scratch memory stays bounded.
const SMALL: u64 = 1 << 18;

/// Bytes of scratch memory per pixel of a window.
const SCRATCH: u64 = 32;

/// Objects per chunk of a thread.
const CHUNK: usize = 32;

/// Threads, each with its own scratch memory.
#[derive(Debug)]
pub(super) struct MeasureThreads {
    meters: Vec<FeatureMeter>,
    _scratch: Lease,
}

impl MeasureThreads {
    /// The threads of the workspace, at most as many as a quarter of the free memory allows.
    pub(super) fn new(extents: &[ObjectExtent], workspace: &Workspace<'_>) -> Result<Self, NucleiError> {
        let windows = || extents.iter().map(window);
        let small = windows().filter(|window| *window <= SMALL).max().unwrap_or(1);
        let largest = windows().max().unwrap_or(1);
        let most = workspace.free() / 4 / (small * SCRATCH);
        let threads = (workspace.workers as u64).min(most).max(1);
        let pixels = largest.max(small.saturating_mul(threads));
        let scratch = workspace.reserve("features of the largest object", pixels.saturating_mul(SCRATCH))?;
        Ok(Self { meters: (0..threads).map(|_| FeatureMeter::new()).collect(), _scratch: scratch })
    }

    /// Measures objects, in their order.
    pub(super) fn measure(
        &mut self,
        scene: LabelledImage<'_>,
        extents: &[ObjectExtent],
    ) -> Result<Vec<MeasuredObject>, NucleiError> {
        let (small, large): (Vec<ObjectExtent>, Vec<ObjectExtent>) =
            extents.iter().partition(|extent| window(extent) <= SMALL);
        let next = AtomicUsize::new(0);
        let work = |meter: &mut FeatureMeter| {
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
            return Err(NucleiError::internal("an object that could not be measured"));
        }
        Ok(measured)
    }
}

/// Pixels of the window of an object.
fn window(extent: &ObjectExtent) -> u64 {
    let side = |side: usize| side as u64 + 2 * FeatureMeter::REACH as u64;
    side(extent.width()).saturating_mul(side(extent.height()))
}

/// The results of all threads in their order; the calling thread is one of them.
fn side_by_side<T: Send>(
    meters: &mut [FeatureMeter],
    work: impl Fn(&mut FeatureMeter) -> Vec<T> + Sync,
) -> Result<Vec<T>, NucleiError> {
    let Some((own, others)) = meters.split_first_mut() else { return Ok(Vec::new()) };
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = others.iter_mut().map(|meter| scope.spawn(move || work(meter))).collect();
        let mut results = work(own);
        for other in others {
            results.extend(other.join().map_err(|_| NucleiError::internal("a measuring thread panicked"))?);
        }
        Ok(results)
    })
}
