//! What strips and tiles are compressed with, and undoing it, up to as many bytes as are wanted.

use std::io::Read;

use flate2::read::ZlibDecoder;
use onceflow_region::ByteOrder;

use super::lzw;

/// What strips and tiles are compressed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TiffPacking {
    None,
    Lzw,
    Deflate,
    PackBits,
    Jpeg,
}

/// How values were changed before they were compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TiffPredictor {
    /// They were not.
    None,
    /// Each value is the difference to the one to its left.
    Horizontal,
    /// The same over the bytes of real numbers, sorted by their weight.
    Floating,
}

impl TiffPacking {
    /// The compression with a number of the TIFF registry, or the name of one that we do not read.
    pub(super) fn of(number: u64) -> Result<TiffPacking, String> {
        Err(match number {
            1 => return Ok(TiffPacking::None),
            5 => return Ok(TiffPacking::Lzw),
            7 => return Ok(TiffPacking::Jpeg),
            8 | 32946 => return Ok(TiffPacking::Deflate),
            32773 => return Ok(TiffPacking::PackBits),
            2..=4 => "a compression for fax machines".into(),
            6 => "the JPEG of old TIFF files (compression 6)".into(),
            33003 | 33005 | 34712 => format!("JPEG 2000 (compression {number})"),
            34887 => "LERC (compression 34887)".into(),
            34925 => "LZMA (compression 34925)".into(),
            50000 => "Zstandard (compression 50000)".into(),
            50001 => "WebP (compression 50001)".into(),
            50002 => "JPEG XL (compression 50002)".into(),
            22610 => "JPEG XR (compression 22610)".into(),
            other => format!("compression {other}"),
        })
    }

    /// What people call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            TiffPacking::None => "none",
            TiffPacking::Lzw => "LZW",
            TiffPacking::Deflate => "deflate",
            TiffPacking::PackBits => "PackBits",
            TiffPacking::Jpeg => "JPEG",
        }
    }

    /// How many bytes can come of one, so that a length that cannot be true is seen before memory is taken for it.
    pub(super) fn growth(self) -> usize {
        match self {
            TiffPacking::None => 1,
            TiffPacking::Lzw => 4096,
            TiffPacking::Deflate => 1032,
            TiffPacking::PackBits => 64,
            TiffPacking::Jpeg => 2048,
        }
    }

    /// The first `wanted` bytes; `None` when there are fewer, or the data are corrupt. JPEG is decoded elsewhere.
    pub(super) fn decompress(self, data: Vec<u8>, wanted: usize) -> Option<Vec<u8>> {
        let mut bytes = match self {
            TiffPacking::None | TiffPacking::Jpeg => data,
            TiffPacking::Lzw => lzw::decompress(&data, wanted)?,
            TiffPacking::PackBits => pack_bits(&data, wanted)?,
            TiffPacking::Deflate => {
                let mut bytes = Vec::new();
                ZlibDecoder::new(&data[..]).take(wanted as u64).read_to_end(&mut bytes).ok()?;
                bytes
            }
        };
        bytes.truncate(wanted);
        (bytes.len() == wanted).then_some(bytes)
    }
}

/// Runs: a count below 128 comes before that many bytes and one, a count above before one byte that is repeated.
fn pack_bits(data: &[u8], wanted: usize) -> Option<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::with_capacity(wanted), data);
    while bytes.len() < wanted {
        let (&count, after) = rest.split_first()?;
        let count = usize::from(count);
        rest = match count {
            0..128 => {
                bytes.extend_from_slice(after.get(..=count)?);
                &after[count + 1..]
            }
            128 => after,
            _ => {
                let (&byte, after) = after.split_first()?;
                bytes.resize(bytes.len() + 257 - count, byte);
                after
            }
        };
    }
    Some(bytes)
}

impl TiffPredictor {
    /// Gives the values of one row back, in the order that the file has for bytes.
    pub(super) fn undo(self, row: &mut [u8], samples: usize, value: usize, order: ByteOrder) {
        match (self, value) {
            (TiffPredictor::None, _) => {}
            (TiffPredictor::Horizontal, 1) => add_bytes(row, samples),
            (TiffPredictor::Horizontal, 2) => add::<2>(row, samples, order),
            (TiffPredictor::Horizontal, 4) => add::<4>(row, samples, order),
            (TiffPredictor::Horizontal, _) => add::<8>(row, samples, order),
            (TiffPredictor::Floating, _) => {
                add_bytes(row, samples);
                gather(row, value, order);
            }
        }
    }
}

fn add_bytes(row: &mut [u8], samples: usize) {
    for at in samples..row.len() {
        row[at] = row[at].wrapping_add(row[at - samples]);
    }
}

fn add<const N: usize>(row: &mut [u8], samples: usize, order: ByteOrder) {
    let (values, _) = row.as_chunks_mut::<N>();
    for at in samples..values.len() {
        let (mut carry, before) = (0, values[at - samples]);
        for step in 0..N {
            let byte = if order == ByteOrder::Little { step } else { N - 1 - step };
            carry += u16::from(values[at][byte]) + u16::from(before[byte]);
            values[at][byte] = carry as u8;
            carry >>= 8;
        }
    }
}

/// Bytes of the highest weight come first, then those of the next.
fn gather(row: &mut [u8], value: usize, order: ByteOrder) {
    let sorted = row.to_vec();
    let count = sorted.len() / value;
    for (at, number) in row.chunks_exact_mut(value).enumerate() {
        for (weight, byte) in number.iter_mut().enumerate() {
            let plane = if order == ByteOrder::Little { value - 1 - weight } else { weight };
            *byte = sorted[plane * count + at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_unpacked() {
        let data = [0xfe, 0xaa, 2, 0x80, 0, 0x2a, 0xfd, 0xaa, 128, 0, 7];
        let bytes = [0xaa, 0xaa, 0xaa, 0x80, 0, 0x2a, 0xaa, 0xaa, 0xaa, 0xaa, 7];
        for wanted in 0..=bytes.len() {
            assert_eq!(
                TiffPacking::PackBits.decompress(data.to_vec(), wanted).as_deref(),
                Some(&bytes[..wanted])
            );
        }
        assert_eq!(TiffPacking::PackBits.decompress(data.to_vec(), 12), None);
        assert_eq!(TiffPacking::PackBits.decompress(vec![5, 1], 3), None);
    }

    #[test]
    fn differences_are_added_in_either_order() {
        let values = [[1000u16, 7], [65530, 9], [3, 65535]];
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let to_bytes = |number: u16| {
                if order == ByteOrder::Big { number.to_be_bytes() } else { number.to_le_bytes() }
            };
            let mut before = [0; 2];
            let differences: Vec<u8> = values
                .iter()
                .flat_map(|pixel| {
                    let found = [pixel[0].wrapping_sub(before[0]), pixel[1].wrapping_sub(before[1])];
                    before = *pixel;
                    found
                })
                .flat_map(to_bytes)
                .collect();
            let mut row = differences;
            TiffPredictor::Horizontal.undo(&mut row, 2, 2, order);
            let expected: Vec<u8> = values.iter().flatten().copied().flat_map(to_bytes).collect();
            assert_eq!(row, expected);
        }
    }

    #[test]
    fn real_numbers_are_gathered() {
        let values = [1.5f32, -2.25, 1e-20];
        let mut sorted: Vec<u8> =
            (0..4).flat_map(|weight| values.map(|value| value.to_be_bytes()[weight])).collect();
        for at in (1..sorted.len()).rev() {
            sorted[at] = sorted[at].wrapping_sub(sorted[at - 1]);
        }
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut row = sorted.clone();
            TiffPredictor::Floating.undo(&mut row, 1, 4, order);
            let expected: Vec<u8> = values
                .iter()
                .flat_map(
                    |value| if order == ByteOrder::Big { value.to_be_bytes() } else { value.to_le_bytes() },
                )
                .collect();
            assert_eq!(row, expected);
        }
    }
}
