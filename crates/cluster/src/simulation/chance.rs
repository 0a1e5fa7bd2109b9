//! What is left to chance, from a seed: each draw is keyed by what it is about.

/// How things go wrong. Shares and rates of 0 leave nothing to chance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chance {
    /// The seed.
    pub seed: u64,
    /// Tasks take up to this share more or less than their cost.
    pub noise: f64,
    /// The share of tasks that are slow.
    pub slow: f64,
    /// How many times longer slow tasks take.
    pub slowness: f64,
    /// The share of tries that fail for a reason that passes.
    pub transient: f64,
    /// The share of tasks that always fail.
    pub permanent: f64,
    /// How often a node is lost, per hour. The first node is the manager's own and stays.
    pub losses_per_hour: f64,
}

/// What a draw is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
enum About {
    Noise = 1,
    Slow,
    Transient,
    Permanent,
    Loss,
}

/// What a task is, wherever it runs: its task, the first row that asked for it, its place.
pub(crate) type DrawKey = [u64; 3];

impl Chance {
    /// How many times its cost a task takes.
    pub(crate) fn factor(&self, key: DrawKey) -> f64 {
        let noise = 1.0 + self.noise.clamp(0.0, 1.0) * (2.0 * self.draw(About::Noise, key, 0) - 1.0);
        let slow = self.draw(About::Slow, key, 0) < self.slow;
        if slow { noise * self.slowness.max(1.0) } else { noise }
    }

    /// Why a try of a task fails, if it does, and whether that passes.
    pub(super) fn failure(&self, key: DrawKey, attempt: u32) -> Option<(&'static str, bool)> {
        if self.draw(About::Permanent, key, 0) < self.permanent {
            return Some(("simulated failure", false));
        }
        let passes = self.draw(About::Transient, key, u64::from(attempt)) < self.transient;
        passes.then_some(("simulated failure that passes", true))
    }

    /// When a node is lost.
    pub(super) fn loss(&self, node: usize) -> Option<f64> {
        if self.losses_per_hour <= 0.0 || node == 0 {
            return None;
        }
        let draw = self.draw(About::Loss, [node as u64, 0, 0], 0);
        Some(-libm::log(1.0 - draw) * 3600.0 / self.losses_per_hour)
    }

    /// From 0 up to but not including 1.
    fn draw(&self, about: About, key: DrawKey, more: u64) -> f64 {
        let words = [about as u64, key[0], key[1], key[2], more];
        let mixed = words.iter().fold(self.seed, |state, word| mix(state ^ mix(*word)));
        (mixed >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// One step of SplitMix64.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_hang_on_the_key_alone_and_spread_evenly() {
        let chance = Chance { seed: 7, noise: 0.5, slow: 0.1, slowness: 3.0, ..Chance::default() };
        let factors: Vec<f64> = (0..10_000).map(|row| chance.factor([1, row, 2])).collect();
        assert_eq!(factors[17], chance.factor([1, 17, 2]));
        let mean = factors.iter().sum::<f64>() / 1e4;
        assert!((mean - 1.2).abs() < 0.03, "{mean}");
        assert!(factors.iter().all(|factor| (0.5..=4.5).contains(factor)));
        assert_eq!(Chance::default().factor([3, 4, 5]), 1.0);
    }

    #[test]
    fn the_first_node_stays_and_others_are_lost_as_often_as_asked() {
        let chance = Chance { losses_per_hour: 2.0, ..Chance::default() };
        assert_eq!(chance.loss(0), None);
        let mean = (1..5001).filter_map(|node| chance.loss(node)).sum::<f64>() / 5e3;
        assert!((mean - 1800.0).abs() < 60.0, "{mean}");
    }
}
