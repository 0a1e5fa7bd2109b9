//! Images at the resolution of the study.

use std::sync::Arc;

use onceflow_region::Source;
use onceflow_study::{Diagnostic, Study, StudyImage};

use crate::{AtWork, EngineError};

/// Sees an image at the resolution that the study asks for; a study that asks for one must get it.
pub(super) fn at_work(
    study: &Study,
    image: &StudyImage,
    source: Arc<dyn Source>,
) -> Result<AtWork, EngineError> {
    let known = image.um_per_pixel.or(source.info().um_per_pixel);
    let Some(wanted) = study.parts.um_per_pixel else { return Ok(AtWork::as_it_is(source, known)) };
    let known = known.ok_or_else(|| unknown(image, wanted))?;
    AtWork::resampled(&image.name, source, known, wanted)
}

fn unknown(image: &StudyImage, wanted: f64) -> EngineError {
    let error = Diagnostic::error(format!("the image `{}` does not say its resolution", image.name));
    let error = error.expected_found(format!("{wanted} um per pixel"), "nothing in the file");
    error.with_hint(format!("write um_per_pixel = {wanted} with the image, if it is so")).into()
}
