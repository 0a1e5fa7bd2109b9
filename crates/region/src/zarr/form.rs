//! How we write arrays: shards of chunks, each chunk with a checksum, all channels together.
//!
//! A chunk has 512 x 512 pixels, so that a view of a screen touches few and each is worth compressing; a shard has 4 x 4
//! of them, so that a slide of 100,000 x 100,000 pixels is some thousands of files and one shard fits in a thread's memory.

use serde_json::{Value, json};
use zstd::bulk::Compressor;

use super::layout::{COMPLETE, element_name};
use super::scatter::{Scatter, gather};
use super::shard;
use crate::{Bounds, Dense, Element};

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

/// Sides of a chunk and of a shard, in pixels.
pub(super) const CHUNK: u64 = 512;
pub(super) const SHARD: u64 = 4 * CHUNK;

/// An array of channels, rows and columns, as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Form {
    /// Channels, rows and columns.
    size: [u64; 3],
    element: Element,
    compression: Compression,
    chunk: [u64; 3],
    shard: [u64; 3],
}

impl Form {
    /// The form of an image of so many columns and rows. Small images have smaller chunks: no more than they need.
    pub(super) fn new(
        [width, height]: [u64; 2],
        channels: usize,
        element: Element,
        compression: Compression,
    ) -> Form {
        let channels = channels as u64;
        let chunk = |side: u64| side.clamp(1, CHUNK);
        let shard = |side: u64| side.clamp(1, SHARD).next_multiple_of(chunk(side));
        Form {
            size: [channels, height, width],
            element,
            compression,
            chunk: [channels, chunk(height), chunk(width)],
            shard: [channels, shard(height), shard(width)],
        }
    }

    /// The metadata of the array, with attributes.
    pub(super) fn metadata(&self) -> Value {
        let endian = if cfg!(target_endian = "little") { "little" } else { "big" };
        let bytes = json!({"name": "bytes", "configuration": {"endian": endian}});
        let index = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let checksum = json!({"name": "crc32c"});
        let codecs = match self.compression {
            Compression::None => json!([bytes, checksum]),
            Compression::Zstd(level) => {
                let zstd = json!({"name": "zstd", "configuration": {"level": level, "checksum": false}});
                json!([bytes, zstd, checksum])
            }
        };
        json!({
            "zarr_format": 3,
            "node_type": "array",
            "shape": self.size,
            "data_type": element_name(self.element),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": self.shard}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
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
    pub(super) fn shards(&self) -> Vec<Bounds> {
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
    pub(super) fn key(&self, bounds: &Bounds) -> String {
        let number = |start: i64, side: u64| start.unsigned_abs() / side;
        format!("c/0/{}/{}", number(bounds.y(), self.shard[1]), number(bounds.x(), self.shard[2]))
    }

    /// The bytes of the shard whose pixels these are. Chunks of zeros alone are not written: the index says so.
    pub(super) fn encode(&self, pixels: &Dense) -> std::io::Result<Vec<u8>> {
        let mut packer = Packer::new(self.compression)?;
        let bytes = (self.chunk.iter().product::<u64>() * self.element.bytes()) as usize;
        let mut chunks = Vec::new();
        for top in (0..self.shard[1]).step_by(self.chunk[1] as usize) {
            for left in (0..self.shard[2]).step_by(self.chunk[2] as usize) {
                let mut chunk = vec![0; bytes];
                self.gather(pixels, [top as usize, left as usize], &mut chunk);
                let there = chunk.iter().any(|&byte| byte != 0);
                chunks.push(if there { Some(packer.pack(chunk)?) } else { None });
            }
        }
        Ok(shard::write(chunks))
    }

    /// The values of one chunk, plane by plane; beyond the image's end they stay zero.
    fn gather(&self, pixels: &Dense, [top, left]: [usize; 2], chunk: &mut [u8]) {
        let [channels, rows, columns] = self.chunk.map(|side| side as usize);
        let part = Scatter {
            from_first: 0,
            from: [rows * columns, columns, 1],
            to_first: (top * pixels.width() + left) * channels,
            channels,
            pitch: pixels.width() * channels,
            lengths: [
                channels,
                rows.min(pixels.height().saturating_sub(top)),
                columns.min(pixels.width().saturating_sub(left)),
            ],
        };
        gather(pixels.pixels().as_bytes(), chunk, &part, self.element.bytes());
    }
}

/// Compresses chunk after chunk.
struct Packer(Option<Compressor<'static>>);

impl Packer {
    fn new(compression: Compression) -> std::io::Result<Packer> {
        Ok(Packer(match compression {
            Compression::None => None,
            Compression::Zstd(level) => Some(Compressor::new(level)?),
        }))
    }

    /// The chunk as it stands in a file, with its checksum.
    fn pack(&mut self, chunk: Vec<u8>) -> std::io::Result<Vec<u8>> {
        let mut packed = match &mut self.0 {
            None => chunk,
            Some(zstd) => zstd.compress(&chunk)?,
        };
        packed.extend_from_slice(&crc32c::crc32c(&packed).to_le_bytes());
        Ok(packed)
    }
}
