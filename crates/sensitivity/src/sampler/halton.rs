//! Halton's sequence, plain or with every digit's values permuted by a seed (Owen 2017).

use super::SampleError;
use crate::random::{RandomStream, StreamPurpose};

/// More dimensions than this correlate even when scrambled.
pub(super) const MOST_DIMENSIONS: usize = 512;

/// Halton's sequence in some dimensions.
#[derive(Debug)]
pub(super) struct Halton {
    dimensions: Vec<Dimension>,
}

/// Radical inverse in one base: the digits of a number mirrored at the point, as many as 53 bits hold.
#[derive(Debug)]
struct Dimension {
    base: u64,
    /// For each digit, what each of its values adds to the mirrored number.
    parts: Vec<u64>,
    /// What the digits from each one on add when they are all zero; one entry more than there are digits.
    zeros: Vec<u64>,
    /// One more than the largest mirrored number.
    whole: u64,
}

impl Halton {
    /// The first dimensions, scrambled when there is a seed.
    pub(super) fn new(dimensions: usize, seed: Option<u64>) -> Result<Self, SampleError> {
        if dimensions > MOST_DIMENSIONS {
            let (found, most) = (dimensions as u128, MOST_DIMENSIONS as u128);
            let what = "dimensions of a Halton sequence";
            return Err(SampleError::TooMany { what, found, most, to_do: "use mc, lhs or sobol" });
        }
        let stream = |index| seed.map(|seed| RandomStream::new(seed, StreamPurpose::Digits, index, 0));
        let bases = primes().take(dimensions).zip(0..);
        Ok(Self { dimensions: bases.map(|(base, index)| Dimension::new(base, stream(index))).collect() })
    }

    /// Writes the coordinates of a point, each in [0, 1); the first point is 0 unless scrambled.
    pub(super) fn point_into(&self, index: u64, units: &mut [f64]) {
        for (unit, dimension) in units.iter_mut().zip(&self.dimensions) {
            *unit = dimension.mirrored(index) as f64 / dimension.whole as f64;
        }
    }
}

impl Dimension {
    fn new(base: u64, mut stream: Option<RandomStream>) -> Self {
        let digits = (1..).take_while(|digits| base.pow(*digits) <= 1 << 53).count() as u32;
        let mut parts = Vec::new();
        for digit in 0..digits {
            let weight = base.pow(digits - 1 - digit);
            let mut values: Vec<u64> = (0..base).map(|value| value * weight).collect();
            if let Some(stream) = &mut stream {
                stream.shuffle(&mut values);
            }
            parts.extend(values);
        }
        let mut zeros = vec![0; digits as usize + 1];
        for digit in (0..digits as usize).rev() {
            zeros[digit] = zeros[digit + 1] + parts[digit * base as usize];
        }
        Self { base, parts, zeros, whole: base.pow(digits) }
    }

    fn mirrored(&self, mut index: u64) -> u64 {
        let (mut sum, mut digit) = (0, 0);
        while index > 0 && digit + 1 < self.zeros.len() {
            sum += self.parts[digit * self.base as usize + (index % self.base) as usize];
            index /= self.base;
            digit += 1;
        }
        sum + self.zeros[digit]
    }
}

fn primes() -> impl Iterator<Item = u64> {
    (2..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(dimensions: usize, seed: Option<u64>, count: u64) -> Vec<Vec<f64>> {
        let halton = Halton::new(dimensions, seed).unwrap();
        (0..count)
            .map(|index| {
                let mut point = vec![0.0; dimensions];
                halton.point_into(index, &mut point);
                point
            })
            .collect()
    }

    #[test]
    fn plain_points_are_mirrored_digits() {
        let found = points(3, None, 8);
        assert_eq!(
            found.iter().map(|p| p[0] * 8.0).collect::<Vec<_>>(),
            [0.0, 4.0, 2.0, 6.0, 1.0, 5.0, 3.0, 7.0]
        );
        let thirds: Vec<f64> = found.iter().map(|p| p[1]).collect();
        let expected = [0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0].map(|n| n / 9.0);
        assert!(thirds.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-15), "{thirds:?}");
    }

    #[test]
    fn scrambling_keeps_the_strata_of_every_base() {
        for seed in 0..5 {
            let found = points(4, Some(seed), 343);
            for (dimension, strata) in [(0, 256), (1, 243), (2, 125), (3, 343)] {
                let mut hit: Vec<u64> =
                    found[..strata].iter().map(|p| (p[dimension] * strata as f64 + 1e-9) as u64).collect();
                hit.sort_unstable();
                assert!(hit.iter().copied().eq(0..strata as u64), "seed {seed}, dimension {dimension}");
            }
        }
    }

    #[test]
    fn every_scrambled_point_is_uniform_over_seeds() {
        let firsts: Vec<Vec<f64>> = (0..2000).map(|seed| points(5, Some(seed), 1)[0].clone()).collect();
        for dimension in 0..5 {
            let mean = firsts.iter().map(|p| p[dimension]).sum::<f64>() / 2000.0;
            assert!((mean - 0.5).abs() < 0.03, "dimension {dimension}: {mean}");
        }
    }

    #[test]
    fn bases_are_primes_and_bounded() {
        assert_eq!(primes().take(6).collect::<Vec<_>>(), [2, 3, 5, 7, 11, 13]);
        assert!(
            Halton::new(MOST_DIMENSIONS, Some(1)).is_ok() && Halton::new(MOST_DIMENSIONS + 1, None).is_err()
        );
    }
}
