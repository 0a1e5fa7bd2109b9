//! The shipped nuclei workflow on one image, without a study.

mod parameters;
mod pictures;
mod polygons;

use onceflow_kernels::colour::{Statistics, transfer};
use onceflow_kernels::nuclei::{self, Parameters, Segmentation, Status};
use onceflow_kernels::{Plane, View};
use onceflow_region::{Dense, ImageInfo, RegionError, Source, rgb8};
use onceflow_study::{Catalogue, Diagnostic, OpSpec, read_workflow, shipped_workflow};

pub use parameters::NucleiParameters;
#[cfg(test)]
pub(crate) use pictures::gathered;
pub use pictures::{Overlay, check_truth};

use crate::tiled::segment_tiled;
use crate::view::colour;
use crate::whole::raw::Raw;
use crate::whole::sheet::Sheet;
use crate::whole::{read_whole, window};
use crate::{Desk, EngineError};

/// The nuclei of an image, whose pixels are in memory or on a disk; [`Segmented::mask`] and its like give them out.
#[derive(Debug)]
pub struct Segmented {
    /// How the workflow ended.
    pub status: Status,
    /// Number of nuclei.
    pub objects: u64,
    /// Pixels in nuclei.
    pub foreground: u64,
    /// Colours that were segmented, and the mask.
    pub(crate) sheet: Sheet,
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

/// Segments the nuclei of a whole image, after its colours are moved to the target's if that is wished: in memory, where
/// it takes [`bytes_to_segment`], or in tiles. What is found is the same, bit for bit.
///
/// # Errors
/// When the image cannot be read, the disk is full, or there is too little memory.
pub fn segment(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    desk: &Desk<'_>,
) -> Result<Segmented, EngineError> {
    match &desk.tiling {
        Some(tiling) => segment_tiled(source, parameters, normalize, (tiling, desk)),
        None => segment_in_memory(source, parameters, normalize, desk),
    }
}

fn segment_in_memory(
    source: &dyn Source,
    parameters: &Parameters,
    normalize: bool,
    desk: &Desk<'_>,
) -> Result<Segmented, EngineError> {
    let mut lease = desk.reserve("segmentation in memory", bytes_to_segment(source.info()))?;
    let image = window(source)?;
    let colours = read_colours(source, normalize)?;
    let Segmentation { mask, status, objects } = nuclei::segment(colours.view(), parameters);
    let foreground = mask.pixels().iter().filter(|pixel| **pixel != 0).count() as u64;
    lease.shrink(PROGRAM + image.len() as u64 * (COLOURS + MASK));
    let colours = Raw::in_memory(colours.into_vec().into_flattened(), image.width, COLOURS as usize);
    let mask = Raw::in_memory(mask.into_vec(), image.width, MASK as usize);
    let sheet = Sheet::new(image, colours, mask, desk.folder.clone(), Some(lease));
    Ok(Segmented { status, objects: objects as u64, foreground, sheet })
}

/// All colours of an image, moved to the target's if that is wished.
pub(crate) fn read_colours(source: &dyn Source, normalize: bool) -> Result<Plane<[u8; 3]>, EngineError> {
    let image = as_colour(source, read_whole(source)?)?;
    let view = colour(&image).ok_or_else(|| EngineError::Internal("colours that are none".into()))?;
    if normalize { Ok(normalized(view)) } else { Ok(view.to_plane()) }
}

/// Bytes of a pixel's colours.
pub(crate) const COLOURS: u64 = 3;
/// Bytes of a pixel of a mask.
pub(crate) const MASK: u64 = 1;

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

/// Colours as they are, without a copy; anything else as colours of 8 bits.
pub(crate) fn as_colour(source: &dyn Source, image: Dense) -> Result<Dense, EngineError> {
    if image.channels() == 3 && image.as_u8().is_some() {
        return Ok(image);
    }
    rgb8(&image).map_err(|error| no_colours(source, &error))
}

fn no_colours(source: &dyn Source, error: &RegionError) -> EngineError {
    let message =
        Diagnostic::error(format!("the {} image has pixels that are no colours", source.info().format));
    let message = match error {
        RegionError::Range { found } => message.expected_found("numbers from 0 to 1", found.to_string()),
        other => message.with_why(other.to_string()),
    };
    message.with_hint("convert it to 8 bits per channel, or divide by its largest value").into()
}

/// Colours moved to the target's.
pub(crate) fn normalized(image: View<'_, [u8; 3]>) -> Plane<[u8; 3]> {
    let mut statistics = Statistics::new();
    statistics.add(image);
    transfer(image, &statistics.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_image;

    #[test]
    fn memory_is_what_the_catalogue_says() {
        let source = open_image("synth:1000x1000", "".as_ref()).unwrap();
        assert_eq!(bytes_to_segment(source.info()), 48_000_000 + PROGRAM);
        assert_eq!(bytes_to_segment(&ImageInfo { width: u64::MAX, ..source.info().clone() }), u64::MAX);
    }
}
