//! One pair of volumes under changing coefficients: the similarity, and its gradient where it was measured last.

use super::slab::{Shared, SlabSums, Slopes, Warped, measure, push};
use super::{JointHistogram, Similarity};
use crate::Cpu;
use crate::registration::affine::{Matrix, product, times, transposed};
use crate::registration::field::{FieldRows, Forces};
use crate::registration::lattice::{Axis, Order};
use crate::registration::real::Real;
use crate::registration::sampler::Sampler;
use crate::registration::{Affine, Grid, Lattice, ScaledVolume};

/// Fewest voxels that must count, and the share of those within the fixed mask.
const FEWEST: u64 = 64;
const LEAST_SHARE: f64 = 0.05;

/// Most slabs, and the fewest planes of one.
const SLABS: usize = 32;
const PLANES: usize = 8;

/// Below this many voxels threads cost more than they save.
const SMALL: usize = 1 << 15;

/// The volumes of one level and how their similarity is measured.
pub(crate) struct Evaluator<'a, T> {
    fixed: &'a ScaledVolume,
    sampler: Sampler<'a>,
    similarity: Similarity,
    lattice: Lattice,
    axes: [Axis<T>; 3],
    wide_axes: [Axis<f64>; 3],
    lines: [[f64; 3]; 4],
    /// From millimetres of the world to voxels of the moving volume.
    to_index: Matrix,
    variance: f64,
    inside_mask: u64,
    coefficients: Vec<T>,
    values: Vec<T>,
    slopes: [Vec<T>; 3],
    slabs: Vec<Slab>,
    planes: usize,
    cpu: Cpu,
    measured: Option<Measured>,
}

#[derive(Default)]
struct Slab {
    sums: SlabSums,
    forces: Vec<f64>,
}

/// How voxels at the border of the moving volume count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Border {
    /// Wholly.
    Sharp,
    /// Squared differences: the less the nearer they are to it. A voxel that leaves or enters does not make the cost jump.
    Soft,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    /// D: less is more alike.
    pub(crate) cost: f64,
    /// Voxels that count.
    pub(crate) counted: u64,
    /// None for squared differences.
    pub(crate) joint: Option<JointHistogram>,
}

/// Too few voxels count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TooFew {
    pub(crate) counted: u64,
    pub(crate) of: u64,
}

impl<'a, T: Real> Evaluator<'a, T> {
    pub(crate) fn new(
        (fixed, moving): (&'a ScaledVolume, &'a ScaledVolume),
        full: &Grid,
        affine: &Affine,
        lattice: Lattice,
        (similarity, border): (Similarity, Border),
        cpu: Cpu,
    ) -> Self {
        let grid = fixed.grid();
        let planes = slab_planes(grid.size()[2]);
        let small = grid.voxels() < SMALL;
        Evaluator {
            fixed,
            sampler: Sampler::new(moving, border == Border::Soft && similarity == Similarity::Ssd),
            similarity,
            lattice,
            axes: Axis::all(grid, full, &lattice, [Order::Value; 3]),
            wide_axes: Axis::all(grid, full, &lattice, [Order::Value; 3]),
            lines: lines(grid, moving.grid(), affine),
            to_index: *moving.grid().index_matrix(),
            variance: if similarity == Similarity::Ssd { variance(fixed) } else { 1.0 },
            inside_mask: fixed.counting(),
            coefficients: Vec::new(),
            values: vec![T::default(); grid.voxels()],
            slopes: [0, 1, 2].map(|_| vec![T::default(); grid.voxels()]),
            slabs: (0..grid.size()[2].div_ceil(planes)).map(|_| Slab::default()).collect(),
            planes,
            cpu: if small { Cpu { isa: cpu.isa, ..Cpu::one_thread() } } else { cpu },
            measured: None,
        }
    }

    /// Bytes that it allocates for a fixed and a moving volume.
    pub(crate) fn bytes(
        fixed: [usize; 3],
        moving: u64,
        lattice: &Lattice,
        similarity: Similarity,
        cpu: Cpu,
    ) -> u64 {
        let number = size_of::<T>() as u64;
        let voxels = fixed.iter().product::<usize>() as u64;
        let bins = u64::from(similarity.bins().unwrap_or(0));
        let slabs = fixed[2].div_ceil(slab_planes(fixed[2])) as u64;
        let rows = FieldRows::<T>::numbers(lattice.counts[1], fixed[0]);
        let threads = cpu.threads.get() as u64;
        let forces = lattice.bytes() + slabs * 4 * lattice.bytes() / lattice.counts[2] as u64;
        // The six faces, a voxel deep, in vectors that grow by doubling.
        let faces = (0..3).map(|axis| voxels / fixed[axis] as u64).sum::<u64>() * 2;
        let edges = if similarity == Similarity::Ssd { 2 * faces * SlabSums::EDGE } else { 0 };
        4 * number * voxels
            + Sampler::bytes(moving)
            + slabs * bins * (bins + 1) * 8
            + bins * bins * (8 + 4 * number)
            + threads * rows * 8
            + forces
            + lattice.coefficients() as u64 * number
            + voxels / fixed[0] as u64 * 8
            + edges
    }

    /// How unlike the volumes are with these coefficients.
    ///
    /// # Errors
    /// When too few voxels count.
    pub(crate) fn measure(&mut self, coefficients: &[f64]) -> Result<&Measured, TooFew> {
        self.measured = None;
        self.coefficients = in_voxels(&self.to_index, coefficients);
        self.warp();
        let sums = || self.slabs.iter().map(|slab| &slab.sums);
        let counted = sums().map(|sums| sums.counted).sum::<u64>();
        if counted < FEWEST || (counted as f64) < LEAST_SHARE * self.inside_mask as f64 {
            return Err(TooFew { counted, of: self.inside_mask });
        }
        let joint = self.similarity.bins().map(|bins| {
            let mut joint = vec![0.0; (bins * bins) as usize];
            sums().for_each(|sums| joint.iter_mut().zip(&sums.joint).for_each(|(sum, part)| *sum += part));
            JointHistogram::new(joint, bins as usize, counted)
        });
        let cost = match (&joint, self.similarity) {
            (Some(joint), Similarity::Nmi { .. }) => -joint.nmi(),
            (Some(joint), _) => -joint.mi(),
            (None, _) => self.mean_square() / self.variance,
        };
        Ok(self.measured.insert(Measured { cost, counted, joint }))
    }

    /// The gradient of what was measured last, by each coefficient; zeros when nothing was measured.
    pub(crate) fn gradient(&mut self) -> Vec<f64> {
        let mut gradient = vec![0.0; self.lattice.coefficients()];
        let Some(measured) = self.measured.take() else { return gradient };
        match &measured.joint {
            Some(joint) => {
                let slopes = joint.slopes::<T>(self.similarity, measured.counted);
                self.push(Slopes::Information(&slopes));
            }
            None => {
                let factor = 1.0 / self.weight() / self.variance;
                self.push(Slopes::Squares(T::of(-2.0 * factor), [self.mean_square(), factor]));
            }
        }
        self.collect(&mut gradient);
        self.measured = Some(measured);
        to_world(&self.to_index, &mut gradient);
        gradient
    }

    /// Warped values and which voxels count, after a measurement: for checks.
    pub(crate) fn warped(&self) -> (Vec<T>, Vec<bool>) {
        let shared = self.shared();
        super::slab::values(shared, &self.coefficients)
    }

    /// What counts.
    fn weight(&self) -> f64 {
        self.slabs.iter().map(|slab| slab.sums.weight).sum()
    }

    fn mean_square(&self) -> f64 {
        self.slabs.iter().map(|slab| slab.sums.squares).sum::<f64>() / self.weight()
    }

    fn shared(&self) -> Shared<'_, T> {
        let bins = self.similarity.bins().map(|bins| bins as usize);
        let (axes, wide_axes) = (&self.axes, &self.wide_axes);
        Shared { fixed: self.fixed, sampler: &self.sampler, axes, wide_axes, lines: self.lines, bins }
    }

    fn warp(&mut self) {
        let mut slabs = std::mem::take(&mut self.slabs);
        let mut stored = (std::mem::take(&mut self.values), std::mem::take(&mut self.slopes));
        let parts = self.parts(&mut stored.0, &mut stored.1);
        let items = parts.into_iter().zip(&mut slabs).enumerate().collect();
        let (isa, planes, shared) = (self.cpu.isa, self.planes, self.shared());
        self.cpu.run(items, |(at, (warped, slab)): (usize, (Warped<'_, T>, &mut Slab))| {
            measure(isa, shared, &self.coefficients, at * planes, warped, &mut slab.sums);
        });
        (self.slabs, self.values, self.slopes) = (slabs, stored.0, stored.1);
    }

    fn push(&mut self, slopes: Slopes<'_, T>) {
        let mut slabs = std::mem::take(&mut self.slabs);
        let mut stored = (std::mem::take(&mut self.values), std::mem::take(&mut self.slopes));
        let parts = self.parts(&mut stored.0, &mut stored.1);
        let items = parts.into_iter().zip(&mut slabs).enumerate().collect();
        let (isa, planes, shared) = (self.cpu.isa, self.planes, self.shared());
        let last = self.fixed.grid().size()[2] - 1;
        self.cpu.run(items, |(at, (warped, slab)): (usize, (Warped<'_, T>, &mut Slab))| {
            let start = at * planes;
            let sums = Forces::sums(&self.wide_axes, start, (start + planes - 1).min(last));
            slab.forces.resize(sums, 0.0);
            push(isa, shared, start, warped, &slab.sums, slopes, &mut slab.forces);
        });
        (self.slabs, self.values, self.slopes) = (slabs, stored.0, stored.1);
    }

    /// What is stored of the voxels, cut into slabs.
    fn parts<'b>(&self, values: &'b mut [T], slopes: &'b mut [Vec<T>; 3]) -> Vec<Warped<'b, T>> {
        let [width, height, _] = self.fixed.grid().size();
        let length = width * height * self.planes;
        let [x, y, z] = slopes.each_mut().map(|slopes| slopes.chunks_mut(length));
        let slopes = x.zip(y).zip(z).map(|((x, y), z)| [x, y, z]);
        values.chunks_mut(length).zip(slopes).map(|(values, slopes)| Warped { values, slopes }).collect()
    }

    /// Adds the slabs' forces in order; theirs lie component by component within a control row.
    fn collect(&self, gradient: &mut [f64]) {
        let [x, y, _] = self.lattice.counts;
        let points = self.lattice.points();
        for (at, slab) in self.slabs.iter().enumerate() {
            let first = self.wide_axes[2].first[at * self.planes] * y;
            for (row, forces) in slab.forces.chunks_exact(x).enumerate() {
                let target = &mut gradient[row % 3 * points + (first + row / 3) * x..][..x];
                target.iter_mut().zip(forces).for_each(|(sum, force)| *sum += force);
            }
        }
    }
}

fn slab_planes(depth: usize) -> usize {
    depth.div_ceil(SLABS).max(PLANES)
}

/// The voxels of the fixed volume in voxels of the moving one, without the spline: the first place, and one step along each
/// axis.
pub(crate) fn lines(fixed: &Grid, moving: &Grid, affine: &Affine) -> [[f64; 3]; 4] {
    let start = moving.index(affine.apply(fixed.place([0.0; 3])));
    let matrix = product(moving.index_matrix(), &product(&affine.linear(), &fixed.world_matrix()));
    let [x, y, z] = transposed(&matrix);
    [start, x, y, z]
}

/// Coefficients in voxels of the moving volume.
pub(crate) fn in_voxels<T: Real>(to_index: &Matrix, coefficients: &[f64]) -> Vec<T> {
    let points = coefficients.len() / 3;
    let component = |axis: usize| {
        let part = move |at: usize| {
            let row = to_index[axis];
            row[0] * coefficients[at]
                + row[1] * coefficients[points + at]
                + row[2] * coefficients[2 * points + at]
        };
        (0..points).map(move |at| T::of(part(at)))
    };
    component(0).chain(component(1)).chain(component(2)).collect()
}

/// A gradient by voxels of the moving volume becomes one by millimetres of the world.
fn to_world(to_index: &Matrix, gradient: &mut [f64]) {
    let matrix = transposed(to_index);
    let points = gradient.len() / 3;
    for at in 0..points {
        let moved = times(&matrix, [gradient[at], gradient[points + at], gradient[2 * points + at]]);
        (0..3).for_each(|axis| gradient[axis * points + at] = moved[axis]);
    }
}

/// The variance of the values that count.
fn variance(volume: &ScaledVolume) -> f64 {
    let count = volume.counting() as f64;
    let values = || {
        let all = volume.values().iter().enumerate();
        all.filter(|(at, _)| volume.counts(*at)).map(|(_, value)| f64::from(*value))
    };
    let mean = values().sum::<f64>() / count;
    let squares: f64 = values().map(|value| (value - mean) * (value - mean)).sum();
    // A step may be constant where the whole volume is not.
    if squares > 0.0 { squares / count } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use onceflow_region::VolumeGeometry;

    use super::*;

    fn volume(size: [usize; 3], seed: f64) -> ScaledVolume {
        let grid = Grid::new(size, VolumeGeometry::default()).unwrap();
        let [width, height, _] = size;
        let value = |at: usize| {
            let [x, y, z] = [at % width, at / width % height, at / (width * height)].map(|i| i as f64);
            (0.5 + 0.2 * (0.7 * x + seed).sin() + 0.2 * (0.5 * y - 0.3 * z + seed).cos()) as f32
        };
        ScaledVolume::from_parts(grid, (0..grid.voxels()).map(value).collect(), None).unwrap()
    }

    /// With a soft border the cost is smooth where voxels leave and enter, and the gradient is its.
    #[test]
    fn soft_borders_have_smooth_costs() {
        let (fixed, moving) = (volume([14, 12, 10], 0.0), volume([13, 12, 11], 0.4));
        let lattice = Lattice::new(fixed.grid(), 6.0).unwrap();
        let of = |border| {
            let pair = (&fixed, &moving);
            let similarity = (Similarity::Ssd, border);
            Evaluator::<f64>::new(pair, fixed.grid(), &Affine::IDENTITY, lattice, similarity, Cpu::default())
        };
        let place: Vec<f64> = (0..lattice.coefficients()).map(|at| 0.9 * (1.7 * at as f64).sin()).collect();
        let (mut soft, mut sharp) = (of(Border::Soft), of(Border::Sharp));
        soft.measure(&place).unwrap();
        let gradient = soft.gradient();
        let greatest = gradient.iter().fold(0.0f64, |greatest, part| greatest.max(part.abs()));
        let (mut changed, mut worst) = (0, [0.0f64; 2]);
        for at in (0..place.len()).step_by(5) {
            let moved = |by: f64| {
                let mut moved = place.clone();
                moved[at] += by;
                moved
            };
            let (low, high) = (moved(-1e-5), moved(1e-5));
            let mut difference = |evaluator: &mut Evaluator<'_, f64>| {
                let (low, high) =
                    (evaluator.measure(&low).unwrap().clone(), evaluator.measure(&high).unwrap().clone());
                changed += usize::from(low.counted != high.counted);
                (high.cost - low.cost) / 2e-5
            };
            for (worst, evaluator) in worst.iter_mut().zip([&mut soft, &mut sharp]) {
                *worst = worst.max((difference(evaluator) - gradient[at]).abs() / greatest);
            }
        }
        assert!(worst[0] < 1e-4, "{worst:?}, {changed} changed");
        assert!(worst[1] > 1e-2, "a sharp border has another gradient: {worst:?}");
    }
}
