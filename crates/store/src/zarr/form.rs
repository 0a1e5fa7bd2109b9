//! How we write arrays: shards of chunks, each chunk with a checksum, all channels together.
//!
//! Images for others have their colours in planes, as microscopy has them. Regions of a store have the colours of a pixel
//! side by side, as they lie in memory, so that rows go to the disk and come back without being copied on the way.
//!
//! A chunk has 512 x 512 pixels, so that a view of a screen touches few and each is worth compressing; a shard has 4 x 4
//! of them, so that a slide of 100,000 x 100,000 pixels is some thousands of files and one shard fits in a thread's memory.

use onceflow_region::{Bounds, Dense, Element};
use serde_json::{Value, json};

use super::layout::{COMPLETE, element_name};

/// How the chunks of an array are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all: as fast as the disk.
    None,
    /// Zstandard of a level from 1 (fast) to 22 (small).
    Zstd(i32),
}

impl Default for Compression {
    /// Fast, and much smaller than nothing.
    fn default() -> Compression {
        Compression::Zstd(1)
    }
}

/// Side of a chunk in pixels.
pub(super) const CHUNK: u64 = 512;

/// Side of a shard in pixels.
pub const SHARD: u64 = 4 * CHUNK;

/// Chunks of a shard.
const CHUNKS: u64 = 16;

/// The widest region whose chunks are whole rows: a small box of a wider one would lie in too many.
const WIDEST: u64 = 2 * SHARD;

/// An array of channels, rows and columns, as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArrayForm {
    /// Channels, rows and columns.
    size: [u64; 3],
    pub(super) element: Element,
    pub(super) compression: Compression,
    pub(super) chunk: [u64; 3],
    pub(super) shard: [u64; 3],
    /// Whether the channels of a pixel lie side by side in a chunk, rather than in planes.
    pub(super) interleaved: bool,
    /// What stands between the numbers in the names of files.
    separator: char,
}

impl ArrayForm {
    /// The form of an image of so many columns and rows. Small images have smaller chunks: no more than they need.
    pub fn new(
        [width, height]: [u64; 2],
        channels: usize,
        element: Element,
        compression: Compression,
    ) -> ArrayForm {
        let channels = channels as u64;
        let chunk = |side: u64| side.clamp(1, CHUNK);
        let shard = |side: u64| side.clamp(1, SHARD).next_multiple_of(chunk(side));
        ArrayForm {
            size: [channels, height, width],
            element,
            compression,
            chunk: [channels, chunk(height), chunk(width)],
            shard: [channels, shard(height), shard(width)],
            interleaved: channels == 1,
            separator: '/',
        }
    }

    /// The form of a region in a store: as it lies in memory, in files that need no folders of their own. Chunks of a
    /// region that is not very wide are whole rows, about as many pixels as others have, so that each lies in one piece.
    pub(crate) fn of_region(region: &Dense, compression: Compression) -> ArrayForm {
        let size = [region.width() as u64, region.height() as u64];
        let form = ArrayForm::new(size, region.channels(), region.element(), compression);
        let form = ArrayForm { interleaved: true, separator: '.', ..form };
        let [width, height] = size.map(|side| side.max(1));
        if width > WIDEST {
            return form;
        }
        let count = (width * height).div_ceil(CHUNK * CHUNK);
        let rows = height.div_ceil(count);
        let chunk = [form.chunk[0], rows, width];
        ArrayForm { chunk, shard: [chunk[0], rows * count.min(CHUNKS), width], ..form }
    }

    /// The metadata of the array, with attributes.
    pub fn metadata(&self) -> Value {
        let endian = if cfg!(target_endian = "little") { "little" } else { "big" };
        let bytes = json!({"name": "bytes", "configuration": {"endian": endian}});
        let index = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let checksum = json!({"name": "crc32c"});
        let mut codecs = vec![bytes];
        if self.interleaved && self.size[0] > 1 {
            codecs.insert(0, json!({"name": "transpose", "configuration": {"order": [1, 2, 0]}}));
        }
        if let Compression::Zstd(level) = self.compression {
            codecs.push(json!({"name": "zstd", "configuration": {"level": level, "checksum": false}}));
        }
        codecs.push(checksum.clone());
        json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": self.size,
            "data_type": element_name(self.element),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": self.shard}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": self.separator.to_string()}},
            "fill_value": if matches!(self.element, Element::F32 | Element::F64) { json!(0.0) } else { json!(0) },
            "codecs": [{"name": "sharding_indexed", "configuration": {
                "chunk_shape": self.chunk,
                "codecs": codecs,
                "index_codecs": [index, checksum],
                "index_location": "end",
            }}],
            "dimension_names": ["c", "y", "x"],
            "attributes": {COMPLETE: true},
        })
    }

    /// The boxes of the shards, row by row.
    pub(crate) fn shards(&self) -> Vec<Bounds> {
        let [_, height, width] = self.size;
        let mut shards = Vec::new();
        for top in (0..height).step_by(self.shard[1] as usize) {
            for left in (0..width).step_by(self.shard[2] as usize) {
                let (wide, high) = (self.shard[2].min(width - left), self.shard[1].min(height - top));
                shards.extend(Bounds::plane(left as i64, top as i64, wide, high));
            }
        }
        shards
    }

    /// The name of the shard that begins at the corner of a box.
    pub fn key(&self, bounds: &Bounds) -> String {
        let number = |start: i64, side: u64| start.unsigned_abs() / side;
        let (row, column) = (number(bounds.y(), self.shard[1]), number(bounds.x(), self.shard[2]));
        format!("c{0}0{0}{row}{0}{column}", self.separator)
    }
}
