//! Pairs of small volumes with a known field between them.

use onceflow_kernels::registration::{
    Affine, Grid, Lattice, LevelProblem, ScaledVolume, Similarity, Transform,
};
use onceflow_region::{Pixels, VolumeGeometry};

/// A stream of numbers from 0 to 1.
pub(crate) struct Stream(pub(crate) u64);

impl Stream {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From -1 to 1.
    pub(crate) fn either(&mut self) -> f64 {
        2.0 * self.next() - 1.0
    }
}

/// Blobs of different heights in the middle of empty space, at a place in mm.
pub(crate) fn blobs(place: [f64; 3]) -> f64 {
    let mut stream = Stream(5);
    let blob = |_| {
        let centre = [0, 1, 2].map(|_| 16.0 * stream.either());
        let (width, height) = (3.0 + 4.0 * stream.next(), 0.3 + 0.7 * stream.next());
        let square: f64 = (0..3).map(|axis| (place[axis] - centre[axis]).powi(2)).sum();
        height * (-square / (2.0 * width * width)).exp()
    };
    let sum: f64 = (0..24).map(blob).sum();
    if sum > 0.05 { sum } else { 0.0 }
}

/// A grid around the origin of the world.
pub(crate) fn grid(size: [usize; 3], spacing: [f64; 3], directions: [[f64; 3]; 3]) -> Grid {
    let bare = Grid::new(size, VolumeGeometry { spacing, origin: [0.0; 3], directions }).unwrap();
    let origin = bare.centre().map(|part| -part);
    Grid::new(size, VolumeGeometry { spacing, origin, directions }).unwrap()
}

pub(crate) const STRAIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
pub(crate) const TURNED: [[f64; 3]; 3] = [[0.0, 1.0, 0.0], [-0.96, 0.0, 0.28], [0.28, 0.0, 0.96]];

/// A volume whose values are a function of the place.
pub(crate) fn volume(grid: Grid, value: impl Fn([f64; 3]) -> f64) -> ScaledVolume {
    let [width, height, _] = grid.size();
    let place =
        |at: usize| grid.place([at % width, at / width % height, at / (width * height)].map(|i| i as f64));
    let values = (0..grid.voxels()).map(|at| value(place(at)) as f32).collect();
    ScaledVolume::scale(grid, &Pixels::F32(values), None, None).unwrap().volume
}

/// A transform with a random field of this size in mm.
pub(crate) fn random(fixed: Grid, delta: f64, size: f64, seed: u64) -> Transform {
    let lattice = Lattice::new(&fixed, delta).unwrap();
    let mut stream = Stream(seed);
    let coefficients = (0..lattice.coefficients()).map(|_| size * stream.either()).collect();
    Transform { fixed, affine: Affine::IDENTITY, lattice, coefficients }
}

/// A pair: the fixed volume is the moving one pulled through a known transform, to the last bit but for its scale.
pub(crate) struct Pair {
    pub(crate) fixed: ScaledVolume,
    pub(crate) moving: ScaledVolume,
    pub(crate) truth: Transform,
}

impl Pair {
    pub(crate) fn new(size: [usize; 3], seed: u64) -> Pair {
        let fixed = grid(size, [1.5, 1.25, 1.75], STRAIGHT);
        let moving = grid([40, 36, 38], [1.5, 1.5, 1.5], TURNED);
        let truth = random(fixed, 16.0, 4.5, seed);
        let fixed = volume(fixed, |place| blobs(truth.map(place).place));
        Pair { fixed, moving: volume(moving, blobs), truth }
    }

    /// The registration of the pair in one level.
    pub(crate) fn problem(&self, delta: f64, similarity: Similarity) -> LevelProblem<'_> {
        LevelProblem {
            fixed: &self.fixed,
            moving: &self.moving,
            full: self.fixed.grid(),
            affine: Affine::IDENTITY,
            lattice: Lattice::new(self.fixed.grid(), delta).unwrap(),
            final_spacing: delta,
            similarity,
            optimiser: Default::default(),
            tolerance: 1e-5,
            bending: 0.02,
            step: 1.0,
        }
    }
}
