//! The shipped nuclei workflow on one image that fits in memory, without a study.

mod parameters;

use onceflow_kernels::colour::{Statistics, transfer};
use onceflow_kernels::nuclei::{self, Parameters, Segmentation, Status};
use onceflow_kernels::{Connectivity, Plane, View, label};
use onceflow_region::{Dense, ImageInfo, Pixels, RegionError, Source, rgb8};
use onceflow_study::{Catalogue, OpSpec, read_workflow, shipped_workflow};

pub use parameters::NucleiParameters;

use crate::EngineError;
use crate::view::colour;
use crate::whole::read_whole;

/// The nuclei of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmented {
    /// What was segmented, in its own colours.
    pub image: Dense,
    /// 255 where a nucleus is.
    pub mask: Dense,
    /// The number of the nucleus at each pixel, from 1 on; 0 where there is none.
    pub labels: Dense,
    /// How the workflow ended.
    pub status: Status,
    /// Number of nuclei.
    pub objects: u64,
    /// Pixels in nuclei.
    pub foreground: u64,
}

impl Segmented {
    /// The status as files say it.
    pub fn status_word(&self) -> &'static str {
        status_word(self.status)
    }
}

/// A status as files say it.
pub(crate) fn status_word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Background => "background",
        Status::BackgroundLikely => "background_likely",
        Status::NoCandidates => "no_candidates",
    }
}

/// Segments the nuclei of a whole image, after its colours are moved to the target's if that is wished. It takes
/// [`bytes_to_segment`] of memory.
pub fn segment(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
) -> Result<Segmented, EngineError> {
    let image = as_colour(read_whole(source)?)?;
    let view = colour(&image).ok_or_else(|| EngineError::Internal("colours that are none".into()))?;
    let Segmentation { mask, status, objects } = if normalize {
        nuclei::segment(normalized(view).view(), parameters)
    } else {
        nuclei::segment(view, parameters)
    };
    let foreground = mask.pixels().iter().filter(|pixel| **pixel != 0).count() as u64;
    let labels = label(mask.view(), Connectivity::Eight).plane;
    let (width, height) = (mask.width(), mask.height());
    let dense = |pixels| Dense::new(width, height, 1, pixels).map_err(impossible);
    let (mask, labels) = (dense(Pixels::U8(mask.into_vec()))?, dense(Pixels::U32(labels.into_vec()))?);
    Ok(Segmented { image, mask, labels, status, objects: objects as u64, foreground })
}

/// Memory that [`segment`] takes at most: the image, what every task makes, and what the hungriest needs besides.
pub fn bytes_to_segment(info: &ImageInfo) -> u64 {
    let specs = specs();
    let made: u64 = specs.iter().map(|spec| u64::from(spec.output_bytes_per_pixel)).sum();
    let scratch = specs.iter().map(|spec| u64::from(spec.scratch_bytes_per_pixel)).max().unwrap_or(0);
    let pixels = info.width.saturating_mul(info.height);
    pixels.saturating_mul(IMAGE + made + scratch).saturating_add(PROGRAM)
}

/// Bytes per pixel of the image itself.
const IMAGE: u64 = 3;

/// Bytes of the program and of buffers that do not grow with the image.
pub(crate) const PROGRAM: u64 = 16 << 20;

/// What the catalogue knows of the tasks of the workflow.
fn specs() -> Vec<OpSpec> {
    let workflow = shipped_workflow("nuclei").and_then(|source| read_workflow(&source).ok());
    let catalogue = Catalogue::nuclei();
    let spec = |task: &onceflow_study::Task| catalogue.get(task.op.built_in()?).cloned();
    workflow.iter().flat_map(|workflow| workflow.tasks()).filter_map(spec).collect()
}

/// Colours as they are, without a copy; grey as colours.
pub(crate) fn as_colour(image: Dense) -> Result<Dense, EngineError> {
    if image.channels() == 3 && image.as_u8().is_some() {
        Ok(image)
    } else {
        rgb8(&image).map_err(impossible)
    }
}

/// Colours moved to the target's.
pub(crate) fn normalized(image: View<'_, [u8; 3]>) -> Plane<[u8; 3]> {
    let mut statistics = Statistics::new();
    statistics.add(image);
    transfer(image, &statistics.finish())
}

fn impossible(error: RegionError) -> EngineError {
    EngineError::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_image;

    #[test]
    fn parts_of_the_result_agree() {
        let source = open_image("synth:300x200?seed=7", "".as_ref()).unwrap();
        let found = segment(source.as_ref(), &Parameters::default(), true).unwrap();
        let (mask, labels) = (found.mask.as_u8().unwrap(), found.labels.as_u32().unwrap());
        assert_eq!((found.status_word(), mask.len()), ("ok", 300 * 200));
        assert!(mask.iter().zip(labels).all(|(mask, label)| (*mask == 0) == (*label == 0)));
        assert_eq!(u64::from(*labels.iter().max().unwrap()), found.objects);
        assert_eq!(labels.iter().filter(|label| **label != 0).count() as u64, found.foreground);
        assert!(found.objects > 5);
    }

    #[test]
    fn memory_is_what_the_catalogue_says() {
        let source = open_image("synth:1000x1000", "".as_ref()).unwrap();
        assert_eq!(bytes_to_segment(source.info()), 48_000_000 + PROGRAM);
        assert_eq!(bytes_to_segment(&ImageInfo { width: u64::MAX, ..source.info().clone() }), u64::MAX);
    }
}
