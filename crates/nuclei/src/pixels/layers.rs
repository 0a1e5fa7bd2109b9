//! The colours of an image and the pixels of its objects, in memory or on a disk.

use std::path::PathBuf;

use onceflow_kernels::{Plane, View, Window};
use onceflow_region::{Lease, Source, labels};

use super::buffer::PixelBuffer;
use super::read_rows;
use crate::NucleiError;
use crate::labels::no_objects;
use crate::workspace::{Workspace, strips, unkept};

/// The colours of an image and the pixels of its objects.
#[derive(Debug)]
pub(crate) struct ImageLayers {
    image: Window,
    colours: PixelBuffer,
    objects: PixelBuffer,
    folder: PathBuf,
    /// The memory of the pixels, if they are in memory.
    _lease: Option<Lease>,
}

impl ImageLayers {
    /// Layers of existing pixels; objects are a mask of one byte per pixel, or labels of four.
    pub(crate) fn new(
        image: Window,
        colours: PixelBuffer,
        objects: PixelBuffer,
        folder: PathBuf,
        lease: Option<Lease>,
    ) -> Self {
        Self { image, colours, objects, folder, _lease: lease }
    }

    /// The window of the whole image.
    pub(crate) fn image(&self) -> Window {
        self.image
    }

    /// The colours in a window.
    pub(crate) fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, NucleiError> {
        let bytes = self.colours.read(window).map_err(|error| unkept(&self.folder, &error))?;
        plane(bytes.as_chunks().0.to_vec(), window)
    }

    /// The mask in a window: not 0 in objects.
    pub(crate) fn mask(&mut self, window: Window) -> Result<Plane<u8>, NucleiError> {
        plane(self.objects.read(window).map_err(|error| unkept(&self.folder, &error))?, window)
    }

    /// The labels in a window.
    pub(crate) fn numbers(&mut self, window: Window) -> Result<Plane<u32>, NucleiError> {
        let bytes = self.objects.read(window).map_err(|error| unkept(&self.folder, &error))?;
        plane(bytes.as_chunks().0.iter().map(|number| u32::from_ne_bytes(*number)).collect(), window)
    }
}

pub(crate) fn plane<T>(pixels: Vec<T>, window: Window) -> Result<Plane<T>, NucleiError> {
    let plane = Plane::from_vec(pixels, window.width, window.height);
    plane.ok_or_else(|| NucleiError::internal("a window with another number of pixels"))
}

/// Writes colours as bytes.
pub(crate) fn write_colours(
    buffer: &mut PixelBuffer,
    window: Window,
    pixels: View<'_, [u8; 3]>,
) -> std::io::Result<()> {
    buffer.write(window, pixels.rows().map(|row| row.as_flattened()))
}

/// Reads a mask or label image into `buffer`, strip by strip: as bytes that are not 0 in objects, or as labels.
pub(crate) fn read_drawn(
    (name, source): (&str, &dyn Source),
    image: Window,
    mask: bool,
    buffer: &mut PixelBuffer,
    workspace: &Workspace<'_>,
) -> Result<(), NucleiError> {
    for window in strips(image, workspace.strip(image.width, DRAWN)) {
        workspace.at("reading nuclei", window.top as u64, image.height as u64);
        let found = labels(&read_rows(source, window)?).map_err(|error| no_objects(name, &error))?;
        let numbers = found.plane.as_u32();
        let numbers = numbers.ok_or_else(|| NucleiError::internal("labels of another type than u32"))?;
        let bytes: Vec<u8> = if mask {
            numbers.iter().map(|number| u8::from(*number != 0)).collect()
        } else {
            numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
        };
        let row = bytes.len() / window.height.max(1);
        let written = buffer.write(window, bytes.chunks(row.max(1)));
        written.map_err(|error| unkept(&workspace.folder, &error))?;
    }
    Ok(())
}

/// Bytes for each pixel while a file of labels is read: as in the file, as numbers, as bytes.
const DRAWN: u64 = 16;
