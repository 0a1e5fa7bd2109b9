//! An image at the resolution of the work.

use std::sync::Arc;

use onceflow_imageio::{Resampled, Working};
use onceflow_region::Source;
use onceflow_study::Diagnostic;

use super::unreadable;
use crate::{EngineError, Resampling, ResamplingKind};

/// An image at the resolution of the work.
#[derive(Clone, Debug)]
pub struct AtWork {
    /// Its pixels, resampled where they must be.
    pub source: Arc<dyn Source>,
    /// Its pixels over those of the file.
    pub working: Working,
    /// What is known of its resolution.
    pub um_per_pixel: Option<f64>,
    /// What was done to it.
    pub resampled: Option<Resampling>,
}

impl AtWork {
    /// The image as it is, with what is known of its resolution.
    pub fn as_it_is(source: Arc<dyn Source>, known: Option<f64>) -> Self {
        let working = Working::whole(source.info());
        Self { source, working, um_per_pixel: known, resampled: None }
    }

    /// The image of a resolution that is `known`, at the one that is `wanted`.
    ///
    /// # Errors
    /// When the two are a thousand times apart, or the pixels cannot be resampled.
    pub fn resampled(
        name: &str,
        source: Arc<dyn Source>,
        known: f64,
        wanted: f64,
    ) -> Result<Self, EngineError> {
        let working =
            Working::new(source.info(), known, wanted).ok_or_else(|| absurd(name, known, wanted))?;
        if working.is_whole() {
            return Ok(Self::as_it_is(source, Some(known)));
        }
        let um_per_pixel = if working.is_scale() { known * working.ratio() } else { wanted };
        let resampled = Some(Resampling { from: known, to: um_per_pixel, how: kind(&working) });
        let source = Resampled::colours(source, working, Some(um_per_pixel)).map_err(unreadable)?;
        Ok(Self { source: Arc::new(source), working, um_per_pixel: Some(um_per_pixel), resampled })
    }
}

fn kind(working: &Working) -> ResamplingKind {
    match working.ratio() {
        _ if working.is_scale() => ResamplingKind::Scale,
        ratio if ratio < 1.0 => ResamplingKind::Enlarged,
        _ => ResamplingKind::Mean,
    }
}

fn absurd(name: &str, known: f64, wanted: f64) -> EngineError {
    let error = Diagnostic::error(format!(
        "the image `{name}` cannot be resampled from {known} to {wanted} um per pixel"
    ));
    let times = (wanted / known).max(known / wanted).round();
    let error = error.expected_found("resolutions at most 1000 times apart", format!("{times} times"));
    error.with_hint("um_per_pixel is in micrometres per pixel, usually 0.25 or 0.5").into()
}
