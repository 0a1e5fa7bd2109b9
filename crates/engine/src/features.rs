//! The features of every nucleus of one image, in memory or on a disk.

mod csv;
mod file;
mod geojson;
mod groups;
mod objects;
mod table;
mod workers;

use std::io;

use onceflow_kernels::Window;
use onceflow_kernels::features::{Extent, Measured, Meter, Scene};
use onceflow_kernels::nuclei::{Parameters, Status};
use onceflow_region::{ImageInfo, Lease, Source};
use onceflow_study::Diagnostic;

pub use file::{FeatureFile, FeatureForm};
pub(crate) use geojson::GeoJson;
pub(crate) use groups::Groups;
pub(crate) use objects::components;

use crate::segment::{COLOURS, MASK, PROGRAM, read_colours, segment, status_word};
use crate::tiled::copy_colours;
use crate::whole::desk::{Desk, reserve_program, unkept};
use crate::whole::raw::Raw;
use crate::whole::sheet::{Sheet, read_drawn};
use crate::whole::window;
use crate::{EngineError, bytes_to_segment, check_sizes};
use workers::Workers;

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

/// The nuclei of an image, to be measured.
#[derive(Debug)]
pub struct NucleiFeatures {
    /// How the segmentation ended; ok without one.
    pub status: Status,
    sheet: Sheet,
    /// Whether the sheet holds numbers of objects rather than a mask.
    numbers: bool,
    extents: Vec<Extent>,
    _known: Lease,
}

/// Finds the nuclei of an image, after its colours are moved to the target's if that is wished. In memory it takes
/// [`bytes_to_measure`], in tiles [`disk_bytes_to_measure`] on the disk; what is measured is the same, bit for bit.
///
/// # Errors
/// When an image cannot be read, the nuclei are no mask or labels or of another size, or there is too little memory.
pub fn features(
    source: &dyn Source,
    nuclei: Nuclei<'_>,
    normalize: bool,
    desk: &Desk<'_>,
) -> Result<NucleiFeatures, EngineError> {
    let (status, mut sheet, numbers) = match nuclei {
        Nuclei::Found(parameters) => {
            let found = segment(source, parameters, normalize, desk)?;
            (found.status, found.sheet, false)
        }
        Nuclei::Mask(name, drawn) => {
            (Status::Ok, drawn_sheet(source, (name, drawn), true, (normalize, desk))?, false)
        }
        Nuclei::Labels(name, drawn) => {
            (Status::Ok, drawn_sheet(source, (name, drawn), false, (normalize, desk))?, true)
        }
    };
    let (extents, known) =
        if numbers { objects::numbers(&mut sheet, desk)? } else { components(&mut sheet, desk)? };
    refuse_scattered(&extents, sheet.image().len())?;
    Ok(NucleiFeatures { status, sheet, numbers, extents, _known: known })
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

    /// Measures the nuclei and gives them out by their numbers. The number of threads changes nothing.
    ///
    /// # Errors
    /// When a pixel cannot be read, there is too little memory, or `add` fails.
    pub fn measure(
        &mut self,
        desk: &Desk<'_>,
        mut add: impl FnMut(&Measured) -> io::Result<()>,
    ) -> io::Result<()> {
        let image = self.sheet.image();
        let mut workers = Workers::new(&self.extents, desk)?;
        let mut groups = Groups::new(&self.extents, image, Meter::REACH, desk)?;
        while let Some(group) = groups.next_group()? {
            desk.at("features", group.first as u64, self.extents.len() as u64);
            let colours = self.sheet.colours(group.window)?;
            let labels = if self.numbers {
                self.sheet.numbers(group.window)?
            } else {
                group.component_labels(self.sheet.mask(group.window)?.view())
            };
            let scene = Scene::part(colours.view(), labels.view(), group.window, (image.width, image.height));
            let scene = scene.ok_or_else(|| internal("a window that was read wrongly"))?;
            workers.measure(scene, group.extents)?.iter().try_for_each(&mut add)?;
        }
        Ok(())
    }
}

/// Memory that an image and its nuclei take when both are in memory.
pub fn bytes_to_measure(info: &ImageInfo, nuclei: Nuclei<'_>) -> u64 {
    let pixels = info.width.saturating_mul(info.height);
    match nuclei {
        Nuclei::Found(_) => bytes_to_segment(info).saturating_add(pixels.saturating_mul(COLOURS)),
        Nuclei::Mask(..) | Nuclei::Labels(..) => {
            pixels.saturating_mul(2 * COLOURS + 2 * NUMBER).saturating_add(PROGRAM)
        }
    }
}

/// Bytes on the disk that an image and its nuclei take when they are worked on in tiles.
pub fn disk_bytes_to_measure(info: &ImageInfo, nuclei: Nuclei<'_>) -> u64 {
    let pixels = info.width.saturating_mul(info.height);
    match nuclei {
        Nuclei::Found(_) => crate::Tiling::disk_bytes(info),
        Nuclei::Mask(..) => pixels.saturating_mul(COLOURS + MASK),
        Nuclei::Labels(..) => pixels.saturating_mul(COLOURS + NUMBER),
    }
}

/// Bytes of a pixel's number.
const NUMBER: u64 = 4;

/// The colours of an image and the nuclei that somebody drew.
fn drawn_sheet(
    source: &dyn Source,
    drawn: (&str, &dyn Source),
    mask: bool,
    (normalize, desk): (bool, &Desk<'_>),
) -> Result<Sheet, EngineError> {
    check_sizes(drawn, ("the image", source))?;
    let image = window(source)?;
    let depth = if mask { MASK } else { NUMBER };
    let (lease, colours, mut objects) = match &desk.tiling {
        Some(tiling) => {
            desk.check_disk((image.len() as u64).saturating_mul(COLOURS + depth))?;
            let program = reserve_program(desk)?;
            let mut colours = on_disk(desk, image, COLOURS)?;
            copy_colours(source, normalize, (tiling, desk), &mut colours)?;
            (program, colours, on_disk(desk, image, depth)?)
        }
        None => {
            let pixels = image.len() as u64;
            let mut lease = desk.reserve("features", PROGRAM + pixels * (2 * COLOURS + NUMBER))?;
            let colours = read_colours(source, normalize)?.into_vec().into_flattened();
            lease.shrink(PROGRAM + pixels * (COLOURS + depth));
            let objects = Raw::in_memory(vec![0; image.len() * depth as usize], image.width, depth as usize);
            (lease, Raw::in_memory(colours, image.width, COLOURS as usize), objects)
        }
    };
    read_drawn(drawn, image, mask, &mut objects, desk)?;
    Ok(Sheet::new(image, colours, objects, desk.folder.clone(), Some(lease)))
}

fn on_disk(desk: &Desk<'_>, image: Window, depth: u64) -> Result<Raw, EngineError> {
    Raw::on_disk(&desk.folder, image, depth as usize).map_err(|error| unkept(&desk.folder, &error))
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

pub(crate) fn internal(message: &str) -> EngineError {
    EngineError::Internal(message.into())
}

#[cfg(test)]
mod tests;
