//! The map from the fixed to the moving volume: an affine map and a spline.

use super::affine::{determinant, product};
use super::field::FieldRows;
use super::lattice::{Axis, Order, place_on, weights};
use super::{Affine, Grid, Lattice};
use crate::Cpu;
use crate::cpu::isa::versions;

/// A map of places of the fixed world to places of the moving world: T(x) = A x + u(x).
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    /// The fixed volume: the spline is defined within its voxels' centres.
    pub fixed: Grid,
    /// A.
    pub affine: Affine,
    /// The control points of u.
    pub lattice: Lattice,
    /// Their displacements in mm of the world: the x parts of all points, then the y parts, then the z parts.
    pub coefficients: Vec<f64>,
}

/// Where a place goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mapped {
    /// The place in the moving world.
    pub place: [f64; 3],
    /// Whether the place lies within the fixed volume. Outside, only the affine part moves it.
    pub inside: bool,
}

impl Transform {
    /// The transform without a spline.
    pub fn affine(fixed: Grid, affine: Affine, lattice: Lattice) -> Transform {
        Transform { fixed, affine, lattice, coefficients: vec![0.0; lattice.coefficients()] }
    }

    /// Where a place of the fixed world goes.
    pub fn map(&self, place: [f64; 3]) -> Mapped {
        let moved = self.affine.apply(place);
        let index = self.fixed.index(place);
        let last = self.fixed.size().map(|side| (side - 1) as f64);
        let inside = (0..3).all(|axis| index[axis] >= -ROUNDING && index[axis] <= last[axis] + ROUNDING);
        if !inside {
            return Mapped { place: moved, inside };
        }
        let by = self.spline([0, 1, 2].map(|axis| index[axis].clamp(0.0, last[axis])));
        Mapped { place: [0, 1, 2].map(|row| moved[row] + by[row]), inside }
    }

    /// The spline at an index of the fixed volume.
    fn spline(&self, index: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = [0, 1, 2].map(|axis| {
            let (first, r) = place_on(index[axis] * self.fixed.spacing()[axis] / self.lattice.delta);
            (first.min(self.lattice.counts[axis] - 4), weights(r))
        });
        let [across, down, _] = self.lattice.counts;
        let mut sum = [0.0; 3];
        for at in 0..64 {
            let (i, j, k) = (at % 4, at / 4 % 4, at / 16);
            let point = ((z.0 + k) * down + y.0 + j) * across + x.0 + i;
            let weight = x.1[i] * y.1[j] * z.1[k];
            let part = |axis: usize| self.coefficients[axis * self.lattice.points() + point];
            sum = [0, 1, 2].map(|axis| sum[axis] + weight * part(axis));
        }
        sum
    }

    /// T(x) - x in mm at the voxels of planes of the fixed volume, which follow one another: x of all voxels of a plane,
    /// then y, then z.
    pub fn displacements(&self, planes: std::ops::Range<usize>, cpu: Cpu) -> Vec<[Vec<f64>; 3]> {
        let axes = Axis::all(&self.fixed, &self.fixed, &self.lattice, [Order::Value; 3]);
        let cut = chunks(planes, cpu);
        let made = cpu.run(cut, |planes| displacement_planes(cpu.isa, self, &axes, planes));
        made.into_iter().flatten().collect()
    }

    /// The determinant of dT/dx at the voxels of planes of the fixed volume.
    pub fn determinants(&self, planes: std::ops::Range<usize>, cpu: Cpu) -> Vec<Vec<f64>> {
        let axes = [0, 1, 2].map(|slope| {
            let orders = [0, 1, 2].map(|axis| if axis == slope { Order::Slope } else { Order::Value });
            Axis::all(&self.fixed, &self.fixed, &self.lattice, orders)
        });
        let cut = chunks(planes, cpu);
        let made = cpu.run(cut, |planes| determinant_planes(cpu.isa, self, &axes, planes));
        made.into_iter().flatten().collect()
    }
}

/// Voxels by which a place may lie outside and is taken as the border: the rounding of places in files.
const ROUNDING: f64 = 1e-6;

/// Parts of a range of planes, one for each thread.
fn chunks(planes: std::ops::Range<usize>, cpu: Cpu) -> Vec<std::ops::Range<usize>> {
    let step = planes.len().div_ceil(cpu.threads.get()).max(1);
    let end = planes.end;
    planes.step_by(step).map(|start| start..(start + step).min(end)).collect()
}

versions! {
    fn displacement_planes(
        transform: &Transform,
        axes: &[Axis<f64>; 3],
        planes: std::ops::Range<usize>,
    ) -> Vec<[Vec<f64>; 3]> {
        let mut field = FieldRows::new(axes, &transform.coefficients);
        planes.map(|z| displacement_plane(transform, &mut field, z)).collect()
    }
}

#[inline(always)]
fn displacement_plane(transform: &Transform, field: &mut FieldRows<'_, f64>, z: usize) -> [Vec<f64>; 3] {
    let [width, height, _] = transform.fixed.size();
    let mut made = [0, 1, 2].map(|_| Vec::with_capacity(width * height));
    let mut row = vec![0.0; 3 * width];
    field.go_to_plane(z);
    for y in 0..height {
        field.row(y, &mut row);
        for x in 0..width {
            let place = transform.fixed.place([x as f64, y as f64, z as f64]);
            let moved = transform.affine.apply(place);
            (0..3).for_each(|axis| made[axis].push(moved[axis] + row[axis * width + x] - place[axis]));
        }
    }
    made
}

versions! {
    fn determinant_planes(
        transform: &Transform,
        axes: &[[Axis<f64>; 3]; 3],
        planes: std::ops::Range<usize>,
    ) -> Vec<Vec<f64>> {
        let mut fields = [0, 1, 2].map(|axis| FieldRows::new(&axes[axis], &transform.coefficients));
        planes.map(|z| determinant_plane(transform, &mut fields, z)).collect()
    }
}

#[inline(always)]
fn determinant_plane(transform: &Transform, fields: &mut [FieldRows<'_, f64>; 3], z: usize) -> Vec<f64> {
    let [width, height, _] = transform.fixed.size();
    let (affine, axes) = (transform.affine.linear(), transform.fixed.axes_matrix());
    let mut rows = [0, 1, 2].map(|_| vec![0.0; 3 * width]);
    let mut made = Vec::with_capacity(width * height);
    fields.iter_mut().for_each(|field| field.go_to_plane(z));
    for y in 0..height {
        fields.iter().zip(&mut rows).for_each(|(field, row)| field.row(y, row));
        made.extend((0..width).map(|x| {
            // Rows: components of u; columns: derivatives along the axes of the volume.
            let slopes = [0, 1, 2].map(|part| [0, 1, 2].map(|axis: usize| rows[axis][part * width + x]));
            let by_world = product(&slopes, &axes);
            determinant(
                &[0, 1, 2].map(|row| [0, 1, 2].map(|column| affine[row][column] + by_world[row][column])),
            )
        }));
    }
    made
}
