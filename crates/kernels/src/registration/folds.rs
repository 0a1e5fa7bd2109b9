//! A guard against folds: places where the transform nearly turns the world inside out cost something.
//!
//! The determinant of its derivative is asked at places half a spacing of the lattice apart. Where it is at least [`LEAST`] of
//! that of the affine part the guard costs nothing, to the last bit.

use super::affine::{Matrix, cofactors, determinant, product, transposed};
use super::field::FieldRows;
use super::lattice::{Axis, Order};
use super::{Affine, Grid, Lattice};
use crate::Cpu;
use crate::cpu::isa::versions;

/// Determinants below this one cost something: the square of their share below it.
const LEAST: f64 = 0.15;

/// The cost of a place whose determinant is 0, by the number of places.
const WEIGHT: f64 = 3.0;

/// Planes of places that are summed together.
const PLANES: usize = 8;

/// Below this many places threads cost more than they save.
const SMALL: usize = 1 << 13;

/// The places of a lattice.
pub(crate) struct FoldGuard {
    lattice: Lattice,
    /// Derivatives along x, along y, along z.
    axes: [[Axis<f64>; 3]; 3],
    /// Values, along all axes.
    values: [Axis<f64>; 3],
    affine: Matrix,
    /// From the world to millimetres along the axes.
    to_axes: Matrix,
}

/// Near folds of some coefficients.
pub(crate) struct Folds {
    scale: f64,
    slabs: Vec<SlabFolds>,
}

/// The sum of a slab, and what it gives to the control points from a plane on.
struct SlabFolds {
    cost: f64,
    forces: Option<(usize, Vec<f64>)>,
}

impl FoldGuard {
    pub(crate) fn new(full: &Grid, affine: &Affine, lattice: &Lattice) -> Self {
        let axis = |axis: usize, order: Order| Axis::halves(full, lattice, axis, order);
        let along = |slope: usize| {
            [0, 1, 2].map(|at| axis(at, if at == slope { Order::Slope } else { Order::Value }))
        };
        FoldGuard {
            lattice: *lattice,
            axes: [along(0), along(1), along(2)],
            values: [0, 1, 2].map(|at| axis(at, Order::Value)),
            affine: affine.linear(),
            to_axes: full.axes_matrix(),
        }
    }

    /// Bytes that it allocates.
    pub(crate) fn bytes(lattice: &Lattice, cpu: Cpu) -> u64 {
        let rows = 3 * FieldRows::<f64>::numbers(lattice.counts[1], 2 * lattice.counts[0]) * 8;
        2 * lattice.bytes() + cpu.threads.get() as u64 * rows
    }

    /// What near folds cost.
    pub(crate) fn cost(&self, coefficients: &[f64], cpu: Cpu) -> Folds {
        let [width, height, depth] = self.values.each_ref().map(|axis| axis.first.len());
        let small = width * height * depth < SMALL;
        let cpu = if small { Cpu { isa: cpu.isa, ..Cpu::one_thread() } } else { cpu };
        let starts = (0..depth).step_by(PLANES).collect();
        let slabs = cpu.run(starts, |start| slab(cpu.isa, self, coefficients, start));
        Folds { scale: WEIGHT / (width * height * depth) as f64, slabs }
    }

    /// Adds the gradient of what near folds cost.
    pub(crate) fn add_gradient(&self, folds: &Folds, gradient: &mut [f64]) {
        let plane = self.lattice.counts[0] * self.lattice.counts[1];
        for (first, forces) in folds.slabs.iter().filter_map(|slab| slab.forces.as_ref()) {
            let length = forces.len() / 3;
            for (component, forces) in forces.chunks(length).enumerate() {
                let target = &mut gradient[component * self.lattice.points() + first * plane..][..length];
                target.iter_mut().zip(forces).for_each(|(sum, force)| *sum += folds.scale * force);
            }
        }
    }

    /// The determinants of a row of places with derivatives along each axis.
    #[inline(always)]
    fn determinants(&self, [x, y, z]: &[Vec<f64>; 3], target: &mut [f64]) {
        let width = target.len();
        let [x, y, z] = [x, y, z].map(|row| &row[..3 * width]);
        for at in 0..width {
            let slope = |part: usize| [x[part * width + at], y[part * width + at], z[part * width + at]];
            target[at] = determinant(&self.whole(&[slope(0), slope(1), slope(2)]));
        }
    }

    /// The derivative of the transform by the world.
    #[inline(always)]
    fn whole(&self, slopes: &Matrix) -> Matrix {
        let by_world = product(slopes, &self.to_axes);
        [0, 1, 2].map(|row| [0, 1, 2].map(|column| self.affine[row][column] + by_world[row][column]))
    }

    /// The cost of a place with these derivatives (rows: components; columns: axes) whose determinant is `below` too small,
    /// and how it changes with them.
    #[inline(always)]
    fn at(&self, slopes: &Matrix, below: f64) -> (f64, Matrix) {
        let by = -2.0 * below / (LEAST * LEAST * determinant(&self.affine));
        let forces = product(&cofactors(&self.whole(slopes)), &transposed(&self.to_axes));
        ((below / LEAST) * (below / LEAST), forces.map(|row| row.map(|part| by * part)))
    }

    /// Gives the forces of a place to the 64 control points around it.
    fn spread(&self, [x, y, z]: [usize; 3], forces: &Matrix, first: usize, target: &mut [f64]) {
        let [across, down, _] = self.lattice.counts;
        let length = target.len() / 3;
        for at in 0..64 {
            let [i, j, k] = [at % 4, at / 4 % 4, at / 16];
            let point = [
                self.values[0].first[x] + i,
                self.values[1].first[y] + j,
                self.values[2].first[z] + k - first,
            ];
            let weight = |axis: usize| {
                let axes = &self.axes[axis];
                axes[0].weights[x][i] * axes[1].weights[y][j] * axes[2].weights[z][k]
            };
            let weights = [weight(0), weight(1), weight(2)];
            let at = (point[2] * down + point[1]) * across + point[0];
            for (component, force) in forces.iter().enumerate() {
                target[component * length + at] +=
                    (0..3).map(|axis| force[axis] * weights[axis]).sum::<f64>();
            }
        }
    }
}

versions! {
    fn slab(guard: &FoldGuard, coefficients: &[f64], start: usize) -> SlabFolds {
        let [width, height, depth] = guard.values.each_ref().map(|axis| axis.first.len());
        let planes = &guard.values[2].first[start..(start + PLANES).min(depth)];
        let first = planes[0];
        let length = 3 * (planes[planes.len() - 1] + 4 - first) * guard.lattice.counts[0] * guard.lattice.counts[1];
        let still = determinant(&guard.affine);
        let mut fields = [0, 1, 2].map(|axis| FieldRows::new(&guard.axes[axis], coefficients));
        let mut rows = [vec![0.0; 3 * width], vec![0.0; 3 * width], vec![0.0; 3 * width]];
        let mut determinants = vec![0.0; width];
        let mut found = SlabFolds { cost: 0.0, forces: None };
        for z in start..start + planes.len() {
            fields.iter_mut().for_each(|field| field.go_to_plane(z));
            for y in 0..height {
                fields.iter().zip(&mut rows).for_each(|(field, row)| field.row(y, row));
                guard.determinants(&rows, &mut determinants);
                for (x, determinant) in determinants.iter().enumerate() {
                    let below = LEAST - determinant / still;
                    if below > 0.0 {
                        let slope = |part: usize| [0, 1, 2].map(|axis: usize| rows[axis][part * width + x]);
                        let (cost, forces) = guard.at(&[slope(0), slope(1), slope(2)], below);
                        found.cost += cost;
                        let (_, target) = found.forces.get_or_insert_with(|| (first, vec![0.0; length]));
                        guard.spread([x, y, z], &forces, first, target);
                    }
                }
            }
        }
        found
    }
}

impl Folds {
    /// The cost; 0 where no determinant is too small.
    pub(crate) fn cost(&self) -> f64 {
        self.scale * self.slabs.iter().map(|slab| slab.cost).sum::<f64>()
    }
}
