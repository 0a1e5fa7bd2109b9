//! The agreement of two masks or label images.

use onceflow_kernels::compare::{ComparisonCounts, compare_boundaries};
use onceflow_kernels::dense::labels;
use onceflow_region::{Dense, ImageInfo, Source};
use onceflow_study::Diagnostic;

use crate::NucleiError;
use crate::labels::{no_objects, objects};
use crate::pixels::read_whole;
use crate::workspace::PROGRAM_BYTES;

/// Counts of a result against a reference, including distances between outlines; each image comes with its name. It takes
/// [`bytes_to_compare`] of memory.
///
/// # Errors
/// When they are of different sizes, or one cannot be read or is neither a mask nor a label image.
pub fn agreement(
    result: (&str, &dyn Source),
    reference: (&str, &dyn Source),
) -> Result<ComparisonCounts, NucleiError> {
    check_sizes(result, reference)?;
    let (result, reference) = (read_objects(result.0, result.1)?, read_objects(reference.0, reference.1)?);
    let views = labels(&result).zip(labels(&reference));
    let (result, reference) =
        views.ok_or_else(|| NucleiError::internal("labels of another type than u32"))?;
    compare_boundaries(result, reference).map_err(|error| NucleiError::internal(error.to_string()))
}

/// Memory that [`agreement`] takes at most.
pub fn bytes_to_compare(info: &ImageInfo) -> u64 {
    info.width.saturating_mul(info.height).saturating_mul(PER_PIXEL).saturating_add(PROGRAM_BYTES)
}

/// Two planes of labels, both boundaries, and distances to one of them.
const PER_PIXEL: u64 = 4 + 4 + 1 + 1 + 8;

/// All objects of a mask or label image, as labels.
///
/// # Errors
/// When it cannot be read or is neither.
pub fn read_objects(name: &str, source: &dyn Source) -> Result<Dense, NucleiError> {
    objects(&read_whole(source)?).map_err(|error| no_objects(name, &error).into())
}

/// Refuses two images of different sizes.
pub fn check_sizes(result: (&str, &dyn Source), reference: (&str, &dyn Source)) -> Result<(), NucleiError> {
    let size = |image: (&str, &dyn Source)| (image.1.info().width, image.1.info().height);
    if size(result) == size(reference) {
        return Ok(());
    }
    let words = |image| format!("{} x {} pixels", size(image).0, size(image).1);
    let error = Diagnostic::error(format!("{} and {} are of different sizes", result.0, reference.0));
    let error = error.expected_found(words(reference), words(result));
    Err(error.with_hint("name two images of the same pixels, or crop one to the other").into())
}
