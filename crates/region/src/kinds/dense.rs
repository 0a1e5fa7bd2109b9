//! Dense regions of two dimensions: images, masks, label planes, fields of numbers.

use std::sync::OnceLock;

use crate::Digester;
use crate::{Bounds, Element, Pixels, RegionError};

/// A rectangle full of values: `channels` of them per pixel, row by row.
#[derive(Debug, Clone)]
pub struct Dense {
    width: usize,
    height: usize,
    channels: usize,
    values: DenseValues,
    bounds: Bounds,
}

/// How values are kept.
#[derive(Debug, Clone)]
enum DenseValues {
    Each(Pixels),
    /// A mask as bits, and its bytes after the first call that needs them.
    Bits {
        words: Vec<u64>,
        pixels: OnceLock<Pixels>,
    },
}

/// What a pixel of a mask holds that is set.
const ON: u8 = 255;

impl Dense {
    /// The region with these values.
    ///
    /// # Errors
    /// When there are neither 1 nor 3 channels, or not one value per pixel and channel.
    pub fn new(width: usize, height: usize, channels: usize, pixels: Pixels) -> Result<Dense, RegionError> {
        if channels != 1 && channels != 3 {
            return Err(RegionError::Channels { found: channels });
        }
        let too_large = RegionError::Size { width: width as u64, height: height as u64, channels };
        let bounds = Bounds::plane(0, 0, width as u64, height as u64).ok_or(too_large.clone())?;
        let expected =
            width.checked_mul(height).and_then(|area| area.checked_mul(channels)).ok_or(too_large)?;
        let found = pixels.len();
        if expected != found {
            return Err(RegionError::Length { width, height, channels, expected, found });
        }
        Ok(Dense { width, height, channels, values: DenseValues::Each(pixels), bounds })
    }

    /// A mask of bytes, 0 or 255, that is kept as bits until its bytes are needed: 64 pixels in a word, the leftmost in
    /// the lowest bit, and whole words for each row. What is set beyond the last column does not count.
    ///
    /// # Errors
    /// When there are not as many words as rows of this width need.
    pub fn of_bits(width: usize, height: usize, mut words: Vec<u64>) -> Result<Dense, RegionError> {
        let too_large = RegionError::Size { width: width as u64, height: height as u64, channels: 1 };
        let bounds = Bounds::plane(0, 0, width as u64, height as u64).ok_or(too_large.clone())?;
        let (across, found) = (width.div_ceil(64), words.len());
        let expected = across.checked_mul(height).ok_or(too_large)?;
        if expected != found {
            return Err(RegionError::Length { width, height, channels: 1, expected, found });
        }
        if !width.is_multiple_of(64) {
            let inside = (1 << (width % 64)) - 1;
            words.iter_mut().skip(across - 1).step_by(across).for_each(|last| *last &= inside);
        }
        let values = DenseValues::Bits { words, pixels: OnceLock::new() };
        Ok(Dense { width, height, channels: 1, values, bounds })
    }

    /// The bits of a mask that is kept so ([`Dense::of_bits`]).
    #[inline]
    pub fn as_bits(&self) -> Option<&[u64]> {
        if let DenseValues::Bits { words, .. } = &self.values { Some(words) } else { None }
    }

    /// Columns.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[inline]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Values per pixel: 1 or 3.
    #[inline]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The type of the values.
    #[inline]
    pub fn element(&self) -> Element {
        match &self.values {
            DenseValues::Each(pixels) => pixels.element(),
            DenseValues::Bits { .. } => Element::U8,
        }
    }

    /// The values.
    #[inline]
    pub fn pixels(&self) -> &Pixels {
        match &self.values {
            DenseValues::Each(pixels) => pixels,
            DenseValues::Bits { words, pixels } => pixels.get_or_init(|| expanded(words, self.width)),
        }
    }

    /// The values as they are kept; none of a mask of bits, whose values are bytes.
    #[inline]
    fn stored_pixels(&self) -> Option<&Pixels> {
        if let DenseValues::Each(pixels) = &self.values { Some(pixels) } else { None }
    }

    /// The values, without a copy.
    pub fn into_pixels(self) -> Pixels {
        match self.values {
            DenseValues::Each(pixels) => pixels,
            DenseValues::Bits { words, pixels } => {
                pixels.into_inner().unwrap_or_else(|| expanded(&words, self.width))
            }
        }
    }

    /// Bytes that the values take; a mask of bits counts one byte per pixel.
    #[inline]
    pub fn bytes(&self) -> u64 {
        match &self.values {
            DenseValues::Each(pixels) => pixels.bytes(),
            DenseValues::Bits { .. } => (self.width * self.height) as u64,
        }
    }

    /// The box of the whole region as seen from its own upper left corner.
    #[inline]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The part of the region in a box as seen from its own upper left corner.
    ///
    /// # Errors
    /// When the box reaches outside.
    pub fn crop(&self, bounds: Bounds) -> Result<Dense, RegionError> {
        let outer = self.bounds();
        let outside = RegionError::Outside { outer: Box::new(outer), inner: Box::new(bounds) };
        if !outer.contains(&bounds) || bounds.x() < 0 || bounds.y() < 0 {
            return Err(outside);
        }
        let [x, y, width, height] = bounds.indices().ok_or(outside)?;
        let (pitch, length) = (self.width * self.channels, width * self.channels);
        let pixels = match bounds.is_empty() {
            true => self.pixels().cut(0, 0, 0, 0),
            // Whole rows lie behind one another: one long copy is faster than many short ones.
            false if length == pitch => self.pixels().cut(y * pitch, 0, 1, height * length),
            false => self.pixels().cut(y * pitch + x * self.channels, pitch, height, length),
        };
        Dense::new(width, height, self.channels, pixels)
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        digester.text(&self.element().to_string());
        [self.width, self.height, self.channels].iter().for_each(|&size| digester.number(size as u64));
        digester.pixels(self.pixels());
    }

    /// The values when they are bytes.
    #[inline]
    pub fn as_u8(&self) -> Option<&[u8]> {
        if let Pixels::U8(values) = self.pixels() { Some(values) } else { None }
    }

    /// The values when they are unsigned with 16 bits.
    #[inline]
    pub fn as_u16(&self) -> Option<&[u16]> {
        if let Some(Pixels::U16(values)) = self.stored_pixels() { Some(values) } else { None }
    }

    /// The values when they are signed with 32 bits.
    #[inline]
    pub fn as_i32(&self) -> Option<&[i32]> {
        if let Some(Pixels::I32(values)) = self.stored_pixels() { Some(values) } else { None }
    }

    /// The values when they are unsigned with 32 bits.
    #[inline]
    pub fn as_u32(&self) -> Option<&[u32]> {
        if let Some(Pixels::U32(values)) = self.stored_pixels() { Some(values) } else { None }
    }

    /// The values when they are real with 32 bits.
    #[inline]
    pub fn as_f32(&self) -> Option<&[f32]> {
        if let Some(Pixels::F32(values)) = self.stored_pixels() { Some(values) } else { None }
    }

    /// The values when they are real with 64 bits.
    #[inline]
    pub fn as_f64(&self) -> Option<&[f64]> {
        if let Some(Pixels::F64(values)) = self.stored_pixels() { Some(values) } else { None }
    }
}

/// Two masks are the same whether they are bits or bytes.
impl PartialEq for Dense {
    fn eq(&self, other: &Self) -> bool {
        let form = |dense: &Self| (dense.width, dense.height, dense.channels);
        form(self) == form(other) && self.pixels() == other.pixels()
    }
}

/// The bytes of a mask of bits.
fn expanded(words: &[u64], width: usize) -> Pixels {
    let rows = words.chunks(width.div_ceil(64).max(1));
    let mut pixels = Vec::with_capacity(rows.len() * width);
    for row in rows {
        for (at, word) in row.iter().enumerate() {
            let columns = (width - at * 64).min(64);
            let bytes = word.to_le_bytes().map(|bits| BYTES_OF_BITS[usize::from(bits)]);
            pixels.extend_from_slice(&bytes.as_flattened()[..columns]);
        }
    }
    Pixels::U8(pixels)
}

/// The bytes of eight pixels of a mask, by their bits.
static BYTES_OF_BITS: [[u8; 8]; 256] = bytes_of_bits();

const fn bytes_of_bits() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        if (at / 8) >> (at % 8) & 1 == 1 {
            table[at / 8][at % 8] = ON;
        }
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Span;

    fn ramp(width: usize, height: usize, channels: usize) -> Dense {
        let values = (0..width * height * channels).map(|i| i as u16).collect();
        Dense::new(width, height, channels, Pixels::U16(values)).unwrap()
    }

    #[test]
    fn asking_a_mask_of_bits_for_other_values_than_bytes_makes_no_bytes() {
        let mask = Dense::of_bits(3, 1, vec![5]).unwrap();
        assert!(mask.as_u16().is_none() && mask.as_u32().is_none() && mask.as_i32().is_none());
        assert!(mask.as_f32().is_none() && mask.as_f64().is_none());
        let made = |mask: &Dense| match &mask.values {
            DenseValues::Bits { pixels, .. } => pixels.get().is_some(),
            DenseValues::Each(_) => unreachable!(),
        };
        assert!(!made(&mask));
        assert!(mask.as_u8() == Some(&[ON, 0, ON]) && made(&mask));
    }

    #[test]
    fn refuses_sizes_that_do_not_agree() {
        let short = Dense::new(2, 2, 3, Pixels::U8(vec![0; 4])).unwrap_err();
        assert_eq!(
            short.to_string(),
            "expected 12 values for 2 x 2 pixels of 3 channels, found 4; give one value per pixel and channel"
        );
        assert!(matches!(
            Dense::new(1, 1, 2, Pixels::U8(vec![0; 2])),
            Err(RegionError::Channels { found: 2 })
        ));
        let large = Dense::new(usize::MAX, usize::MAX, 3, Pixels::U8(vec![]));
        assert!(matches!(large, Err(RegionError::Size { .. })));
        assert!(Dense::new(usize::MAX, 0, 1, Pixels::U8(vec![])).is_err());
    }

    #[test]
    fn refuses_boxes_outside() {
        let dense = ramp(4, 3, 1);
        for (x, y, w, h) in
            [(-1, 0, 2, 2), (3, 0, 2, 1), (0, 3, 1, 1), (i64::MAX, i64::MAX, 0, 0), (-1, 0, 0, 1)]
        {
            let bounds = Bounds::plane(x, y, w, h).unwrap();
            let found = dense.crop(bounds);
            assert!(found.is_err() || bounds.is_empty() && found.unwrap().bytes() == 0, "{bounds}");
        }
        let deep = Bounds::new(Span::ONE, Span::ONE, Span::new(1, 1).unwrap(), Span::ONE);
        assert!(dense.crop(deep).is_err());
    }

    proptest! {
        #[test]
        fn a_mask_of_bits_is_the_mask_of_bytes(width in 1usize..150, height in 0usize..4, seed: u64) {
            let words: Vec<u64> = (1..=(width.div_ceil(64) * height) as u64)
                .map(|at| seed.wrapping_mul(at.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
                .collect();
            let set = |at: usize| words[at / width * width.div_ceil(64) + at % width / 64] >> (at % width % 64) & 1;
            let bytes = (0..width * height).map(|at| ON * set(at) as u8).collect();
            let plain = Dense::new(width, height, 1, Pixels::U8(bytes)).unwrap();
            let bits = Dense::of_bits(width, height, words.clone()).unwrap();
            prop_assert_eq!((bits.element(), bits.bytes()), (plain.element(), plain.bytes()));
            prop_assert!(bits.as_bits().is_some() && plain.as_bits().is_none());
            prop_assert_eq!(&bits, &plain);
            prop_assert_eq!(bits.clone().into_pixels(), plain.pixels().clone());
            prop_assert_eq!(Dense::of_bits(width, height, words.clone()).unwrap().into_pixels(), plain.into_pixels());
            prop_assert!(Dense::of_bits(width, height + 1, words).is_err());
            let beyond = bits.as_bits().unwrap().iter().skip(width.div_ceil(64) - 1).step_by(width.div_ceil(64));
            prop_assert!(width % 64 == 0 || beyond.into_iter().all(|last| last >> (width % 64) == 0));
        }

        #[test]
        fn a_crop_holds_the_pixels_of_the_box(
            (w, h, x, y, cw, ch) in (1usize..9, 1usize..9).prop_flat_map(|(w, h)| (Just(w), Just(h), 0..w, 0..h))
                .prop_flat_map(|(w, h, x, y)| (Just(w), Just(h), Just(x), Just(y), 0..=w - x, 0..=h - y)),
            channels in prop_oneof![Just(1usize), Just(3usize)],
        ) {
            let dense = ramp(w, h, channels);
            let crop = dense.crop(Bounds::plane(x as i64, y as i64, cw as u64, ch as u64).unwrap()).unwrap();
            prop_assert_eq!((crop.width(), crop.height(), crop.channels()), (cw, ch, channels));
            let (whole, values) = (dense.as_u16().unwrap(), crop.as_u16().unwrap());
            for (i, &value) in values.iter().enumerate() {
                let (channel, pixel) = (i % channels, i / channels);
                let (column, row) = (x + pixel % cw, y + pixel / cw);
                prop_assert_eq!(value, whole[(row * w + column) * channels + channel]);
            }
        }
    }
}
