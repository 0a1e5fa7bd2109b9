//! The voxels of a volume and where they lie in the world.

use onceflow_region::VolumeGeometry;

use super::affine::{Matrix, determinant, inverse, times};

/// Least voxels along a side.
pub const LEAST_SIDE: usize = 4;

/// A box of voxels in the world: lengths in millimetres, places towards the patient's left, back and head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    size: [usize; 3],
    geometry: VolumeGeometry,
    to_index: Matrix,
}

/// Why a volume cannot be registered.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// Too few voxels.
    #[error("expected at least {LEAST_SIDE} voxels along each side, found {} x {} x {}", .size[0], .size[1], .size[2])]
    Side {
        /// Voxels along each axis.
        size: [usize; 3],
    },
    /// Too many voxels.
    #[error("expected fewer than 2^31 voxels, found {} x {} x {}", .size[0], .size[1], .size[2])]
    Size {
        /// Voxels along each axis.
        size: [usize; 3],
    },
    /// A spacing, a place or a direction is not a number, or axes lie in one plane.
    #[error("expected a geometry of finite numbers with axes that span space, found spacing {:?}, origin {:?}, directions {:?}",
        .geometry.spacing, .geometry.origin, .geometry.directions)]
    Geometry {
        /// The geometry.
        geometry: VolumeGeometry,
    },
}

impl Grid {
    /// The grid of a volume.
    ///
    /// # Errors
    /// When a side is too short, there are too many voxels, or the geometry cannot be inverted.
    pub fn new(size: [usize; 3], geometry: VolumeGeometry) -> Result<Grid, GridError> {
        if size.iter().any(|side| *side < LEAST_SIDE) {
            return Err(GridError::Side { size });
        }
        let voxels = size.iter().try_fold(1usize, |product, side| product.checked_mul(*side));
        if voxels.is_none_or(|voxels| voxels > i32::MAX as usize) {
            return Err(GridError::Size { size });
        }
        let finite = geometry.origin.iter().chain(&geometry.spacing).all(|number| number.is_finite());
        let positive = geometry.spacing.iter().all(|side| *side > 0.0);
        let spans = determinant(&directions(&geometry)).abs();
        let to_index = inverse(&steps(&geometry)).filter(|_| finite && positive && spans > 1e-6);
        let to_index = to_index.ok_or(GridError::Geometry { geometry })?;
        Ok(Grid { size, geometry, to_index })
    }

    /// Voxels along each axis.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Where the voxels lie.
    pub fn geometry(&self) -> &VolumeGeometry {
        &self.geometry
    }

    /// Number of voxels.
    pub fn voxels(&self) -> usize {
        self.size.iter().product()
    }

    /// Millimetres between voxels along each axis.
    pub fn spacing(&self) -> [f64; 3] {
        self.geometry.spacing
    }

    /// The place of an index.
    pub fn place(&self, index: [f64; 3]) -> [f64; 3] {
        self.geometry.place(index)
    }

    /// The index of a place.
    pub fn index(&self, place: [f64; 3]) -> [f64; 3] {
        times(&self.to_index, [0, 1, 2].map(|row| place[row] - self.geometry.origin[row]))
    }

    /// The place in the middle.
    pub fn centre(&self) -> [f64; 3] {
        self.place(self.size.map(|side| (side - 1) as f64 / 2.0))
    }

    /// The distance between the first and the last voxel.
    pub fn diagonal(&self) -> f64 {
        let along = |axis: usize| (self.size[axis] - 1) as f64 * self.geometry.spacing[axis];
        [0, 1, 2].iter().map(|axis| along(*axis) * along(*axis)).sum::<f64>().sqrt()
    }

    /// The largest side of a voxel.
    pub fn largest_spacing(&self) -> f64 {
        self.geometry.spacing.into_iter().fold(0.0, f64::max)
    }

    /// The smallest side of a voxel.
    pub fn smallest_spacing(&self) -> f64 {
        self.geometry.spacing.into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Whether the axes are right-handed. A pair of volumes with different hands is often mirrored by mistake.
    pub fn right_handed(&self) -> bool {
        determinant(&directions(&self.geometry)) > 0.0
    }

    /// The matrix from millimetres in the world to voxels.
    pub(crate) fn index_matrix(&self) -> &Matrix {
        &self.to_index
    }

    /// The matrix from voxels to millimetres in the world.
    pub(crate) fn world_matrix(&self) -> Matrix {
        steps(&self.geometry)
    }

    /// The inverse of the directions: from the world to millimetres along the axes.
    pub(crate) fn axes_matrix(&self) -> Matrix {
        let spacing = self.geometry.spacing;
        [0, 1, 2].map(|axis| self.to_index[axis].map(|part| part * spacing[axis]))
    }

    /// Every second voxel along the axes that are chosen.
    pub(crate) fn every_second(&self, chosen: [bool; 3]) -> Grid {
        let mut grid = *self;
        for axis in (0..3).filter(|axis| chosen[*axis]) {
            grid.size[axis] = grid.size[axis].div_ceil(2);
            grid.geometry.spacing[axis] *= 2.0;
            grid.to_index[axis] = grid.to_index[axis].map(|part| part / 2.0);
        }
        grid
    }
}

/// Columns: the directions of the axes.
fn directions(geometry: &VolumeGeometry) -> Matrix {
    [0, 1, 2].map(|row| [0, 1, 2].map(|axis| geometry.directions[axis][row]))
}

/// Columns: one voxel further along each axis.
fn steps(geometry: &VolumeGeometry) -> Matrix {
    directions(geometry).map(|row| [0, 1, 2].map(|axis| row[axis] * geometry.spacing[axis]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_indices() {
        let directions = [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, -1.0]];
        let geometry = VolumeGeometry { spacing: [1.0, 2.0, 0.5], origin: [5.0, -3.0, 1.0], directions };
        let grid = Grid::new([8, 4, 9], geometry).unwrap();
        for (found, expected) in grid.index(grid.place([1.5, -2.0, 9.0])).iter().zip([1.5, -2.0, 9.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert!(!grid.right_handed() && grid.largest_spacing() == 2.0 && grid.smallest_spacing() == 0.5);
        let half = grid.every_second([true, false, true]);
        assert_eq!((half.size(), half.spacing()), ([4, 4, 5], [2.0, 2.0, 1.0]));
        assert_eq!(half, Grid::new([4, 4, 5], *half.geometry()).unwrap());
    }

    #[test]
    fn grids_that_cannot_be() {
        let geometry = VolumeGeometry::default();
        assert!(matches!(Grid::new([3, 4, 4], geometry), Err(GridError::Side { .. })));
        assert!(matches!(Grid::new([usize::MAX, 4, 4], geometry), Err(GridError::Size { .. })));
        for bad in [
            VolumeGeometry { spacing: [1.0, f64::NAN, 1.0], ..geometry },
            VolumeGeometry { spacing: [1.0, 0.0, 1.0], ..geometry },
            VolumeGeometry { origin: [f64::INFINITY, 0.0, 0.0], ..geometry },
            VolumeGeometry { directions: [[1.0, 0.0, 0.0]; 3], ..geometry },
        ] {
            assert!(matches!(Grid::new([4, 4, 4], bad), Err(GridError::Geometry { .. })), "{bad:?}");
        }
    }
}
