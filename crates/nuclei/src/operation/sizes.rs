//! Filters by object size: the objects of a mask are found once for all sizes.

use std::sync::Arc;

use onceflow_kernels::nuclei::{self, MaskScratch, SegmentationStatus};
use onceflow_kernels::{Connectivity, Cpu, Plane, SizedRuns, filter_area};
use onceflow_runtime::{Done, OperationError};

use super::Arguments;
use super::lookup::CallContext;
use super::regions::{done, from_grey};
use crate::segment::status_word;

/// Components of the right size.
pub(super) fn area_filter(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (from, below) = (arguments.integer(0)?, Some(arguments.integer(1)?));
    let connectivity = arguments.connectivity(2)?;
    match sized(arguments, connectivity)? {
        Some((runs, known)) => {
            // The choice of components identifies the result only together with the connectivity.
            let chosen = runs.choice(from, below).and(&[u64::from(connectivity == Connectivity::Eight)]);
            let done = arguments.made(runs.filter(from, below), arguments.derived(0, chosen))?;
            let done = Done { known, ..done };
            Ok(if runs.any(from, below) { done } else { ended(done) })
        }
        None => looked_at(filter_area(arguments.grey(0)?, from, below, connectivity)),
    }
}

/// Objects large enough to be split, dilated. Hardly two calls have the same mask: nothing is cached.
pub(super) fn clumps(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (mask, mut scratch) = (arguments.mask(0)?, MaskScratch::default());
    nuclei::clumps_bits(Cpu::default(), mask, arguments.integer(0)?, &mut scratch);
    arguments.written(scratch.into_result())
}

/// Nuclei of the right size, holes filled; nothing is cached for the same reason.
pub(super) fn finish(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let (mask, fill) = (arguments.mask(0)?, arguments.connectivity(2)?);
    let sizes = arguments.integer(0)?..arguments.integer(1)?;
    let mut scratch = MaskScratch::default();
    nuclei::finish_bits(Cpu::default(), mask, sizes, fill, &mut scratch);
    let found = scratch.into_result();
    let any = found.is_any();
    let done = arguments.written(found)?;
    Ok(if any { done } else { ended(done) })
}

/// The components of the first input, if its content is known, and whether they were cached.
fn sized(
    arguments: &Arguments<'_>,
    connectivity: Connectivity,
) -> Result<Option<(Arc<SizedRuns>, bool)>, OperationError> {
    let mask = arguments.mask(0)?;
    let known = arguments.known.zip(arguments.digests.first());
    Ok(known.map(|(known, content)| {
        let numbers =
            [mask.width() as u64, mask.height() as u64, u64::from(connectivity == Connectivity::Eight)];
        let at = CallContext {
            site: arguments.site,
            row: arguments.row,
            context: known.context(&[*content], &numbers),
        };
        known.sized(at, || SizedRuns::of(mask, connectivity))
    }))
}

fn looked_at(mask: Plane<u8>) -> Result<Done, OperationError> {
    let any = mask.pixels().iter().any(|pixel| *pixel != 0);
    let done = done([from_grey(mask)?]);
    Ok(if any { done } else { ended(done) })
}

fn ended(done: Done) -> Done {
    Done { ended: Some(status_word(SegmentationStatus::NoCandidates).to_owned()), ..done }
}
