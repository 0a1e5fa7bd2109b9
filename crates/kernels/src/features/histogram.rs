//! Statistics of 8-bit values in a region, from their histogram.

use super::Logarithms;

/// How often each value occurs.
#[derive(Clone, Debug)]
pub(crate) struct ByteHistogram {
    bins: [u32; 256],
}

/// Moments of values; all are NaN when there are no values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ValueMoments {
    pub(crate) mean: f64,
    pub(crate) max: f64,
    pub(crate) min: f64,
    pub(crate) std: f64,
    pub(crate) entropy: f64,
    pub(crate) energy: f64,
    pub(crate) skewness: f64,
    pub(crate) kurtosis: f64,
}

impl ByteHistogram {
    pub(crate) fn new() -> Self {
        Self { bins: [0; 256] }
    }

    pub(crate) fn clear(&mut self) {
        self.bins = [0; 256];
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, value: u8) {
        self.bins[usize::from(value)] += 1;
    }

    /// The moments of the values added, summed from the smallest value to the largest.
    pub(crate) fn moments(&self, logarithms: &Logarithms) -> ValueMoments {
        let Some(min) = self.bins.iter().position(|count| *count > 0) else { return ValueMoments::NONE };
        let max = self.bins.iter().rposition(|count| *count > 0).unwrap_or(min);
        let bins = || (min..=max).map(|value| (value, self.bins[value])).filter(|(_, count)| *count > 0);
        let (count, sum) = bins().fold((0, 0), |(total, sum), (value, count)| {
            (total + count, sum + value as u64 * u64::from(count))
        });
        let total = f64::from(count);
        let mean = sum as f64 / total;
        let (mut squares, mut cubes, mut fourths, mut energy, mut surprise) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (value, count) in bins() {
            let weight = f64::from(count);
            let away = value as f64 - mean;
            let squared = away * away;
            squares += weight * squared;
            cubes += weight * (squared * away);
            fourths += weight * (squared * squared);
            energy += weight * weight;
            surprise += logarithms.times_itself(count);
        }
        let variance = squares / total;
        let shape = |moment: f64, scale: f64| if min == max { 0.0 } else { moment / total / scale };
        ValueMoments {
            mean,
            max: max as f64,
            min: min as f64,
            std: variance.sqrt(),
            entropy: logarithms.entropy(surprise, count),
            energy: energy / (total * total),
            skewness: shape(cubes, variance * variance.sqrt()),
            kurtosis: shape(fourths, variance * variance),
        }
    }
}

impl ValueMoments {
    /// Names of the moments of intensity.
    pub(crate) const NAMES: [&'static str; 8] =
        ["mean", "max", "min", "std", "entropy", "energy", "skewness", "kurtosis"];
    /// Names of the moments of a gradient: without its extremes, which depend on single pixels.
    pub(crate) const GRADIENT_NAMES: [&'static str; 6] =
        ["mean", "std", "entropy", "energy", "skewness", "kurtosis"];
    const NONE: Self = Self {
        mean: f64::NAN,
        max: f64::NAN,
        min: f64::NAN,
        std: f64::NAN,
        entropy: f64::NAN,
        energy: f64::NAN,
        skewness: f64::NAN,
        kurtosis: f64::NAN,
    };

    pub(crate) fn values(&self) -> [f64; 8] {
        let Self { mean, max, min, std, entropy, energy, skewness, kurtosis } = *self;
        [mean, max, min, std, entropy, energy, skewness, kurtosis]
    }

    pub(crate) fn gradient_values(&self) -> [f64; 6] {
        [self.mean, self.std, self.entropy, self.energy, self.skewness, self.kurtosis]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[u8]) -> [f64; 8] {
        let mut histogram = ByteHistogram::new();
        values.iter().for_each(|value| histogram.add(*value));
        histogram.moments(&Logarithms::new()).values()
    }

    #[test]
    fn of_one_value_and_of_none() {
        assert_eq!(moments(&[7; 3]), [7.0, 7.0, 7.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        assert!(moments(&[]).iter().all(|value| value.is_nan()));
    }

    #[test]
    fn of_a_coin_and_of_a_rare_event() {
        assert_eq!(moments(&[0, 10, 10, 0]), [5.0, 10.0, 0.0, 5.0, 1.0, 0.5, 0.0, 1.0]);
        let [mean, _, _, std, entropy, energy, skewness, kurtosis] = moments(&[0, 0, 0, 4]);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{a} {b}");
        near(mean, 1.0);
        near(std, 3f64.sqrt());
        near(entropy, 2.0 - 0.75 * 3f64.log2());
        near(energy, 0.625);
        near(skewness, 2.0 / 3f64.sqrt());
        near(kurtosis, 7.0 / 3.0);
    }
}
