//! Uncompressed TIFF files of one strip, which every program reads.

use std::io::{self, Write};

use onceflow_region::{Element, Pixels};

/// Size and type of the pixels of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StripLayout {
    pub(super) width: u64,
    pub(super) height: u64,
    pub(super) channels: u32,
    pub(super) element: Element,
}

const SHORT: u16 = 3;
const LONG: u16 = 4;

/// Bytes before the pixels: the head, the directory, and one list of three short numbers for each of two tags.
const HEAD: u32 = 8 + 2 + 12 * ENTRIES as u32 + 4 + 2 * 6;
const ENTRIES: u16 = 10;

/// Writes the bytes before the pixels.
pub(super) fn write_head(to: &mut impl Write, shape: StripLayout) -> io::Result<()> {
    let large = || io::Error::other("an image of more than 4 GiB has no plain TIFF file");
    let bytes = shape.bytes().and_then(|bytes| u32::try_from(bytes).ok()).ok_or_else(large)?;
    bytes.checked_add(HEAD).ok_or_else(large)?;
    let side = |side: u64| u32::try_from(side).map_err(|_| large());
    let (width, height) = (side(shape.width)?, side(shape.height)?);
    let lists = HEAD - 12;
    let channels = shape.channels;
    let bits = (shape.element.bytes() * 8) as u32;
    let photometric = if channels == 3 { 2 } else { 1 };
    let per_channel =
        |value: u32, list: u32| if channels == 3 { (SHORT, 3, list) } else { (SHORT, 1, value) };
    let entries: [(u16, (u16, u32, u32)); ENTRIES as usize] = [
        (256, (LONG, 1, width)),
        (257, (LONG, 1, height)),
        (258, per_channel(bits, lists)),
        (259, (SHORT, 1, 1)),
        (262, (SHORT, 1, photometric)),
        (273, (LONG, 1, HEAD)),
        (277, (SHORT, 1, channels)),
        (278, (LONG, 1, height)),
        (279, (LONG, 1, bytes)),
        (339, per_channel(format(shape.element), lists + 6)),
    ];
    to.write_all(b"II*\0\x08\0\0\0")?;
    to.write_all(&ENTRIES.to_le_bytes())?;
    for (tag, (kind, count, value)) in entries {
        to.write_all(&tag.to_le_bytes())?;
        to.write_all(&kind.to_le_bytes())?;
        to.write_all(&count.to_le_bytes())?;
        // A short number stands in the first two bytes of four, which is where it is in this order of bytes.
        to.write_all(&value.to_le_bytes())?;
    }
    to.write_all(&0u32.to_le_bytes())?;
    for value in [bits, format(shape.element)] {
        to.write_all(&[(value as u16).to_le_bytes(); 3].concat())?;
    }
    Ok(())
}

/// Writes pixels, the lowest byte first.
pub(super) fn write_pixels(to: &mut impl Write, pixels: &Pixels) -> io::Result<()> {
    match pixels {
        Pixels::U8(values) => to.write_all(values),
        Pixels::I8(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::U16(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::I16(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::U32(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::I32(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::U64(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::I64(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::F32(values) => write_each(to, values, |value| value.to_le_bytes()),
        Pixels::F64(values) => write_each(to, values, |value| value.to_le_bytes()),
    }
}

fn write_each<T: Copy, const N: usize>(
    to: &mut impl Write,
    values: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> io::Result<()> {
    values.iter().try_for_each(|value| to.write_all(&bytes(*value)))
}

/// Unsigned, signed, or floating point.
fn format(element: Element) -> u32 {
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => 1,
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => 2,
        Element::F32 | Element::F64 => 3,
    }
}

impl StripLayout {
    fn bytes(self) -> Option<u64> {
        let values = self.width.checked_mul(self.height)?.checked_mul(self.channels.into())?;
        values.checked_mul(self.element.bytes())
    }
}
