//! The images of a study, opened and cut into parts.

use std::path::Path;
use std::sync::Arc;

use onceflow_region::{Bounds, Part, Remainder, Source, partition};
use onceflow_runtime::{Layout, PartSite};
use onceflow_study::{Background, Diagnostic, Image, Seams, Study};

use crate::tissue_costs::tissue_pixels;
use crate::{EngineError, ImageSummary, open_image, open_labels};

/// The images of a study with their parts.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
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

/// The truth of an image, and where in it the image's upper left corner lies.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) source: Arc<dyn Source>,
    /// Whether it covers the box that is studied rather than the whole image.
    pub(crate) of_box: bool,
}

/// A part of an image.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImagePart {
    /// The image's place in the study.
    pub(crate) image: usize,
    pub(crate) part: Part,
}

/// A part with less tissue than this holds nothing to study.
const LEAST_TISSUE: f64 = 0.01;

impl Inputs {
    /// Opens everything a study names, relative to `folder`.
    pub(crate) fn open(study: &Study, folder: &Path) -> Result<Self, EngineError> {
        if study.images.is_empty() {
            let error = Diagnostic::error("the study has no image, so its workflow cannot be run");
            return Err(error
                .with_hint("add [[image]] with name and file, or images = \"images.csv\"")
                .into());
        }
        let mut inputs = Self { images: Vec::new(), parts: Vec::new() };
        for image in &study.images {
            inputs.add(study, image, folder)?;
        }
        Ok(inputs)
    }

    fn add(&mut self, study: &Study, image: &Image, folder: &Path) -> Result<(), EngineError> {
        let source = open_image(&image.file, folder)?;
        let bounds = studied(image, source.as_ref())?;
        let truth = image.truth.as_ref().map(|file| open_truth(image, file, folder, source.as_ref(), bounds));
        let truth = truth.transpose()?;
        let um_per_pixel = resolution(study, image, source.as_ref())?;
        let parts = partition(bounds, study.parts.size, 0, Remainder::Merge);
        let parts =
            parts.map_err(|error| Diagnostic::error(format!("cannot cut {}: {error}", image.name)))?;
        check_seams(study, image, parts.len())?;
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
        Self { images: self.images.clone(), parts: self.parts.get(part).copied().into_iter().collect() }
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

/// The box that a study asks for, or all of the image.
fn studied(image: &Image, source: &dyn Source) -> Result<Bounds, EngineError> {
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

/// The truth has the size of the image, or of the box that is studied.
fn open_truth(
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

/// The resolution that is known; a study that asks for one must get it.
fn resolution(study: &Study, image: &Image, source: &dyn Source) -> Result<Option<f64>, EngineError> {
    let known = image.um_per_pixel.or(source.info().um_per_pixel);
    let Some(wanted) = study.parts.um_per_pixel else { return Ok(known) };
    match known {
        Some(known) if (known / wanted - 1.0).abs() <= 0.01 => Ok(Some(known)),
        Some(known) => {
            let error = Diagnostic::error(format!("the image `{}` has another resolution", image.name));
            let error = error.expected_found(format!("{wanted} um per pixel"), format!("{known}"));
            Err(error.with_hint("resample it first; images are not resampled yet").into())
        }
        None => {
            let error = Diagnostic::error(format!("the image `{}` does not say its resolution", image.name));
            let error = error.expected_found(format!("{wanted} um per pixel"), "nothing in the file");
            Err(error.with_hint(format!("write um_per_pixel = {wanted} with the image, if it is so")).into())
        }
    }
}

/// Until objects can be followed across borders, a study must say that its parts stand alone.
fn check_seams(study: &Study, image: &Image, parts: usize) -> Result<(), EngineError> {
    if parts == 1 || study.parts.seams == Seams::Independent {
        return Ok(());
    }
    let error = Diagnostic::error(format!("the image `{}` has {parts} parts that meet", image.name));
    let error = error.expected_found(
        "parts that stand alone: seams = \"independent\"",
        "seams that follow objects from part to part, which are not built yet",
    );
    Err(error
        .with_hint("write seams = \"independent\" under [parts], raise its size, or give the image a box")
        .into())
}

/// The parts that are run, and how many hold no tissue.
fn choose(study: &Study, source: &dyn Source, parts: Vec<Part>) -> Result<(Vec<Part>, usize), EngineError> {
    let all = parts.len();
    let mut chosen = parts;
    if all > 1 && study.parts.background == Background::Skip {
        let mut tissue = Vec::new();
        for part in chosen {
            if has_tissue(source, part.core)? {
                tissue.push(part);
            }
        }
        chosen = tissue;
    }
    let left_out = all - chosen.len();
    if let Some(wanted) = study.parts.per_image {
        chosen = spread(chosen, wanted, study.seed);
    }
    Ok((chosen, left_out))
}

fn has_tissue(source: &dyn Source, bounds: Bounds) -> Result<bool, EngineError> {
    Ok(tissue_pixels(source, bounds)? as f64 >= LEAST_TISSUE * bounds.area() as f64)
}

/// So many parts at equal distances in their order, the first by the seed.
fn spread(parts: Vec<Part>, wanted: u64, seed: u64) -> Vec<Part> {
    let (all, wanted) = (parts.len(), usize::try_from(wanted).unwrap_or(usize::MAX));
    if wanted >= all {
        return parts;
    }
    let start = (seed % all as u64) as usize;
    let mut places: Vec<usize> = (0..wanted).map(|i| (start + i * all / wanted) % all).collect();
    places.sort_unstable();
    places.into_iter().map(|place| parts[place]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_spread_by_the_seed_and_never_twice() {
        let whole = Bounds::plane(0, 0, 100, 10).unwrap();
        let parts = partition(whole, 10, 0, Remainder::Keep).unwrap();
        for seed in 0..20 {
            for wanted in 1..12 {
                let mut chosen: Vec<usize> =
                    spread(parts.clone(), wanted, seed).iter().map(|p| p.index).collect();
                assert_eq!(chosen.len(), (wanted as usize).min(10));
                chosen.dedup();
                assert_eq!(chosen.len(), (wanted as usize).min(10));
            }
        }
        let places = |seed| spread(parts.clone(), 3, seed).iter().map(|p| p.index).collect::<Vec<_>>();
        assert_eq!((places(0), places(1)), (vec![0, 3, 6], vec![1, 4, 7]));
    }
}
