//! Which pixels of a scale make a working pixel along one axis, and how much of each.

/// Fractions of a pixel.
const FRACTION: u64 = 1 << 12;

/// One axis: working pixels times `step` are pixels of the scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResampleAxis {
    pub(super) step: (u128, u128),
    /// Pixels of the scale.
    pub(super) length: u64,
}

/// The pixels of the scale that a working pixel takes, from `first` on, with their weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taps {
    pub(super) first: u64,
    pub(super) weights: Vec<u64>,
}

impl Taps {
    /// The pixel after the last.
    pub(super) fn end(&self) -> u64 {
        self.first + self.weights.len() as u64
    }
}

impl ResampleAxis {
    /// Whether working pixels are at least as large as those of the scale.
    pub(super) fn reduces(&self) -> bool {
        self.step.0 >= self.step.1
    }

    /// What a working pixel takes: of smaller pixels the share that lies in it, of larger ones the two whose centres are
    /// nearest.
    pub(super) fn taps(&self, at: u64) -> Taps {
        if self.reduces() { self.share(at) } else { self.between(at) }
    }

    /// The pixel in which the centre of a working pixel lies.
    pub(super) fn nearest(&self, at: u64) -> u64 {
        let centre = (2 * u128::from(at) + 1) * self.step.0 / (2 * self.step.1);
        u64::try_from(centre).unwrap_or(u64::MAX).min(self.length.saturating_sub(1))
    }

    fn share(&self, at: u64) -> Taps {
        let end = self.length * FRACTION;
        let edge = |at: u64| {
            let edge = u128::from(at) * self.step.0 * u128::from(FRACTION) / self.step.1;
            u64::try_from(edge).unwrap_or(u64::MAX).min(end)
        };
        // The last working pixel may begin where the scale has been cut already: it takes the last pixel there is.
        let from = edge(at).min(end - FRACTION);
        let to = edge(at.saturating_add(1)).max(from + 1);
        let pixels = from / FRACTION..to.div_ceil(FRACTION);
        let weight = |pixel: u64| to.min((pixel + 1) * FRACTION) - from.max(pixel * FRACTION);
        Taps { first: pixels.start, weights: pixels.map(weight).collect() }
    }

    fn between(&self, at: u64) -> Taps {
        let centre = (2 * u128::from(at) + 1) * self.step.0 * u128::from(FRACTION) / (2 * self.step.1);
        let last = (self.length - 1) * FRACTION;
        let place = u64::try_from(centre).unwrap_or(u64::MAX).saturating_sub(FRACTION / 2).min(last);
        let (first, further) = (place / FRACTION, place % FRACTION);
        let weights = if further == 0 { vec![FRACTION] } else { vec![FRACTION - further, further] };
        Taps { first, weights }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shares_and_centres() {
        let axis = |step, length| ResampleAxis { step, length };
        assert_eq!(axis((2, 1), 8).taps(1), Taps { first: 2, weights: vec![4096, 4096] });
        assert_eq!(axis((3, 2), 9).taps(1), Taps { first: 1, weights: vec![2048, 4096] });
        assert_eq!(axis((1, 2), 4).taps(0), Taps { first: 0, weights: vec![4096] });
        assert_eq!(axis((1, 2), 4).taps(1), Taps { first: 0, weights: vec![3072, 1024] });
        assert_eq!(axis((1, 2), 4).taps(7), Taps { first: 3, weights: vec![4096] });
        assert_eq!((axis((3, 2), 9).nearest(0), axis((3, 2), 9).nearest(1)), (0, 2));
    }

    proptest! {
        #[test]
        fn taps_lie_on_the_axis_and_never_run_back(
            numerator in 1u128..5000, denominator in 1u128..5000, length in 1u64..500,
        ) {
            let axis = ResampleAxis { step: (numerator, denominator), length };
            let working = (u128::from(length) * denominator).div_ceil(numerator).min(3000) as u64;
            let mut before = 0;
            for at in 0..working.max(1) {
                let taps = axis.taps(at);
                prop_assert!(!taps.weights.is_empty() && taps.weights.iter().all(|weight| *weight > 0));
                prop_assert!(taps.first >= before && taps.end() <= length);
                prop_assert!(axis.nearest(at) < length);
                before = taps.first;
            }
        }
    }
}
