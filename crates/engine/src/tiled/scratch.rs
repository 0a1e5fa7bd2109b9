//! Planes of pixels in files without a name, which are gone with the process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use onceflow_kernels::nuclei::tiled::{Layer, Planes};
use onceflow_kernels::{Plane, View, Window};
use onceflow_study::Diagnostic;

use super::Tiling;
use crate::EngineError;

/// The colours of an image and the layers of its segmentation.
#[derive(Debug)]
pub(super) struct Scratch {
    colours: Raw,
    difference: Raw,
    mask: Raw,
    next: Raw,
    tiling: Tiling,
    folder: PathBuf,
}

impl Scratch {
    pub(super) fn new(folder: &Path, image: Window, tiling: &Tiling) -> Result<Self, EngineError> {
        let raw = |depth| Raw::new(folder, image, depth).map_err(|error| unkept(folder, &error));
        let (colours, difference, mask, next) = (raw(3)?, raw(1)?, raw(1)?, raw(1)?);
        Ok(Self { colours, difference, mask, next, tiling: *tiling, folder: folder.to_path_buf() })
    }

    pub(super) fn write_colours(
        &mut self,
        window: Window,
        pixels: View<'_, [u8; 3]>,
    ) -> Result<(), EngineError> {
        let rows = pixels.rows().map(|row| row.as_flattened());
        self.colours.write(window, rows).map_err(|error| unkept(&self.folder, &error))
    }

    fn layer(&mut self, layer: Layer) -> &mut Raw {
        match layer {
            Layer::Difference => &mut self.difference,
            Layer::Mask => &mut self.mask,
            Layer::Next => &mut self.next,
        }
    }

    /// Windows of tiles have room; one that has none is that of an object, which is flooded whole.
    fn check(&self, window: Window) -> Result<(), EngineError> {
        if window.len() <= self.room() {
            return Ok(());
        }
        let (task, needed) = ("t6_flood".into(), Tiling::memory_for(window.len()));
        Err(EngineError::Memory { task, needed, limit: self.tiling.memory() })
    }
}

impl Planes for Scratch {
    type Error = EngineError;

    fn room(&self) -> usize {
        // A strip of the image may be one row that is longer than a tile has pixels.
        self.tiling.room().max(self.colours.width)
    }

    fn allow(&self, bytes: usize) -> Result<(), EngineError> {
        let limit = self.tiling.memory();
        let needed = (bytes as u64).saturating_mul(2);
        if needed <= limit {
            return Ok(());
        }
        // More components may follow: twice as much gets as far again.
        let needed = needed.saturating_mul(2).div_ceil(1 << 20) << 20;
        Err(EngineError::Memory { task: "components of a mask".into(), needed, limit })
    }

    fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, EngineError> {
        self.check(window)?;
        let bytes = self.colours.read(window).map_err(|error| unkept(&self.folder, &error))?;
        plane(bytes.as_chunks().0.to_vec(), window)
    }

    fn read(&mut self, layer: Layer, window: Window) -> Result<Plane<u8>, EngineError> {
        self.check(window)?;
        let bytes = self.layer(layer).read(window);
        plane(bytes.map_err(|error| unkept(&self.folder, &error))?, window)
    }

    fn write(&mut self, layer: Layer, window: Window, pixels: View<'_, u8>) -> Result<(), EngineError> {
        let written = self.layer(layer).write(window, pixels.rows());
        written.map_err(|error| unkept(&self.folder, &error))
    }
}

fn plane<T>(pixels: Vec<T>, window: Window) -> Result<Plane<T>, EngineError> {
    let plane = Plane::from_vec(pixels, window.width, window.height);
    plane.ok_or_else(|| EngineError::Internal("a window that was read wrongly".into()))
}

/// Rows of pixels of `depth` bytes, one after the other.
#[derive(Debug)]
struct Raw {
    file: File,
    width: usize,
    depth: usize,
}

impl Raw {
    fn new(folder: &Path, image: Window, depth: usize) -> io::Result<Self> {
        let bytes = (image.width as u64).checked_mul(image.height as u64);
        let bytes = bytes.and_then(|pixels| pixels.checked_mul(depth as u64));
        let file = tempfile::tempfile_in(folder)?;
        file.set_len(bytes.ok_or(io::ErrorKind::FileTooLarge)?)?;
        Ok(Self { file, width: image.width, depth })
    }

    fn read(&mut self, window: Window) -> io::Result<Vec<u8>> {
        let length = window.width * self.depth;
        let mut bytes = vec![0; length * window.height];
        for (y, row) in bytes.chunks_exact_mut(length.max(1)).enumerate() {
            self.seek(window, y)?;
            self.file.read_exact(row)?;
        }
        Ok(bytes)
    }

    fn write<'a>(&mut self, window: Window, rows: impl Iterator<Item = &'a [u8]>) -> io::Result<()> {
        for (y, row) in rows.enumerate() {
            self.seek(window, y)?;
            self.file.write_all(row)?;
        }
        Ok(())
    }

    fn seek(&mut self, window: Window, y: usize) -> io::Result<u64> {
        let pixel = (window.top + y) as u64 * self.width as u64 + window.left as u64;
        self.file.seek(SeekFrom::Start(pixel * self.depth as u64))
    }
}

fn unkept(folder: &Path, error: &io::Error) -> EngineError {
    let message =
        Diagnostic::error(format!("cannot keep pixels in {} while tiles are worked on", folder.display()));
    let message = message.expected_found("six bytes of free space for each pixel", error.to_string());
    let message =
        message.with_hint(format!("free some space (df -h {}), or choose another disk", folder.display()));
    EngineError::Environment(Box::new(message))
}
