//! The layers of a segmentation in temporary files, and its memory.

use std::io;

use onceflow_kernels::nuclei::tiled::{Layer, Planes};
use onceflow_kernels::{Plane, View, Window};
use onceflow_region::Lease;

use crate::NucleiError;
use crate::pixels::{PixelBuffer, plane};
use crate::workspace::{Tiling, Workspace, reserve_program, resize, unkept};

/// The colours of an image and the layers of its segmentation.
#[derive(Debug)]
pub(super) struct TiledLayers<'a> {
    colours: PixelBuffer,
    difference: PixelBuffer,
    mask: PixelBuffer,
    next: PixelBuffer,
    tiles: usize,
    tiling: Tiling,
    workspace: &'a Workspace<'a>,
    /// Memory of the tables of components.
    components: Lease,
    /// Memory of the program and of windows.
    _windows: [Lease; 2],
}

impl<'a> TiledLayers<'a> {
    pub(super) fn new(
        (image, tiles): (Window, usize),
        tiling: &Tiling,
        workspace: &'a Workspace<'a>,
    ) -> Result<Self, NucleiError> {
        let windows = [reserve_program(workspace)?, workspace.reserve("t2", tiling.window_bytes())?];
        let components = workspace.reserve("components of masks", 0)?;
        let buffer = |depth| {
            PixelBuffer::on_disk(&workspace.folder, image, depth)
                .map_err(|error| unkept(&workspace.folder, &error))
        };
        let (colours, difference, mask, next) = (buffer(3)?, buffer(1)?, buffer(1)?, buffer(1)?);
        let tiling = *tiling;
        Ok(Self { colours, difference, mask, next, tiles, tiling, workspace, components, _windows: windows })
    }

    pub(super) fn colours_mut(&mut self) -> &mut PixelBuffer {
        &mut self.colours
    }

    /// The colours and the final mask; the other layers are dropped.
    pub(super) fn into_result(self) -> (PixelBuffer, PixelBuffer) {
        (self.colours, self.next)
    }

    fn layer(&mut self, layer: Layer) -> &mut PixelBuffer {
        match layer {
            Layer::Difference => &mut self.difference,
            Layer::Mask => &mut self.mask,
            Layer::Next => &mut self.next,
        }
    }

    /// Refuses a window that is too large: windows of tiles always fit, but an object is flooded in one window.
    fn check(&self, window: Window) -> Result<(), NucleiError> {
        if window.len() <= self.room() {
            return Ok(());
        }
        let (task, needed) = ("t6_flood".into(), Tiling::memory_for(window.len()));
        Err(NucleiError::Memory { task, needed, limit: self.tiling.memory() })
    }

    fn unkept(&self, error: &io::Error) -> NucleiError {
        unkept(&self.workspace.folder, error)
    }
}

impl Planes for TiledLayers<'_> {
    type Error = NucleiError;

    fn room(&self) -> usize {
        // A strip of the image may be one row that is longer than a tile has pixels.
        self.tiling.room().max(self.colours.width())
    }

    /// Reserves twice the bytes, since tables double when they grow.
    fn allow(&mut self, bytes: usize) -> Result<(), NucleiError> {
        let bytes = (bytes as u64).saturating_mul(2);
        resize(&mut self.components, &self.workspace.budget, "components of masks", bytes)
    }

    fn begin(&mut self, task: &'static str, tile: usize) {
        self.workspace.at(task, tile as u64, self.tiles as u64);
    }

    fn colours(&mut self, window: Window) -> Result<Plane<[u8; 3]>, NucleiError> {
        self.check(window)?;
        let bytes = self.colours.read(window).map_err(|error| self.unkept(&error))?;
        plane(bytes.as_chunks().0.to_vec(), window)
    }

    fn read(&mut self, layer: Layer, window: Window) -> Result<Plane<u8>, NucleiError> {
        self.check(window)?;
        let bytes = self.layer(layer).read(window);
        plane(bytes.map_err(|error| self.unkept(&error))?, window)
    }

    fn write(&mut self, layer: Layer, window: Window, pixels: View<'_, u8>) -> Result<(), NucleiError> {
        let written = self.layer(layer).write(window, pixels.rows());
        written.map_err(|error| self.unkept(&error))
    }
}
