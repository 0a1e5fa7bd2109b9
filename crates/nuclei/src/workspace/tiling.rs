//! The size of tiles under a memory bound.

use onceflow_region::ImageInfo;

use super::PROGRAM_BYTES;
use crate::NucleiError;

/// The side of tiles, and the memory bound they fit in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    tile: usize,
    memory: u64,
}

/// Bytes per pixel of a window in the task that needs most: a flood with its queues.
const BYTES: u64 = 48;

const MIB: u64 = 1 << 20;

/// Pixels of the halos on both sides of a tile.
const HALOS: u64 = 36;

/// The range of sides: smaller tiles are mostly halo, larger ones gain nothing.
const SMALLEST: u64 = 64;
const LARGEST: u64 = 4096;

impl Tiling {
    /// The largest tiles under a memory bound.
    ///
    /// # Errors
    /// When the bound is too small for any tile.
    pub fn fitting(memory: u64) -> Result<Self, NucleiError> {
        let side = room(memory / MIB * MIB).isqrt().saturating_sub(HALOS).min(LARGEST);
        Self::new(side.max(SMALLEST), memory)
    }

    /// Tiles of a given side, at least 1.
    ///
    /// # Errors
    /// When the memory bound is too small.
    pub fn new(tile: u64, memory: u64) -> Result<Self, NucleiError> {
        let needed = needed(tile);
        if needed > memory {
            // The task with the largest halo.
            return Err(NucleiError::Memory { task: "t2".into(), needed, limit: memory });
        }
        Ok(Self { tile: usize::try_from(tile).unwrap_or(usize::MAX).max(1), memory })
    }

    /// The side of a tile in pixels.
    pub fn tile(&self) -> usize {
        self.tile
    }

    /// Bytes of the temporary files of an image.
    pub fn disk_bytes(info: &ImageInfo) -> u64 {
        info.width.saturating_mul(info.height).saturating_mul(6)
    }

    /// The memory bound.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The most pixels of a window.
    pub(crate) fn room(&self) -> usize {
        usize::try_from(room(self.memory)).unwrap_or(usize::MAX)
    }

    /// Memory of the most demanding task in the largest window.
    pub(crate) fn window_bytes(&self) -> u64 {
        room(self.memory).saturating_mul(BYTES)
    }

    /// The memory bound for a window of so many pixels.
    pub(crate) fn memory_for(pixels: usize) -> u64 {
        bytes(pixels as u64)
    }

    /// Rows of the image per read, at least one.
    pub(crate) fn strip_rows(&self, width: u64) -> usize {
        let pixels = room(self.memory).min(1 << 25);
        usize::try_from((pixels / width.max(1)).max(1)).unwrap_or(usize::MAX)
    }
}

/// The most pixels of a window: half of the memory is for windows, the other half for tables of components.
fn room(memory: u64) -> u64 {
    memory.saturating_sub(PROGRAM_BYTES) / (2 * BYTES)
}

fn needed(tile: u64) -> u64 {
    let side = tile.max(1).saturating_add(HALOS);
    bytes(side.saturating_mul(side))
}

/// The memory bound for a window, in whole mebibytes.
fn bytes(pixels: u64) -> u64 {
    let bytes = pixels.saturating_mul(2 * BYTES).saturating_add(PROGRAM_BYTES);
    bytes.div_ceil(MIB).saturating_mul(MIB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_tile_fits_and_a_larger_one_does_not() {
        for memory in [32u64 << 20, (100 << 20) + 12_345, 1 << 30] {
            let tile = Tiling::fitting(memory).unwrap().tile() as u64;
            assert!((SMALLEST..=LARGEST).contains(&tile));
            assert!(needed(tile) <= memory && needed(tile + 40) > memory, "{memory} {tile}");
        }
        assert_eq!(Tiling::fitting(u64::MAX).unwrap().tile() as u64, LARGEST);
        assert!(
            matches!(Tiling::fitting(PROGRAM_BYTES), Err(NucleiError::Memory { needed, .. }) if needed > PROGRAM_BYTES)
        );
        assert!(Tiling::new(u64::MAX, 1 << 40).is_err());
    }
}
