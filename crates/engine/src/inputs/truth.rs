//! The truth of an image: a mask or a label image of the image's size, or of its box's.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Source};
use onceflow_study::{Diagnostic, Image};

use crate::{EngineError, open_labels};

/// The truth of an image, and where in it the image's upper left corner lies.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) source: Arc<dyn Source>,
    /// Whether it covers the box that is studied rather than the whole image.
    pub(crate) of_box: bool,
}

/// The truth has the size of the image, or of the box that is studied.
pub(super) fn open_truth(
    image: &Image,
    file: &str,
    folder: &Path,
    of: &dyn Source,
    bounds: Bounds,
) -> Result<Truth, EngineError> {
    let source = open_labels(file, folder)?;
    let size = |info: &onceflow_region::ImageInfo| (info.width, info.height);
    let found = size(source.info());
    let of_box = found == (bounds.width(), bounds.height());
    if of_box || found == size(of.info()) {
        return Ok(Truth { source, of_box });
    }
    let error = Diagnostic::error(format!("the truth of image `{}` has another size", image.name));
    let (width, height) = size(of.info());
    let expected = if (width, height) == (bounds.width(), bounds.height()) {
        format!("{width} x {height} pixels, as {}", image.file)
    } else {
        format!(
            "{width} x {height} pixels, as {}, or {} x {}, as its box",
            image.file,
            bounds.width(),
            bounds.height()
        )
    };
    let error = error.expected_found(expected, format!("{} x {} in {file}", found.0, found.1));
    Err(error.with_hint("give the mask or label image that was drawn on this image").into())
}
