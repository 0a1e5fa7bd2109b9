//! The features of every nucleus of one image that fits in memory.

mod csv;
mod geojson;
mod workers;

use onceflow_kernels::features::{Extent, FEATURES, Features, extents};
use onceflow_kernels::nuclei::{self, Parameters, Status};
use onceflow_kernels::{Connectivity, Plane, View, label};
use onceflow_region::{Dense, ImageInfo, Source, labels};
use onceflow_study::Diagnostic;

pub use csv::features_csv;
pub use geojson::features_geojson;

use crate::agreement::no_objects;
use crate::objects::components;
use crate::segment::{PROGRAM, as_colour, normalized, status_word};
use crate::whole::read_whole;
use crate::{EngineError, bytes_to_segment, view};

/// Where the nuclei of an image come from.
#[derive(Clone, Copy, Debug)]
pub enum Nuclei<'a> {
    /// They are found with these parameters.
    Found(&'a Parameters),
    /// They are the 8-connected pixels of a mask; it comes with its name.
    Mask(&'a str, &'a dyn Source),
    /// They are the numbers of a label image; it comes with its name.
    Labels(&'a str, &'a dyn Source),
}

/// The nuclei of an image and their features.
#[derive(Clone, Debug, PartialEq)]
pub struct NucleiFeatures {
    /// How the segmentation ended; ok without one.
    pub status: Status,
    /// Objects and columns.
    pub features: Features,
}

impl NucleiFeatures {
    /// The status as files say it.
    pub fn status_word(&self) -> &'static str {
        status_word(self.status)
    }
}

/// Measures the nuclei of an image, after its colours are moved to the target's if that is wished: on so many threads,
/// and in so much memory, of which the image itself takes [`bytes_to_measure`]. The number of threads changes nothing
/// in the result.
///
/// # Errors
/// When an image cannot be read, the nuclei are no mask or labels or of another size, or there is too little memory.
pub fn features(
    source: &dyn Source,
    nuclei: Nuclei<'_>,
    normalize: bool,
    (threads, memory): (usize, u64),
) -> Result<NucleiFeatures, EngineError> {
    let image = colours(source, normalize)?;
    let (status, labels) = objects(image.view(), nuclei)?;
    let extents = extents(labels.view());
    refuse_scattered(&extents, image.view().len())?;
    refuse_many(bytes_to_measure(source.info(), nuclei), &extents, threads, memory)?;
    let measured = workers::measure(image.view(), labels.view(), &extents, threads)?;
    Ok(NucleiFeatures { status, features: measured.into_iter().collect() })
}

/// Memory that an image and its nuclei take before they are measured.
pub fn bytes_to_measure(info: &ImageInfo, nuclei: Nuclei<'_>) -> u64 {
    let pixels = info.width.saturating_mul(info.height);
    match nuclei {
        Nuclei::Found(_) => bytes_to_segment(info).saturating_add(pixels.saturating_mul(COLOURS)),
        Nuclei::Mask(..) | Nuclei::Labels(..) => {
            pixels.saturating_mul(2 * COLOURS + 2 * LABELS).saturating_add(PROGRAM)
        }
    }
}

/// Bytes of a pixel's colour.
const COLOURS: u64 = 3;
/// Bytes of a pixel's label.
const LABELS: u64 = 4;
/// Bytes of scratch for a pixel that an object looks at.
const SCRATCH: u64 = 32;
/// Bytes of an object: its features as they are measured, in columns, and as a text.
const OBJECT: u64 = FEATURES as u64 * (8 + 8 + 64);

fn colours(source: &dyn Source, normalize: bool) -> Result<Plane<[u8; 3]>, EngineError> {
    let image = as_colour(read_whole(source)?)?;
    let view = view::colour(&image).ok_or_else(|| internal("colours that are none"))?;
    Ok(if normalize { normalized(view) } else { view.to_plane() })
}

/// How the segmentation ended, and the number of the nucleus at each pixel.
fn objects(image: View<'_, [u8; 3]>, nuclei: Nuclei<'_>) -> Result<(Status, Plane<u32>), EngineError> {
    let (name, drawn) = match nuclei {
        Nuclei::Found(parameters) => {
            let found = nuclei::segment(image, parameters);
            return Ok((found.status, label(found.mask.view(), Connectivity::Eight).plane));
        }
        Nuclei::Mask(name, source) => (name, drawn(name, source).and_then(|plane| connected(name, &plane))?),
        Nuclei::Labels(name, source) => (name, drawn(name, source)?),
    };
    let labels = view::labels(&drawn).ok_or_else(|| internal("labels that are none"))?;
    if (labels.width(), labels.height()) != (image.width(), image.height()) {
        return Err(other_size(name, (image.width(), image.height()), (labels.width(), labels.height())));
    }
    Ok((Status::Ok, labels.to_plane()))
}

fn drawn(name: &str, source: &dyn Source) -> Result<Dense, EngineError> {
    let found = labels(&read_whole(source)?);
    found.map(|labels| labels.plane).map_err(|error| no_objects(name, &error).into())
}

fn connected(name: &str, plane: &Dense) -> Result<Dense, EngineError> {
    components(plane).map_err(|error| no_objects(name, &error).into())
}

fn other_size(name: &str, expected: (usize, usize), found: (usize, usize)) -> EngineError {
    let words = |(width, height): (usize, usize)| format!("{width} x {height} pixels");
    let error = Diagnostic::error(format!("{name} is not of the image's size"));
    error.expected_found(words(expected), words(found)).with_hint("name the mask of this image").into()
}

/// Refuses labels whose pixels lie so far apart that each object would be looked for in the whole image.
fn refuse_scattered(extents: &[Extent], pixels: usize) -> Result<(), EngineError> {
    let areas = || extents.iter().map(|extent| extent.width() as u64 * extent.height() as u64);
    let limit = (pixels as u64).saturating_mul(64);
    if areas().all(|area| area < 1 << 30) && areas().fold(0, u64::saturating_add) <= limit {
        return Ok(());
    }
    let error = Diagnostic::error("the objects are too large or too scattered to be measured");
    let error = error.expected_found("objects that lie together", "boxes that cover the image many times");
    Err(error.with_hint("give each connected object a number of its own, or use --mask").into())
}

fn refuse_many(image: u64, extents: &[Extent], threads: usize, memory: u64) -> Result<(), EngineError> {
    let largest = extents.iter().map(workers::window).max().unwrap_or(0);
    let scratch =
        largest.saturating_add(workers::SMALL.saturating_mul(threads as u64)).saturating_mul(SCRATCH);
    let objects = (extents.len() as u64).saturating_mul(OBJECT);
    let needed = image.saturating_add(scratch).saturating_add(objects);
    if needed <= memory {
        return Ok(());
    }
    Err(EngineError::Memory { task: "features".into(), needed, limit: memory })
}

fn internal(message: &str) -> EngineError {
    EngineError::Internal(message.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{open_image, open_labels};

    #[test]
    fn threads_change_nothing() {
        let source = open_image("synth:300x200?seed=7", "".as_ref()).unwrap();
        let parameters = Parameters::default();
        let of = |threads| features(&*source, Nuclei::Found(&parameters), true, (threads, u64::MAX)).unwrap();
        let one = of(1);
        assert!(one.features.objects.len() > 5);
        assert_eq!(features_csv(&of(3).features), features_csv(&one.features));
        assert_eq!(features_geojson(&of(2).features), features_geojson(&one.features));
    }

    #[test]
    fn labels_stay_and_masks_fall_apart() {
        let name = "synth:300x200?seed=7";
        let (image, truth) =
            (open_image(name, "".as_ref()).unwrap(), open_labels(name, "".as_ref()).unwrap());
        let of = |nuclei| features(&*image, nuclei, false, (1, u64::MAX)).unwrap().features;
        let (labels, mask) = (of(Nuclei::Labels(name, &*truth)), of(Nuclei::Mask(name, &*truth)));
        let area = |features: &Features| features.columns[0].iter().sum::<f64>();
        assert_eq!(area(&labels), area(&mask));
        assert!(labels.objects.len() >= mask.objects.len() && mask.objects.len() > 5);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        let extent = Extent { label: 1, left: 0, top: 0, right: 100, bottom: 100 };
        assert!(refuse_scattered(&[extent; 64], 10_000).is_ok());
        assert!(refuse_scattered(&[extent; 65], 10_000).is_err());
        assert!(refuse_many(1000, &[extent], 1, 1 << 30).is_ok());
        assert!(refuse_many(1000, &[extent], 1, 1 << 20).is_err());
    }
}
