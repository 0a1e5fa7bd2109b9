//! How good a displacement field of any program is: overlap of labels, folding, error.

use onceflow_kernels::registration::overlap;
use onceflow_region::{Pixels, with_values};
use onceflow_terminal::Failure;

use super::pair::BenchPair;

/// What a field is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judgement {
    /// Mean over the labels of the fixed volume.
    pub(super) dice: f64,
    /// Share of voxels whose determinant, by central differences, is 0 or less.
    pub(super) folded: f64,
    /// Mean distance from the true field within labels, in mm.
    pub(super) error: Option<f64>,
}

impl Judgement {
    /// Judges the displacements of the fixed voxels: three numbers each, in mm of the world.
    pub(super) fn of(pair: &BenchPair, field: &[f32]) -> Result<Judgement, Failure> {
        if field.len() != 3 * pair.fixed.grid().voxels() {
            return Err(Failure::internal("a field that is not one vector for each voxel"));
        }
        let found = overlap(pair.fixed_labels.values(), &labels(pair, field));
        let dice = found.and_then(|found| found.dice).unwrap_or(f64::NAN);
        let error = pair.truth.as_ref().map(|truth| error(pair, field, truth));
        Ok(Judgement { dice, folded: folded(pair, field), error })
    }
}

fn vector(field: &[f32], at: usize) -> [f64; 3] {
    [0, 1, 2].map(|axis| f64::from(field[3 * at + axis]))
}

fn index(pair: &BenchPair, at: usize) -> [usize; 3] {
    let [width, height, _] = pair.fixed.grid().size();
    [at % width, at / width % height, at / (width * height)]
}

/// The moving labels, each at the nearest voxel.
#[allow(clippy::unnecessary_cast, reason = "necessary for the other types")]
fn labels(pair: &BenchPair, field: &[f32]) -> Pixels {
    let (fixed, moving) = (pair.fixed.grid(), pair.moving_labels.grid());
    let nearest = |at: usize| {
        let (place, by) = (fixed.place(index(pair, at).map(|i| i as f64)), vector(field, at));
        let found =
            moving.index([0, 1, 2].map(|axis| place[axis] + by[axis])).map(|part| (part + 0.5).floor());
        let [width, height, _] = moving.size();
        let inside = (0..3).all(|axis| found[axis] >= 0.0 && found[axis] < moving.size()[axis] as f64);
        inside.then(|| (found[2] as usize * height + found[1] as usize) * width + found[0] as usize)
    };
    let taken: Vec<Option<usize>> = (0..fixed.voxels()).map(nearest).collect();
    with_values!(pair.moving_labels.values(), values => {
        Pixels::F64(taken.iter().map(|at| at.map_or(0.0, |at| values[at] as f64)).collect())
    })
}

/// Central differences within the volume; the outermost voxels are left out.
fn folded(pair: &BenchPair, field: &[f32]) -> f64 {
    let grid = pair.fixed.grid();
    let [width, height, depth] = grid.size();
    let strides = [1, width, width * height];
    let inner = |at: &usize| {
        let [x, y, z] = index(pair, *at);
        x > 0 && x + 1 < width && y > 0 && y + 1 < height && z > 0 && z + 1 < depth
    };
    let moved = |at: usize| {
        let (place, by) = (grid.place(index(pair, at).map(|i| i as f64)), vector(field, at));
        [0, 1, 2].map(|axis| place[axis] + by[axis])
    };
    let determinant = |at: usize, of: &dyn Fn(usize) -> [f64; 3]| {
        let step = |axis: usize| {
            let (high, low) = (of(at + strides[axis]), of(at - strides[axis]));
            [0, 1, 2].map(|row| high[row] - low[row])
        };
        let [a, b, c] = [step(0), step(1), step(2)];
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        (0..3).map(|row| a[row] * cross[row]).sum::<f64>()
    };
    // A left-handed volume has negative determinants where nothing moves.
    let hand = if grid.right_handed() { 1.0 } else { -1.0 };
    let turned = (0..grid.voxels()).filter(inner).filter(|at| hand * determinant(*at, &moved) <= 0.0).count();
    turned as f64 / grid.voxels() as f64
}

/// The mean distance from the truth where the fixed volume has a label.
#[allow(clippy::unnecessary_cast, reason = "necessary for the other types")]
fn error(pair: &BenchPair, field: &[f32], truth: &[f32]) -> f64 {
    let labelled: Vec<bool> = with_values!(pair.fixed_labels.values(), values => values.iter().map(|value| *value as f64 > 0.0).collect());
    let within = labelled.iter().enumerate().filter(|(_, labelled)| **labelled);
    let (mut sum, mut count) = (0.0, 0.0);
    for (at, _) in within {
        let (found, truth) = (vector(field, at), vector(truth, at));
        sum += (0..3).map(|axis| (found[axis] - truth[axis]).powi(2)).sum::<f64>().sqrt();
        count += 1.0;
    }
    sum / count
}
