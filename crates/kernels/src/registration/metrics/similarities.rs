//! How alike two volumes are under a transform, by every measure.

use crate::Cpu;
use crate::registration::level::no_overlap;
use crate::registration::similarity::{Border, Evaluator};
use crate::registration::{NoOverlap, ScaledVolume, Similarity, Transform};

/// The similarities of two volumes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarities {
    /// Normalised mutual information.
    pub nmi: f64,
    /// Mutual information.
    pub mi: f64,
    /// The mean squared difference by the variance of the fixed volume.
    pub ssd: f64,
    /// Voxels that count.
    pub counted: u64,
}

/// The similarities of two volumes of full size under a transform.
///
/// # Errors
/// When too few voxels count.
pub fn similarities(
    transform: &Transform,
    fixed: &ScaledVolume,
    moving: &ScaledVolume,
    bins: u32,
    cpu: Cpu,
) -> Result<Similarities, NoOverlap> {
    let measured = |similarity: Similarity| {
        let (grid, affine) = (&transform.fixed, &transform.affine);
        let mut evaluator = Evaluator::<f32>::new(
            (fixed, moving),
            grid,
            affine,
            transform.lattice,
            (similarity, Border::Sharp),
            cpu,
        );
        let found = evaluator.measure(&transform.coefficients).cloned();
        found.map_err(|few| no_overlap(few, grid, moving.grid(), affine))
    };
    let (information, squares) = (measured(Similarity::Nmi { bins })?, measured(Similarity::Ssd)?);
    let mi = information.joint.as_ref().map_or(f64::NAN, |joint| joint.mi());
    Ok(Similarities { nmi: -information.cost, mi, ssd: squares.cost, counted: information.counted })
}
