//! Where a volume lies in the world.

/// Where a volume lies in the world, in millimetres towards the patient's left, back and head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeGeometry {
    /// Millimetres from one column, row and depth to the next.
    pub spacing: [f64; 3],
    /// The place of the first value.
    pub origin: [f64; 3],
    /// The directions of columns, rows and depths: three vectors of length 1.
    pub directions: [[f64; 3]; 3],
}

impl Default for VolumeGeometry {
    fn default() -> Self {
        let directions = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        VolumeGeometry { spacing: [1.0; 3], origin: [0.0; 3], directions }
    }
}

impl VolumeGeometry {
    /// The place of a value.
    pub fn place(&self, index: [f64; 3]) -> [f64; 3] {
        let along = |axis: usize, row: usize| self.directions[axis][row] * self.spacing[axis] * index[axis];
        [0, 1, 2].map(|row| self.origin[row] + along(0, row) + along(1, row) + along(2, row))
    }

    /// Micrometres per pixel within a slice, when its pixels are square.
    pub fn um_per_pixel(&self) -> Option<f64> {
        let [across, down, _] = self.spacing;
        ((across - down).abs() <= 1e-6 * across).then_some(across * 1000.0)
    }
}
