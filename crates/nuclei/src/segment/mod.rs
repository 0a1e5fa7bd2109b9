//! The shipped nuclei workflow on one image, without a study.

mod parameters;
mod pictures;
mod polygons;
mod tiled;

use onceflow_kernels::nuclei::{self, Parameters, Segmentation, SegmentationStatus};
use onceflow_region::{ImageInfo, Source};
use onceflow_study::{Catalogue, OpSpec, Task, Workflow, read_workflow, shipped_workflow};

pub use parameters::NucleiParameters;
#[cfg(test)]
pub(crate) use pictures::gathered;
pub use pictures::{Overlay, check_truth};

use crate::NucleiError;
use crate::pixels::{COLOURS, ImageLayers, MASK, PixelBuffer, read_colours, window};
use crate::workspace::{PROGRAM_BYTES, Workspace};
use tiled::segment_tiled;

/// The nuclei of an image, in memory or on a disk; [`Segmented::give_mask`] and its like return the pixels.
#[derive(Debug)]
pub struct Segmented {
    /// How the workflow ended.
    pub status: SegmentationStatus,
    /// Number of nuclei.
    pub objects: u64,
    /// Pixels in nuclei.
    pub foreground: u64,
    /// The segmented colours, and the mask.
    pub(crate) layers: ImageLayers,
}

impl Segmented {
    /// The status as files say it.
    pub fn status_word(&self) -> &'static str {
        status_word(self.status)
    }
}

/// A status as files say it.
pub(crate) fn status_word(status: SegmentationStatus) -> &'static str {
    match status {
        SegmentationStatus::Ok => "ok",
        SegmentationStatus::Background => "background",
        SegmentationStatus::BackgroundLikely => "background_likely",
        SegmentationStatus::NoCandidates => "no_candidates",
    }
}

/// Segments the nuclei of a whole image, after normalization of its colours if `normalize`: in memory, which takes
/// [`bytes_to_segment`], or in tiles. Both give the same bits.
///
/// # Errors
/// When the image cannot be read, the disk is full, or there is too little memory.
pub fn segment(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    workspace: &Workspace<'_>,
) -> Result<Segmented, NucleiError> {
    match &workspace.tiling {
        Some(tiling) => segment_tiled(source, parameters, normalize, (tiling, workspace)),
        None => segment_in_memory(source, parameters, normalize, workspace),
    }
}

fn segment_in_memory(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    workspace: &Workspace<'_>,
) -> Result<Segmented, NucleiError> {
    let mut lease = workspace.reserve("segmentation in memory", bytes_to_segment(source.info())?)?;
    let image = window(source)?;
    let colours = read_colours(source, normalize)?;
    let Segmentation { mask, status, objects } = nuclei::segment(colours.view(), parameters);
    let foreground = mask.pixels().iter().filter(|pixel| **pixel != 0).count() as u64;
    lease.shrink(PROGRAM_BYTES + image.len() as u64 * (COLOURS + MASK));
    let colours = PixelBuffer::in_memory(colours.into_vec().into_flattened(), image.width, COLOURS as usize);
    let mask = PixelBuffer::in_memory(mask.into_vec(), image.width, MASK as usize);
    let layers = ImageLayers::new(image, colours, mask, workspace.folder.clone(), Some(lease));
    Ok(Segmented { status, objects: objects as u64, foreground, layers })
}

/// Memory that [`segment`] takes at most: the image, the outputs of all tasks, and the largest scratch memory of a task.
///
/// # Errors
/// When the shipped workflow cannot be read: a bug.
pub fn bytes_to_segment(info: &ImageInfo) -> Result<u64, NucleiError> {
    let specs = specs()?;
    let made: u64 = specs.iter().map(|spec| u64::from(spec.output_bytes_per_pixel)).sum();
    let scratch = specs.iter().map(|spec| u64::from(spec.scratch_bytes_per_pixel)).max().unwrap_or(0);
    let pixels = info.width.saturating_mul(info.height);
    Ok(pixels.saturating_mul(IMAGE + made + scratch).saturating_add(PROGRAM_BYTES))
}

/// Bytes per pixel of the image.
const IMAGE: u64 = 3;

/// The specifications of the tasks of the workflow.
fn specs() -> Result<Vec<OpSpec>, NucleiError> {
    let (workflow, catalogue) = (nuclei_workflow()?, Catalogue::nuclei());
    let spec = |task: &Task| {
        let spec = task.op.built_in().and_then(|id| catalogue.get(id)).cloned();
        spec.ok_or_else(|| wrong(&format!("the task `{}` is not built in", task.name)))
    };
    workflow.tasks().map(spec).collect()
}

/// The descriptor of the shipped workflow.
fn nuclei_workflow() -> Result<Workflow, NucleiError> {
    let source = shipped_workflow("nuclei").ok_or_else(|| wrong("it is missing"))?;
    read_workflow(&source).map_err(|messages| wrong(&messages.to_string()))
}

fn wrong(why: &str) -> NucleiError {
    NucleiError::internal(format!("the shipped workflow `nuclei`: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_images::open_image;

    #[test]
    fn memory_is_what_the_catalogue_says() {
        let source = open_image("synth:1000x1000");
        assert_eq!(bytes_to_segment(source.info()).unwrap(), 48_000_000 + PROGRAM_BYTES);
        assert_eq!(
            bytes_to_segment(&ImageInfo { width: u64::MAX, ..source.info().clone() }).unwrap(),
            u64::MAX
        );
    }
}
