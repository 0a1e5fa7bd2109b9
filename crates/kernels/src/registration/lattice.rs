//! Lattices of control points, the weights of voxels on them, and refinement to half the spacing.

use super::Grid;
use super::real::Real;

/// The most points of a lattice.
const MOST_POINTS: usize = 1 << 31;

/// Control points along the axes of the fixed volume. Point k of an axis lies (k - 1) x `delta` from the first voxel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// Points along each axis.
    pub counts: [usize; 3],
    /// Millimetres from point to point.
    pub delta: f64,
}

/// Why a lattice cannot be.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LatticeError {
    /// The spacing is no length.
    #[error("expected a spacing of more than 0 mm, found {delta}")]
    Spacing {
        /// The spacing.
        delta: f64,
    },
    /// Too many points.
    #[error(
        "expected a lattice of at most {MOST_POINTS} points, found a spacing of {delta} mm that takes more"
    )]
    Points {
        /// The spacing.
        delta: f64,
    },
}

impl Lattice {
    /// The lattice of a spacing over a fixed volume of full size.
    ///
    /// # Errors
    /// When the spacing is not positive, or takes too many points.
    pub fn new(full: &Grid, delta: f64) -> Result<Lattice, LatticeError> {
        if !(delta.is_finite() && delta > 0.0) {
            return Err(LatticeError::Spacing { delta });
        }
        let cells =
            [0, 1, 2].map(|axis| ((full.size()[axis] - 1) as f64 * full.spacing()[axis] / delta).floor());
        if cells.iter().map(|cells| cells + 4.0).product::<f64>() > MOST_POINTS as f64 {
            return Err(LatticeError::Points { delta });
        }
        Ok(Lattice { counts: cells.map(|cells| cells as usize + 4), delta })
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.counts.iter().product()
    }

    /// Number of coefficients: three for each point.
    pub fn coefficients(&self) -> usize {
        3 * self.points()
    }

    /// Bytes of the coefficients.
    pub fn bytes(&self) -> u64 {
        self.coefficients() as u64 * 8
    }
}

/// The spacing of a level in spacings of the last one: 16, 8, 4, 2, 1 for five levels.
pub fn spacing_factor(level: u32, levels: u32) -> f64 {
    let halvings = levels.saturating_sub(level).min(1000);
    libm::ldexp(1.0, halvings as i32)
}

/// The same field on another lattice over the same volume, of half the spacing or of the same.
pub fn refine(from: &Lattice, coefficients: &[f64], to: &Lattice) -> Vec<f64> {
    if from.delta == to.delta {
        return coefficients.to_vec();
    }
    let components = coefficients.chunks(from.points().max(1));
    components.flat_map(|component| refine_component(component, from.counts, to.counts)).collect()
}

fn refine_component(component: &[f64], from: [usize; 3], to: [usize; 3]) -> Vec<f64> {
    let x = component.chunks(from[0]).flat_map(|row| halve_spacing(row, 1, to[0])).collect::<Vec<_>>();
    let y =
        x.chunks(to[0] * from[1]).flat_map(|plane| halve_spacing(plane, to[0], to[1])).collect::<Vec<_>>();
    halve_spacing(&y, to[0] * to[1], to[2])
}

/// Refines the slowest axis of values whose steps along it have a stride.
fn halve_spacing(values: &[f64], stride: usize, count: usize) -> Vec<f64> {
    let row = |k: usize| values[k * stride..][..stride].iter();
    let even = |k: usize| row(k).zip(row(k + 1)).map(|(a, b)| (a + b) / 2.0);
    let odd = |k: usize| {
        let rows = row(k - 1).zip(row(k)).zip(row(k + 1));
        rows.map(|((a, b), c)| (a + 6.0 * b + c) / 8.0)
    };
    let mut fine = Vec::with_capacity(count * stride);
    (0..count).for_each(|at| match at % 2 {
        0 => fine.extend(even(at / 2)),
        _ => fine.extend(odd(at.div_ceil(2))),
    });
    fine
}

/// Weights of the four points of a place, `r` of a spacing after the second one.
#[inline(always)]
pub(crate) fn weights(r: f64) -> [f64; 4] {
    let (square, cube, rest) = (r * r, r * r * r, 1.0 - r);
    [
        rest * rest * rest / 6.0,
        (3.0 * cube - 6.0 * square + 4.0) / 6.0,
        (-3.0 * cube + 3.0 * square + 3.0 * r + 1.0) / 6.0,
        cube / 6.0,
    ]
}

/// Their derivatives by `r`.
#[inline(always)]
pub(crate) fn slopes(r: f64) -> [f64; 4] {
    let (square, rest) = (r * r, 1.0 - r);
    [
        -(rest * rest) / 2.0,
        (3.0 * square - 4.0 * r) / 2.0,
        (-3.0 * square + 2.0 * r + 1.0) / 2.0,
        square / 2.0,
    ]
}

/// The voxels of one axis on the lattice.
#[derive(Clone, Debug)]
pub(crate) struct Axis<T> {
    /// Points along the axis.
    pub(crate) count: usize,
    /// The first of four points, for each voxel.
    pub(crate) first: Vec<usize>,
    /// The weights of the four.
    pub(crate) weights: Vec<[T; 4]>,
}

/// What a voxel takes of the four points around it along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The field.
    Value,
    /// Its derivative by millimetres along the axis.
    Slope,
}

impl<T: Real> Axis<T> {
    /// The voxels of a step along one axis.
    pub(crate) fn new(step: &Grid, full: &Grid, lattice: &Lattice, axis: usize, order: Order) -> Axis<T> {
        let (stride, spacing) = (stride(step, full, axis), full.spacing()[axis]);
        let places = (0..step.size()[axis]).map(|voxel| ((voxel * stride) as f64 * spacing) / lattice.delta);
        Axis::at(places, lattice, axis, order)
    }

    /// Places half a spacing of the lattice apart along one axis.
    pub(crate) fn halves(full: &Grid, lattice: &Lattice, axis: usize, order: Order) -> Axis<T> {
        let last = ((full.size()[axis] - 1) as f64 * full.spacing()[axis]) / lattice.delta;
        let places = (0..=(2.0 * last) as usize).map(|half| half as f64 / 2.0);
        Axis::at(places, lattice, axis, order)
    }

    /// Places in spacings of the lattice.
    fn at(places: impl Iterator<Item = f64>, lattice: &Lattice, axis: usize, order: Order) -> Axis<T> {
        let of = |r: f64| match order {
            Order::Value => weights(r),
            Order::Slope => slopes(r).map(|slope| slope / lattice.delta),
        };
        let made = places.map(place_on);
        let (first, weights) = made.map(|(first, r)| (first, of(r).map(T::of))).unzip();
        Axis { count: lattice.counts[axis], first, weights }
    }

    /// The voxels of a step along all axes.
    pub(crate) fn all(step: &Grid, full: &Grid, lattice: &Lattice, orders: [Order; 3]) -> [Axis<T>; 3] {
        [0, 1, 2].map(|axis| Axis::new(step, full, lattice, axis, orders[axis]))
    }
}

/// The first point of a place on the lattice, and how far behind the second it lies.
#[inline(always)]
pub(crate) fn place_on(t: f64) -> (usize, f64) {
    let first = t.floor();
    (first as usize, t - first)
}

/// How many voxels of full size one voxel of a step is wide.
fn stride(step: &Grid, full: &Grid, axis: usize) -> usize {
    (step.spacing()[axis] / full.spacing()[axis]).round().max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use onceflow_region::VolumeGeometry;

    use super::*;

    #[test]
    fn counts_of_the_brain() {
        let grid = Grid::new([182, 218, 182], VolumeGeometry::default()).unwrap();
        let bytes =
            [1, 2, 3, 4, 5].map(|level| Lattice::new(&grid, 5.0 * spacing_factor(level, 5)).unwrap().bytes());
        assert_eq!(bytes, [5184, 13_824, 56_784, 290_400, 1_804_800]);
        assert!(matches!(Lattice::new(&grid, 1e-9), Err(LatticeError::Points { .. })));
        for delta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Lattice::new(&grid, delta), Err(LatticeError::Spacing { .. })));
        }
    }

    #[test]
    fn weights_and_slopes() {
        for r in [0.0, 0.125, 0.5, 0.999] {
            assert!((weights(r).iter().sum::<f64>() - 1.0).abs() < 1e-15);
            let (low, high) = (weights(r - 1e-6), weights(r + 1e-6));
            for (at, slope) in slopes(r).iter().enumerate() {
                assert!(((high[at] - low[at]) / 2e-6 - slope).abs() < 1e-9);
            }
        }
    }
}
