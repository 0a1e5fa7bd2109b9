//! SyntheticImage tissue as an image source: pixels are rendered when they are read.

use std::sync::OnceLock;

use onceflow_region::{
    Bounds, Dense, Details, Digest, Element, ImageInfo, ImageScale, Pixels, Source, SourceError,
};

use crate::UM_PER_PIXEL;
use crate::error::SynthError;
use crate::tissue::Tissue;

/// The prefix of names of synthetic images.
const PREFIX: &str = "synth:";

/// The tissue with a name such as `synth:4096x4096?seed=7` or `synth:4096x4096?seed=7&slide=3`; `None` for names without the
/// prefix `synth:`. The seed is 0 by default, and tissue is of no slide.
///
/// # Errors
/// When the rest of the name is no size, seed and slide, or no tissue has that size.
pub fn parse_synthetic(name: &str) -> Result<Option<Tissue>, SynthError> {
    let Some(text) = name.strip_prefix(PREFIX) else { return Ok(None) };
    let wrong = || SynthError::Name { found: name.to_owned() };
    let (size, seed) = text.split_once("?seed=").unwrap_or((text, "0"));
    let (seed, slide) = seed.split_once("&slide=").map_or((seed, None), |(seed, slide)| (seed, Some(slide)));
    let (width, height) = size.split_once('x').ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let tissue = Tissue::new(number(width)?, number(height)?, number(seed)?)?;
    let slide = slide.map(number).transpose()?;
    Ok(Some(match slide {
        Some(slide) => tissue.of_slide(slide),
        None => tissue,
    }))
}

/// The colours or the truth of tissue, rendered box by box.
#[derive(Debug)]
pub struct SyntheticImage {
    tissue: Tissue,
    layer: SyntheticLayer,
    info: ImageInfo,
    /// All pixels of a small image, rendered once: otherwise rendering would count as work of each task that reads it.
    whole: OnceLock<Option<Dense>>,
}

/// The most pixels of an image that stays in memory once it was rendered.
const MOST_CACHED: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
enum SyntheticLayer {
    Colour,
    Truth,
}

impl SyntheticImage {
    /// The colours of tissue.
    pub fn image(tissue: Tissue) -> Self {
        Self::new(tissue, SyntheticLayer::Colour, 3, Element::U8)
    }

    /// The truth: the number of the nucleus of each pixel, 0 outside.
    pub fn truth(tissue: Tissue) -> Self {
        Self::new(tissue, SyntheticLayer::Truth, 1, Element::U32)
    }

    fn new(tissue: Tissue, layer: SyntheticLayer, channels: u32, element: Element) -> Self {
        let (width, height) = (tissue.width(), tissue.height());
        let info = ImageInfo {
            format: "synthetic".into(),
            width,
            height,
            channels,
            element,
            um_per_pixel: Some(UM_PER_PIXEL),
            scales: vec![ImageScale::whole(width, height)],
            details: Details::default(),
        };
        Self { tissue, layer, info, whole: OnceLock::new() }
    }

    fn name(&self) -> String {
        let tissue = &self.tissue;
        let name = format!("{PREFIX}{}x{}?seed={}", tissue.width(), tissue.height(), tissue.seed());
        match tissue.slide() {
            Some(slide) => format!("{name}&slide={slide}"),
            None => name,
        }
    }
}

impl Source for SyntheticImage {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        match self.cached().and_then(|whole| whole.crop(bounds).ok()) {
            Some(cropped) => Ok(cropped),
            None => self.render(bounds),
        }
    }

    /// The name determines every pixel of a version of this crate.
    fn digest(&self) -> Result<Digest, SourceError> {
        let text = format!("{} {:?} {}", self.name(), self.layer, env!("CARGO_PKG_VERSION"));
        Ok(Digest::of_text("onceflow synthetic tissue v1", &text))
    }
}

impl SyntheticImage {
    /// All pixels of a small image.
    fn cached(&self) -> Option<&Dense> {
        let (width, height) = (self.info.width, self.info.height);
        if width.saturating_mul(height) > MOST_CACHED {
            return None;
        }
        let whole = || Bounds::plane(0, 0, width, height).and_then(|whole| self.render(whole).ok());
        self.whole.get_or_init(whole).as_ref()
    }

    fn render(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let outside = || SourceError::Outside {
            file: self.name(),
            width: self.info.width,
            height: self.info.height,
            bounds: Box::new(bounds),
        };
        let place = |at: i64| u64::try_from(at).map_err(|_| outside());
        let side = |length: u64| usize::try_from(length).map_err(|_| outside());
        let (width, height) = (side(bounds.width())?, side(bounds.height())?);
        let tile = self.tissue.render(place(bounds.x())?, place(bounds.y())?, width, height);
        let tile = tile.map_err(|error| SourceError::Content {
            file: self.name(),
            expected: "a box inside the tissue".into(),
            found: error.to_string(),
            todo: "read it in smaller boxes",
        })?;
        let dense = match self.layer {
            SyntheticLayer::Colour => Dense::new(width, height, 3, Pixels::U8(tile.rgb)),
            SyntheticLayer::Truth => Dense::new(width, height, 1, Pixels::U32(tile.labels)),
        };
        dense.map_err(|error| SourceError::Region { file: self.name(), error: Box::new(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_describes_tissue_or_says_what_is_wrong() {
        let tissue = parse_synthetic("synth:640x480?seed=7").unwrap().unwrap();
        assert_eq!((tissue.width(), tissue.height(), tissue.seed()), (640, 480, 7));
        assert_eq!(parse_synthetic("synth:640x480").unwrap().unwrap().seed(), 0);
        assert!(parse_synthetic("slide.tif").unwrap().is_none());
        let of_slide = parse_synthetic("synth:640x480?seed=7&slide=3").unwrap().unwrap();
        assert_eq!((of_slide.seed(), of_slide.slide(), tissue.slide()), (7, Some(3), None));
        assert_eq!(SyntheticImage::image(of_slide).name(), "synth:640x480?seed=7&slide=3");
        for bad in [
            "synth:",
            "synth:640",
            "synth:640x",
            "synth:0x4",
            "synth:-1x4",
            "synth:6x4?seed=x",
            "synth:6x4?sed=1",
            "synth:6x4?seed=1&slide=",
            "synth:6x4&slide=1",
            "synth:6x4?seed=1&slide=1&slide=2",
        ] {
            let error = parse_synthetic(bad).unwrap_err();
            let is_size = matches!(error, SynthError::Side { axis: "width", found: 0 });
            assert_eq!(is_size, bad == "synth:0x4", "{bad}: {error}");
            assert!(is_size || error == SynthError::Name { found: bad.into() }, "{bad}: {error}");
        }
    }

    #[test]
    fn image_and_truth_are_of_one_tissue() {
        let tissue = parse_synthetic("synth:200x100?seed=3").unwrap().unwrap();
        let bounds = Bounds::plane(20, 10, 50, 40).unwrap();
        let tile = tissue.render(20, 10, 50, 40).unwrap();
        let image = SyntheticImage::image(tissue.clone()).read(bounds).unwrap();
        let truth = SyntheticImage::truth(tissue.clone()).read(bounds).unwrap();
        assert_eq!(
            (image.as_u8(), truth.as_u32()),
            (Some(tile.rgb.as_slice()), Some(tile.labels.as_slice()))
        );
        let outside = Bounds::plane(180, 10, 50, 40).unwrap();
        assert!(SyntheticImage::image(tissue.clone()).read(outside).is_err());
        assert_ne!(
            SyntheticImage::image(tissue.clone()).digest().unwrap(),
            SyntheticImage::truth(tissue).digest().unwrap()
        );
    }
}
