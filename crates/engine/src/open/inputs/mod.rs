//! The images of a study, opened and cut into parts.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Part, Source};
use onceflow_runtime::{PartLayout, PartSite};
use onceflow_study::{Diagnostic, Study, StudyImage};

use choice::{Look, choose};
use cut::cut;
use opened::{Opened, open_all};
pub(crate) use parallel::in_parallel;
pub(crate) use truth::Truth;
pub(crate) use unread::{LeftOutImage, UnreadImages};

use crate::{EngineError, ImageSummary, ImageWatch, Resampling, resampling_words};

mod choice;
mod cut;
mod opened;
mod parallel;
mod probe;
mod resolution;
mod studied;
mod truth;
mod unread;

/// The images of a study with their parts.
#[derive(Clone, Debug)]
pub(crate) struct StudyInputs {
    /// Pixels that parts see around themselves; 0 where no part sees any.
    pub(crate) halo: u64,
    pub(crate) images: Vec<OpenedImage>,
    pub(crate) parts: Vec<ImagePart>,
    /// Images of the study that cannot be read.
    pub(crate) left_out: Vec<LeftOutImage>,
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
    /// How it came to that resolution, when it was scanned at another.
    pub(crate) resampled: Option<Resampling>,
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

/// The images of a study, opened and cut, before it is decided which parts are run.
#[derive(Debug)]
pub(crate) struct CutImages {
    images: Vec<CutImage>,
    pub(crate) left_out: Vec<LeftOutImage>,
}

/// An image with all its parts.
#[derive(Debug)]
struct CutImage {
    /// Its place in the study.
    place: usize,
    name: String,
    opened: Opened,
    parts: Vec<Part>,
}

impl CutImages {
    /// Opens everything a study names, relative to `folder`; owned parts see `halo` pixels around themselves.
    pub(crate) fn open(
        study: &Study,
        halo: u64,
        folder: &Path,
        watch: &ImageWatch,
    ) -> Result<Self, EngineError> {
        if study.images.is_empty() {
            let error = Diagnostic::error("the study has no image, so its workflow cannot be run");
            return Err(error
                .with_hint("add [[image]] with name and file, or images = \"images.csv\"")
                .into());
        }
        // Everything is opened before anything is read: the last image may be missing.
        let (opened, left_out) = open_all(study, folder, watch)?;
        let images = opened.into_iter().map(|(place, opened)| cut_image(study, place, halo, opened));
        Ok(Self { images: images.collect::<Result<_, _>>()?, left_out })
    }

    /// The resolution of each image, as far as it is known.
    pub(crate) fn resolutions(&self) -> impl Iterator<Item = (&str, Option<f64>)> {
        self.images.iter().map(|image| (image.name.as_str(), image.opened.at_work.um_per_pixel))
    }

    /// A sentence about truth that is a mask, for metrics that match objects with it.
    pub(crate) fn mask_note(&self, metrics: &[&str]) -> Option<String> {
        let is_mask = |image: &&CutImage| image.opened.truth.as_ref().is_some_and(|truth| truth.is_mask);
        let masks: Vec<&str> = self.images.iter().filter(is_mask).map(|image| image.name.as_str()).collect();
        let (first, metric) = (masks.first()?, metrics.first()?);
        let images = match masks.len() {
            1 => format!("image {first}"),
            count => format!("{count} images ({first}, …)"),
        };
        Some(format!(
            "the truth of {images} is a mask, so objects that touch in it are one object for metric `{metric}`; a label \
             image or outlines tell them apart"
        ))
    }

    /// One sentence for each way in which images are resampled.
    pub(crate) fn resampling(&self) -> Vec<String> {
        resampling_words(
            self.images.iter().map(|image| (image.name.as_str(), image.opened.at_work.resampled)),
        )
    }

    /// Chooses the parts that are run; this reads pixels, to find tissue.
    pub(crate) fn choose(
        self,
        study: &Study,
        halo: u64,
        watch: &ImageWatch,
    ) -> Result<StudyInputs, EngineError> {
        let counter = watch.counter("tissue of image", self.images.len());
        let mut inputs =
            StudyInputs { halo: 0, images: Vec::new(), parts: Vec::new(), left_out: self.left_out };
        for cut in self.images {
            inputs.add(study, &study.images[cut.place], cut)?;
            counter.one();
        }
        if inputs.parts.iter().any(|p| p.part.core != p.part.read) {
            inputs.halo = halo;
        }
        Ok(inputs)
    }
}

fn cut_image(study: &Study, place: usize, halo: u64, opened: Opened) -> Result<CutImage, EngineError> {
    let image = &study.images[place];
    let parts = cut(&study.parts, halo, opened.at_work.source.info(), opened.bounds);
    let parts = parts.map_err(|error| Diagnostic::error(format!("cannot cut {}: {error}", image.name)))?;
    check_truth(image, opened.truth.as_ref(), &parts)?;
    Ok(CutImage { place, name: image.name.clone(), opened, parts })
}

impl StudyInputs {
    fn add(&mut self, study: &Study, image: &StudyImage, cut: CutImage) -> Result<(), EngineError> {
        let Opened { file, at_work, truth, bounds } = cut.opened;
        let source = at_work.source;
        let look = Look { name: &image.name, source: &*source, file: &*file, working: at_work.working };
        let (chosen, left_out) = choose(study, &look, cut.parts)?;
        check_truth(image, truth.as_ref(), &chosen)?;
        let place = self.images.len();
        self.parts.extend(chosen.into_iter().map(|part| ImagePart { image: place, part }));
        self.images.push(OpenedImage {
            name: image.name.clone(),
            source,
            truth,
            bounds,
            um_per_pixel: at_work.um_per_pixel,
            resampled: at_work.resampled,
            left_out,
        });
        Ok(())
    }

    /// Pixels of images and parts, for the scheduler.
    pub(crate) fn layout(&self) -> PartLayout {
        let pixels = |source: &Arc<dyn Source>| source.info().width.saturating_mul(source.info().height);
        let images = self.images.iter().map(|image| pixels(&image.source)).collect();
        let site = |p: &ImagePart| PartSite { image: p.image, pixels: p.part.read.area() };
        PartLayout { images, parts: self.parts.iter().map(site).collect() }
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
        Self { halo: self.halo, images: self.images.clone(), parts, left_out: Vec::new() }
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
            resampled: image.resampled,
            parts: self.parts_of(place),
            left_out: image.left_out,
            truth_objects: None,
        };
        self.images.iter().enumerate().map(summary).collect()
    }
}

/// A truth that no part can be compared with is a mistake.
fn check_truth(image: &StudyImage, truth: Option<&Truth>, parts: &[Part]) -> Result<(), EngineError> {
    let used = |truth: &Truth| parts.is_empty() || parts.iter().any(|part| truth.covers(&part.core));
    if truth.is_none_or(used) {
        return Ok(());
    }
    let error = Diagnostic::error(format!("no part of image `{}` lies in its truth_box", image.name));
    let error =
        error.expected_found("a part of which all has truth", "parts that reach outside the truth_box");
    Err(error
        .with_hint("make size under [parts] smaller, or write box = with the numbers of truth_box")
        .into())
}
