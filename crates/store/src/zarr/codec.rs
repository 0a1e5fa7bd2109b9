//! How the values of a chunk became bytes: the order of the axes and of the bytes, then compressions and checksums.
//!
//! Nothing is unpacked into more memory than the known size of the chunk; sizes stated in its bytes are not trusted.

use std::io::Read;

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use onceflow_region::ByteOrder;
use serde_json::Value;
use zstd::bulk::Decompressor;

use super::blosc;
use super::checksum::Crc32c;
use super::json::{self, BadMetadata};
use super::layout::codec_name;

/// The steps from values to bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Codecs {
    /// Which axis of the array each axis of the stored values is, the slowest first.
    pub(super) axes: Vec<usize>,
    /// The order of the bytes of a value.
    pub(super) order: ByteOrder,
    /// What was done with the bytes, in this order.
    pub(super) packings: Vec<ChunkPacking>,
}

/// One step that turns bytes into other bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkPacking {
    Zstd,
    Gzip,
    Zlib,
    Blosc,
    Crc32c,
}

/// What is wrong with the bytes of a chunk.
pub(super) type Corrupt = String;

impl Codecs {
    /// Reads a list of codecs for arrays of so many axes.
    pub(super) fn parse(codecs: &[Value], rank: usize) -> Result<Codecs, BadMetadata> {
        let mut axes: Vec<usize> = (0..rank).collect();
        let mut codecs = codecs.iter().peekable();
        while let Some(transpose) = codecs.next_if(|codec| codec_name(codec) == Some("transpose")) {
            axes = transposed(transpose, &axes)?;
        }
        let order = byte_order(codecs.next())?;
        let packings = codecs.map(packing).collect::<Result<_, _>>()?;
        Ok(Codecs { axes, order, packings })
    }

    /// Reads the codecs of a shard's index: whether its lowest bytes come first, and whether it has a checksum.
    pub(super) fn parse_index(codecs: &[Value]) -> Result<(bool, bool), BadMetadata> {
        let codecs = Codecs::parse(codecs, 1)?;
        let checked = match codecs.packings[..] {
            [] => false,
            [ChunkPacking::Crc32c] => true,
            _ => return Err(BadMetadata::new("index_codecs bytes and crc32c", "others")),
        };
        Ok((codecs.order == ByteOrder::Little, checked))
    }

    /// What users call the compression.
    pub fn name(&self) -> &'static str {
        let name = |packing: &ChunkPacking| match packing {
            ChunkPacking::Zstd => Some("zstd"),
            ChunkPacking::Gzip => Some("gzip"),
            ChunkPacking::Zlib => Some("zlib"),
            ChunkPacking::Blosc => Some("blosc"),
            ChunkPacking::Crc32c => None,
        };
        self.packings.iter().find_map(name).unwrap_or("none")
    }

    /// The most bytes that such a chunk takes in a file: no compression makes its input much longer.
    pub(super) fn most_bytes(cell: usize) -> usize {
        cell + cell / 8 + 4096
    }
}

fn transposed(codec: &Value, axes: &[usize]) -> Result<Vec<usize>, BadMetadata> {
    let configuration = codec.get("configuration").unwrap_or(&Value::Null);
    let order = json::numbers(configuration, "order", Some(axes.len()))?;
    let wrong = || json::wrong("an order that names every axis once", configuration.get("order"));
    let place = |&axis: &u64| axes.get(usize::try_from(axis).ok()?).copied();
    let axes: Vec<usize> = order.iter().map(place).collect::<Option<_>>().ok_or_else(wrong)?;
    let mut sorted = axes.clone();
    sorted.sort_unstable();
    if sorted.iter().enumerate().all(|(place, axis)| place == *axis) { Ok(axes) } else { Err(wrong()) }
}

fn byte_order(codec: Option<&Value>) -> Result<ByteOrder, BadMetadata> {
    let expected = "the codec bytes, after transpose or alone in sharding_indexed";
    let codec = codec
        .filter(|codec| codec_name(codec) == Some("bytes"))
        .ok_or_else(|| json::wrong(expected, codec))?;
    let endian = codec.get("configuration").and_then(|configuration| configuration.get("endian"));
    match endian.map(Value::as_str) {
        None | Some(Some("little")) => Ok(ByteOrder::Little),
        Some(Some("big")) => Ok(ByteOrder::Big),
        _ => Err(json::wrong("the endian little or big", endian)),
    }
}

fn packing(codec: &Value) -> Result<ChunkPacking, BadMetadata> {
    let packing = codec_name(codec).and_then(packing_named);
    packing.ok_or_else(|| json::wrong("the codecs zstd, gzip, zlib, blosc or crc32c", Some(codec)))
}

/// The packing with a name.
pub(super) fn packing_named(name: &str) -> Option<ChunkPacking> {
    match name {
        "zstd" => Some(ChunkPacking::Zstd),
        "gzip" => Some(ChunkPacking::Gzip),
        "zlib" | "numcodecs.zlib" => Some(ChunkPacking::Zlib),
        "blosc" => Some(ChunkPacking::Blosc),
        "crc32c" => Some(ChunkPacking::Crc32c),
        _ => None,
    }
}

/// Unpacks chunk after chunk, in memory that is used again.
pub(super) struct Unpacker {
    zstd: Option<Decompressor<'static>>,
    /// The bytes so far, and room for what they become.
    now: Vec<u8>,
    next: Vec<u8>,
}

impl Unpacker {
    pub(super) fn new() -> Unpacker {
        Unpacker { zstd: None, now: Vec::new(), next: Vec::new() }
    }

    /// Room for the bytes of a chunk as they are in a file.
    pub(super) fn room(&mut self, length: usize) -> &mut [u8] {
        grow(&mut self.now, length)
    }

    /// The values of a chunk out of the first `length` bytes of the room, as bytes of which there must be `cell`.
    pub(super) fn unpack(&mut self, codecs: &Codecs, length: usize, cell: usize) -> Result<&[u8], Corrupt> {
        let mut length = length;
        for packing in codecs.packings.iter().rev() {
            length = match packing {
                ChunkPacking::Crc32c => without_checksum(&self.now[..length])?,
                packing => self.expand(*packing, length, Codecs::most_bytes(cell))?,
            };
        }
        match length == cell {
            true => Ok(&self.now[..cell]),
            false => Err(format!("{length} bytes of values instead of {cell}")),
        }
    }

    fn expand(&mut self, packing: ChunkPacking, length: usize, most: usize) -> Result<usize, Corrupt> {
        let (from, to) = (&self.now[..length], grow(&mut self.next, most));
        let written = match packing {
            ChunkPacking::Zstd => match &mut self.zstd {
                Some(zstd) => zstd.decompress_to_buffer(from, to),
                none => Decompressor::new().and_then(|zstd| none.insert(zstd).decompress_to_buffer(from, to)),
            },
            ChunkPacking::Gzip => inflate(MultiGzDecoder::new(from), to),
            ChunkPacking::Zlib => inflate(ZlibDecoder::new(from), to),
            ChunkPacking::Blosc => blosc::unpack(from, to).map_err(std::io::Error::other),
            ChunkPacking::Crc32c => Ok(length),
        };
        std::mem::swap(&mut self.now, &mut self.next);
        written.map_err(|error| format!("{length} bytes that cannot be unpacked ({error})"))
    }
}

/// At least so many bytes of a buffer that is never made smaller: fresh zeros are written only when it grows.
fn grow(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..length]
}

pub(super) fn inflate(mut from: impl Read, to: &mut [u8]) -> std::io::Result<usize> {
    let mut written = 0;
    while written < to.len() {
        match from.read(&mut to[written..])? {
            0 => return Ok(written),
            length => written += length,
        }
    }
    // More than the chunk can hold.
    Ok(written)
}

/// How many bytes come before a checksum that fits them.
pub(super) fn without_checksum(bytes: &[u8]) -> Result<usize, Corrupt> {
    let Some((bytes, checksum)) = bytes.split_last_chunk::<4>() else {
        return Err(format!("{} bytes, too few for a checksum", bytes.len()));
    };
    Crc32c::of(bytes).compare(*checksum).map(|()| bytes.len())
}
