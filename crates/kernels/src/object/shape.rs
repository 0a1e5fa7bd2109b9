//! Digests of objects, to tell whether one has been seen before: of its runs, where they lie in the image, and of
//! whatever else decides what becomes of it.
//!
//! Runs go through NH (Black, Halevi, Krawczyk, Krovetz, Rogaway 1999) over pairs of 64-bit words, in two lanes with
//! different keys, and what comes out through polynomials modulo 2⁶¹ − 1. For keys drawn at random two different objects
//! of up to n blocks of runs get the same digest with a probability of at most (2⁻⁶⁴ + 4n / 2⁶¹)², about 2⁻¹¹⁷ for n = 1;
//! among a billion objects some two then meet with 2⁻⁵⁸. The keys are fixed: masks are made by operations that know
//! nothing of them, and whoever makes up a mask to collide only spoils his own run.

use std::hash::{Hash, Hasher};

use super::Span;
use crate::digest::{PRIME, modulo, split_mix};

/// What tells objects apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape([u64; LANES]);

/// One lane is enough to choose a place in a table.
impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
    }
}

/// Independent digests side by side.
const LANES: usize = 2;
/// Pairs of words that go through NH at once.
const BLOCK: usize = 64;
/// What is added to the pairs of a block, lane by lane.
static KEYS: [[[u64; 2]; BLOCK]; LANES] = [keys(1), keys(2)];
/// Where the polynomials are evaluated.
const POINTS: [u64; LANES] = [0x0b4e_a7d1_96c3_58f3, 0x15c9_3b60_e87d_42a5];
const _: () = assert!(POINTS[0] < PRIME && POINTS[1] < PRIME);
/// A sum of 128 bits makes three coefficients of so many.
const PIECE: u32 = 43;

impl Shape {
    /// These words after what is digested already; how they are cut counts.
    #[must_use]
    pub fn and(self, words: &[u64]) -> Self {
        let (pairs, rest) = words.as_chunks::<2>();
        let shape = pairs.chunks(BLOCK).fold(self, |shape, block| shape.and_block(block.iter().copied()));
        rest.iter().fold(shape, |shape, word| shape.and_block([[*word, 0]].into_iter()).append([0; LANES], 1))
    }

    /// These runs after what is digested already.
    pub(super) fn and_spans(self, spans: &[Span]) -> Self {
        let pair = |span: &Span| [u64::from(span.y) << 32 | u64::from(span.start), u64::from(span.end)];
        spans.chunks(BLOCK).fold(self, |shape, block| shape.and_block(block.iter().map(pair)))
    }

    /// Its bits, of which 122 differ.
    pub fn words(self) -> [u64; 2] {
        self.0
    }

    /// Adds up to a block of pairs.
    fn and_block(self, pairs: impl ExactSizeIterator<Item = [u64; 2]>) -> Self {
        let length = pairs.len() as u64;
        let mut sums = [0u128; LANES];
        for ([low, high], keys) in pairs.zip(KEYS[0].iter().zip(&KEYS[1])) {
            let product =
                |key: &[u64; 2]| u128::from(low.wrapping_add(key[0])) * u128::from(high.wrapping_add(key[1]));
            sums[0] = sums[0].wrapping_add(product(keys.0));
            sums[1] = sums[1].wrapping_add(product(keys.1));
        }
        self.append(sums, length)
    }

    /// The polynomials with four more coefficients.
    fn append(self, sums: [u128; LANES], length: u64) -> Self {
        Self(std::array::from_fn(|lane| {
            let piece = |number: u32| (sums[lane] >> (number * PIECE)) as u64 & ((1 << PIECE) - 1);
            [length, piece(0), piece(1), piece(2)].into_iter().fold(self.0[lane], |value, coefficient| {
                modulo(u128::from(value) * u128::from(POINTS[lane]) + u128::from(coefficient))
            })
        }))
    }
}

const fn keys(lane: u64) -> [[u64; 2]; BLOCK] {
    let mut state = lane << 32;
    let mut keys = [[0; 2]; BLOCK];
    let mut at = 0;
    while at < 2 * BLOCK {
        keys[at / 2][at % 2] = split_mix(&mut state);
        at += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn spans(count: u32) -> Vec<Span> {
        (0..count).map(|y| Span { y: y + 3, start: y * 7 % 50, end: 51 + y % 5 }).collect()
    }

    #[test]
    fn every_run_its_place_and_what_came_before_count() {
        let start = Shape::default().and(&[1, 2, 3]);
        let mut seen = HashSet::new();
        for count in 0..3 * BLOCK as u32 {
            assert!(seen.insert(start.and_spans(&spans(count))));
        }
        let mut some = spans(BLOCK as u32 + 9);
        for at in 0..some.len() {
            for bit in 0..20 {
                some[at].y ^= 1 << bit;
                assert!(seen.insert(start.and_spans(&some)));
                some[at].y ^= 1 << bit;
                some[at].end ^= 1 << bit;
                assert!(seen.insert(start.and_spans(&some)));
                some[at].end ^= 1 << bit;
            }
        }
        assert!(seen.contains(&start.and_spans(&some)));
        assert!(seen.insert(Shape::default().and(&[1, 2, 4]).and_spans(&some)));
    }

    #[test]
    fn words_count_with_their_number() {
        let words = [0; 300];
        let seen: HashSet<Shape> =
            (0..words.len()).map(|count| Shape::default().and(&words[..count])).collect();
        assert_eq!(seen.len(), words.len());
    }
}
