//! One registration with the defaults, level by level.

use std::ops::ControlFlow;
use std::time::Instant;

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{
    Affine, Lattice, LevelProblem, LevelRun, Optimiser, Pyramid, ScaledVolume, Similarity, Transform,
    level_bytes, pyramid_bytes, refine, spacing_factor,
};
use onceflow_terminal::Failure;

use super::pair::{BenchPair, BenchVolume};
use crate::kernels::processor_time;

/// Most iterations of each level.
const ITERATIONS: [u32; 5] = [100, 100, 80, 40, 20];

/// A pair that is registered.
pub(super) struct Registered {
    pub(super) transform: Transform,
    /// Processor time of the caller's thread.
    pub(super) processor_s: f64,
    pub(super) wall_s: f64,
    /// Bytes that the run reserves above the two volumes, by those of the fixed volume's values.
    pub(super) memory: f64,
}

/// Registers a pair from its loaded values to the coefficients of the last level.
pub(super) fn register(pair: &BenchPair, cpu: Cpu) -> Result<Registered, Failure> {
    let processor = || processor_time().unwrap_or(f64::NAN) / 1e3;
    let (wall, start) = (Instant::now(), processor());
    let (fixed, moving) = (prepare(&pair.fixed, cpu)?, prepare(&pair.moving, cpu)?);
    let full = *pair.fixed.grid();
    let (levels, spacing) = (fixed.levels(), 5.0 * full.smallest_spacing());
    let mut transform = Transform::affine(full, Affine::IDENTITY, lattice(pair, spacing_factor(1, levels))?);
    let (similarity, mut memory) = (Similarity::default(), 0);
    for (level, iterations) in (1..=levels).zip(ITERATIONS) {
        let lattice = lattice(pair, spacing_factor(level, levels))?;
        let coefficients = refine(&transform.lattice, &transform.coefficients, &lattice);
        let Some((step, other)) = fixed.level(level).zip(moving.level(level)) else { continue };
        memory = memory.max(level_bytes(step.grid(), other.grid(), &lattice, similarity, cpu));
        let problem = LevelProblem {
            fixed: step,
            moving: other,
            full: &full,
            affine: transform.affine,
            lattice,
            final_spacing: spacing,
            similarity,
            optimiser: Optimiser::Lbfgs,
            tolerance: 1e-5,
            bending: similarity.default_bending(),
            step: 1.0,
        };
        let mut run = LevelRun::new(problem, coefficients, cpu).map_err(refused)?;
        run.run(iterations, &mut |_| ControlFlow::Continue(()));
        transform = Transform { lattice, coefficients: run.coefficients().to_vec(), ..transform };
    }
    let smaller = |volume: &BenchVolume| pyramid_bytes(volume.grid().size(), levels);
    let bytes = memory + smaller(&pair.fixed) + smaller(&pair.moving);
    Ok(Registered {
        transform,
        processor_s: processor() - start,
        wall_s: wall.elapsed().as_secs_f64(),
        memory: bytes as f64 / (4 * full.voxels()) as f64,
    })
}

fn lattice(pair: &BenchPair, factor: f64) -> Result<Lattice, Failure> {
    let grid = pair.fixed.grid();
    Lattice::new(grid, 5.0 * grid.smallest_spacing() * factor).map_err(refused)
}

fn prepare(volume: &BenchVolume, cpu: Cpu) -> Result<Pyramid, Failure> {
    let scaled = ScaledVolume::scale(*volume.grid(), volume.values(), None, None).map_err(refused)?;
    Ok(Pyramid::new(scaled.volume, ITERATIONS.len() as u32, cpu))
}

/// The displacements of all voxels in mm, three numbers each.
pub(super) fn field(transform: &Transform) -> Vec<f32> {
    let planes = transform.displacements(0..transform.fixed.size()[2], Cpu::one_thread());
    let voxel =
        |plane: &[Vec<f64>; 3], at: usize| [plane[0][at] as f32, plane[1][at] as f32, plane[2][at] as f32];
    planes.iter().flat_map(|plane| (0..plane[0].len()).flat_map(move |at| voxel(plane, at))).collect()
}

fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::internal(format!("a pair cannot be registered: {error}"))
}
