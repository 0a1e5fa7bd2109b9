//! Random numbers of a search, from its seed: SplitMix64.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub(super) struct SearchRandom(u64);

impl SearchRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed ^ 0x6d6f_6c64_6162_6c65)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A whole number below `count`; 0 when there is none.
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Whether something with this chance happens.
    pub(super) fn happens(&mut self, chance: f64) -> bool {
        ((self.bits() >> 11) as f64) < chance * (1u64 << 53) as f64
    }
}
