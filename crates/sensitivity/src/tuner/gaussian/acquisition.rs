//! Where the logarithm of the expected improvement (Ament et al. 2023) is largest among the free points.

use super::kernel::feature;
use super::posterior::Posterior;
use crate::quantile::normal_share_below;
use crate::random::RandomStream;
use crate::tuner::grid::GridPoint;
use crate::tuner::history::TuneBoard;

/// The search for the point to propose.
pub(super) struct Acquisition<'a> {
    board: &'a TuneBoard,
    posterior: &'a Posterior,
    best: f64,
}

/// Random points whose expectation is looked at, and of these how many in full.
const RANDOM: usize = 400;
const NEAR: usize = 40;
const LOOKED_AT: usize = 440;
/// Points from which the search climbs; fewer when rows are many.
const CLIMBS: usize = 4;
const MANY: usize = 250;
/// Values of a parameter that a climb looks at.
const MOST_VALUES: u32 = 12;
const SWEEPS: usize = 3;

struct Candidate {
    point: GridPoint,
    features: Vec<f64>,
    squares: Vec<f64>,
    value: f64,
}

impl<'a> Acquisition<'a> {
    pub(super) fn new(board: &'a TuneBoard, posterior: &'a Posterior, best: f64) -> Self {
        Self { board, posterior, best }
    }

    /// The free point with the largest value.
    pub(super) fn maximise(&self, incumbents: &[GridPoint], stream: &mut RandomStream) -> Option<GridPoint> {
        let mut candidates = self.candidates(incumbents, stream);
        candidates.sort_by(|a, b| a.value.total_cmp(&b.value));
        let many = self.board.history.told().len() > MANY;
        candidates.truncate(if many { LOOKED_AT / 4 } else { LOOKED_AT });
        candidates.iter_mut().for_each(|candidate| candidate.value = self.value(&candidate.squares));
        candidates.sort_by(|a, b| b.value.total_cmp(&a.value));
        let climbs = if many { 1 } else { CLIMBS };
        let mut found: Option<(f64, GridPoint)> = None;
        for candidate in candidates.into_iter().take(climbs) {
            let top = self.climb(candidate, stream);
            if self.board.is_free(&top.point) && found.as_ref().is_none_or(|(value, _)| top.value > *value) {
                found = Some((top.value, top.point));
            }
        }
        found.map(|(_, point)| point)
    }

    /// Free points with their expectations.
    fn candidates(&self, incumbents: &[GridPoint], stream: &mut RandomStream) -> Vec<Candidate> {
        let random: Vec<GridPoint> = (0..RANDOM).filter_map(|_| self.board.grid.any(stream)).collect();
        let near: Vec<GridPoint> = incumbents
            .iter()
            .flat_map(|point| (0..NEAR).map(move |_| point))
            .filter_map(|point| self.board.near(point, stream))
            .collect();
        let free = random.into_iter().chain(near).filter(|point| self.board.is_free(point));
        free.map(|point| {
            let features: Vec<f64> =
                (0..point.len()).map(|axis| feature(self.board, axis, f64::from(point[axis]))).collect();
            let squares = self.posterior.squares(&features);
            let value = self.posterior.mean(&squares);
            Candidate { point, features, squares, value }
        })
        .collect()
    }

    /// The logarithm of the expected improvement.
    fn value(&self, squares: &[f64]) -> f64 {
        let (mean, deviation) = self.posterior.predict(squares);
        log_improvement((self.best - mean) / deviation) + libm::log(deviation)
    }

    /// Parameter after parameter takes its best value, until none moves.
    fn climb(&self, mut top: Candidate, stream: &mut RandomStream) -> Candidate {
        let mut axes: Vec<usize> = (0..top.point.len()).collect();
        let mut squares = Vec::new();
        for _ in 0..SWEEPS {
            stream.shuffle(&mut axes);
            let before = top.value;
            for axis in &axes {
                self.improve(&mut top, *axis, &mut squares);
            }
            if top.value <= before {
                break;
            }
        }
        top
    }

    fn improve(&self, top: &mut Candidate, axis: usize, squares: &mut Vec<f64>) {
        let place = top.point[axis];
        let mut best: Option<(f64, u32)> = None;
        for other in self.values(axis, place) {
            top.point[axis] = other;
            if self.board.is_free(&top.point) {
                let x = feature(self.board, axis, f64::from(other));
                self.posterior.moved(&top.squares, axis, top.features[axis], x, squares);
                let value = self.value(squares);
                if value > best.map_or(top.value, |(value, _)| value) {
                    best = Some((value, other));
                }
            }
        }
        top.point[axis] = best.map_or(place, |(_, place)| place);
        if let Some((value, place)) = best {
            let x = feature(self.board, axis, f64::from(place));
            self.posterior.moved(&top.squares, axis, top.features[axis], x, squares);
            std::mem::swap(&mut top.squares, squares);
            top.features[axis] = x;
            top.value = value;
        }
    }

    /// Other values: all of a short list; of a long one neighbours, ends, and some in between.
    fn values(&self, axis: usize, place: u32) -> Vec<u32> {
        let axis = &self.board.grid.axes()[axis];
        let last = axis.last();
        if last < MOST_VALUES {
            return (0..=last).filter(|other| *other != place).collect();
        }
        let mut values = vec![0, last];
        let mut reach = 1;
        while values.len() < MOST_VALUES as usize && reach <= last {
            values.extend(place.checked_sub(reach));
            values.extend(Some(place + reach).filter(|other| *other <= last));
            reach *= 2;
        }
        values.sort_unstable();
        values.dedup();
        values.retain(|other| *other != place);
        values
    }
}

/// The logarithm of φ(z) + z Φ(z), also far out where the two nearly cancel.
fn log_improvement(z: f64) -> f64 {
    const LOG_ROOT_TAU: f64 = 0.918_938_533_204_672_8;
    let log_density = -0.5 * z * z - LOG_ROOT_TAU;
    if z > -20.0 {
        let density = libm::exp(log_density);
        return libm::log((density + z * normal_share_below(z)).max(1e-300));
    }
    let inverse = 1.0 / (z * z);
    log_density + libm::log(inverse * (1.0 - inverse * (3.0 - inverse * (15.0 - 105.0 * inverse))))
}

#[cfg(test)]
mod tests {
    use super::log_improvement;

    #[test]
    fn improvements_are_those_of_numerical_integration() {
        let integral = |z: f64| {
            let step = 1e-3;
            let density = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
            (0..20_000)
                .map(|i| (i as f64 + 0.5) * step)
                .map(|gain| gain * density(gain - z) * step)
                .sum::<f64>()
        };
        for z in [-8.0, -5.0, -2.0, 0.0, 1.5, 4.0] {
            let (found, exact) = (log_improvement(z), integral(z).ln());
            assert!((found - exact).abs() < 1e-3, "{z}: {found} {exact}");
        }
        let (inner, outer) = (log_improvement(-19.999_999), log_improvement(-20.000_001));
        assert!((inner - outer).abs() < 1e-4, "both formulas agree where they meet: {inner} {outer}");
    }
}
