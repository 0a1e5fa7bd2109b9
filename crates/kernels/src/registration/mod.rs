//! Nonrigid registration of two volumes: a cubic B-spline field over an affine map, found level by level.
//!
//! The *fixed* volume's voxels are those of all results; the *moving* volume is pulled onto them by T(x) = A x + u(x), from
//! places of the fixed world to places of the moving world. Lengths are in millimetres. A [`Pyramid`] of each volume and a
//! [`Lattice`] for each level make a [`LevelProblem`], which a [`LevelRun`] descends; its coefficients start the next level after
//! [`refine`].

mod affine;
mod bending;
mod field;
mod folds;
mod grid;
mod lattice;
mod level;
mod metrics;
mod optimiser;
mod pyramid;
mod real;
mod sampler;
mod scaled;
mod similarity;
mod start;
mod transform;
mod voxel;
mod warp;

pub use affine::Affine;
pub use grid::{Grid, GridError, LEAST_SIDE};
pub use lattice::{Lattice, LatticeError, refine, spacing_factor};
pub use level::{Evaluation, LevelProblem, LevelRun, NoOverlap, Precision, level_bytes};
pub use metrics::{Folding, LabelOverlap, LandmarkErrors, Overlap, Similarities, overlap, similarities};
pub use optimiser::{Cost, Ended, LevelState, Optimiser, StateError, TraceRow};
pub use pyramid::{Pyramid, halve, pyramid_bytes};
pub use scaled::{ScaleError, Scaled, ScaledVolume};
pub use similarity::{BINS, JointHistogram, Similarity};
pub use start::{AffineSearch, Start, initial};
pub use transform::{Mapped, Transform};
pub use warp::{warp_bytes, warped, warped_labels};
