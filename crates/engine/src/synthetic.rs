//! Synthetic tissue as an image that is made when it is read.

use std::sync::OnceLock;

use onceflow_region::{
    Bounds, Dense, Details, Digest, Element, ImageInfo, Pixels, Scale, Source, SourceError,
};
use onceflow_study::Diagnostic;
use onceflow_synth::{Tissue, UM_PER_PIXEL};

use crate::EngineError;

/// What names of synthetic images begin with.
const PREFIX: &str = "synth:";

/// The tissue that a name such as `synth:4096x4096?seed=7` describes; `None` for any other name. The seed is 0 unless
/// it is said.
pub fn parse_synthetic(name: &str) -> Result<Option<Tissue>, EngineError> {
    let Some(text) = name.strip_prefix(PREFIX) else { return Ok(None) };
    let wrong = || -> EngineError {
        let error = Diagnostic::error(format!("`{name}` describes no tissue"));
        error
            .expected_found("synth:WIDTHxHEIGHT?seed=NUMBER", format!("`{name}`"))
            .with_hint("write synth:1000x1000?seed=7")
            .into()
    };
    let (size, seed) = text.split_once("?seed=").unwrap_or((text, "0"));
    let (width, height) = size.split_once('x').ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let tissue = Tissue::new(number(width)?, number(height)?, number(seed)?);
    tissue
        .map(Some)
        .map_err(|error| Diagnostic::error(format!("`{name}` describes no tissue: {error}")).into())
}

/// Tissue that is made box by box.
#[derive(Debug)]
pub(crate) struct Synthetic {
    tissue: Tissue,
    show: Show,
    info: ImageInfo,
    /// A small image is made once, as a file would be there: otherwise making it would count as work of each task that
    /// reads it.
    whole: OnceLock<Option<Dense>>,
}

/// Pixels of images that are kept when they were made.
const MOST_KEPT: u64 = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Show {
    Colour,
    Truth,
}

impl Synthetic {
    /// What it looks like.
    pub(crate) fn image(tissue: Tissue) -> Self {
        Self::new(tissue, Show::Colour, 3, Element::U8)
    }

    /// Which pixel belongs to which nucleus.
    pub(crate) fn truth(tissue: Tissue) -> Self {
        Self::new(tissue, Show::Truth, 1, Element::U32)
    }

    fn new(tissue: Tissue, show: Show, channels: u32, element: Element) -> Self {
        let (width, height) = (tissue.width(), tissue.height());
        let info = ImageInfo {
            format: "synthetic".into(),
            width,
            height,
            channels,
            element,
            um_per_pixel: Some(UM_PER_PIXEL),
            scales: vec![Scale::whole(width, height)],
            details: Details::default(),
        };
        Self { tissue, show, info, whole: OnceLock::new() }
    }

    fn name(&self) -> String {
        format!("{PREFIX}{}x{}?seed={}", self.tissue.width(), self.tissue.height(), self.tissue.seed())
    }
}

impl Source for Synthetic {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        match self.kept().and_then(|whole| whole.crop(bounds).ok()) {
            Some(cropped) => Ok(cropped),
            None => self.make(bounds),
        }
    }

    /// The description determines every pixel, as long as the making does not change: its version is part of it.
    fn digest(&self) -> Result<Digest, SourceError> {
        let text = format!("{} {:?} {}", self.name(), self.show, env!("CARGO_PKG_VERSION"));
        Ok(Digest::of_text("onceflow synthetic tissue v1", &text))
    }
}

impl Synthetic {
    /// All of a small image.
    fn kept(&self) -> Option<&Dense> {
        let (width, height) = (self.info.width, self.info.height);
        if width.saturating_mul(height) > MOST_KEPT {
            return None;
        }
        let whole = || Bounds::plane(0, 0, width, height).and_then(|whole| self.make(whole).ok());
        self.whole.get_or_init(whole).as_ref()
    }

    fn make(&self, bounds: Bounds) -> Result<Dense, SourceError> {
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
        let dense = match self.show {
            Show::Colour => Dense::new(width, height, 3, Pixels::U8(tile.rgb)),
            Show::Truth => Dense::new(width, height, 1, Pixels::U32(tile.labels)),
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
        for bad in [
            "synth:",
            "synth:640",
            "synth:640x",
            "synth:0x4",
            "synth:-1x4",
            "synth:6x4?seed=x",
            "synth:6x4?sed=1",
        ] {
            let error = parse_synthetic(bad).unwrap_err().to_string();
            assert!(error.contains("describes no tissue"), "{bad}: {error}");
        }
    }

    #[test]
    fn image_and_truth_are_of_one_tissue() {
        let tissue = parse_synthetic("synth:200x100?seed=3").unwrap().unwrap();
        let bounds = Bounds::plane(20, 10, 50, 40).unwrap();
        let tile = tissue.render(20, 10, 50, 40).unwrap();
        let image = Synthetic::image(tissue.clone()).read(bounds).unwrap();
        let truth = Synthetic::truth(tissue.clone()).read(bounds).unwrap();
        assert_eq!(
            (image.as_u8(), truth.as_u32()),
            (Some(tile.rgb.as_slice()), Some(tile.labels.as_slice()))
        );
        let outside = Bounds::plane(180, 10, 50, 40).unwrap();
        assert!(Synthetic::image(tissue.clone()).read(outside).is_err());
        assert_ne!(
            Synthetic::image(tissue.clone()).digest().unwrap(),
            Synthetic::truth(tissue).digest().unwrap()
        );
    }
}
