//! How often which value occurred: a sketch of bounded size that does not depend on the order of what it is told.

use std::collections::BTreeMap;

/// Counts of positive values in bins that are less than one percent wide.
///
/// A bin is the exponent of a value with the first seven bits of its fraction, so that no logarithm is taken and every
/// machine finds the same bin.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostHistogram {
    bins: BTreeMap<u64, u64>,
    count: u64,
    ends: Option<(f64, f64)>,
}

/// Bits of a number's fraction that do not count.
const DROPPED: u32 = 52 - 7;
/// Smaller values are taken for this one, which is no time at all, and larger ones for [`LARGEST`]: that bounds the bins.
const SMALLEST: f64 = 1e-18;
const LARGEST: f64 = 1e18;

impl CostHistogram {
    pub(crate) fn add(&mut self, value: f64) {
        let value = value.clamp(SMALLEST, LARGEST);
        *self.bins.entry(value.to_bits() >> DROPPED).or_default() += 1;
        self.count += 1;
        let (least, most) = self.ends.unwrap_or((value, value));
        self.ends = Some((least.min(value), most.max(value)));
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Takes over all values of another.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (bin, count) in &other.bins {
            *self.bins.entry(*bin).or_default() += count;
        }
        self.count += other.count;
        let ends = self.ends.into_iter().chain(other.ends);
        self.ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    }

    /// The mean of the values between two others; the median where there are none.
    pub(crate) fn mean_between(&self, low: f64, high: f64) -> f64 {
        let inside = self.bins.iter().map(|(bin, count)| (self.middle(*bin), *count as f64));
        let inside = inside.filter(|(value, _)| (low..=high).contains(value));
        let (sum, count) = inside.fold((0.0, 0.0), |(sum, all), (value, n)| (sum + value * n, all + n));
        if count > 0.0 { self.within(sum / count) } else { self.quantile(0.5) }
    }

    /// The value below which that share lies, between two of them where it must be.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let place = share * self.count.saturating_sub(1) as f64;
        let (below, above) = (place.floor(), place.ceil());
        let low = self.middle(self.bin(below as u64));
        let high = self.middle(self.bin(above as u64));
        low + (high - low) * (place - below)
    }

    /// A value that at least that share does not exceed.
    pub(crate) fn bound(&self, share: f64) -> f64 {
        let place = (share * self.count as f64).ceil() as u64;
        self.within(f64::from_bits((self.bin(place.saturating_sub(1)) + 1) << DROPPED))
    }

    /// The bin of the value with that many before it.
    fn bin(&self, place: u64) -> u64 {
        let mut seen = 0u64;
        let reaches = |(_, count): &(&u64, &u64)| {
            seen += **count;
            seen > place
        };
        let bin = self.bins.iter().find(reaches).or_else(|| self.bins.last_key_value());
        bin.map_or(0, |(bin, _)| *bin)
    }

    /// What stands for the values of a bin.
    fn middle(&self, bin: u64) -> f64 {
        self.within(f64::from_bits((bin << DROPPED) | (1 << (DROPPED - 1))))
    }

    /// What lies outside of all values is an artefact of the bins.
    fn within(&self, value: f64) -> f64 {
        self.ends.map_or(value, |(least, most)| value.clamp(least, most))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn histogram(values: &[f64]) -> CostHistogram {
        let mut histogram = CostHistogram::default();
        values.iter().for_each(|value| histogram.add(*value));
        histogram
    }

    #[test]
    fn equal_values_come_back_as_they_are() {
        for value in [1e-9, 0.1, 1.0, 3.7e12] {
            let histogram = histogram(&[value; 5]);
            assert_eq!(
                [histogram.quantile(0.25), histogram.quantile(0.5), histogram.bound(0.95)],
                [value; 3]
            );
        }
        assert_eq!(histogram(&[0.0]).quantile(0.5), SMALLEST);
        assert_eq!(histogram(&[f64::MAX]).bound(0.5), LARGEST);
    }

    #[test]
    fn a_mean_leaves_out_what_lies_outside() {
        let histogram = histogram(&[1.0, 1.0, 3.0, 7.0, 1e6]);
        assert!((histogram.mean_between(0.5, 10.0) / 3.0 - 1.0).abs() < 0.01);
        assert!((histogram.mean_between(20.0, 30.0) / 3.0 - 1.0).abs() < 0.01, "nothing there: the median");
    }

    #[test]
    fn its_size_is_bounded() {
        let mut histogram = CostHistogram::default();
        let mut value = 1e-30;
        while value < 1e30 {
            histogram.add(value);
            value *= 1.0001;
        }
        assert!(histogram.count() > 1_000_000 && histogram.bins.len() < 16_000, "{}", histogram.bins.len());
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_values_within_a_bin(
            values in proptest::collection::vec(1e-6f64..1e6, 1..200), share in 0.0f64..=1.0,
        ) {
            let histogram = histogram(&values);
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            let place = share * (sorted.len() - 1) as f64;
            let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            let found = histogram.quantile(share);
            prop_assert!(low * 0.99 <= found && found <= high * 1.01, "{low} {found} {high}");
            let half = sorted.len() / 2;
            let mut merged = self::histogram(&sorted[half..]);
            merged.merge(&self::histogram(&sorted[..half]));
            prop_assert_eq!(merged.quantile(share), found);
            let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
            prop_assert!((merged.mean_between(0.0, 1e9) / mean - 1.0).abs() < 0.01);
            let bound = histogram.bound(share);
            let not_above = sorted.iter().filter(|value| **value <= bound).count() as f64;
            prop_assert!(not_above + 1e-9 >= share * sorted.len() as f64);
            prop_assert!(bound <= sorted[sorted.len() - 1]);
        }
    }
}
