//! How far two masks or label images agree.

use onceflow_kernels::compare::{Counts, compare_boundaries};
use onceflow_region::{Dense, ImageInfo, Source};
use onceflow_study::Diagnostic;

use crate::segment::PROGRAM;
use crate::view::labels;
use crate::whole::read_whole;
use crate::{EngineError, objects};

/// Counts of a result against a reference, distances between outlines among them. It takes [`bytes_to_compare`] of
/// memory.
pub fn agreement(result: &dyn Source, reference: &dyn Source) -> Result<Counts, EngineError> {
    check_sizes(result.info(), reference.info())?;
    let (result, reference) = (read_objects(result)?, read_objects(reference)?);
    let views = labels(&result).zip(labels(&reference));
    let (result, reference) = views.ok_or_else(|| EngineError::Internal("labels that are none".into()))?;
    compare_boundaries(result, reference).map_err(|error| EngineError::Internal(error.to_string()))
}

/// Memory that [`agreement`] takes at most.
pub fn bytes_to_compare(info: &ImageInfo) -> u64 {
    info.width.saturating_mul(info.height).saturating_mul(PER_PIXEL).saturating_add(PROGRAM)
}

/// Two planes of labels, both boundaries, and distances to one of them; a file's pixels come and go before.
const PER_PIXEL: u64 = 4 + 4 + 1 + 1 + 8;

fn read_objects(source: &dyn Source) -> Result<Dense, EngineError> {
    objects(&read_whole(source)?)
        .map_err(|error| Diagnostic::error(format!("this is no mask: {error}")).into())
}

fn check_sizes(result: &ImageInfo, reference: &ImageInfo) -> Result<(), EngineError> {
    let size = |info: &ImageInfo| format!("{} x {} pixels", info.width, info.height);
    if (result.width, result.height) == (reference.width, reference.height) {
        return Ok(());
    }
    let error = Diagnostic::error("images of different sizes cannot be compared");
    let error = error.expected_found(format!("{}, as the reference", size(reference)), size(result));
    Err(error.with_hint("compare two results of the same image, or crop one to the other").into())
}
