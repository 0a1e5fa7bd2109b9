//! What of an image is studied: its box, or all of it.

use onceflow_region::{Bounds, Source};
use onceflow_study::{Diagnostic, Image};

use crate::EngineError;

/// The box that a study asks for, or all of the image.
pub(super) fn studied(image: &Image, source: &dyn Source) -> Result<Bounds, EngineError> {
    let info = source.info();
    let whole = Bounds::plane(0, 0, info.width, info.height);
    let Some(asked) = &image.bounds else { return whole.ok_or_else(|| too_large(image)) };
    let place = |at: u64| i64::try_from(at).ok();
    let bounds =
        place(asked.x).zip(place(asked.y)).and_then(|(x, y)| Bounds::plane(x, y, asked.width, asked.height));
    let inside = |b: &Bounds| whole.as_ref().is_some_and(|whole| whole.contains(b));
    bounds.filter(inside).ok_or_else(|| {
        let error = Diagnostic::error(format!("the box of image `{}` reaches outside it", image.name));
        let found = format!("x {}, y {}, {} x {}", asked.x, asked.y, asked.width, asked.height);
        let error =
            error.expected_found(format!("a box within {} x {} pixels", info.width, info.height), found);
        error.with_hint(format!("onceflow image info {} says its size", image.file)).into()
    })
}

fn too_large(image: &Image) -> EngineError {
    Diagnostic::error(format!("the image `{}` is larger than any we can address", image.name)).into()
}
