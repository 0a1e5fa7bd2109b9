//! How far two masks or label images agree.

use onceflow_kernels::compare::{Counts, compare_boundaries};
use onceflow_region::{Dense, ImageInfo, RegionError, Source};
use onceflow_study::Diagnostic;

use crate::segment::PROGRAM;
use crate::view::labels;
use crate::whole::read_whole;
use crate::{EngineError, objects};

/// Counts of a result against a reference, distances between outlines among them; each comes with its name. It takes
/// [`bytes_to_compare`] of memory.
///
/// # Errors
/// When they are of different sizes, or one cannot be read or is neither a mask nor a label image.
pub fn agreement(result: (&str, &dyn Source), reference: (&str, &dyn Source)) -> Result<Counts, EngineError> {
    check_sizes(result, reference)?;
    let (result, reference) = (read_objects(result.0, result.1)?, read_objects(reference.0, reference.1)?);
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

/// All objects of a mask or label image, as numbers.
///
/// # Errors
/// When it cannot be read or is neither.
pub fn read_objects(name: &str, source: &dyn Source) -> Result<Dense, EngineError> {
    objects(&read_whole(source)?).map_err(|error| no_objects(name, &error).into())
}

pub(crate) fn no_objects(name: &str, error: &RegionError) -> Diagnostic {
    let message = Diagnostic::error(format!("{name} is neither a mask nor a label image"));
    let hint = "save the labels as a grey image of 8 or 16 bits";
    match error {
        RegionError::Kind { expected, channels, element, .. } => {
            message.expected_found(*expected, format!("{channels} channels of {element}")).with_hint(hint)
        }
        RegionError::Coloured { x, y, red, green, blue } => {
            let found = format!("{red} {green} {blue} at column {x}, row {y}");
            message.expected_found("grey values, or red alone", found).with_hint(hint)
        }
        other => message.with_why(other.to_string()),
    }
}

/// Refuses two images of different sizes.
pub fn check_sizes(result: (&str, &dyn Source), reference: (&str, &dyn Source)) -> Result<(), EngineError> {
    let size = |image: (&str, &dyn Source)| (image.1.info().width, image.1.info().height);
    if size(result) == size(reference) {
        return Ok(());
    }
    let words = |image| format!("{} x {} pixels", size(image).0, size(image).1);
    let error = Diagnostic::error(format!("{} and {} are of different sizes", result.0, reference.0));
    let error = error.expected_found(words(reference), words(result));
    Err(error.with_hint("name two images of the same pixels, or crop one to the other").into())
}
