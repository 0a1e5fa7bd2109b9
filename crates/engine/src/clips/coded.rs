//! A piece of a mask or label image as run lengths: a few kilobytes, made in microseconds.

use onceflow_region::{Bounds, Dense, Pixels};

/// Rows of pixels, one behind the other, as runs of equal values.
#[derive(Debug)]
pub(crate) struct CodedClip {
    width: usize,
    height: usize,
    kind: CodedKind,
    /// Lengths; of a mask the highest bit says whether the pixels are set.
    runs: Vec<u16>,
    /// One value per run; empty for a mask.
    values: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodedKind {
    Mask,
    U8,
    U16,
    U32,
}

/// The longest run.
const LONGEST: usize = (1 << 15) - 1;

/// What marks a run of a mask whose pixels are set.
const SET: u16 = 1 << 15;

impl CodedClip {
    /// The piece of a region in a box; `None` outside it, or when its pixels are neither a mask nor labels.
    pub(crate) fn new(region: &Dense, within: Bounds) -> Option<Self> {
        let pixels = PixelRows::of(region)?;
        if !region.bounds().contains(&within) || region.channels() != 1 {
            return None;
        }
        let [left, top, width, height] = within.indices()?;
        let mut coded = Self { width, height, kind: pixels.kind(), runs: Vec::new(), values: Vec::new() };
        let mut open = (0, 0);
        for y in top..top + height {
            let mut x = left;
            while x < left + width {
                let (value, end) = pixels.run(x, y, left + width);
                if value != open.0 {
                    coded.push(open);
                    open = (value, 0);
                }
                open.1 += end - x;
                x = end;
            }
        }
        coded.push(open);
        coded.runs.shrink_to_fit();
        coded.values.shrink_to_fit();
        Some(coded)
    }

    /// Adds a run of pixels.
    fn push(&mut self, (value, mut count): (u32, usize)) {
        while count > 0 {
            let length = count.min(LONGEST);
            let is_mask = self.kind == CodedKind::Mask;
            self.runs.push(length as u16 | if is_mask && value != 0 { SET } else { 0 });
            self.values.extend((!is_mask).then_some(value));
            count -= length;
        }
    }

    /// Bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of::<Self>() + self.runs.capacity() * 2 + self.values.capacity() * 4) as u64
    }

    /// The pixels.
    pub(crate) fn dense(&self) -> Option<Dense> {
        let value = |place: usize, run: u16| {
            let set = if run & SET == 0 { 0 } else { 255 };
            self.values.get(place).copied().unwrap_or(set)
        };
        let runs = self.runs.iter().enumerate();
        let values =
            runs.flat_map(|(place, run)| std::iter::repeat_n(value(place, *run), usize::from(run & !SET)));
        let pixels = match self.kind {
            CodedKind::Mask | CodedKind::U8 => Pixels::U8(values.map(|value| value as u8).collect()),
            CodedKind::U16 => Pixels::U16(values.map(|value| value as u16).collect()),
            CodedKind::U32 => Pixels::U32(values.collect()),
        };
        Dense::new(self.width, self.height, 1, pixels).ok()
    }
}

/// Pixels whose runs can be found.
#[derive(Clone, Copy)]
enum PixelRows<'a> {
    Bits(&'a [u64], usize),
    U8(&'a [u8], usize),
    U16(&'a [u16], usize),
    U32(&'a [u32], usize),
}

impl<'a> PixelRows<'a> {
    fn of(region: &'a Dense) -> Option<Self> {
        let width = region.width();
        if let Some(words) = region.as_bits() {
            return Some(Self::Bits(words, width.div_ceil(64)));
        }
        match region.pixels() {
            Pixels::U8(values) => Some(Self::U8(values, width)),
            Pixels::U16(values) => Some(Self::U16(values, width)),
            Pixels::U32(values) => Some(Self::U32(values, width)),
            _ => None,
        }
    }

    fn kind(&self) -> CodedKind {
        match self {
            Self::Bits(..) => CodedKind::Mask,
            Self::U8(..) => CodedKind::U8,
            Self::U16(..) => CodedKind::U16,
            Self::U32(..) => CodedKind::U32,
        }
    }

    /// The value at a pixel, and the first pixel of its row behind it that has another one, at most `end`.
    fn run(&self, x: usize, y: usize, end: usize) -> (u32, usize) {
        match *self {
            Self::Bits(words, across) => bit_run(&words[y * across..(y + 1) * across], x, end),
            Self::U8(values, width) => value_run(&values[y * width..(y + 1) * width], x, end),
            Self::U16(values, width) => value_run(&values[y * width..(y + 1) * width], x, end),
            Self::U32(values, width) => value_run(&values[y * width..(y + 1) * width], x, end),
        }
    }
}

fn value_run<T: Copy + PartialEq + Into<u32>>(row: &[T], x: usize, end: usize) -> (u32, usize) {
    let value = row[x];
    let length = row[x..end].iter().position(|other| *other != value);
    (value.into(), length.map_or(end, |length| x + length))
}

fn bit_run(row: &[u64], x: usize, end: usize) -> (u32, usize) {
    let is_set = row[x / 64] >> (x % 64) & 1 == 1;
    let mut at = x;
    while at < end {
        // Pixels that differ are set; those before `at` are shifted out.
        let differs = (if is_set { !row[at / 64] } else { row[at / 64] }) >> (at % 64);
        if differs != 0 {
            at += differs.trailing_zeros() as usize;
            break;
        }
        at = (at / 64 + 1) * 64;
    }
    (if is_set { 255 } else { 0 }, at.min(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pixels from a fixed sequence, in runs of several lengths.
    fn pixels(count: usize) -> Vec<u32> {
        let mut state = 12_345_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        let mut values = Vec::new();
        while values.len() < count {
            let (value, length) = (next() % 4, next() % 90);
            values.extend(std::iter::repeat_n(value, length as usize));
        }
        values.truncate(count);
        values
    }

    #[test]
    fn a_piece_of_each_kind_is_what_a_crop_gives() {
        let (width, height) = (201, 70);
        let values = pixels(width * height);
        let byte: Vec<u8> = values.iter().map(|value| *value as u8).collect();
        let mask: Vec<u8> = byte.iter().map(|value| if *value > 1 { 255 } else { 0 }).collect();
        let across = width.div_ceil(64);
        let mut words = vec![0_u64; across * height];
        for (place, _) in mask.iter().enumerate().filter(|(_, value)| **value != 0) {
            words[place / width * across + place % width / 64] |= 1 << (place % width % 64);
        }
        let regions = [
            Dense::of_bits(width, height, words).unwrap(),
            Dense::new(width, height, 1, Pixels::U8(mask)).unwrap(),
            Dense::new(width, height, 1, Pixels::U8(byte)).unwrap(),
            Dense::new(width, height, 1, Pixels::U16(values.iter().map(|v| *v as u16).collect())).unwrap(),
            Dense::new(width, height, 1, Pixels::U32(values)).unwrap(),
        ];
        for (x, y, w, h) in [(0, 0, 201, 70), (63, 1, 66, 60), (64, 69, 1, 1), (130, 3, 71, 60)] {
            let within = Bounds::plane(x, y, w, h).unwrap();
            for region in &regions {
                let coded = CodedClip::new(region, within).unwrap();
                assert_eq!(coded.dense().unwrap().pixels(), region.crop(within).unwrap().pixels());
            }
        }
        assert!(CodedClip::new(&regions[0], Bounds::plane(200, 0, 2, 1).unwrap()).is_none());
    }

    #[test]
    fn runs_are_longer_than_a_length_can_say() {
        for (set, words) in [(0_u8, 0_u64), (255, u64::MAX)] {
            let mask = Dense::of_bits(640, 300, vec![words; 3000]).unwrap();
            let coded = CodedClip::new(&mask, mask.bounds()).unwrap();
            assert_eq!(coded.dense().unwrap().as_u8().unwrap(), vec![set; 640 * 300]);
            assert!(coded.bytes() < 200);
        }
    }
}
