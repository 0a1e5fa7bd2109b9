//! The colours of an image and the pixels of its objects, in memory or on a disk.

use std::path::PathBuf;

use onceflow_kernels::{Plane, View, Window};
use onceflow_region::{Lease, Source, labels};

use super::desk::{Desk, strips, unkept};
use super::raw::Raw;
use super::read_rows;
use crate::EngineError;
use crate::agreement::no_objects;

/// The colours of an image and the pixels of its objects.
#[derive(Debug)]
pub(crate) struct Sheet {
    image: Window,
    colours: Raw,
    objects: Raw,
    folder: PathBuf,
    /// Memory of the pixels, where they are in memory.
    _lease: Option<Lease>,
}

impl Sheet {
    /// Pixels that are somewhere already; objects are a mask of one byte, or numbers of four.
    pub(crate) fn new(
        image: Window,
        colours: Raw,
        objects: Raw,
        folder: PathBuf,
        lease: Option<Lease>,
    ) -> Self {
        Self { image, colours, objects, folder, _lease: lease }
    }

    /// All of the image.
    pub(crate) fn image(&self) -> Window {
        self.image
    }

    /// The colours in a window.
    pub(crate) fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, EngineError> {
        let bytes = self.colours.read(window).map_err(|error| unkept(&self.folder, &error))?;
        plane(bytes.as_chunks().0.to_vec(), window)
    }

    /// Not 0 where an object is.
    pub(crate) fn mask(&mut self, window: Window) -> Result<Plane<u8>, EngineError> {
        plane(self.objects.read(window).map_err(|error| unkept(&self.folder, &error))?, window)
    }

    /// The numbers of objects.
    pub(crate) fn numbers(&mut self, window: Window) -> Result<Plane<u32>, EngineError> {
        let bytes = self.objects.read(window).map_err(|error| unkept(&self.folder, &error))?;
        plane(bytes.as_chunks().0.iter().map(|number| u32::from_ne_bytes(*number)).collect(), window)
    }
}

pub(crate) fn plane<T>(pixels: Vec<T>, window: Window) -> Result<Plane<T>, EngineError> {
    let plane = Plane::from_vec(pixels, window.width, window.height);
    plane.ok_or_else(|| EngineError::Internal("a window that was read wrongly".into()))
}

/// Keeps colours as bytes.
pub(crate) fn write_colours(raw: &mut Raw, window: Window, pixels: View<'_, [u8; 3]>) -> std::io::Result<()> {
    raw.write(window, pixels.rows().map(|row| row.as_flattened()))
}

/// Reads a mask or label image that somebody drew into `raw`, strip by strip: as bytes that are not 0 in objects, or as
/// numbers.
pub(crate) fn read_drawn(
    (name, source): (&str, &dyn Source),
    image: Window,
    mask: bool,
    raw: &mut Raw,
    desk: &Desk<'_>,
) -> Result<(), EngineError> {
    for window in strips(image, desk.strip(image.width, DRAWN)) {
        desk.at("reading nuclei", window.top as u64, image.height as u64);
        let found = labels(&read_rows(source, window)?).map_err(|error| no_objects(name, &error))?;
        let numbers = found.plane.as_u32().unwrap_or_default();
        let bytes: Vec<u8> = if mask {
            numbers.iter().map(|number| u8::from(*number != 0)).collect()
        } else {
            numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
        };
        let row = bytes.len() / window.height.max(1);
        let written = raw.write(window, bytes.chunks(row.max(1)));
        written.map_err(|error| unkept(&desk.folder, &error))?;
    }
    Ok(())
}

/// Bytes for each pixel while a file of labels is read: as in the file, as numbers, as bytes.
const DRAWN: u64 = 16;
