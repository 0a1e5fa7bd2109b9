//! Displacements and determinants of a transform at all voxels, slab by slab.

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::Transform;

/// Planes that are computed at once, for each thread.
const PLANES: usize = 4;

fn slabs(transform: &Transform, cpu: Cpu) -> impl Iterator<Item = std::ops::Range<usize>> {
    let (depths, step) = (transform.fixed.size()[2], PLANES * cpu.threads.get());
    (0..depths).step_by(step).map(move |start| start..(start + step).min(depths))
}

/// T(x) - x in mm at every voxel.
pub(crate) fn displacements(transform: &Transform, cpu: Cpu) -> Vec<[f32; 3]> {
    let mut vectors = Vec::with_capacity(transform.fixed.voxels());
    for slab in slabs(transform, cpu) {
        for [x, y, z] in transform.displacements(slab, cpu) {
            vectors.extend(x.iter().zip(&y).zip(&z).map(|((x, y), z)| [*x as f32, *y as f32, *z as f32]));
        }
    }
    vectors
}

/// The determinant of T's derivative at every voxel.
pub fn jacobian(transform: &Transform, cpu: Cpu) -> Vec<f32> {
    let mut determinants = Vec::with_capacity(transform.fixed.voxels());
    for slab in slabs(transform, cpu) {
        let planes = transform.determinants(slab, cpu);
        determinants.extend(planes.into_iter().flatten().map(|determinant| determinant as f32));
    }
    determinants
}
