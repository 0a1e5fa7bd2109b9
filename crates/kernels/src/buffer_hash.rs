//! Hashes of buffers at the speed of memory, to find equal buffers inside one process.
//!
//! Blocks go through NH, the universal hash of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999), with four keys
//! shifted against each other, and the sums through polynomials modulo 2⁶¹ − 1. For a seed drawn at random, two different
//! buffers of up to n bytes get the same hash with a probability of at most (2⁻³² + n / 2⁷⁰)⁴, which is 2⁻¹²⁸ up to a
//! hundred gigabytes, as far as the keys made from the seed look random. An attacker who knows the seed can construct
//! collisions: do not use it for untrusted data.

use crate::cpu::isa::versions;
use crate::hash::{PRIME, modulo, product, split_mix};
use crate::{Isa, bits};

/// The hash of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferHash([u64; 4]);

/// Hashes bytes given piece by piece; the sizes of the pieces do not matter.
#[derive(Clone, Debug)]
pub struct BufferHasher {
    isa: Isa,
    keys: Box<NhKeys>,
    lanes: [u64; LANES],
    waiting: Box<[u8; BLOCK]>,
    waiting_length: usize,
    length: u64,
}

/// Independent hashes side by side.
const LANES: usize = 4;
/// Bytes that go through NH at once.
const BLOCK: usize = 2048;
/// Pairs of 32-bit words in a block.
const WORDS: usize = BLOCK / 8;
/// How far the keys of two lanes are shifted against each other.
const SHIFT: usize = 1;
#[derive(Clone, Debug)]
struct NhKeys {
    /// Two words of 32 bits each, for each lane: shifted copies, because unaligned reads across cache lines are slow.
    words: [Aligned; LANES],
    points: [u64; LANES],
}

#[derive(Clone, Debug)]
#[repr(align(64))]
struct Aligned([u64; WORDS]);

impl BufferHash {
    /// The hash of some bytes; hashes with different seeds are not comparable.
    pub fn of(seed: u64, bytes: &[u8]) -> Self {
        let mut digester = BufferHasher::new(Isa::best(), seed);
        digester.update(bytes);
        digester.finish()
    }

    /// The hash as words: 244 of the 256 bits vary.
    pub fn words(self) -> [u64; 4] {
        self.0
    }
}

impl BufferHasher {
    /// An empty hasher.
    pub fn new(isa: Isa, seed: u64) -> Self {
        let waiting = Box::new([0; BLOCK]);
        Self {
            isa,
            keys: Box::new(NhKeys::new(seed)),
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

    /// Adds a mask, whose bytes are 0 or 255, as bits, eight times fewer than bytes. Returns false and adds nothing when
    /// another value occurs. The caller must distinguish data added as bits from data added as bytes.
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

    /// The hash of all bytes: the last block is padded with zeros, and the length is added.
    pub fn finish(mut self) -> BufferHash {
        let length = self.length;
        if self.waiting_length > 0 {
            self.waiting[self.waiting_length..].fill(0);
            digest_blocks(self.isa, &self.keys, std::slice::from_ref(&self.waiting), &mut self.lanes);
        }
        BufferHash(std::array::from_fn(|lane| append(self.lanes[lane], self.keys.points[lane], length)))
    }
}

impl NhKeys {
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

/// Bytes examined between two checks whether all of them are 0 or 255.
const STRETCH: usize = 4096;

versions! {
    /// Packs pixels of 0 and 255; returns false at any other value.
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
    fn digest_blocks(keys: &NhKeys, blocks: &[[u8; BLOCK]], lanes: &mut [u64; LANES]) {
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
    // Lane by lane: compilers vectorise a loop over one slice best, and the block stays in the cache.
    std::array::from_fn(|lane| {
        let mut sum = 0u64;
        for (word, key) in words.iter().zip(&keys[lane].0) {
            sum = sum.wrapping_add(product(u64::from_le_bytes(*word), *key));
        }
        sum
    })
}

/// The polynomial with two more coefficients of 32 bits.
#[inline(always)]
fn append(value: u64, point: u64, sum: u64) -> u64 {
    let value = modulo(u128::from(value) * u128::from(point) + u128::from(sum >> 32));
    modulo(u128::from(value) * u128::from(point) + u128::from(sum as u32))
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
        let keys = NhKeys::new(seed);
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
            assert_eq!(BufferHash::of(5, bytes).words(), expected);
            for isa in Isa::available() {
                for piece in [1, 100, BLOCK, BLOCK + 9] {
                    let mut digester = BufferHasher::new(isa, 5);
                    bytes.chunks(piece).for_each(|piece| digester.update(piece));
                    assert_eq!(digester.finish().words(), expected);
                }
            }
        }
    }

    #[test]
    fn every_bit_the_length_and_the_seed_count() {
        let mut bytes = bytes(700);
        let mut seen =
            std::collections::HashSet::from([BufferHash::of(1, &bytes), BufferHash::of(2, &bytes)]);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(seen.insert(BufferHash::of(1, &bytes)));
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let zeros = [0; 3 * BLOCK];
        assert!((0..zeros.len()).all(|length| seen.insert(BufferHash::of(1, &zeros[..length]))));
    }

    #[test]
    fn masks_are_told_apart_pixel_by_pixel_and_from_other_bytes() {
        for length in [0, 1, 63, 64, 65, 5000, 70_001] {
            let mask: Vec<u8> =
                bytes(length).into_iter().map(|byte| if byte > 99 { 255 } else { 0 }).collect();
            let digest = |isa, mask: &[u8]| {
                let mut digester = BufferHasher::new(isa, 5);
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
                let mut digester = BufferHasher::new(Isa::best(), 5);
                assert!(!digester.update_mask(&other));
                assert_eq!(digester.finish(), BufferHasher::new(Isa::best(), 5).finish());
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
        assert_eq!(BufferHash::of(0, b"once").words(), expected);
    }
}
