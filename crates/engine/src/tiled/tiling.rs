//! How large tiles may be, by a bound of memory.

use onceflow_region::ImageInfo;

use crate::EngineError;
use crate::segment::PROGRAM;

/// A side of tiles and the memory they are worked on in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    tile: usize,
    memory: u64,
}

/// Bytes that the hungriest task takes for each pixel of a window: a flood with its queues.
const BYTES: u64 = 48;

const MIB: u64 = 1 << 20;

/// Pixels on both sides of a tile that its tasks look at.
const HALOS: u64 = 36;

/// Sides between these are chosen: smaller tiles are mostly halo, larger ones gain nothing.
const SMALLEST: u64 = 64;
const LARGEST: u64 = 4096;

impl Tiling {
    /// The largest tiles that a bound of memory allows.
    ///
    /// # Errors
    /// When it allows none.
    pub fn fitting(memory: u64) -> Result<Self, EngineError> {
        let side = room(memory / MIB * MIB).isqrt().saturating_sub(HALOS).min(LARGEST);
        Self::new(side.max(SMALLEST), memory)
    }

    /// Tiles of a given side, at least 1.
    ///
    /// # Errors
    /// When the bound of memory does not allow them.
    pub fn new(tile: u64, memory: u64) -> Result<Self, EngineError> {
        let needed = needed(tile);
        if needed > memory {
            // The task that looks farthest around a tile.
            return Err(EngineError::Memory { task: "t2".into(), needed, limit: memory });
        }
        Ok(Self { tile: usize::try_from(tile).unwrap_or(usize::MAX).max(1), memory })
    }

    /// The side of a tile in pixels.
    pub fn tile(&self) -> usize {
        self.tile
    }

    /// Bytes on the disk that an image takes while it is worked on.
    pub fn disk_bytes(info: &ImageInfo) -> u64 {
        info.width.saturating_mul(info.height).saturating_mul(6)
    }

    /// The bound of memory.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// The most pixels of a window.
    pub(super) fn room(&self) -> usize {
        usize::try_from(room(self.memory)).unwrap_or(usize::MAX)
    }

    /// Memory of the hungriest task in the largest window.
    pub(super) fn window_bytes(&self) -> u64 {
        room(self.memory).saturating_mul(BYTES)
    }

    /// Memory in which a window of so many pixels has room.
    pub(super) fn memory_for(pixels: usize) -> u64 {
        bytes(pixels as u64)
    }

    /// Rows of the image that are read at once, at least one.
    pub(super) fn strip_rows(&self, width: u64) -> usize {
        let pixels = room(self.memory).min(1 << 25);
        usize::try_from((pixels / width.max(1)).max(1)).unwrap_or(usize::MAX)
    }
}

/// Half of the memory is for windows, the other half for what is known of components.
fn room(memory: u64) -> u64 {
    memory.saturating_sub(PROGRAM) / (2 * BYTES)
}

fn needed(tile: u64) -> u64 {
    let side = tile.max(1).saturating_add(HALOS);
    bytes(side.saturating_mul(side))
}

/// Whole mebibytes, which people can read.
fn bytes(pixels: u64) -> u64 {
    let bytes = pixels.saturating_mul(2 * BYTES).saturating_add(PROGRAM);
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
            matches!(Tiling::fitting(PROGRAM), Err(EngineError::Memory { needed, .. }) if needed > PROGRAM)
        );
        assert!(Tiling::new(u64::MAX, 1 << 40).is_err());
    }
}
