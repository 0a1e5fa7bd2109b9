//! Gaussian kernel densities on a grid: exact ones from values, and quick ones from values binned on the same grid.

use super::elementary::{exp, fifth_root};
use super::partition::Partition;
use super::range::ends;

/// Places of the grid.
pub(crate) const PLACES: usize = 100;

/// Equally spaced places from the smallest to the largest output.
#[derive(Clone, Debug)]
pub(crate) struct DensityGrid {
    start: f64,
    step: f64,
}

impl DensityGrid {
    /// The grid over values that vary.
    pub(crate) fn over(values: &[f64]) -> Self {
        let (start, end) = ends(values.iter().copied());
        Self { start, step: (end - start) / (PLACES - 1) as f64 }
    }

    /// Where a value lies, in steps from the start.
    pub(crate) fn place(&self, value: f64) -> f64 {
        ((value - self.start) / self.step).clamp(0.0, (PLACES - 1) as f64)
    }
}

/// Silverman's bandwidth for `count` values of this variance (squares over count - 1), all in steps. Never below half
/// a step, for the grid would miss narrower kernels.
pub(crate) fn bandwidth(variance: f64, count: f64) -> f64 {
    (variance.sqrt() / fifth_root(0.75 * count)).max(0.5)
}

/// The density of values, given as places, in units of one step.
pub(crate) fn exact(places: &[f64], bandwidth: f64) -> Vec<f64> {
    let narrow = -0.5 / (bandwidth * bandwidth);
    let height = height(bandwidth) / places.len() as f64;
    let at = |g: usize| {
        let g = g as f64;
        height * places.iter().map(|p| exp((g - p) * (g - p) * narrow)).sum::<f64>()
    };
    (0..PLACES).map(at).collect()
}

/// The density of binned values whose weights add up to `total`.
pub(crate) fn binned(bins: &[f64; PLACES], total: f64, bandwidth: f64) -> [f64; PLACES] {
    let narrow = -0.5 / (bandwidth * bandwidth);
    let height = height(bandwidth) / total;
    let mut kernel = [0.0; 2 * PLACES - 1];
    for distance in 0..PLACES {
        let value = height * exp(distance as f64 * distance as f64 * narrow);
        kernel[PLACES - 1 + distance] = value;
        kernel[PLACES - 1 - distance] = value;
    }
    let mut density = [0.0; PLACES];
    for (bin, weight) in bins.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        let shifted = &kernel[PLACES - 1 - bin..2 * PLACES - 1 - bin];
        density.iter_mut().zip(shifted).for_each(|(d, k)| *d += weight * k);
    }
    density
}

/// Half the area between two densities, by trapezia.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    let gaps: Vec<f64> = a.iter().zip(b).map(|(a, b)| (a - b).abs()).collect();
    let ends = (gaps[0] + gaps[gaps.len() - 1]) / 2.0;
    (gaps.iter().sum::<f64>() - ends) / 2.0
}

fn height(bandwidth: f64) -> f64 {
    1.0 / (bandwidth * std::f64::consts::TAU.sqrt())
}

/// Outputs of rows on the grid, each shared between its two neighbouring places, with their moments.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    shares: [f64; PLACES],
    rows: f64,
    sum: f64,
    squares: f64,
}

impl Bins {
    const EMPTY: Self = Self { shares: [0.0; PLACES], rows: 0.0, sum: 0.0, squares: 0.0 };

    /// All rows, each as often as it weighs.
    pub(crate) fn of_all(places: &[f64], weights: &[f64]) -> Self {
        let mut bins = Self::EMPTY;
        places.iter().zip(weights).for_each(|(place, weight)| bins.add(*place, *weight));
        bins
    }

    /// The mean distance of classes from these rows, which are all of them.
    pub(crate) fn delta(&self, places: &[f64], weights: &[f64], classes: &Partition) -> f64 {
        let mut parts = vec![Self::EMPTY; classes.classes];
        for ((class, place), weight) in classes.class.iter().zip(places).zip(weights) {
            parts[*class as usize].add(*place, *weight);
        }
        let whole = self.density();
        parts.iter().map(|part| part.rows / self.rows * part.distance(self, &whole)).sum()
    }

    fn add(&mut self, place: f64, weight: f64) {
        let bin = (place as usize).min(PLACES - 2);
        let right = weight * (place - bin as f64);
        self.shares[bin] += weight - right;
        self.shares[bin + 1] += right;
        self.rows += weight;
        self.sum += weight * place;
        self.squares += weight * place * place;
    }

    fn variance(&self) -> f64 {
        (self.squares - self.sum * self.sum / self.rows) / (self.rows - 1.0)
    }

    fn density(&self) -> [f64; PLACES] {
        binned(&self.shares, self.rows, bandwidth(self.variance(), self.rows))
    }

    /// Equal outputs are a point: of it the whole shares no more than what lies in its bins.
    fn distance(&self, whole: &Self, density: &[f64; PLACES]) -> f64 {
        if self.rows < 2.0 {
            return 0.0;
        }
        if self.variance() < POINT {
            let shared =
                self.shares.iter().zip(&whole.shares).map(|(a, b)| (a / self.rows).min(b / whole.rows));
            return 1.0 - shared.sum::<f64>();
        }
        distance(density, &self.density())
    }
}

/// Variance, in squared steps, that is no more than rounding.
const POINT: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Vec<f64> {
        (0..400).map(|i| 30.0 + 40.0 * ((f64::from(i) * 0.618_033_988_7) % 1.0)).collect()
    }

    #[test]
    fn a_density_holds_all_of_its_values() {
        for bandwidth in [0.5, 2.0, 6.0] {
            let area: f64 = exact(&places(), bandwidth).iter().sum();
            assert!((area - 1.0).abs() < 0.01, "{bandwidth}: {area}");
        }
    }

    #[test]
    fn a_binned_density_is_near_the_exact_one() {
        let places = places();
        let bins = Bins::of_all(&places, &vec![1.0; places.len()]);
        let apart = distance(&exact(&places, 4.0), &binned(&bins.shares, bins.rows, 4.0));
        assert!(apart < 0.002, "{apart}");
    }

    #[test]
    fn densities_without_common_places_are_one_apart() {
        let left = exact(&[20.0, 21.0, 22.0], 1.0);
        let right = exact(&[70.0, 75.0], 1.0);
        assert!((distance(&left, &right) - 1.0).abs() < 1e-6);
        assert_eq!(distance(&left, &left), 0.0);
    }
}
