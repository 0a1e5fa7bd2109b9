//! Digests of buffers at the speed of memory, to tell inside one process whether two are the same.
//!
//! Blocks go through NH, the universal hash of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999), with four keys shifted
//! against each other, and what comes out through polynomials modulo 2⁶¹ − 1. For a seed drawn at random, two different
//! buffers of up to n bytes get the same digest with a probability of at most (2⁻³² + n / 2⁷⁰)⁴, which is 2⁻¹²⁸ up to a
//! hundred gigabytes, as far as the keys made from the seed look random. Whoever knows the seed can make collisions: this is
//! not for data from elsewhere that is not to be trusted.

use crate::isa::versions;
use crate::{Isa, bits};

/// What tells buffers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u64; 4]);

/// Takes bytes, piece by piece; how they are cut makes no difference.
#[derive(Clone, Debug)]
pub struct Digester {
    isa: Isa,
    keys: Box<Keys>,
    lanes: [u64; LANES],
    waiting: Box<[u8; BLOCK]>,
    waiting_length: usize,
    length: u64,
}

/// Independent digests side by side.
const LANES: usize = 4;
/// Bytes that go through NH at once.
const BLOCK: usize = 2048;
/// Pairs of 32-bit words in a block.
const WORDS: usize = BLOCK / 8;
/// How far the keys of two lanes are shifted against each other.
const SHIFT: usize = 1;
/// The modulus of polynomials, a Mersenne prime.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

#[derive(Clone, Debug)]
struct Keys {
    /// Two words of 32 bits each, for each lane: shifted copies, because what lies across the lines of the cache is dear to read.
    words: [Aligned; LANES],
    points: [u64; LANES],
}

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Aligned([u64; WORDS]);

impl Digest {
    /// The digest of some bytes; digests of different seeds have nothing to do with each other.
    pub fn of(seed: u64, bytes: &[u8]) -> Self {
        let mut digester = Digester::new(Isa::best(), seed);
        digester.update(bytes);
        digester.finish()
    }

    /// Its 256 bits, of which 244 differ.
    pub fn words(self) -> [u64; 4] {
        self.0
    }
}

impl Digester {
    /// Nothing seen yet.
    pub fn new(isa: Isa, seed: u64) -> Self {
        let waiting = Box::new([0; BLOCK]);
        Self {
            isa,
            keys: Box::new(Keys::new(seed)),
            lanes: [0; LANES],
            waiting,
            waiting_length: 0,
            length: 0,
        }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let taken = bytes.len().min((BLOCK - self.waiting_length) % BLOCK);
        let (first, bytes) = bytes.split_at(taken);
        self.wait(first);
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        digest_blocks(self.isa, &self.keys, blocks, &mut self.lanes);
        self.wait(rest);
    }

    /// Adds a mask, whose bytes are 0 or 255, as bits: there are eight times fewer of them to go through. Adds nothing and
    /// says no when it is something else. What was added as bits must be told from what was added as bytes.
    pub fn update_mask(&mut self, pixels: &[u8]) -> bool {
        let mut words = Vec::new();
        let is_mask = pack_mask(self.isa, pixels, &mut words);
        if is_mask {
            words.chunks(BLOCK / 8).for_each(|words| self.update_words(words));
        }
        is_mask
    }

    fn update_words(&mut self, words: &[u64]) {
        let mut bytes = [0; BLOCK];
        bytes.as_chunks_mut::<8>().0.iter_mut().zip(words).for_each(|(to, word)| *to = word.to_le_bytes());
        self.update(&bytes[..words.len() * 8]);
    }

    /// Keeps bytes until a block is full.
    fn wait(&mut self, bytes: &[u8]) {
        let end = self.waiting_length + bytes.len();
        self.waiting[self.waiting_length..end].copy_from_slice(bytes);
        self.waiting_length = end;
        if end == BLOCK {
            digest_blocks(self.isa, &self.keys, std::slice::from_ref(&self.waiting), &mut self.lanes);
            self.waiting_length = 0;
        }
    }

    /// The digest of all bytes: what waits is filled up with zeros, and the length tells how many those are.
    pub fn finish(mut self) -> Digest {
        let length = self.length;
        if self.waiting_length > 0 {
            self.waiting[self.waiting_length..].fill(0);
            digest_blocks(self.isa, &self.keys, std::slice::from_ref(&self.waiting), &mut self.lanes);
        }
        Digest(std::array::from_fn(|lane| append(self.lanes[lane], self.keys.points[lane], length)))
    }
}

impl Keys {
    fn new(seed: u64) -> Self {
        let mut state = seed;
        let mut next = || split_mix(&mut state);
        let words: [u64; WORDS + SHIFT * (LANES - 1)] = std::array::from_fn(|_| next());
        Self {
            words: std::array::from_fn(|lane| {
                Aligned(std::array::from_fn(|word| words[lane * SHIFT + word]))
            }),
            points: std::array::from_fn(|_| next() % (PRIME - 1) + 1),
        }
    }
}

/// SplitMix64.
pub(crate) const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Bytes that are looked at before it is asked whether they belong to a mask.
const STRETCH: usize = 4096;

versions! {
    /// Packs pixels of 0 and 255; stops and says no at others.
    fn pack_mask(pixels: &[u8], words: &mut Vec<u64>) -> bool {
        words.resize(pixels.len().div_ceil(64), 0);
        let stretches = pixels.chunks(STRETCH).zip(words.chunks_mut(STRETCH / 64));
        for (pixels, words) in stretches {
            let odd = pixels.iter().fold(0, |odd, pixel| odd | (pixel.wrapping_add(1) & 0xfe));
            if odd != 0 {
                return false;
            }
            bits::pack_into(pixels, words);
        }
        true
    }
}

versions! {
    /// Adds whole blocks to the lanes.
    fn digest_blocks(keys: &Keys, blocks: &[[u8; BLOCK]], lanes: &mut [u64; LANES]) {
        for block in blocks {
            let sums = multiply(&keys.words, block);
            for lane in 0..LANES {
                lanes[lane] = append(lanes[lane], keys.points[lane], sums[lane]);
            }
        }
    }
}

/// NH of a block for each lane: the sum of the products of word pairs, each with its key added.
#[inline(always)]
fn multiply(keys: &[Aligned; LANES], block: &[u8; BLOCK]) -> [u64; LANES] {
    let (words, _) = block.as_chunks::<8>();
    // Lane by lane: a loop over one list is what compilers make the most of, and the block stays in the cache.
    std::array::from_fn(|lane| {
        let mut sum = 0u64;
        for (word, key) in words.iter().zip(&keys[lane].0) {
            sum = sum.wrapping_add(product(u64::from_le_bytes(*word), *key));
        }
        sum
    })
}

/// The product of a word's two halves, each with its key's added.
#[inline(always)]
pub(crate) fn product(word: u64, key: u64) -> u64 {
    let low = (word as u32).wrapping_add(key as u32);
    let high = ((word >> 32) as u32).wrapping_add((key >> 32) as u32);
    u64::from(low) * u64::from(high)
}

/// The polynomial with two more coefficients of 32 bits.
#[inline(always)]
fn append(value: u64, point: u64, sum: u64) -> u64 {
    let value = modulo(u128::from(value) * u128::from(point) + u128::from(sum >> 32));
    modulo(u128::from(value) * u128::from(point) + u128::from(sum as u32))
}

/// What is left of a number below 2¹²² after division by the modulus.
#[inline(always)]
pub(crate) fn modulo(value: u128) -> u64 {
    let folded = (value as u64 & PRIME) + (value >> 61) as u64;
    let folded = (folded & PRIME) + (folded >> 61);
    if folded >= PRIME { folded - PRIME } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(count: usize) -> Vec<u8> {
        let mut state = 11;
        (0..count).map(|_| split_mix(&mut state) as u8).collect()
    }

    /// The definition, with division instead of folding and word by word.
    fn by_definition(seed: u64, bytes: &[u8]) -> [u64; 4] {
        let keys = Keys::new(seed);
        let word = |block: &[u8], at: usize| {
            (0..4).fold(0u64, |word, byte| {
                word | u64::from(*block.get(at * 4 + byte).unwrap_or(&0)) << (8 * byte)
            })
        };
        std::array::from_fn(|lane| {
            let step = |value: u64, more: u64| {
                ((u128::from(value) * u128::from(keys.points[lane]) + u128::from(more)) % u128::from(PRIME))
                    as u64
            };
            let key = |at: usize| keys.words[lane].0[at / 2] >> (32 * (at % 2)) & 0xffff_ffff;
            let mut value = 0;
            for block in bytes.chunks(BLOCK) {
                let one = |pair: usize| {
                    let with_key = |at: usize| (word(block, at) + key(at)) % (1 << 32);
                    with_key(2 * pair).wrapping_mul(with_key(2 * pair + 1))
                };
                let sum = (0..WORDS).fold(0u64, |sum, pair| sum.wrapping_add(one(pair)));
                value = step(step(value, sum >> 32), sum % (1 << 32));
            }
            let length = bytes.len() as u64;
            step(step(value, length >> 32), length % (1 << 32))
        })
    }

    #[test]
    fn digests_follow_the_definition_whatever_the_instructions_and_the_cuts() {
        let bytes = bytes(3 * BLOCK + 77);
        for length in [0, 1, 63, 64, BLOCK - 1, BLOCK, BLOCK + 1, bytes.len()] {
            let bytes = &bytes[..length];
            let expected = by_definition(5, bytes);
            assert_eq!(Digest::of(5, bytes).words(), expected);
            for isa in Isa::available() {
                for piece in [1, 100, BLOCK, BLOCK + 9] {
                    let mut digester = Digester::new(isa, 5);
                    bytes.chunks(piece).for_each(|piece| digester.update(piece));
                    assert_eq!(digester.finish().words(), expected);
                }
            }
        }
    }

    #[test]
    fn every_bit_the_length_and_the_seed_count() {
        let mut bytes = bytes(700);
        let mut seen = std::collections::HashSet::from([Digest::of(1, &bytes), Digest::of(2, &bytes)]);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(Digest::of(1, &bytes)));
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let zeros = [0; 3 * BLOCK];
        assert!((0..zeros.len()).all(|length| seen.insert(Digest::of(1, &zeros[..length]))));
    }

    #[test]
    fn masks_are_told_apart_pixel_by_pixel_and_from_other_bytes() {
        for length in [0, 1, 63, 64, 65, 5000, 70_001] {
            let mask: Vec<u8> =
                bytes(length).into_iter().map(|byte| if byte > 99 { 255 } else { 0 }).collect();
            let digest = |isa, mask: &[u8]| {
                let mut digester = Digester::new(isa, 5);
                assert!(digester.update_mask(mask));
                digester.finish()
            };
            let expected = digest(Isa::PORTABLE, &mask);
            assert!(Isa::available().into_iter().all(|isa| digest(isa, &mask) == expected));
            for place in [0, length / 2, length.saturating_sub(1)].into_iter().filter(|place| *place < length)
            {
                let mut other = mask.clone();
                other[place] ^= 255;
                assert_ne!(digest(Isa::best(), &other), expected);
                other[place] = 254;
                let mut digester = Digester::new(Isa::best(), 5);
                assert!(!digester.update_mask(&other));
                assert_eq!(digester.finish(), Digester::new(Isa::best(), 5).finish());
            }
        }
    }

    #[test]
    fn digests_stay_as_they_are() {
        let expected = [
            646_030_045_577_279_721,
            414_262_383_033_988_479,
            2_118_027_628_821_719_017,
            2_054_696_614_503_396_107,
        ];
        assert_eq!(Digest::of(0, b"once").words(), expected);
    }
}
