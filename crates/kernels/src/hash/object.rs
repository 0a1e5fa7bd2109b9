//! The hash of an object: its pixels, position and parameters, or its result, as words.
//!
//! Words go through NH (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999) over pairs of 32-bit words, in four lanes with
//! different keys, and the sums of two lanes each through polynomials modulo 2⁶¹ − 1. For keys drawn at random two
//! different inputs of up to n blocks of words get the same hash with a probability of at most (2⁻⁶⁴ + 3n / 2⁶¹)², about
//! 2⁻¹¹⁸ for n = 1; among a billion inputs some two then collide with 2⁻⁵⁹. The keys are fixed: masks do not depend on
//! them, and a mask constructed to collide spoils only its author's own run.

use std::hash::{Hash, Hasher};

use super::{PRIME, modulo, product, split_mix};
use crate::Isa;
use crate::cpu::isa::versions;

/// A 128-bit hash of an object's pixels, position and parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectHash(pub(crate) [u64; 2]);

/// One half is enough for a hash table.
impl Hash for ObjectHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
    }
}

/// Independent sums side by side.
const LANES: usize = 4;
/// Words that are added at a time.
const STEP: usize = 32;
/// Words that go through NH at once.
const BLOCK: usize = 256;
/// The keys that are added to the words of a block, lane by lane.
static KEYS: [[u64; BLOCK]; LANES] = [keys(1), keys(2), keys(3), keys(4)];
/// Where the polynomials are evaluated.
const POINTS: [u64; 2] = [0x0b4e_a7d1_96c3_58f3, 0x15c9_3b60_e87d_42a5];
const _: () = assert!(POINTS[0] < PRIME && POINTS[1] < PRIME);

impl ObjectHash {
    /// The hash continued with these words; how words are divided among calls matters.
    #[must_use]
    pub fn and(self, words: &[u64]) -> Self {
        words
            .chunks(BLOCK)
            .fold(self, |shape, block| shape.append(multiply(Isa::best(), block), block.len() as u64))
    }

    /// The hash as words: 122 of the 128 bits vary.
    pub fn words(self) -> [u64; 2] {
        self.0
    }

    /// The polynomials with three more coefficients of 48 bits, which are all that two lanes and the length have.
    #[inline(always)]
    fn append(self, sums: [u64; LANES], length: u64) -> Self {
        let [a, b, c, d] = sums;
        let of = |half: usize, one: u64, other: u64| {
            let coefficients =
                [one >> 16, (one & 0xffff) << 32 | other >> 32, u64::from(other as u32) << 16 | length];
            coefficients.into_iter().fold(self.0[half], |value, coefficient| {
                modulo(u128::from(value) * u128::from(POINTS[half]) + u128::from(coefficient))
            })
        };
        Self([of(0, a, b), of(1, c, d)])
    }
}

versions! {
    /// NH of up to a block of words, for each lane; the last step is padded with zeros.
    fn multiply(words: &[u64]) -> [u64; LANES] {
        let (steps, rest) = words.as_chunks::<STEP>();
        let mut last = [0; STEP];
        last[..rest.len()].copy_from_slice(rest);
        let last = if rest.is_empty() { &[][..] } else { std::slice::from_ref(&last) };
        // Nested loops: a closure would be compiled without the instruction set.
        let mut sums = [0; LANES];
        for (lane, sum) in sums.iter_mut().enumerate() {
            for (words, keys) in steps.iter().chain(last).zip(KEYS[lane].as_chunks().0) {
                *sum = add_products(*sum, words, keys);
            }
        }
        sums
    }
}

#[inline(always)]
fn add_products(mut sum: u64, words: &[u64; STEP], keys: &[u64; STEP]) -> u64 {
    for (word, key) in words.iter().zip(keys) {
        sum = sum.wrapping_add(product(*word, *key));
    }
    sum
}

const fn keys(lane: u64) -> [u64; BLOCK] {
    let mut state = lane << 32;
    let mut keys = [0; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        keys[at] = split_mix(&mut state);
        at += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn words(count: usize) -> Vec<u64> {
        (0..count as u64).map(|at| at.wrapping_mul(0x9e37_79b9) ^ at).collect()
    }

    #[test]
    fn every_word_and_what_came_before_count() {
        let start = ObjectHash::default().and(&[1, 2, 3]);
        let mut seen: HashSet<ObjectHash> = (0..3 * BLOCK).map(|count| start.and(&words(count))).collect();
        assert_eq!(seen.len(), 3 * BLOCK);
        let mut some = words(BLOCK + 9);
        for (at, bit) in (0..some.len()).flat_map(|at| (0..64).map(move |bit| (at, bit))) {
            some[at] ^= 1 << bit;
            assert!(seen.insert(start.and(&some)));
            some[at] ^= 1 << bit;
        }
        assert!(seen.contains(&start.and(&some)));
        assert!(seen.insert(ObjectHash::default().and(&[1, 2, 4]).and(&some)));
    }

    #[test]
    fn every_instruction_set_gives_the_same() {
        let word = |at: usize| (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let words: Vec<u64> = (0..BLOCK).map(word).collect();
        for length in 0..=BLOCK {
            let expected = multiply(Isa::PORTABLE, &words[..length]);
            assert!(Isa::available().into_iter().all(|isa| multiply(isa, &words[..length]) == expected));
        }
    }

    #[test]
    fn words_count_with_their_number() {
        let words = [0; 300];
        let seen: HashSet<ObjectHash> =
            (0..words.len()).map(|count| ObjectHash::default().and(&words[..count])).collect();
        assert_eq!(seen.len(), words.len());
    }
}
