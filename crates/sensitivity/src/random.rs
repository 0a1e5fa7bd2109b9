//! The random generator: ChaCha12, with one named stream for each use.
//!
//! The 256-bit key is written out, never derived: seed, purpose, and two numbers that say which row, trajectory,
//! dimension or resample draws, each as eight bytes, little end first. A stream therefore depends on nothing but its
//! name, so that a longer sample begins with the shorter one and any number of threads draws the same bits.

use rand_chacha::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};

/// What a stream is drawn for. The numbers are part of the samples' bytes: never renumber them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum StreamPurpose {
    /// Nested scrambling of one dimension (first) of one replicate (second) of a Sobol' sequence.
    Scramble = 1,
    /// One Monte Carlo row (first).
    MonteCarlo = 2,
    /// Permutations of the digits of one dimension (first) of Halton's sequence.
    Digits = 3,
    /// Places of Hammersley's points in the strata of the first coordinate.
    Jitter = 4,
    /// One column (first) of a Latin hypercube.
    Column = 5,
    /// One column (first) of a nested Latin hypercube when it grew to its size (second).
    Growth = 6,
    /// Exchanges of a Latin hypercube: for constraints (second 0), for distance (second 1).
    Exchange = 7,
    /// One trajectory (first).
    Trajectory = 8,
    /// Proposals of a tuner: row (first), by use (second).
    Tuning = 9,
    /// One bootstrap resample (first) of rows.
    Bootstrap = 101,
    /// One permutation (first) of an output.
    Shuffle = 102,
}

/// An endless stream of random bits.
#[derive(Clone, Debug)]
pub(crate) struct RandomStream(ChaCha12Rng);

impl RandomStream {
    /// The stream of this name.
    pub(crate) fn new(seed: u64, purpose: StreamPurpose, first: u64, second: u64) -> Self {
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

    /// A number in [0, 1) of 53 binary digits.
    pub(crate) fn unit(&mut self) -> f64 {
        unit_from_bits(self.bits())
    }

    /// A whole number below `count`, each as likely as the others (Lemire 2019); 0 when `count` is 0.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        loop {
            let product = u128::from(self.bits()) * u128::from(count);
            let low = product as u64;
            // 2^64 modulo the count: values below it would make some numbers likelier.
            if low >= count || low >= count.wrapping_neg().checked_rem(count).unwrap_or(0) {
                return (product >> 64) as u64;
            }
        }
    }

    /// Puts things into a random order, each order as likely as the others (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// The number in [0, 1) whose binary digits are the upper 53 bits.
pub(crate) fn unit_from_bits(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// SplitMix64's mixing: every bit of the number affects every bit of the result.
#[inline]
pub(crate) fn mixed(number: u64) -> u64 {
    let mut z = number;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
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
        let mut found = RandomStream::new(7, StreamPurpose::Scramble, 3, 256);
        assert!((0..100).all(|_| found.bits() == expected.next_u64()));
    }

    #[test]
    fn the_generator_does_not_change() {
        // First bytes of ChaCha12 with a zero key: test vector TC1 (256-bit key) of draft-strombergson-chacha-test-vectors.
        let mut zero = ChaCha12Rng::from_seed([0; 32]);
        assert_eq!(zero.next_u64().to_le_bytes(), [0x9b, 0xf4, 0x9a, 0x6a, 0x07, 0x55, 0xf9, 0x53]);
    }

    #[test]
    fn all_orders_and_all_numbers_are_equally_likely() {
        let mut stream = RandomStream::new(1, StreamPurpose::Scramble, 0, 0);
        let mut seen = std::collections::BTreeMap::<[u8; 4], u32>::new();
        for _ in 0..24_000 {
            let mut things = [0, 1, 2, 3];
            stream.shuffle(&mut things);
            *seen.entry(things).or_default() += 1;
        }
        // Each count is 1000 with a standard deviation of 31.
        assert!(seen.len() == 24 && seen.values().all(|n| n.abs_diff(1000) < 150), "{seen:?}");
        let huge = 3 << 62;
        let below_third = (0..3000).filter(|_| stream.below(huge) < 1 << 62).count();
        assert!(below_third.abs_diff(1000) < 130, "{below_third}");
        assert_eq!((stream.below(0), stream.below(1)), (0, 0));
    }

    #[test]
    fn units_lie_in_the_half_open_interval() {
        assert_eq!(unit_from_bits(0), 0.0);
        assert_eq!(unit_from_bits(1 << 63), 0.5);
        assert!(unit_from_bits(u64::MAX) < 1.0);
    }
}
