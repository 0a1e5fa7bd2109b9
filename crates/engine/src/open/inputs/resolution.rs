//! The resolution that a study works at: scans of another one are seen through it.

use std::sync::Arc;

use onceflow_imageio::{Resampled, Working};
use onceflow_region::Source;
use onceflow_study::{Diagnostic, Study, StudyImage};

use crate::image::unreadable;
use crate::{EngineError, Resampling, ResamplingKind};

/// An image at the resolution of the study.
#[derive(Clone, Debug)]
pub(super) struct AtWork {
    pub(super) source: Arc<dyn Source>,
    /// Its pixels over those of the file.
    pub(super) working: Working,
    /// What is known of its resolution.
    pub(super) um_per_pixel: Option<f64>,
    /// What was done to it.
    pub(super) resampled: Option<Resampling>,
}

/// Sees an image at the resolution that the study asks for; a study that asks for one must get it.
pub(super) fn at_work(
    study: &Study,
    image: &StudyImage,
    source: Arc<dyn Source>,
) -> Result<AtWork, EngineError> {
    let known = image.um_per_pixel.or(source.info().um_per_pixel);
    let as_it_is = |source: Arc<dyn Source>| {
        let working = Working::whole(source.info());
        AtWork { source, working, um_per_pixel: known, resampled: None }
    };
    let Some(wanted) = study.parts.um_per_pixel else { return Ok(as_it_is(source)) };
    let known = known.ok_or_else(|| unknown(image, wanted))?;
    let working = Working::new(source.info(), known, wanted).ok_or_else(|| absurd(image, known, wanted))?;
    if working.is_whole() {
        return Ok(as_it_is(source));
    }
    let um_per_pixel = if working.is_scale() { known * working.ratio() } else { wanted };
    let resampled = Some(Resampling { from: known, to: um_per_pixel, how: kind(&working) });
    let source = Resampled::colours(source, working, Some(um_per_pixel)).map_err(unreadable)?;
    Ok(AtWork { source: Arc::new(source), working, um_per_pixel: Some(um_per_pixel), resampled })
}

fn kind(working: &Working) -> ResamplingKind {
    match working.ratio() {
        _ if working.is_scale() => ResamplingKind::Scale,
        ratio if ratio < 1.0 => ResamplingKind::Enlarged,
        _ => ResamplingKind::Mean,
    }
}

fn unknown(image: &StudyImage, wanted: f64) -> EngineError {
    let error = Diagnostic::error(format!("the image `{}` does not say its resolution", image.name));
    let error = error.expected_found(format!("{wanted} um per pixel"), "nothing in the file");
    error.with_hint(format!("write um_per_pixel = {wanted} with the image, if it is so")).into()
}

fn absurd(image: &StudyImage, known: f64, wanted: f64) -> EngineError {
    let error = Diagnostic::error(format!("the image `{}` cannot be resampled so far", image.name));
    let error = error.expected_found(
        format!("a resolution within a thousand times {wanted} um per pixel"),
        format!("{known}"),
    );
    error.with_hint("resolutions are micrometres per pixel, usually 0.25 or 0.5").into()
}
