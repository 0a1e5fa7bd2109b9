//! Blosc containers: blocks of compressed streams whose bytes or bits were shuffled before.
//!
//! <https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst>

use zstd::bulk::Decompressor;

use super::codec::{Corrupt, inflate};

/// What stands before the blocks.
struct Header {
    shuffled: Shuffled,
    /// Whether the bytes follow as they were.
    stored: bool,
    /// Whether the bytes of values are compressed apart.
    split: bool,
    /// Which compression it is.
    form: u8,
    /// Bytes of a value.
    value: usize,
    /// Bytes of all values.
    bytes: usize,
    /// Bytes of a block.
    block: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shuffled {
    No,
    Bytes,
    Bits,
}

const HEADER: usize = 16;

/// Values of more bytes, and blocks of fewer values, are never compressed apart.
const MOST_STREAMS: usize = 16;
const LEAST_VALUES: usize = 128;

/// Unpacks a container into a buffer; gives how many bytes it held.
pub(super) fn unpack(from: &[u8], to: &mut [u8]) -> Result<usize, Corrupt> {
    let header = Header::parse(from).ok_or("a Blosc container that is cut off")?;
    let to =
        to.get_mut(..header.bytes).ok_or_else(|| format!("a Blosc container of {} bytes", header.bytes))?;
    if header.stored {
        to.copy_from_slice(
            from.get(HEADER..HEADER + header.bytes).ok_or("a Blosc container that is cut off")?,
        );
        return Ok(header.bytes);
    }
    let mut shuffled = vec![0; header.block.min(to.len())];
    for (number, block) in to.chunks_mut(header.block.max(1)).enumerate() {
        let shuffled = &mut shuffled[..block.len()];
        let start = word(from, HEADER + 4 * number).ok_or("a Blosc container that is cut off")?;
        header.streams(from.get(start..).ok_or("a Blosc block outside")?, shuffled)?;
        match header.shuffled {
            Shuffled::Bytes if header.value > 1 => unshuffle(shuffled, block, header.value),
            Shuffled::Bits => unshuffle_bits(shuffled, block, header.value),
            _ => block.copy_from_slice(shuffled),
        }
    }
    Ok(header.bytes)
}

impl Header {
    fn parse(from: &[u8]) -> Option<Header> {
        let (flags, value) = (*from.get(2)?, usize::from(*from.get(3)?).max(1));
        let shuffled = match flags & 5 {
            0 => Shuffled::No,
            1 => Shuffled::Bytes,
            _ => Shuffled::Bits,
        };
        let (bytes, block) = (word(from, 4)?, word(from, 8)?);
        (bytes == 0 || block > 0).then_some(Header {
            shuffled,
            stored: flags & 2 != 0,
            split: flags & 0x10 == 0,
            form: flags >> 5,
            value,
            bytes,
            block,
        })
    }

    /// Unpacks the streams of a block, one after the other.
    fn streams(&self, mut from: &[u8], block: &mut [u8]) -> Result<(), Corrupt> {
        let apart = self.split
            && block.len() == self.block
            && self.value <= MOST_STREAMS
            && self.block / self.value >= LEAST_VALUES
            && self.block.is_multiple_of(self.value);
        let length = if apart { block.len() / self.value } else { block.len() };
        for stream in block.chunks_mut(length.max(1)) {
            let packed = word(from, 0).ok_or("a Blosc stream that is cut off")?;
            let bytes =
                from.get(4..).and_then(|from| from.get(..packed)).ok_or("a Blosc stream that is cut off")?;
            self.stream(bytes, stream)?;
            from = &from[4 + packed..];
        }
        Ok(())
    }

    fn stream(&self, from: &[u8], to: &mut [u8]) -> Result<(), Corrupt> {
        if from.len() == to.len() {
            to.copy_from_slice(from);
            return Ok(());
        }
        let written = match self.form {
            1 => lz4_flex::block::decompress_into(from, to).map_err(|error| error.to_string()),
            3 => inflate(flate2::read::ZlibDecoder::new(from), to).map_err(|error| error.to_string()),
            4 => Decompressor::new()
                .and_then(|mut zstd| zstd.decompress_to_buffer(from, to))
                .map_err(|error| error.to_string()),
            0 => Err("Blosc with BloscLZ, which we do not read".to_owned()),
            _ => Err("Blosc with a compression that we do not read".to_owned()),
        };
        match written? == to.len() {
            true => Ok(()),
            false => Err("a Blosc stream of too few bytes".to_owned()),
        }
    }
}

fn word(from: &[u8], at: usize) -> Option<usize> {
    let bytes = from.get(at..)?.first_chunk::<4>()?;
    usize::try_from(i32::from_le_bytes(*bytes)).ok()
}

/// The first bytes of all values, then the second ones, and so on; what fills no value stays at the end.
fn unshuffle(from: &[u8], to: &mut [u8], value: usize) {
    let count = from.len() / value;
    for (byte, plane) in from.chunks_exact(count.max(1)).take(value).enumerate() {
        to[byte..].iter_mut().step_by(value).zip(plane).for_each(|(to, from)| *to = *from);
    }
    let rest = count * value;
    to[rest..].copy_from_slice(&from[rest..]);
}

/// The lowest bits of the first bytes of all values, then the next bits, and so on; values beyond a multiple of eight stay.
fn unshuffle_bits(from: &[u8], to: &mut [u8], value: usize) {
    let count = from.len() / value / 8 * 8;
    let row = count / 8;
    to[..count * value].fill(0);
    for (number, bits) in from.chunks_exact(row.max(1)).take(if row == 0 { 0 } else { value * 8 }).enumerate()
    {
        let (byte, bit) = (number / 8, number % 8);
        for (group, bits) in bits.iter().enumerate() {
            for place in 0..8 {
                to[(group * 8 + place) * value + byte] |= (bits >> place & 1) << bit;
            }
        }
    }
    to[count * value..].copy_from_slice(&from[count * value..]);
}
