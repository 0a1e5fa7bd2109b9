//! The features of all nuclei of one image, in memory or on a disk.

mod csv;
mod file;
mod table;
mod threads;

use std::io;

use onceflow_kernels::Window;
use onceflow_kernels::features::{FeatureMeter, LabelledImage, MeasuredObject, ObjectExtent};
use onceflow_kernels::nuclei::{Parameters, SegmentationStatus};
use onceflow_region::{ImageInfo, Lease, Source};
use onceflow_study::Diagnostic;

pub use file::{FeatureFile, FeatureForm};

use crate::NucleiError;
use crate::compare::check_sizes;
use crate::objects::{WindowGroups, components, numbers};
use crate::pixels::{
    COLOURS, ImageLayers, MASK, PixelBuffer, copy_colours, read_colours, read_drawn, window,
};
use crate::segment::{bytes_to_segment, segment, status_word};
use crate::workspace::{PROGRAM_BYTES, Tiling, Workspace, reserve_program, unkept};
use threads::MeasureThreads;

/// The origin of the nuclei of an image.
#[derive(Clone, Copy, Debug)]
pub enum NucleiSource<'a> {
    /// A segmentation with these parameters.
    Found(&'a Parameters),
    /// The 8-connected components of a mask, with its name.
    Mask(&'a str, &'a dyn Source),
    /// The labels of a label image, with its name.
    Labels(&'a str, &'a dyn Source),
}

/// The nuclei of an image, ready to be measured.
#[derive(Debug)]
pub struct NucleiFeatures {
    /// The status of the segmentation; `Ok` without one.
    pub status: SegmentationStatus,
    layers: ImageLayers,
    /// Whether the layers hold labels rather than a mask.
    has_numbers: bool,
    extents: Vec<ObjectExtent>,
    _known: Lease,
}

/// Finds the nuclei of an image, after normalization of its colours if `normalize`. In memory it takes
/// [`bytes_to_measure`], in tiles [`disk_bytes_to_measure`] on the disk; both give the same bits.
///
/// # Errors
/// When an image cannot be read, the nuclei are neither a mask nor labels or of another size, or memory is too small.
pub fn features(
    source: &dyn Source,
    nuclei: NucleiSource<'_>,
    normalize: bool,
    workspace: &Workspace<'_>,
) -> Result<NucleiFeatures, NucleiError> {
    let (status, mut layers, has_numbers) = match nuclei {
        NucleiSource::Found(parameters) => {
            let found = segment(source, parameters, normalize, workspace)?;
            (found.status, found.layers, false)
        }
        NucleiSource::Mask(name, drawn) => (
            SegmentationStatus::Ok,
            drawn_layers(source, (name, drawn), true, (normalize, workspace))?,
            false,
        ),
        NucleiSource::Labels(name, drawn) => (
            SegmentationStatus::Ok,
            drawn_layers(source, (name, drawn), false, (normalize, workspace))?,
            true,
        ),
    };
    let (extents, known) =
        if has_numbers { numbers(&mut layers, workspace)? } else { components(&mut layers, workspace)? };
    refuse_scattered(&extents, layers.image().len())?;
    Ok(NucleiFeatures { status, layers, has_numbers, extents, _known: known })
}

impl NucleiFeatures {
    /// The status as files say it.
    pub fn status_word(&self) -> &'static str {
        status_word(self.status)
    }

    /// Number of nuclei.
    pub fn objects(&self) -> usize {
        self.extents.len()
    }

    /// Measures the nuclei and passes them to `add` in the order of their labels. Results do not depend on the number of
    /// threads.
    ///
    /// # Errors
    /// When a pixel cannot be read, there is too little memory, or `add` fails.
    pub fn measure(
        &mut self,
        workspace: &Workspace<'_>,
        mut add: impl FnMut(&MeasuredObject) -> io::Result<()>,
    ) -> io::Result<()> {
        let image = self.layers.image();
        let mut threads = MeasureThreads::new(&self.extents, workspace)?;
        let mut groups = WindowGroups::new(&self.extents, image, FeatureMeter::REACH, workspace)?;
        while let Some(group) = groups.next_group()? {
            workspace.at("features", group.first as u64, self.extents.len() as u64);
            let colours = self.layers.colours(group.window)?;
            let labels = if self.has_numbers {
                self.layers.numbers(group.window)?
            } else {
                group.component_labels(self.layers.mask(group.window)?.view())
            };
            let scene =
                LabelledImage::part(colours.view(), labels.view(), group.window, (image.width, image.height));
            let scene =
                scene.ok_or_else(|| NucleiError::internal("a window with another number of pixels"))?;
            threads.measure(scene, group.extents)?.iter().try_for_each(&mut add)?;
        }
        Ok(())
    }
}

/// Memory of an image and its nuclei, both in memory.
///
/// # Errors
/// When the shipped workflow cannot be read: a bug.
pub fn bytes_to_measure(info: &ImageInfo, nuclei: NucleiSource<'_>) -> Result<u64, NucleiError> {
    let pixels = info.width.saturating_mul(info.height);
    Ok(match nuclei {
        NucleiSource::Found(_) => bytes_to_segment(info)?.saturating_add(pixels.saturating_mul(COLOURS)),
        NucleiSource::Mask(..) | NucleiSource::Labels(..) => {
            pixels.saturating_mul(2 * COLOURS + 2 * NUMBER).saturating_add(PROGRAM_BYTES)
        }
    })
}

/// Bytes of the temporary files of an image and its nuclei, in tiles.
pub fn disk_bytes_to_measure(info: &ImageInfo, nuclei: NucleiSource<'_>) -> u64 {
    let pixels = info.width.saturating_mul(info.height);
    match nuclei {
        NucleiSource::Found(_) => Tiling::disk_bytes(info),
        NucleiSource::Mask(..) => pixels.saturating_mul(COLOURS + MASK),
        NucleiSource::Labels(..) => pixels.saturating_mul(COLOURS + NUMBER),
    }
}

/// Bytes per pixel of labels.
const NUMBER: u64 = 4;

/// The colours of an image, and the nuclei of a mask or label image.
fn drawn_layers(
    source: &dyn Source,
    drawn: (&str, &dyn Source),
    mask: bool,
    (normalize, workspace): (bool, &Workspace<'_>),
) -> Result<ImageLayers, NucleiError> {
    check_sizes(drawn, ("the image", source))?;
    let image = window(source)?;
    let depth = if mask { MASK } else { NUMBER };
    let (lease, colours, mut objects) = match &workspace.tiling {
        Some(tiling) => {
            workspace.check_disk((image.len() as u64).saturating_mul(COLOURS + depth))?;
            let program = reserve_program(workspace)?;
            let mut colours = on_disk(workspace, image, COLOURS)?;
            copy_colours(source, normalize, (tiling, workspace), &mut colours)?;
            (program, colours, on_disk(workspace, image, depth)?)
        }
        None => {
            let pixels = image.len() as u64;
            let mut lease = workspace.reserve("features", PROGRAM_BYTES + pixels * (2 * COLOURS + NUMBER))?;
            let colours = read_colours(source, normalize)?.into_vec().into_flattened();
            lease.shrink(PROGRAM_BYTES + pixels * (COLOURS + depth));
            let objects =
                PixelBuffer::in_memory(vec![0; image.len() * depth as usize], image.width, depth as usize);
            (lease, PixelBuffer::in_memory(colours, image.width, COLOURS as usize), objects)
        }
    };
    read_drawn(drawn, image, mask, &mut objects, workspace)?;
    Ok(ImageLayers::new(image, colours, objects, workspace.folder.clone(), Some(lease)))
}

fn on_disk(workspace: &Workspace<'_>, image: Window, depth: u64) -> Result<PixelBuffer, NucleiError> {
    PixelBuffer::on_disk(&workspace.folder, image, depth as usize)
        .map_err(|error| unkept(&workspace.folder, &error))
}

/// Refuses labels with so scattered pixels that each object would need a pass over the whole image.
fn refuse_scattered(extents: &[ObjectExtent], pixels: usize) -> Result<(), NucleiError> {
    let areas = || extents.iter().map(|extent| extent.width() as u64 * extent.height() as u64);
    let limit = (pixels as u64).saturating_mul(64);
    if areas().all(|area| area < 1 << 30) && areas().fold(0, u64::saturating_add) <= limit {
        return Ok(());
    }
    let error = Diagnostic::error("the objects are too large or too scattered to be measured");
    let error = error.expected_found("objects that lie together", "boxes that cover the image many times");
    Err(error.with_hint("give each connected object a number of its own, or use --mask").into())
}

#[cfg(test)]
mod tests;
