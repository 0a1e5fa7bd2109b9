//! The resolution that a study works at.

use onceflow_region::Source;
use onceflow_study::{Diagnostic, Image, Study};

use crate::EngineError;

/// The resolution that is known; a study that asks for one must get it.
pub(super) fn resolution(
    study: &Study,
    image: &Image,
    source: &dyn Source,
) -> Result<Option<f64>, EngineError> {
    let known = image.um_per_pixel.or(source.info().um_per_pixel);
    let Some(wanted) = study.parts.um_per_pixel else { return Ok(known) };
    match known {
        Some(known) if (known / wanted - 1.0).abs() <= 0.01 => Ok(Some(known)),
        Some(known) => {
            let error = Diagnostic::error(format!("the image `{}` has another resolution", image.name));
            let error = error.expected_found(format!("{wanted} um per pixel"), format!("{known}"));
            Err(error.with_hint("resample it first; images are not resampled yet").into())
        }
        None => {
            let error = Diagnostic::error(format!("the image `{}` does not say its resolution", image.name));
            let error = error.expected_found(format!("{wanted} um per pixel"), "nothing in the file");
            Err(error.with_hint(format!("write um_per_pixel = {wanted} with the image, if it is so")).into())
        }
    }
}
