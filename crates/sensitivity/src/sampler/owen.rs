//! Owen's nested uniform scrambling of one dimension: every digit is flipped by a coin that its prefix chose.
//!
//! The upper 24 bits are scrambled exactly so: the coins of six levels below a prefix are the 63 inner bits of one
//! hashed word. The lower 40 bits are flipped by one word per 24-bit prefix: points that share it (none do among the
//! first 2^24 of a Sobol' sequence) are shifted alike, which keeps nets and unbiasedness.

use crate::random::{RandomStream, StreamPurpose, mixed};

/// The coins of one dimension.
#[derive(Clone, Debug)]
pub(super) struct Scramble {
    /// Coins of the first six levels.
    top: u64,
    /// Keys of the words for prefixes of 6, 12 and 18 bits.
    middle: [WordKey; 3],
    /// Key of the words for the lower 40 bits.
    bottom: WordKey,
}

const DIGIT: u32 = 6;
const BOTTOM: u32 = u64::BITS - 4 * DIGIT;

impl Scramble {
    /// The coins of a dimension of a replicate.
    pub(super) fn new(seed: u64, dimension: u64, replicate: u64) -> Self {
        let mut stream = RandomStream::new(seed, StreamPurpose::Scramble, dimension, replicate);
        Self {
            top: stream.bits(),
            middle: std::array::from_fn(|_| WordKey::new(&mut stream)),
            bottom: WordKey::new(&mut stream),
        }
    }

    /// A point's scrambled digits, first digit in the highest bit.
    #[inline]
    pub(super) fn apply(&self, x: u64) -> u64 {
        let mut place = u64::BITS - DIGIT;
        let mut flips = coins(self.top, x >> place) << place;
        for key in &self.middle {
            let word = key.word(x >> place);
            place -= DIGIT;
            flips |= coins(word, x >> place & 63) << place;
        }
        x ^ flips ^ (self.bottom.word(x >> place) & ((1 << BOTTOM) - 1))
    }
}

/// The six coins along the way of a digit of six bits through a tree of 63 coins, kept as a heap: root at bit 1.
#[inline]
fn coins(tree: u64, digit: u64) -> u64 {
    (0..DIGIT).fold(0, |flips, level| {
        let node = 1 << level | digit >> (DIGIT - level);
        flips << 1 | (tree >> node & 1)
    })
}

/// Names a family of hashed words: SplitMix64 with a random start and step, read at any place.
#[derive(Clone, Copy, Debug)]
struct WordKey {
    start: u64,
    step: u64,
}

impl WordKey {
    fn new(stream: &mut RandomStream) -> Self {
        Self { start: stream.bits(), step: stream.bits() | 1 }
    }

    #[inline]
    fn word(&self, prefix: u64) -> u64 {
        mixed(self.start.wrapping_add(prefix.wrapping_mul(self.step)))
    }
}

#[cfg(test)]
mod tests;
