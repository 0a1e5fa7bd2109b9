//! The spline at all voxels, row by row: the lattice is expanded along x, summed along z for a plane, along y for a row.

use super::lattice::Axis;
use super::real::Real;

/// Four control planes, expanded along x, and their sum for one plane of voxels.
pub(crate) struct FieldRows<'a, T> {
    axes: &'a [Axis<T>; 3],
    /// Three components, one after the other.
    coefficients: &'a [T],
    /// Which control plane a slot holds.
    held: [usize; 4],
    /// For each slot and control row, three components of a row of voxels.
    slots: [Vec<T>; 4],
    plane: Vec<T>,
}

impl<'a, T: Real> FieldRows<'a, T> {
    #[inline(always)]
    pub(crate) fn new(axes: &'a [Axis<T>; 3], coefficients: &'a [T]) -> Self {
        let length = axes[1].count * 3 * axes[0].first.len();
        let empty = || vec![T::default(); length];
        let slots = [empty(), empty(), empty(), empty()];
        FieldRows { axes, coefficients, held: [usize::MAX; 4], slots, plane: empty() }
    }

    /// Numbers that it holds, for one plane of this many control rows and voxels along x.
    pub(crate) fn numbers(rows: usize, width: usize) -> u64 {
        5 * 3 * rows as u64 * width as u64
    }

    /// Goes to a plane of voxels.
    #[inline(always)]
    pub(crate) fn go_to_plane(&mut self, z: usize) {
        let first = self.axes[2].first[z];
        for plane in first..first + 4 {
            if self.held[plane % 4] != plane {
                self.held[plane % 4] = plane;
                self.expand(plane);
            }
        }
        let slots = [0, 1, 2, 3].map(|by| self.slots[(first + by) % 4].as_slice());
        sum_rows(slots, self.axes[2].weights[z], &mut self.plane);
    }

    /// The three components of a row of voxels, one after the other.
    #[inline(always)]
    pub(crate) fn row(&self, y: usize, row: &mut [T]) {
        let (length, first) = (row.len(), self.axes[1].first[y]);
        let rows = [0, 1, 2, 3].map(|by| &self.plane[(first + by) * length..][..length]);
        sum_rows(rows, self.axes[1].weights[y], row);
    }

    #[inline(always)]
    fn expand(&mut self, plane: usize) {
        let (x, rows) = (&self.axes[0], self.axes[1].count);
        let points = x.count * rows * self.axes[2].count;
        let width = x.first.len();
        for (at, target) in self.slots[plane % 4].chunks_exact_mut(width).enumerate() {
            let (row, component) = (at / 3, at % 3);
            let points = &self.coefficients[component * points + (plane * rows + row) * x.count..][..x.count];
            for ((value, first), weights) in target.iter_mut().zip(&x.first).zip(&x.weights) {
                let taken = &points[*first..][..4];
                *value = weights[0] * taken[0]
                    + weights[1] * taken[1]
                    + weights[2] * taken[2]
                    + weights[3] * taken[3];
            }
        }
    }
}

#[inline(always)]
fn sum_rows<T: Real>([a, b, c, d]: [&[T]; 4], weights: [T; 4], target: &mut [T]) {
    let length = target.len();
    let (a, b, c, d) = (&a[..length], &b[..length], &c[..length], &d[..length]);
    for at in 0..length {
        target[at] = weights[0] * a[at] + weights[1] * b[at] + weights[2] * c[at] + weights[3] * d[at];
    }
}

/// The transpose of [`FieldRows`]: what voxels give to the control points around them, summed for the planes of a slab.
pub(crate) struct Forces<'a> {
    axes: &'a [Axis<f64>; 3],
    /// Control planes as yet open, along x not contracted.
    slots: [Vec<f64>; 4],
    first_open: usize,
    plane: Vec<f64>,
    touched: bool,
    /// The first control plane of the sums.
    start: usize,
}

impl<'a> Forces<'a> {
    /// Sums from a plane of voxels on.
    #[inline(always)]
    pub(crate) fn new(axes: &'a [Axis<f64>; 3], z: usize) -> Self {
        let length = axes[1].count * 3 * axes[0].first.len();
        let empty = || vec![0.0; length];
        let slots = [empty(), empty(), empty(), empty()];
        let start = axes[2].first[z];
        Forces { axes, slots, first_open: start, plane: empty(), touched: false, start }
    }

    /// Numbers of the sums over planes of voxels from `z` to the last one.
    pub(crate) fn sums(axes: &[Axis<f64>; 3], z: usize, last: usize) -> usize {
        let planes = axes[2].first[last] + 4 - axes[2].first[z];
        planes * 3 * axes[0].count * axes[1].count
    }

    /// Adds a part of a row: three components, one after the other, from voxel `from` on.
    #[inline(always)]
    pub(crate) fn add_row(&mut self, y: usize, from: usize, forces: [&[f64]; 3]) {
        let (width, first) = (self.axes[0].first.len(), self.axes[1].first[y]);
        self.touched = true;
        for (by, weight) in self.axes[1].weights[y].into_iter().enumerate() {
            for (component, force) in forces.into_iter().enumerate() {
                let target = &mut self.plane[((first + by) * 3 + component) * width + from..][..force.len()];
                add_scaled(target, force, weight);
            }
        }
    }

    /// Ends a plane of voxels; control planes before those that later ones need go into the sums.
    #[inline(always)]
    pub(crate) fn end_plane(&mut self, z: usize, sums: &mut [f64]) {
        let first = self.axes[2].first[z];
        self.close(first, sums);
        if self.touched {
            for (by, weight) in self.axes[2].weights[z].into_iter().enumerate() {
                add_scaled(&mut self.slots[(first + by) % 4], &self.plane, weight);
            }
            self.plane.fill(0.0);
            self.touched = false;
        }
    }

    /// Puts the control planes before `until` into the sums.
    #[inline(always)]
    pub(crate) fn close(&mut self, until: usize, sums: &mut [f64]) {
        for plane in self.first_open..until.min(self.first_open + 4) {
            self.contract(plane, sums);
            self.slots[plane % 4].fill(0.0);
        }
        self.first_open = until;
    }

    /// Ends the slab whose last plane of voxels is `z`.
    #[inline(always)]
    pub(crate) fn finish(&mut self, z: usize, sums: &mut [f64]) {
        let first = self.axes[2].first[z];
        self.close(first, sums);
        self.close(first + 4, sums);
    }

    #[inline(always)]
    fn contract(&self, plane: usize, sums: &mut [f64]) {
        let x = &self.axes[0];
        let length = 3 * x.count * self.axes[1].count;
        let sums = &mut sums[(plane - self.start) * length..][..length];
        let rows = self.slots[plane % 4].chunks_exact(x.first.len());
        for (row, target) in rows.zip(sums.chunks_exact_mut(x.count)) {
            for ((force, first), weights) in row.iter().zip(&x.first).zip(&x.weights) {
                let target = &mut target[*first..][..4];
                (0..4).for_each(|by| target[by] += weights[by] * force);
            }
        }
    }
}

#[inline(always)]
fn add_scaled(target: &mut [f64], values: &[f64], weight: f64) {
    for (target, value) in target.iter_mut().zip(values) {
        *target += weight * value;
    }
}
