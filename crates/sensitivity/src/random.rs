//! The named generator behind everything random: ChaCha12, with one stream for each thing that draws.
//!
//! The 256-bit key is written out, never derived: seed, purpose, and two numbers that say which row, trajectory,
//! dimension or resample draws, each as eight bytes, little end first. A stream therefore depends on nothing but its
//! name, so that a longer sample begins with the shorter one and any number of threads draws the same bits.

use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

/// What a stream is drawn for. The numbers are part of the samples' bytes: never renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// Nested scrambling of one dimension (first) of one replicate (second) of a Sobol' sequence.
    Scramble = 1,
}

/// An endless stream of random bits.
#[derive(Clone, Debug)]
pub(crate) struct Stream(ChaCha12Rng);

impl Stream {
    /// The stream of this name.
    pub(crate) fn new(seed: u64, purpose: Purpose, first: u64, second: u64) -> Self {
        let mut key = [0; 32];
        for (bytes, part) in key.chunks_exact_mut(8).zip([seed, purpose as u64, first, second]) {
            bytes.copy_from_slice(&part.to_le_bytes());
        }
        Self(ChaCha12Rng::from_seed(key))
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// The number in [0, 1) whose binary digits are the upper 53 bits.
pub(crate) fn unit_from_bits(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_what_the_documentation_says() {
        let mut key = [0_u8; 32];
        key[0] = 7;
        key[8] = 1;
        key[16] = 3;
        key[25] = 1;
        let mut expected = ChaCha12Rng::from_seed(key);
        let mut found = Stream::new(7, Purpose::Scramble, 3, 256);
        assert!((0..100).all(|_| found.bits() == expected.next_u64()));
    }

    #[test]
    fn the_generator_does_not_change() {
        // First bytes of ChaCha12 with a zero key: test vector TC1 (256-bit key) of draft-strombergson-chacha-test-vectors.
        let mut zero = ChaCha12Rng::from_seed([0; 32]);
        assert_eq!(zero.next_u64().to_le_bytes(), [0x9b, 0xf4, 0x9a, 0x6a, 0x07, 0x55, 0xf9, 0x53]);
    }

    #[test]
    fn units_lie_in_the_half_open_interval() {
        assert_eq!(unit_from_bits(0), 0.0);
        assert_eq!(unit_from_bits(1 << 63), 0.5);
        assert!(unit_from_bits(u64::MAX) < 1.0);
    }
}
