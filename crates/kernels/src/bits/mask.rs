//! A mask as bits that operations hand on to each other, so that its pixels are written once, in the end.

use crate::machine::Cut;
use crate::{ViewMut, bits};

/// A mask as bits, in memory that is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
    width: usize,
    height: usize,
}

/// Rows of a mask to look at.
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

/// What takes a mask row by row.
pub(crate) trait Target: Cut {
    /// Takes a row; nothing is set beyond its last column.
    fn put(&mut self, y: usize, words: &[u64]);
}

impl Bits {
    /// Memory for a mask of this size; what is in it from before is to be written over.
    pub(crate) fn fit(&mut self, width: usize, height: usize) -> BitsMut<'_> {
        (self.width, self.height) = (width, height);
        let across = width.div_ceil(64);
        self.words.resize(across * height, 0);
        BitsMut { words: &mut self.words, across, height }
    }

    /// The mask.
    pub(crate) fn view(&self) -> BitsView<'_> {
        BitsView { words: &self.words, width: self.width, height: self.height }
    }

    /// All rows, each in whole words.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
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

impl Cut for BitsMut<'_> {
    fn height(&self) -> usize {
        self.height
    }

    fn cut(self, y: usize) -> (Self, Self) {
        let Self { words, across, height } = self;
        let (above, below) = words.split_at_mut(y * across);
        (Self { words: above, across, height: y }, Self { words: below, across, height: height - y })
    }
}

impl Target for BitsMut<'_> {
    #[inline(always)]
    fn put(&mut self, y: usize, words: &[u64]) {
        self.row_mut(y).copy_from_slice(words);
    }
}

impl Target for ViewMut<'_, u8> {
    #[inline(always)]
    fn put(&mut self, y: usize, words: &[u64]) {
        bits::expand(words, self.row_mut(y));
    }
}

impl<A: Target, B: Target> Target for (A, B) {
    #[inline(always)]
    fn put(&mut self, y: usize, words: &[u64]) {
        self.0.put(y, words);
        self.1.put(y, words);
    }
}
