//! The images of a study, opened and cut into parts.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Part, Source};
use onceflow_runtime::{Layout, PartSite};
use onceflow_study::{Diagnostic, Image, Study};

use choice::choose;
use cut::cut;
use resolution::resolution;
use studied::studied;
pub(crate) use truth::Truth;
use truth::open_truth;

use crate::{EngineError, ImageSummary, open_image};

mod choice;
mod cut;
mod resolution;
mod studied;
mod truth;

/// The images of a study with their parts.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    /// Pixels that parts see around themselves; 0 where no part sees any.
    pub(crate) halo: u64,
    pub(crate) images: Vec<OpenedImage>,
    pub(crate) parts: Vec<ImagePart>,
}

/// An image that is open.
#[derive(Clone, Debug)]
pub(crate) struct OpenedImage {
    pub(crate) name: String,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) truth: Option<Truth>,
    /// What of it is studied.
    pub(crate) bounds: Bounds,
    pub(crate) um_per_pixel: Option<f64>,
    /// Parts without tissue.
    pub(crate) left_out: usize,
}

/// A part of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImagePart {
    /// The image's place in the study.
    pub(crate) image: usize,
    pub(crate) part: Part,
}

impl ImagePart {
    /// What of a part can be counted: what it reads of the box that is studied. Beyond it there is nothing to compare.
    pub(crate) fn counted(&self, image: &OpenedImage) -> Bounds {
        // The core lies in both, so the two always meet.
        self.part.read.intersect(&image.bounds).unwrap_or(self.part.core)
    }

    /// A box of the image as the part sees it.
    pub(crate) fn seen(&self, bounds: Bounds) -> Option<Bounds> {
        bounds.relative_to(&self.part.read)
    }
}

impl Inputs {
    /// Opens everything a study names, relative to `folder`; owned parts see `halo` pixels around themselves.
    pub(crate) fn open(study: &Study, halo: u64, folder: &Path) -> Result<Self, EngineError> {
        if study.images.is_empty() {
            let error = Diagnostic::error("the study has no image, so its workflow cannot be run");
            return Err(error
                .with_hint("add [[image]] with name and file, or images = \"images.csv\"")
                .into());
        }
        let mut inputs = Self { halo: 0, images: Vec::new(), parts: Vec::new() };
        for image in &study.images {
            inputs.add(study, image, halo, folder)?;
        }
        if inputs.parts.iter().any(|p| p.part.core != p.part.read) {
            inputs.halo = halo;
        }
        Ok(inputs)
    }

    fn add(&mut self, study: &Study, image: &Image, halo: u64, folder: &Path) -> Result<(), EngineError> {
        let source = open_image(&image.file, folder)?;
        let bounds = studied(image, source.as_ref())?;
        let truth = image.truth.as_ref().map(|file| open_truth(image, file, folder, source.as_ref(), bounds));
        let truth = truth.transpose()?;
        let um_per_pixel = resolution(study, image, source.as_ref())?;
        let parts = cut(&study.parts, halo, source.info(), bounds);
        let parts =
            parts.map_err(|error| Diagnostic::error(format!("cannot cut {}: {error}", image.name)))?;
        let (chosen, left_out) = choose(study, source.as_ref(), parts)?;
        let place = self.images.len();
        self.parts.extend(chosen.into_iter().map(|part| ImagePart { image: place, part }));
        self.images.push(OpenedImage {
            name: image.name.clone(),
            source,
            truth,
            bounds,
            um_per_pixel,
            left_out,
        });
        Ok(())
    }

    /// Pixels of images and parts, for the scheduler.
    pub(crate) fn layout(&self) -> Layout {
        let pixels = |source: &Arc<dyn Source>| source.info().width.saturating_mul(source.info().height);
        let images = self.images.iter().map(|image| pixels(&image.source)).collect();
        let site = |p: &ImagePart| PartSite { image: p.image, pixels: p.part.read.area() };
        Layout { images, parts: self.parts.iter().map(site).collect() }
    }

    /// Reads a pixel of each image, so that what a source does once is no work of the first task that reads it.
    pub(crate) fn warm(&self) {
        for image in &self.images {
            let truth = image.truth.as_ref().map(|truth| &truth.source);
            for source in std::iter::once(&image.source).chain(truth) {
                // A source that cannot be read is told of by the task that needs it.
                let _ = Bounds::plane(0, 0, 1, 1).map(|pixel| source.read(pixel));
            }
        }
    }

    /// The same images with one part only.
    pub(crate) fn only(&self, part: usize) -> Self {
        let parts = self.parts.get(part).copied().into_iter().collect();
        Self { halo: self.halo, images: self.images.clone(), parts }
    }

    /// How many parts an image has.
    pub(crate) fn parts_of(&self, image: usize) -> usize {
        self.parts.iter().filter(|p| p.image == image).count()
    }

    /// What the report says of each image.
    pub(crate) fn summaries(&self) -> Vec<ImageSummary> {
        let summary = |(place, image): (usize, &OpenedImage)| ImageSummary {
            name: image.name.clone(),
            width: image.bounds.width(),
            height: image.bounds.height(),
            um_per_pixel: image.um_per_pixel,
            parts: self.parts_of(place),
            left_out: image.left_out,
            truth_objects: None,
        };
        self.images.iter().enumerate().map(summary).collect()
    }
}
