//! What of an image is studied: its box, or all of it.

use onceflow_region::{Bounds, ImageInfo};
use onceflow_study::{Diagnostic, ImageBox, StudyImage};

use crate::EngineError;

/// The box that a study asks for, or all of the image, in pixels of the file.
pub(super) fn studied(image: &StudyImage, info: &ImageInfo) -> Result<Bounds, EngineError> {
    match &image.bounds {
        Some(asked) => bounds_of(image, asked, info, "box"),
        None => info.bounds().ok_or_else(|| too_large(image)),
    }
}

/// A box that a study gives under some key.
pub(super) fn bounds_of(
    image: &StudyImage,
    asked: &ImageBox,
    info: &ImageInfo,
    key: &str,
) -> Result<Bounds, EngineError> {
    let whole = info.bounds().ok_or_else(|| too_large(image))?;
    let place = |at: u64| i64::try_from(at).ok();
    let bounds =
        place(asked.x).zip(place(asked.y)).and_then(|(x, y)| Bounds::plane(x, y, asked.width, asked.height));
    bounds.filter(|bounds| whole.contains(bounds)).ok_or_else(|| {
        let error = Diagnostic::error(format!("the {key} of image `{}` reaches outside it", image.name));
        let found = format!("x {}, y {}, {} x {}", asked.x, asked.y, asked.width, asked.height);
        let error =
            error.expected_found(format!("a box within {} x {} pixels", info.width, info.height), found);
        error.with_hint(format!("onceflow image info {} says its size", image.file)).into()
    })
}

fn too_large(image: &StudyImage) -> EngineError {
    Diagnostic::error(format!("the image `{}` is larger than any we can address", image.name)).into()
}
