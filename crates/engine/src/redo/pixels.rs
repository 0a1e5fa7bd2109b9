//! The images of an open study as it works with them: their sizes, their pixels and their truth.

use std::sync::Arc;

use onceflow_region::{Bounds, Dense, rgb8};
use onceflow_study::RegionKind;

use super::region::image_place;
use crate::image::unreadable;
use crate::{EngineError, ImageSummary, OpenStudy};

/// Which pixels of an image of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyPixels {
    /// What was scanned, as colours of 8 bits.
    Image,
    /// The objects of its truth as labels.
    Truth,
}

impl OpenStudy {
    /// The images that are studied.
    pub fn images(&self) -> Vec<ImageSummary> {
        self.inputs.summaries()
    }

    /// The regions of the workflow with their kinds.
    pub fn region_kinds(&self) -> Vec<(String, RegionKind)> {
        self.workflow.regions.iter().map(|region| (region.name.clone(), region.kind)).collect()
    }

    /// The box of an image that is studied.
    ///
    /// # Errors
    /// When there is no such image.
    pub fn studied(&self, image: &str) -> Result<Bounds, EngineError> {
        Ok(self.inputs.images[image_place(&self.inputs, image)?].bounds)
    }

    /// Pixels in a box of an image, at the resolution of the study; `None` where it has no truth.
    ///
    /// # Errors
    /// When there is no such image, or the box cannot be read.
    pub fn pixels(
        &self,
        image: &str,
        bounds: Bounds,
        which: StudyPixels,
    ) -> Result<Option<Dense>, EngineError> {
        let opened = &self.inputs.images[image_place(&self.inputs, image)?];
        let broken = |error: onceflow_region::RegionError| EngineError::Internal(error.to_string());
        match (which, &opened.truth) {
            (StudyPixels::Image, _) => {
                let read = Arc::clone(&opened.source).read(bounds).map_err(unreadable)?;
                rgb8(&read).map(Some).map_err(broken)
            }
            (StudyPixels::Truth, Some(truth)) if truth.covers(&bounds) => {
                let read = truth.source.read(bounds).map_err(unreadable)?;
                truth.objects(&read).map(Some).map_err(broken)
            }
            (StudyPixels::Truth, _) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SettingsLayers, StudyInput, open_study};

    fn study() -> OpenStudy {
        let text = "name = \"s\"\nworkflow = \"nuclei\"\n[[image]]\nname = \"a\"\nfile = \"synth:96x80?seed=3\"\n\
                    truth = \"synth:96x80?seed=3\"\n[[image]]\nname = \"b\"\nfile = \"synth:64x64?seed=4\"\n\
                    [parameters]\nG1 = { from = 20, to = 80 }\n[[metric]]\nname = \"n\"\nof = \"nuclei\"\n\
                    measure = \"objects\"\n[[phase]]\nname = \"p\"\nmethod = \"moat\"\ntrajectories = 2\n";
        let input = StudyInput::Text { text: text.into(), folder: std::path::PathBuf::new() };
        open_study(input, &SettingsLayers::default()).unwrap()
    }

    #[test]
    fn images_and_truths_of_a_study_can_be_read() {
        let study = study();
        assert_eq!(study.images().iter().map(|image| image.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let whole = study.studied("a").unwrap();
        let read = |image: &str, which| study.pixels(image, study.studied(image).unwrap(), which);
        let pixels = read("a", StudyPixels::Image).unwrap().unwrap();
        assert_eq!((pixels.width(), pixels.height(), pixels.channels()), (96, 80, 3));
        assert_eq!(Bounds::plane(0, 0, 96, 80), Some(whole));
        assert_eq!(read("a", StudyPixels::Truth).unwrap().unwrap().channels(), 1);
        assert_eq!(read("b", StudyPixels::Truth).unwrap(), None);
        assert!(study.studied("c").unwrap_err().to_string().contains("no image `c`"));
    }
}
