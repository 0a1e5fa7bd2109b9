//! Slices through the middle of the fixed volume in three planes: both volumes, a checkerboard of them, their difference,
//! the deformed grid, and how volumes change.

use onceflow_imageio::picture_bytes;
use onceflow_kernels::registration::{Grid, ScaledVolume, Transform};
use onceflow_region::{Dense, Pixels};

use super::Page;
use crate::measure::affine_only;

/// A plane through the middle of the fixed volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plane {
    /// Columns across, rows down.
    ColumnsRows,
    /// Columns across, depths up.
    ColumnsDepths,
    /// Rows across, depths up.
    RowsDepths,
}

/// A picture of a slice.
pub(super) struct Picture {
    pub(super) caption: &'static str,
    /// Its extent in the world.
    pub(super) millimetres: [f64; 2],
    pub(super) png: Vec<u8>,
}

/// Voxels along a field of the checkerboard.
const FIELD: usize = 16;

/// Lines of the deformed grid along the longer side of a slice.
const LINES: f64 = 24.0;

impl Plane {
    pub(super) const ALL: [Self; 3] = [Self::ColumnsRows, Self::ColumnsDepths, Self::RowsDepths];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::ColumnsRows => "Plane of columns and rows",
            Self::ColumnsDepths => "Plane of columns and depths",
            Self::RowsDepths => "Plane of rows and depths",
        }
    }

    /// The axes across, down and through.
    fn axes(self) -> [usize; 3] {
        match self {
            Self::ColumnsRows => [0, 1, 2],
            Self::ColumnsDepths => [0, 2, 1],
            Self::RowsDepths => [1, 2, 0],
        }
    }

    /// The indices of its voxels, row by row; depths go up.
    fn voxels(self, grid: &Grid) -> impl Iterator<Item = [usize; 3]> + use<> {
        let ([across, down, through], size) = (self.axes(), grid.size());
        let flipped = down == 2;
        (0..size[down]).flat_map(move |row| {
            let row = if flipped { size[down] - 1 - row } else { row };
            (0..size[across]).map(move |column| {
                let mut index = [0; 3];
                (index[across], index[down], index[through]) = (column, row, size[through] / 2);
                index
            })
        })
    }
}

/// The values of a plane.
struct Slice<'a> {
    plane: Plane,
    grid: &'a Grid,
}

pub(super) fn pictures(page: &Page<'_>, plane: Plane) -> Vec<Picture> {
    let (finished, transform) = (page.finished, &page.finished.registered.transform);
    let slice = Slice { plane, grid: &transform.fixed };
    let at = |index: [usize; 3]| index.map(|place| place as f64);
    let place = |index: [usize; 3]| transform.fixed.place(at(index));
    let before = affine_only(transform);
    let fixed = slice.values(|index| value(finished.fixed, at(index)));
    let pulled = |transform: &Transform| {
        slice.values(|index| {
            let moved = transform.map(place(index)).place;
            value(finished.moving, finished.moving.grid().index(moved))
        })
    };
    let (start, end) = (pulled(&before), pulled(transform));
    let grey = |values: &[f32]| colours(values, |value| [(value * 255.0).round() as u8; 3]);
    let difference = |values: &[f32]| {
        let differences: Vec<f32> = fixed.iter().zip(values).map(|(a, b)| b - a).collect();
        colours(&differences, |by| two_sided(by.clamp(-1.0, 1.0)))
    };
    let volumes = slice.values(|[x, y, z]| {
        let [width, height, _] = transform.fixed.size();
        page.jacobian.get((z * height + y) * width + x).copied().unwrap_or(1.0)
    });
    vec![
        slice.picture("fixed", grey(&fixed)),
        slice.picture("moving, at the start", grey(&start)),
        slice.picture("moving, registered", grey(&end)),
        slice.picture("checkerboard of fixed and registered", grey(&slice.checkerboard(&fixed, &end))),
        slice.picture("difference before (blue: moving darker, red: brighter)", difference(&start)),
        slice.picture("difference after", difference(&end)),
        slice.picture("grid of the moving volume, deformed", grey(&slice.deformed(transform))),
        slice.picture(
            "change of volume (blue: larger there, red: smaller, black: folded)",
            colours(&volumes, change),
        ),
    ]
}

impl Slice<'_> {
    fn values(&self, of: impl Fn([usize; 3]) -> f32) -> Vec<f32> {
        self.plane.voxels(self.grid).map(of).collect()
    }

    fn size(&self) -> [usize; 2] {
        let [across, down, _] = self.plane.axes();
        [self.grid.size()[across], self.grid.size()[down]]
    }

    fn picture(&self, caption: &'static str, pixels: Vec<u8>) -> Picture {
        let ([across, down, _], [width, height]) = (self.plane.axes(), self.size());
        let spacing = self.grid.spacing();
        let millimetres = [width as f64 * spacing[across], height as f64 * spacing[down]];
        let png = Dense::new(width, height, 3, Pixels::U8(pixels)).and_then(|dense| picture_bytes(&dense));
        Picture { caption, millimetres, png: png.unwrap_or_default() }
    }

    fn checkerboard(&self, one: &[f32], other: &[f32]) -> Vec<f32> {
        let [width, _] = self.size();
        let even = |at: usize| (at % width / FIELD + at / width / FIELD).is_multiple_of(2);
        (0..one.len()).map(|at| if even(at) { one[at] } else { other[at] }).collect()
    }

    /// Lines that are straight in the moving volume.
    fn deformed(&self, transform: &Transform) -> Vec<f32> {
        let [across, down, _] = self.plane.axes();
        let (spacing, size) = (self.grid.spacing(), self.grid.size());
        let longer =
            [across, down].map(|axis| size[axis] as f64 * spacing[axis]).into_iter().fold(0.0, f64::max);
        let step = longer / LINES;
        self.values(|index| {
            let moved = self.grid.index(transform.map(self.grid.place(index.map(|at| at as f64))).place);
            let is_on = |axis: usize| (moved[axis] * spacing[axis]).rem_euclid(step) < spacing[axis];
            if is_on(across) || is_on(down) { 1.0 } else { 0.0 }
        })
    }
}

/// The value between voxels; 0 outside.
fn value(volume: &ScaledVolume, index: [f64; 3]) -> f32 {
    let size = volume.grid().size();
    if (0..3).any(|axis| !(0.0..=(size[axis] - 1) as f64).contains(&index[axis])) {
        return 0.0;
    }
    let cell = [0, 1, 2].map(|axis| (index[axis] as usize).min(size[axis] - 2));
    let rest = [0, 1, 2].map(|axis| index[axis] - cell[axis] as f64);
    let corner = |at: usize| {
        let up = [at % 2, at / 2 % 2, at / 4];
        let weight = [0, 1, 2].map(|axis| if up[axis] == 1 { rest[axis] } else { 1.0 - rest[axis] });
        let [x, y, z] = [0, 1, 2].map(|axis| cell[axis] + up[axis]);
        let value = volume.values().get((z * size[1] + y) * size[0] + x).copied().unwrap_or(0.0);
        weight.iter().product::<f64>() * f64::from(value)
    };
    (0..8).map(corner).sum::<f64>() as f32
}

fn colours(values: &[f32], colour: impl Fn(f32) -> [u8; 3]) -> Vec<u8> {
    values.iter().flat_map(|value| colour(*value)).collect()
}

/// Blue below 0, white at 0, red above.
fn two_sided(by: f32) -> [u8; 3] {
    let faded = (255.0 * (1.0 - by.abs())).round() as u8;
    if by < 0.0 { [faded, faded, 255] } else { [255, faded, faded] }
}

/// White where volumes stay; black where they are folded.
fn change(determinant: f32) -> [u8; 3] {
    if determinant <= 0.0 {
        return [0, 0, 0];
    }
    two_sided((-determinant.ln() / std::f32::consts::LN_2 / 2.0).clamp(-1.0, 1.0))
}
