//! Other values pulled through a transform: volumes between voxels, labels at the nearest one.

use onceflow_region::{Pixels, with_values};

use super::field::FieldRows;
use super::lattice::{Axis, Order};
use super::similarity::{in_voxels, lines};
use super::voxel::Voxel;
use super::{Grid, Transform};
use crate::Cpu;
use crate::cpu::isa::{Isa, versions};

/// A volume pulled onto the fixed one by trilinear interpolation. Whole numbers keep their type, rounded half to even; others
/// become 32-bit floats. Places outside, masked, or beside a value that is not finite become `fill`: the least value where it
/// is not given. None when there is not one value, and one of the mask, for each voxel.
pub fn warped(
    transform: &Transform,
    moving: &Grid,
    values: &Pixels,
    mask: Option<&[u8]>,
    fill: Option<f64>,
    cpu: Cpu,
) -> Option<Pixels> {
    let voxels = moving.voxels();
    if values.len() != voxels || mask.is_some_and(|mask| mask.len() != voxels) {
        return None;
    }
    let fill = fill.unwrap_or_else(|| with_values!(values, values => least(values)));
    let inside = |cell: usize| mask.is_none_or(|mask| mask[cell] != 0);
    let between = Between { size: moving.size(), fill };
    macro_rules! pulled {
        ($($whole:ident),*) => {
            match values {
                $(Pixels::$whole(values) => {
                    Pixels::$whole(pull(transform, moving, cpu, Voxel::rounded(fill), |place| {
                        Voxel::rounded(between.at(values, place, inside))
                    }))
                })*
                Pixels::F32(values) => single(transform, moving, cpu, fill, |place| between.at(values, place, inside)),
                Pixels::F64(values) => single(transform, moving, cpu, fill, |place| between.at(values, place, inside)),
            }
        };
    }
    Some(pulled!(U8, I8, U16, I16, I32, U32, I64, U64))
}

/// Labels pulled onto the fixed volume: each voxel takes that of the nearest voxel, or 0 where there is none. None when
/// there is not one label for each voxel.
pub fn warped_labels(transform: &Transform, moving: &Grid, labels: &Pixels, cpu: Cpu) -> Option<Pixels> {
    if labels.len() != moving.voxels() {
        return None;
    }
    let size = moving.size();
    Some(onceflow_region::map_values!(labels, labels => {
        pull(transform, moving, cpu, Default::default(), |place| {
            nearest(size, place).and_then(|at| labels.get(at)).copied().unwrap_or_default()
        })
    }))
}

/// Bytes that either allocates beside its result.
pub fn warp_bytes(fixed: &Grid, transform: &Transform, cpu: Cpu) -> u64 {
    let rows = FieldRows::<f64>::numbers(transform.lattice.counts[1], fixed.size()[0]);
    transform.lattice.bytes() + cpu.threads.get() as u64 * rows * 8
}

fn single(
    transform: &Transform,
    moving: &Grid,
    cpu: Cpu,
    fill: f64,
    at: impl Fn([f64; 3]) -> f64 + Sync,
) -> Pixels {
    Pixels::F32(pull(transform, moving, cpu, fill as f32, |place| at(place) as f32))
}

/// The least finite value; 0 when there is none.
fn least<V: Voxel>(values: &[V]) -> f64 {
    let finite = values.iter().map(|value| value.wide()).filter(|value| value.is_finite());
    finite.reduce(f64::min).unwrap_or_default()
}

/// Places between voxels.
#[derive(Clone, Copy)]
struct Between {
    size: [usize; 3],
    fill: f64,
}

impl Between {
    /// The value at a place in voxels.
    #[inline(always)]
    fn at<V: Voxel>(self, values: &[V], place: [f64; 3], inside: impl Fn(usize) -> bool) -> f64 {
        let [width, height, _] = self.size;
        let last = self.size.map(|side| (side - 1) as f64);
        let within = |axis: usize| place[axis] >= -MARGIN && place[axis] <= last[axis] + MARGIN;
        if !(within(0) && within(1) && within(2)) {
            return self.fill;
        }
        let at = |axis: usize| {
            let place = place[axis].clamp(0.0, last[axis]);
            let cell = (place as usize).min(self.size[axis] - 2);
            (cell, place - cell as f64)
        };
        let [(i, x), (j, y), (k, z)] = [at(0), at(1), at(2)];
        let first = (k * height + j) * width + i;
        let up = [x, y, z].map(|rest| usize::from(rest >= 0.5));
        let nearest = first + (up[2] * height + up[1]) * width + up[0];
        let line = |from: usize| {
            let pair = &values[from..][..2];
            pair[0].wide() + x * (pair[1].wide() - pair[0].wide())
        };
        let plane = |from: usize| {
            let (near, far) = (line(from), line(from + width));
            near + y * (far - near)
        };
        let (low, high) = (plane(first), plane(first + width * height));
        let value = low + z * (high - low);
        if inside(nearest) && value.is_finite() { value } else { self.fill }
    }
}

/// Rounding by which a place may lie outside, in voxels.
const MARGIN: f64 = 1e-9;

/// The nearest voxel of a place in voxels.
#[inline(always)]
fn nearest(size: [usize; 3], place: [f64; 3]) -> Option<usize> {
    let at = |axis: usize| {
        let near = (place[axis] + 0.5).floor();
        (near >= 0.0 && near < size[axis] as f64).then_some(near as usize)
    };
    Some((at(2)? * size[1] + at(1)?) * size[0] + at(0)?)
}

/// One value for each voxel of the fixed volume, of its place in voxels of the moving one.
fn pull<V: Copy + Send>(
    transform: &Transform,
    moving: &Grid,
    cpu: Cpu,
    fill: V,
    at: impl Fn([f64; 3]) -> V + Sync,
) -> Vec<V> {
    let fixed = &transform.fixed;
    let [width, height, depth] = fixed.size();
    let places = Places {
        width,
        height,
        axes: &Axis::all(fixed, fixed, &transform.lattice, [Order::Value; 3]),
        lines: lines(fixed, moving, &transform.affine),
        coefficients: &in_voxels(moving.index_matrix(), &transform.coefficients),
    };
    let mut pulled = vec![fill; fixed.voxels()];
    let planes = depth.div_ceil(cpu.threads.get() * 4).max(1);
    let items = pulled.chunks_mut(planes * width * height).enumerate().collect();
    cpu.run(items, |(part, target): (usize, &mut [V])| {
        let count = target.len() / (width * height);
        places.visit(cpu.isa, part * planes, count, |voxel, place| target[voxel] = at(place));
    });
    pulled
}

/// The places of the fixed voxels in voxels of the moving volume.
#[derive(Clone, Copy)]
struct Places<'a> {
    width: usize,
    height: usize,
    axes: &'a [Axis<f64>; 3],
    lines: [[f64; 3]; 4],
    coefficients: &'a [f64],
}

impl Places<'_> {
    /// Calls with each voxel of some planes, counted from the first of them, and its place.
    fn visit(self, isa: Isa, first: usize, planes: usize, mut call: impl FnMut(usize, [f64; 3])) {
        let mut field = FieldRows::new(self.axes, self.coefficients);
        let mut row = vec![0.0; 3 * self.width];
        for line in 0..planes * self.height {
            let (y, z) = (line % self.height, first + line / self.height);
            if y == 0 {
                go_to_plane(isa, &mut field, z);
            }
            field_row(isa, &field, y, &mut row);
            let [start, by_x, by_y, by_z] = self.lines;
            for x in 0..self.width {
                let place = [0, 1, 2].map(|axis| {
                    let line = start[axis] + y as f64 * by_y[axis] + z as f64 * by_z[axis];
                    line + x as f64 * by_x[axis] + row[axis * self.width + x]
                });
                call(line * self.width + x, place);
            }
        }
    }
}

versions! {
    fn go_to_plane(field: &mut FieldRows<'_, f64>, z: usize) {
        field.go_to_plane(z);
    }
}

versions! {
    fn field_row(field: &FieldRows<'_, f64>, y: usize, row: &mut [f64]) {
        field.row(y, row);
    }
}
