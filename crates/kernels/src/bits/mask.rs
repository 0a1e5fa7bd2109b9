//! A mask as bits, which operations pass on to each other; its pixels are expanded once, at the end.

use std::ops::Range;

use crate::cpu::isa::{Isa, versions};
use crate::cpu::threads::SplitRows;
use crate::{Cpu, ObjectHash, Plane, View, ViewMut, bits};

/// A mask as bits: whole words for each row, and nothing set beyond its last column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    width: usize,
    height: usize,
}

/// A borrowed mask: bytes, of which those that are not 0 count, or bits.
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a>(MaskRows<'a>);

#[derive(Clone, Copy, Debug)]
enum MaskRows<'a> {
    Bytes(View<'a, u8>),
    Bits(BitsView<'a>),
}

/// Borrowed rows of a mask of bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitsView<'a> {
    words: &'a [u64],
    width: usize,
    height: usize,
}

/// Rows of a mask to write.
#[derive(Debug)]
pub(crate) struct BitsMut<'a> {
    words: &'a mut [u64],
    across: usize,
    height: usize,
}

/// A destination that takes a mask row by row.
pub(crate) trait MaskTarget: SplitRows {
    /// Takes a row; nothing is set beyond its last column.
    fn put(&mut self, y: usize, words: &[u64]);
}

impl Bits {
    /// The pixels that are not 0.
    pub fn of(mask: View<'_, u8>) -> Self {
        let mut bits = Self::default();
        pack_rows(Isa::best(), mask, &mut bits.fit(mask.width(), mask.height()));
        bits
    }

    /// Memory for a mask of this size; its content is undefined.
    pub(crate) fn fit(&mut self, width: usize, height: usize) -> BitsMut<'_> {
        (self.width, self.height) = (width, height);
        let across = width.div_ceil(64);
        self.words.resize(across * height, 0);
        BitsMut { words: &mut self.words, across, height }
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Its rows, each in whole words.
    pub fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// Whether any pixel is set.
    pub fn is_any(&self) -> bool {
        self.words.iter().any(|word| *word != 0)
    }

    /// A hash of size and pixels: eight times fewer bits than bytes.
    pub fn digest(&self) -> ObjectHash {
        ObjectHash::default().and(&[self.width as u64, self.height as u64]).and(&self.words)
    }

    /// Clears a pixel. `position` is the start of its row, a multiple of 64, plus its column.
    #[inline]
    pub fn clear(&mut self, position: usize) {
        self.words[position / 64] &= !(1 << (position % 64));
    }

    /// The pixels, 0 or [`crate::ON`]. Each is written once, into memory that is not cleared before.
    pub fn to_plane(&self) -> Plane<u8> {
        let mut pixels = Vec::with_capacity(self.width * self.height);
        add_rows(Isa::best(), self.view(), &mut pixels);
        Plane { data: pixels, width: self.width, height: self.height }
    }

    /// The same into a mask of the same size.
    pub(crate) fn show(&self, cpu: Cpu, target: ViewMut<'_, u8>) {
        cpu.write(target, &mut Vec::new(), |rows, mut band, (): &mut ()| {
            show_rows(cpu.isa, self.view(), rows, &mut band);
        });
    }

    /// The mask.
    pub(crate) fn view(&self) -> BitsView<'_> {
        BitsView { words: &self.words, width: self.width, height: self.height }
    }

    /// Adds a row below; nothing is set beyond its last column.
    pub(crate) fn push(&mut self, row: &[u64]) {
        self.words.extend_from_slice(row);
        self.height += 1;
    }

    /// A mask without rows, with memory for `height` of them.
    pub(crate) fn with_capacity(width: usize, height: usize) -> Self {
        Self { words: Vec::with_capacity(width.div_ceil(64) * height), width, height: 0 }
    }
}

impl<'a> Mask<'a> {
    /// Rows in whole words, with nothing set beyond their last columns; `None` when the number of words does not fit the
    /// size.
    pub fn of_words(words: &'a [u64], width: usize, height: usize) -> Option<Self> {
        let fits = width.div_ceil(64).checked_mul(height) == Some(words.len());
        fits.then(|| BitsView::new(words, width, height).into())
    }

    /// Columns.
    pub fn width(&self) -> usize {
        match &self.0 {
            MaskRows::Bytes(view) => view.width(),
            MaskRows::Bits(view) => view.width,
        }
    }

    /// Rows.
    pub fn height(&self) -> usize {
        match &self.0 {
            MaskRows::Bytes(view) => view.height(),
            MaskRows::Bits(view) => view.height,
        }
    }

    /// Some of its rows.
    pub(crate) fn band(&self, rows: Range<usize>) -> Self {
        Self(match &self.0 {
            MaskRows::Bytes(view) => MaskRows::Bytes(view.band(rows)),
            MaskRows::Bits(view) => MaskRows::Bits(view.band(rows)),
        })
    }

    /// Writes a row as bits.
    #[inline(always)]
    pub(crate) fn write(&self, y: usize, words: &mut [u64]) {
        match &self.0 {
            MaskRows::Bytes(view) => bits::pack_into(view.row(y), words),
            MaskRows::Bits(view) => words.copy_from_slice(view.row(y)),
        }
    }
}

impl<'a> From<View<'a, u8>> for Mask<'a> {
    fn from(view: View<'a, u8>) -> Self {
        Self(MaskRows::Bytes(view))
    }
}

impl<'a> From<BitsView<'a>> for Mask<'a> {
    fn from(view: BitsView<'a>) -> Self {
        Self(MaskRows::Bits(view))
    }
}

impl<'a> From<&'a Bits> for Mask<'a> {
    fn from(bits: &'a Bits) -> Self {
        bits.view().into()
    }
}

versions! {
    /// Adds the pixels of all rows.
    fn add_rows(mask: BitsView<'_>, pixels: &mut Vec<u8>) {
        let mut row = vec![0; mask.width];
        for y in 0..mask.height {
            bits::expand(mask.row(y), &mut row);
            pixels.extend_from_slice(&row);
        }
    }
}

versions! {
    /// Packs all rows.
    fn pack_rows(mask: View<'_, u8>, target: &mut BitsMut<'_>) {
        mask.rows().enumerate().for_each(|(y, row)| bits::pack_into(row, target.row_mut(y)));
    }
}

versions! {
    /// Writes the pixels of some rows.
    fn show_rows(mask: BitsView<'_>, rows: Range<usize>, target: &mut ViewMut<'_, u8>) {
        rows.enumerate().for_each(|(at, y)| bits::expand(mask.row(y), target.row_mut(at)));
    }
}

impl<'a> BitsView<'a> {
    /// Rows one after the other, each in whole words.
    pub(crate) fn new(words: &'a [u64], width: usize, height: usize) -> Self {
        Self { words, width, height }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// Some of its rows.
    fn band(&self, rows: Range<usize>) -> Self {
        let across = self.width.div_ceil(64);
        Self { words: &self.words[rows.start * across..], height: rows.len(), ..*self }
    }

    /// The words of a row.
    #[inline(always)]
    pub(crate) fn row(&self, y: usize) -> &'a [u64] {
        let across = self.width.div_ceil(64);
        &self.words[y * across..][..across]
    }
}

impl BitsMut<'_> {
    /// The words of a row.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [u64] {
        &mut self.words[y * self.across..][..self.across]
    }
}

impl SplitRows for BitsMut<'_> {
    fn height(&self) -> usize {
        self.height
    }

    fn cut(self, y: usize) -> (Self, Self) {
        let Self { words, across, height } = self;
        let (above, below) = words.split_at_mut(y * across);
        (Self { words: above, across, height: y }, Self { words: below, across, height: height - y })
    }
}

impl MaskTarget for BitsMut<'_> {
    #[inline(always)]
    fn put(&mut self, y: usize, words: &[u64]) {
        self.row_mut(y).copy_from_slice(words);
    }
}

impl MaskTarget for ViewMut<'_, u8> {
    #[inline(always)]
    fn put(&mut self, y: usize, words: &[u64]) {
        bits::expand(words, self.row_mut(y));
    }
}
