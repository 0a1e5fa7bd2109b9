//! The two passes over the voxels of a slab: the first warps and counts, the second sums the forces on control points.

use super::histogram::{bin_of, row_of, zero_weights};
use crate::cpu::isa::versions;
use crate::registration::ScaledVolume;
use crate::registration::field::{FieldRows, Forces};
use crate::registration::lattice::Axis;
use crate::registration::real::Real;
use crate::registration::sampler::{RowSamples, Sampler};

/// Where no force comes from: outside, masked, or in empty space.
const NOTHING: f64 = -1.0;

/// What a slab reads in both passes.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a, T> {
    pub(crate) fixed: &'a ScaledVolume,
    pub(crate) sampler: &'a Sampler<'a>,
    pub(crate) axes: &'a [Axis<T>; 3],
    pub(crate) wide_axes: &'a [Axis<f64>; 3],
    /// The line through the first voxels in voxels of the moving volume: start, and steps along x, y, z.
    pub(crate) lines: [[f64; 3]; 4],
    /// Bins of a value; none for squared differences.
    pub(crate) bins: Option<usize>,
}

/// What the first pass leaves for the second: warped values and their slopes.
pub(crate) struct Warped<'a, T> {
    pub(crate) values: &'a mut [T],
    pub(crate) slopes: [&'a mut [T]; 3],
}

/// A voxel that counts in part.
#[derive(Clone, Copy, Debug)]
struct SlabEdge {
    /// The voxel, counted from the slab's first.
    at: usize,
    /// Its squared difference.
    square: f64,
    /// How its weight changes by voxels of the moving volume.
    slopes: [f64; 3],
}

/// The sums of a slab.
#[derive(Debug, Default)]
pub(crate) struct SlabSums {
    pub(crate) counted: u64,
    /// Of squared differences.
    pub(crate) squares: f64,
    /// What counts, where voxels at the border count in part.
    pub(crate) weight: f64,
    /// The voxels at the border.
    edges: Vec<SlabEdge>,
    /// The joint histogram, row by row.
    pub(crate) joint: Vec<f64>,
    /// Voxels that read 0, by row of the histogram.
    zeros: Vec<u64>,
    /// For each row of voxels, from where to where there are forces.
    spans: Vec<(u32, u32)>,
}

versions! {
    /// Warps the planes of a slab from `start` on, and counts.
    pub(crate) fn measure<T: Real>(
        shared: Shared<'_, T>,
        coefficients: &[T],
        start: usize,
        warped: Warped<'_, T>,
        sums: &mut SlabSums,
    ) {
        let [width, height, _] = shared.fixed.grid().size();
        let mut warped = warped;
        let mut field = FieldRows::new(shared.axes, coefficients);
        let mut row = vec![T::default(); 3 * width];
        let mut found = RowSamples::default();
        sums.clear(shared.bins);
        for at in 0..warped.values.len() / width {
            let (y, z) = (at % height, start + at / height);
            if y == 0 {
                field.go_to_plane(z);
            }
            field.row(y, &mut row);
            let first = (z * height + y) * width;
            let mask = shared.fixed.mask().map(|mask| &mask[first..][..width]);
            shared.sampler.row(shared.line(y, z), &row, mask, &mut found);
            sums.count(&shared, first, &found);
            sums.soften(&shared.fixed.values()[first..], at * width, &found);
            let span = warped.keep(at * width, width, &found);
            sums.spans.push(span);
        }
        sums.settle(shared.bins);
    }
}

/// The values of all voxels, and which of them count: for checks, without instruction sets or threads.
pub(crate) fn values<T: Real>(shared: Shared<'_, T>, coefficients: &[T]) -> (Vec<T>, Vec<bool>) {
    let [width, height, depth] = shared.fixed.grid().size();
    let (mut values, mut counted) =
        (vec![T::default(); width * height * depth], vec![false; width * height * depth]);
    let mut field = FieldRows::new(shared.axes, coefficients);
    let (mut row, mut found) = (vec![T::default(); 3 * width], RowSamples::default());
    for line in 0..height * depth {
        let (y, z) = (line % height, line / height);
        field.go_to_plane(z);
        field.row(y, &mut row);
        let mask = shared.fixed.mask().map(|mask| &mask[line * width..][..width]);
        shared.sampler.row(shared.line(y, z), &row, mask, &mut found);
        found.zeros.iter().for_each(|at| counted[line * width + *at as usize] = true);
        for (hit, value) in found.hits.iter().zip(&found.values) {
            counted[line * width + hit.at as usize] = true;
            values[line * width + hit.at as usize] = *value;
        }
    }
    (values, counted)
}

versions! {
    /// Sums the forces of a slab that was measured. `slopes` are those of the histogram, or of squared differences.
    pub(crate) fn push<T: Real>(
        shared: Shared<'_, T>,
        start: usize,
        warped: Warped<'_, T>,
        sums: &SlabSums,
        slopes: Slopes<'_, T>,
        forces: &mut [f64],
    ) {
        let [width, height, _] = shared.fixed.grid().size();
        let mut sum = Forces::new(shared.wide_axes, start);
        let mut parts = [vec![0.0; width], vec![0.0; width], vec![0.0; width]];
        let last = start + sums.spans.len() / height - 1;
        let mut edges = sums.edges.iter().peekable();
        forces.fill(0.0);
        for (at, (from, to)) in sums.spans.iter().map(|(from, to)| (*from as usize, *to as usize)).enumerate() {
            let (y, z) = (at % height, start + at / height);
            if from < to {
                let range = at * width + from..at * width + to;
                let fixed = (z * height + y) * width + from;
                row_forces(&shared, fixed, &warped, range, slopes, &mut parts);
                while let Some(edge) = edges.next_if(|edge| edge.at < (at + 1) * width) {
                    edge.push(slopes, edge.at - at * width - from, &mut parts);
                }
                let [a, b, c] = &parts;
                let length = to - from;
                sum.add_row(y, from, [&a[..length], &b[..length], &c[..length]]);
            }
            if y + 1 == height {
                sum.end_plane(z, forces);
            }
        }
        sum.finish(last, forces);
    }
}

/// How the cost changes with a warped value.
#[derive(Clone, Copy)]
pub(crate) enum Slopes<'a, T> {
    /// Polynomials by row and cell of the histogram.
    Information(&'a [[T; 4]]),
    /// A factor of the difference; and what voxels at the border compare theirs with: the mean square, and a factor.
    Squares(T, [f64; 2]),
}

impl SlabEdge {
    /// A voxel that counts more or less changes the mean.
    #[inline(always)]
    fn push<T: Real>(&self, slopes: Slopes<'_, T>, to: usize, parts: &mut [Vec<f64>; 3]) {
        if let Slopes::Squares(_, [mean, factor]) = slopes {
            let by = (self.square - mean) * factor;
            (0..3).for_each(|axis| parts[axis][to] += by * self.slopes[axis]);
        }
    }
}

#[inline(always)]
fn row_forces<T: Real>(
    shared: &Shared<'_, T>,
    fixed: usize,
    warped: &Warped<'_, T>,
    range: std::ops::Range<usize>,
    slopes: Slopes<'_, T>,
    parts: &mut [Vec<f64>; 3],
) {
    let length = range.len();
    let values = &warped.values[range.clone()];
    let [x, y, z] = warped.slopes.each_ref().map(|slopes| &slopes[range.clone()]);
    let [to_x, to_y, to_z] = parts.each_mut().map(|part| &mut part[..length]);
    let nothing = T::of(NOTHING * 0.5);
    match (slopes, shared.bins) {
        (Slopes::Information(table), Some(bins)) => {
            let fixed = &shared.fixed.values()[fixed..][..length];
            for at in 0..length {
                let value = values[at];
                let bin = bin_of(value.at_least(T::default()), bins);
                let cell = bin.whole();
                let r = bin - T::of_whole(cell);
                let [a, b, c, _] = table[row_of(fixed[at], bins) * bins + cell as usize];
                let by = a + r * (b + r * c);
                let by = if value > nothing { by } else { T::default() };
                to_x[at] = (by * x[at]).wide();
                to_y[at] = (by * y[at]).wide();
                to_z[at] = (by * z[at]).wide();
            }
        }
        (Slopes::Squares(factor, _), _) => {
            let fixed = &shared.fixed.values()[fixed..][..length];
            for at in 0..length {
                let by = factor * (T::of_single(fixed[at]) - values[at]);
                let by = if values[at] > nothing { by } else { T::default() };
                to_x[at] = (by * x[at]).wide();
                to_y[at] = (by * y[at]).wide();
                to_z[at] = (by * z[at]).wide();
            }
        }
        (Slopes::Information(_), None) => {}
    }
}

impl<T> Shared<'_, T> {
    /// The row of voxels at y and z in voxels of the moving volume: its start and its step.
    #[inline(always)]
    fn line(&self, y: usize, z: usize) -> [[f64; 3]; 2] {
        let [start, by_x, by_y, by_z] = self.lines;
        [[0, 1, 2].map(|axis| start[axis] + y as f64 * by_y[axis] + z as f64 * by_z[axis]), by_x]
    }
}

impl<T: Real> Warped<'_, T> {
    /// Keeps what was found in a row, and says where there are hits.
    #[inline(always)]
    fn keep(&mut self, first: usize, width: usize, found: &RowSamples<T>) -> (u32, u32) {
        let (Some(from), Some(to)) = (found.hits.first(), found.hits.last()) else { return (0, 0) };
        let (from, to) = (from.at, to.at + 1);
        let values = &mut self.values[first..][..width];
        values[from as usize..to as usize].fill(T::of(NOTHING));
        let [x, y, z] = self.slopes.each_mut().map(|slopes| &mut slopes[first..][..width]);
        for (at, hit) in found.hits.iter().enumerate() {
            let to = hit.at as usize;
            values[to] = found.values[at];
            x[to] = found.slopes[0][at];
            y[to] = found.slopes[1][at];
            z[to] = found.slopes[2][at];
        }
        (from, to)
    }
}

impl SlabSums {
    /// Bytes of a voxel at the border.
    pub(crate) const EDGE: u64 = size_of::<SlabEdge>() as u64;

    fn clear(&mut self, bins: Option<usize>) {
        let bins = bins.unwrap_or_default();
        (self.counted, self.squares, self.weight) = (0, 0.0, 0.0);
        self.edges.clear();
        self.spans.clear();
        self.joint.clear();
        self.joint.resize(bins * bins, 0.0);
        self.zeros.clear();
        self.zeros.resize(bins, 0);
    }

    /// Counts a row of voxels of which `first` is the first.
    #[inline(always)]
    fn count<T: Real>(&mut self, shared: &Shared<'_, T>, first: usize, found: &RowSamples<T>) {
        self.counted += (found.hits.len() + found.zeros.len()) as u64;
        self.weight += (found.hits.len() + found.zeros.len()) as f64;
        let fixed = &shared.fixed.values()[first..];
        match shared.bins {
            Some(bins) => self.count_bins(bins, fixed, found),
            None => self.count_squares(fixed, found),
        }
    }

    #[inline(always)]
    fn count_bins<T: Real>(&mut self, bins: usize, fixed: &[f32], found: &RowSamples<T>) {
        for at in &found.zeros {
            self.zeros[row_of(fixed[*at as usize], bins)] += 1;
        }
        for (hit, value) in found.hits.iter().zip(&found.values) {
            let bin = bin_of(*value, bins);
            let cell = bin.whole();
            let weights = cell_weights(bin - T::of_whole(cell));
            let first = row_of(fixed[hit.at as usize], bins) * bins + cell as usize - 1;
            let sums = &mut self.joint[first..][..4];
            (0..4).for_each(|by| sums[by] += weights[by].wide());
        }
    }

    #[inline(always)]
    fn count_squares<T: Real>(&mut self, fixed: &[f32], found: &RowSamples<T>) {
        let square = |value: f64| value * value;
        for at in &found.zeros {
            self.squares += square(f64::from(fixed[*at as usize]));
        }
        for (hit, value) in found.hits.iter().zip(&found.values) {
            self.squares += square((T::of_single(fixed[hit.at as usize]) - *value).wide());
        }
    }

    /// Takes back what voxels at the border count too much.
    #[inline(always)]
    fn soften<T: Real>(&mut self, fixed: &[f32], first: usize, found: &RowSamples<T>) {
        for edge in &found.edges {
            let at = found.hits[edge.hit].at as usize;
            let difference = (T::of_single(fixed[at]) - found.values[edge.hit]).wide();
            let square = difference * difference;
            self.squares -= (1.0 - edge.weight) * square;
            self.weight -= 1.0 - edge.weight;
            self.edges.push(SlabEdge { at: first + at, square, slopes: edge.slopes });
        }
    }

    /// Adds the voxels that read 0 to the histogram.
    fn settle(&mut self, bins: Option<usize>) {
        let Some(bins) = bins else { return };
        let weights = zero_weights();
        for (row, zeros) in self.joint.chunks_mut(bins).zip(&self.zeros) {
            (0..3).for_each(|by| row[1 + by] += weights[by] * *zeros as f64);
        }
    }
}

/// The cubic weights of a warped value on four columns.
#[inline(always)]
fn cell_weights<T: Real>(r: T) -> [T; 4] {
    let of = T::of;
    let (square, rest) = (r * r, of(1.0) - r);
    let cube = square * r;
    let sixth = of(1.0 / 6.0);
    [
        rest * rest * rest * sixth,
        (of(3.0) * cube - of(6.0) * square + of(4.0)) * sixth,
        (of(3.0) * (square + r - cube) + of(1.0)) * sixth,
        cube * sixth,
    ]
}
