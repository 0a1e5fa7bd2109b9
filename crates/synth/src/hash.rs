//! Counter-based random numbers: a number depends only on the seed, the purpose and the position.

/// The purpose of a random number; two purposes never share numbers.
#[derive(Clone, Copy)]
pub(crate) enum HashPurpose {
    Section = 1,
    Nest,
    Gland,
    Clearing,
    Looseness,
    Infiltrate,
    Vessel,
    Haematoxylin,
    Eosin,
    Grade,
    SlowFlow,
    Flow,
    QuickFlow,
    Stain,
    Nucleus,
    Blood,
    LongWeb,
    ShortWeb,
    Patch,
    Smudge,
    FineFibre,
    CoarseFibre,
    Speck,
    NarrowCleft,
    BroadCleft,
    Retraction,
    Ragged,
    Granule,
    Cloud,
    Membrane,
    Scanner,
    Slide,
    Ellipsoid,
    Field,
    VolumeNoise,
}

/// The key of one purpose in one image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HashKey(u64);

impl HashKey {
    pub(crate) fn new(seed: u64, purpose: HashPurpose) -> Self {
        Self(mix(mix(seed).wrapping_add(purpose as u64)))
    }

    /// An independent key for the same purpose, such as the next octave of a noise.
    pub(crate) fn child(self, number: u64) -> Self {
        Self(mix(self.0 ^ mix(number)))
    }

    /// The number of the place `(x, y)`.
    #[inline]
    pub(crate) fn at(self, x: i64, y: i64) -> u64 {
        let column = (x as u64).wrapping_mul(0xa076_1d64_78bd_642f);
        let row = (y as u64).wrapping_mul(0xe703_7ed1_a0b4_28db);
        mix(self.0.wrapping_add(column).wrapping_add(row))
    }

    /// A sequence of numbers for the place `(x, y)`.
    pub(crate) fn draws(self, x: i64, y: i64) -> RandomDraws {
        RandomDraws(self.at(x, y))
    }
}

/// A SplitMix64 sequence.
pub(crate) struct RandomDraws(u64);

impl RandomDraws {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A key for a noise that belongs to this place.
    pub(crate) fn key(&mut self) -> HashKey {
        HashKey(self.number())
    }

    /// Uniform in `0..1`.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Nearly normal with mean 0 and deviation 1: the sum of four uniform draws, within ±3.5.
    pub(crate) fn bell(&mut self) -> f64 {
        let sum = self.unit() + self.unit() + self.unit() + self.unit();
        (sum - 2.0) * 1.732_050_807_568_877_2
    }
}

/// The finalizer of SplitMix64: every input bit reaches every output bit.
#[inline]
fn mix(number: u64) -> u64 {
    let once = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let twice = (once ^ (once >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    twice ^ (twice >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_bells_have_deviation_one() {
        let mut draws = HashKey::new(3, HashPurpose::Nucleus).draws(-5, 1 << 40);
        let units: Vec<f64> = (0..20_000).map(|_| draws.unit()).collect();
        let bells: Vec<f64> = (0..20_000).map(|_| draws.bell()).collect();
        let mean = units.iter().sum::<f64>() / 20_000.0;
        let spread = bells.iter().map(|bell| bell * bell).sum::<f64>() / 20_000.0;
        assert!((mean - 0.5).abs() < 0.01, "mean {mean}");
        assert!((spread - 1.0).abs() < 0.03, "variance {spread}");
    }

    #[test]
    fn purposes_places_and_children_differ() {
        let key = HashKey::new(1, HashPurpose::Blood);
        assert_ne!(key.at(1, 2), key.at(2, 1));
        assert_ne!(key.at(0, 0), key.child(0).at(0, 0));
        assert_ne!(key.at(0, 0), HashKey::new(1, HashPurpose::Speck).at(0, 0));
        assert_ne!(key.at(0, 0), HashKey::new(2, HashPurpose::Blood).at(0, 0));
    }
}
