//! How an image is cut, drawn over a small copy of it.

mod canvas;
mod digits;

use std::sync::Arc;

use onceflow_imageio::{Resampled, Working};
use onceflow_region::{Bounds, Dense, Part, Source, rgb8};

use crate::EngineError;
use crate::image::tissue_costs::{LEAST_TISSUE, tissue_of};
use crate::image::unreadable;
use canvas::Canvas;

/// Parts over their image.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawnParts {
    /// The picture.
    pub picture: Dense,
    /// How many parts show no tissue in it.
    pub background: usize,
}

/// The longer side of a picture, unless the image is smaller: enough for some thousand parts.
const SIDE: u64 = 1200;

/// Draws parts over a small copy of their image: borders, thinner ones around what each reads, parts without tissue in grey,
/// and numbers where there is room. The copy is made from the smallest scale that does, and tissue is judged by it.
///
/// # Errors
/// When the image cannot be read, or its pixels are no colours.
pub fn draw_parts(source: Arc<dyn Source>, parts: &[Part]) -> Result<DrawnParts, EngineError> {
    let (working, small) = small_copy(source)?;
    let mut canvas =
        Canvas::new(&small).ok_or_else(|| EngineError::Internal("colours that are none".into()))?;
    let at = |bounds: &Bounds| working.bounds(bounds).and_then(|bounds| bounds.intersect(&small.bounds()));
    let mut background = 0;
    for core in parts.iter().filter_map(|part| at(&part.core)) {
        let part = small.crop(core).map_err(|error| EngineError::Internal(error.to_string()))?;
        if (tissue_of(&part)? as f64) < LEAST_TISSUE * core.area() as f64 {
            background += 1;
            canvas.shade(&core);
        }
    }
    // Halos of neighbours lie over each other, borders over them.
    let halos = parts.iter().filter(|part| part.read != part.core);
    halos.filter_map(|part| at(&part.read)).for_each(|read| canvas.halo(&read));
    parts.iter().filter_map(|part| at(&part.core)).for_each(|core| canvas.border(&core));
    parts
        .iter()
        .for_each(|part| at(&part.core).into_iter().for_each(|core| canvas.number(&core, part.index)));
    let picture = canvas.into_dense().map_err(|error| EngineError::Internal(error.to_string()))?;
    Ok(DrawnParts { picture, background })
}

fn small_copy(source: Arc<dyn Source>) -> Result<(Working, Dense), EngineError> {
    let info = source.info();
    let ratio = (info.width.max(info.height) as f64 / SIDE as f64).max(1.0);
    let working = Working::new(info, 1.0, ratio).ok_or_else(|| too_long(info.width, info.height))?;
    let um = info.um_per_pixel.map(|um| um * ratio);
    let small = Resampled::colours(source, working, um).map_err(unreadable)?;
    let whole =
        small.info().bounds().ok_or_else(|| EngineError::Internal("an image without a box".into()))?;
    let colours = small.read(whole).map_err(unreadable)?;
    let colours = rgb8(&colours).map_err(|error| no_colours(&error.to_string()))?;
    Ok((working, colours))
}

fn too_long(width: u64, height: u64) -> EngineError {
    let message = onceflow_study::Diagnostic::error("the image is too long for a picture");
    let expected = format!("at most {} pixels along a side", SIDE * 1024);
    message.expected_found(expected, format!("{width} x {height}")).into()
}

fn no_colours(found: &str) -> EngineError {
    onceflow_study::Diagnostic::error(format!("the image cannot be drawn: {found}")).into()
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Element, Remainder, partition};

    use super::*;
    use crate::open_image;

    fn drawn(name: &str, size: u64, halo: u64) -> DrawnParts {
        let source = open_image(name, "".as_ref()).unwrap();
        let parts = partition(source.info().bounds().unwrap(), size, halo, Remainder::Merge).unwrap();
        draw_parts(source, &parts).unwrap()
    }

    fn count(drawn: &DrawnParts, colour: [u8; 3]) -> usize {
        drawn.picture.as_u8().unwrap().chunks_exact(3).filter(|pixel| **pixel == colour).count()
    }

    #[test]
    fn borders_lie_where_parts_meet() {
        let plain = drawn("synth:600x400?seed=3", 200, 0);
        assert_eq!(
            (plain.picture.width(), plain.picture.height(), plain.picture.element()),
            (600, 400, Element::U8)
        );
        let pixel = |x: usize, y: usize| &plain.picture.as_u8().unwrap()[(y * 600 + x) * 3..][..3];
        for (x, y) in [(200, 20), (199, 20), (400, 390), (20, 200), (0, 0), (599, 399)] {
            assert_eq!(pixel(x, y), canvas::BORDER, "{x}, {y}");
        }
        assert_ne!(pixel(195, 20), canvas::BORDER);
        assert_eq!(count(&plain, canvas::HALO), 0);
        assert!(count(&drawn("synth:600x400?seed=3", 200, 16), canvas::HALO) > 500);
    }

    #[test]
    fn large_images_become_small_pictures() {
        let large = drawn("synth:3600x1800?seed=3", 512, 0);
        assert_eq!((large.picture.width(), large.picture.height()), (1200, 600));
        assert!(count(&large, canvas::NUMBER) > 100, "parts are numbered");
        let many = drawn("synth:3600x1800?seed=3", 36, 0);
        assert_eq!(count(&many, canvas::NUMBER), 0, "there is no room for numbers");
    }
}
