//! The first harmonics of a sequence that is read upwards by its even places and back by its odd ones.

use super::elementary::turn;
use crate::sums::dot;

/// Harmonics summed, as Tarantola (2006) proposes and others keep.
pub(crate) const HARMONICS: usize = 10;

/// Waves over a number of places, one pair (cosine, sine) per harmonic.
///
/// Read upwards by even places and back by odd ones, a sorted sequence becomes one full period. Places 2m-1 and 2m
/// then lie at opposite angles of m/n turns, so the cosine takes their sum and the sine their difference.
#[derive(Clone, Debug)]
pub(crate) struct Waves {
    places: usize,
    cosines: Vec<Vec<f64>>,
    sines: Vec<Vec<f64>>,
}

impl Waves {
    /// Waves over this many places, at least one.
    pub(crate) fn new(places: usize) -> Self {
        let wave = |harmonic: usize| {
            (0..=places / 2).map(|m| turn(harmonic * m, places)).unzip::<_, _, Vec<_>, Vec<_>>()
        };
        let (cosines, sines) = (1..=HARMONICS).map(wave).unzip();
        Self { places, cosines, sines }
    }

    /// The share of its variance that the harmonics explain in a sorted, centred sequence.
    pub(crate) fn share(&self, sequence: &[f64], within: &[TiedGroup]) -> f64 {
        let pairs = |sign: f64| {
            let inner = sequence[1..].chunks(2).map(move |p| p.get(1).unwrap_or(&0.0) + sign * p[0]);
            std::iter::once(sequence[0]).chain(inner).collect::<Vec<f64>>()
        };
        let (sums, differences) = (pairs(1.0), pairs(-1.0));
        let power = |(cosine, sine): (&Vec<f64>, &Vec<f64>)| {
            dot(cosine, &sums).powi(2) + dot(sine, &differences).powi(2)
        };
        let means: f64 = self.cosines.iter().zip(&self.sines).map(power).sum();
        let ties: f64 = within.iter().map(|group| self.tie_power(group)).sum();
        let variation = dot(sequence, sequence) + within.iter().map(|g| g.squares).sum::<f64>();
        2.0 * (means + ties) / (self.places as f64 * variation)
    }

    /// Power of deviations inside a group of tied places, averaged over all their orders.
    fn tie_power(&self, group: &TiedGroup) -> f64 {
        let count = (group.end - group.start) as f64;
        let together: f64 = (1..=HARMONICS).map(|h| self.length_squared(h, group.start, group.end)).sum();
        group.squares / (count - 1.0) * (HARMONICS as f64 * count - together / count)
    }

    /// Squared length of the sum of a harmonic's unit vectors over places `start..end`.
    fn length_squared(&self, harmonic: usize, start: usize, end: usize) -> f64 {
        let (cosine, sine) = (&self.cosines[harmonic - 1], &self.sines[harmonic - 1]);
        let (mut real, mut imaginary) = (0.0, 0.0);
        for place in start..end {
            let m = place.div_ceil(2);
            real += cosine[m];
            imaginary += if place % 2 == 0 { sine[m] } else { -sine[m] };
        }
        real * real + imaginary * imaginary
    }
}

/// Tied places of a sequence, which hold their mean, and the squared deviations from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TiedGroup {
    /// First place.
    pub(crate) start: usize,
    /// Place after the last.
    pub(crate) end: usize,
    /// Sum of squared deviations.
    pub(crate) squares: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// The definition: the sequence read up and back, its discrete Fourier transform, shares of squared amplitudes.
    fn plain(sequence: &[f64]) -> f64 {
        let n = sequence.len();
        let up = sequence.iter().step_by(2);
        let back = sequence.iter().skip(1).step_by(2).rev();
        let read: Vec<f64> = up.chain(back).copied().collect();
        let power = |h: usize| {
            let part = |wave: fn(f64) -> f64| -> f64 {
                read.iter().enumerate().map(|(i, y)| y * wave(TAU * (h * i % n) as f64 / n as f64)).sum()
            };
            part(f64::cos).powi(2) + part(f64::sin).powi(2)
        };
        (1..=HARMONICS).map(|h| 2.0 * power(h)).sum::<f64>() / (1..n).map(power).sum::<f64>()
    }

    #[test]
    fn shares_are_those_of_the_definition() {
        for n in [22, 23, 64, 101] {
            let sequence: Vec<f64> = (0..n).map(|i| ((i * i * 7 + 3) % 31) as f64).collect();
            let centred = crate::sums::centred(&sequence);
            assert!((Waves::new(n).share(&centred, &[]) - plain(&sequence)).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn a_slow_cosine_is_explained_entirely() {
        let sequence: Vec<f64> = (0..100_usize).map(|place| turn(3 * place.div_ceil(2), 100).0).collect();
        assert!((Waves::new(100).share(&sequence, &[]) - 1.0).abs() < 1e-12);
    }
}
