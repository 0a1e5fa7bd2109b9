//! The layers of a segmentation in files without a name, and the memory that it takes.

use std::io;

use onceflow_kernels::nuclei::tiled::{Layer, Planes};
use onceflow_kernels::{Plane, View, Window};
use onceflow_region::Lease;

use super::Tiling;
use crate::EngineError;
use crate::whole::desk::{Desk, reserve_program, resize, unkept};
use crate::whole::raw::Raw;
use crate::whole::sheet::plane;

/// The colours of an image and the layers of its segmentation.
#[derive(Debug)]
pub(super) struct Scratch<'a> {
    colours: Raw,
    difference: Raw,
    mask: Raw,
    next: Raw,
    tiles: usize,
    tiling: Tiling,
    desk: &'a Desk<'a>,
    /// Memory of what is known of components.
    components: Lease,
    /// Memory of the program and of windows.
    _windows: [Lease; 2],
}

impl<'a> Scratch<'a> {
    pub(super) fn new(
        (image, tiles): (Window, usize),
        tiling: &Tiling,
        desk: &'a Desk<'a>,
    ) -> Result<Self, EngineError> {
        let windows = [reserve_program(desk)?, desk.reserve("t2", tiling.window_bytes())?];
        let components = desk.reserve("components of masks", 0)?;
        let raw =
            |depth| Raw::on_disk(&desk.folder, image, depth).map_err(|error| unkept(&desk.folder, &error));
        let (colours, difference, mask, next) = (raw(3)?, raw(1)?, raw(1)?, raw(1)?);
        let tiling = *tiling;
        Ok(Self { colours, difference, mask, next, tiles, tiling, desk, components, _windows: windows })
    }

    pub(super) fn colours_mut(&mut self) -> &mut Raw {
        &mut self.colours
    }

    /// The colours and the mask that was found; the other layers are gone.
    pub(super) fn into_result(self) -> (Raw, Raw) {
        (self.colours, self.next)
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

    fn unkept(&self, error: &io::Error) -> EngineError {
        unkept(&self.desk.folder, error)
    }
}

impl Planes for Scratch<'_> {
    type Error = EngineError;

    fn room(&self) -> usize {
        // A strip of the image may be one row that is longer than a tile has pixels.
        self.tiling.room().max(self.colours.width())
    }

    /// Tables grow to twice their size at once: that much is reserved before they do.
    fn allow(&mut self, bytes: usize) -> Result<(), EngineError> {
        let bytes = (bytes as u64).saturating_mul(2);
        resize(&mut self.components, &self.desk.budget, "components of masks", bytes)
    }

    fn begin(&mut self, task: &'static str, tile: usize) {
        self.desk.at(task, tile as u64, self.tiles as u64);
    }

    fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, EngineError> {
        self.check(window)?;
        let bytes = self.colours.read(window).map_err(|error| self.unkept(&error))?;
        plane(bytes.as_chunks().0.to_vec(), window)
    }

    fn read(&mut self, layer: Layer, window: Window) -> Result<Plane<u8>, EngineError> {
        self.check(window)?;
        let bytes = self.layer(layer).read(window);
        plane(bytes.map_err(|error| self.unkept(&error))?, window)
    }

    fn write(&mut self, layer: Layer, window: Window, pixels: View<'_, u8>) -> Result<(), EngineError> {
        let written = self.layer(layer).write(window, pixels.rows());
        written.map_err(|error| self.unkept(&error))
    }
}
