//! NIfTI says where a volume lies by a matrix or by a rotation, towards the patient's right, front and head.

use onceflow_region::VolumeGeometry;

/// The geometry of three rows of a matrix: three columns for the axes, one for the place of the first value.
pub(super) fn from_rows(rows: [[f64; 4]; 3]) -> Option<VolumeGeometry> {
    let column = |at: usize| [-rows[0][at], -rows[1][at], rows[2][at]];
    let mut geometry = VolumeGeometry { origin: column(3), ..VolumeGeometry::default() };
    for axis in 0..3 {
        let vector = column(axis);
        let length = vector.iter().map(|part| part * part).sum::<f64>().sqrt();
        geometry.spacing[axis] = Some(length).filter(|length| length.is_finite() && *length > 0.0)?;
        geometry.directions[axis] = vector.map(|part| part / length);
    }
    geometry.origin.iter().all(|part| part.is_finite()).then_some(geometry)
}

/// The rows of the matrix that a geometry is.
pub(super) fn to_rows(geometry: &VolumeGeometry) -> [[f64; 4]; 3] {
    let sign = [-1.0, -1.0, 1.0];
    [0, 1, 2].map(|row| {
        let along = |axis: usize| sign[row] * geometry.directions[axis][row] * geometry.spacing[axis];
        [along(0), along(1), along(2), sign[row] * geometry.origin[row]]
    })
}

/// The geometry of a rotation by a quaternion of which three numbers are stated; `handed` is 1, or -1 when depths count
/// backwards.
pub(super) fn from_quaternion(
    [b, c, d]: [f64; 3],
    handed: f64,
    spacing: [f64; 3],
    offset: [f64; 3],
) -> Option<VolumeGeometry> {
    let a = (1.0 - (b * b + c * c + d * d)).max(0.0).sqrt();
    let rotation = [
        [a * a + b * b - c * c - d * d, 2.0 * (b * c - a * d), 2.0 * (b * d + a * c)],
        [2.0 * (b * c + a * d), a * a + c * c - b * b - d * d, 2.0 * (c * d - a * b)],
        [2.0 * (b * d - a * c), 2.0 * (c * d + a * b), a * a + d * d - c * c - b * b],
    ];
    let steps = [spacing[0], spacing[1], spacing[2] * handed];
    from_rows([0, 1, 2].map(|row| {
        let along = |axis: usize| rotation[row][axis] * steps[axis];
        [along(0), along(1), along(2), offset[row]]
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_there_and_back() {
        let rows = [[0.0, -2.0, 0.0, 90.0], [3.0, 0.0, 0.0, -126.0], [0.0, 0.0, 4.0, -72.0]];
        let geometry = from_rows(rows).unwrap();
        assert_eq!((geometry.spacing, geometry.origin), ([3.0, 2.0, 4.0], [-90.0, 126.0, -72.0]));
        assert_eq!(to_rows(&geometry), rows);
        assert_eq!(geometry.place([1.0, 1.0, 1.0]), [-88.0, 123.0, -68.0]);
        assert_eq!(from_rows([[0.0; 4]; 3]), None);
        assert_eq!(from_rows([[f64::NAN; 4]; 3]), None);
    }

    #[test]
    fn a_quarter_turn() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let geometry = from_quaternion([0.0, 0.0, half], -1.0, [1.0, 2.0, 3.0], [5.0, 6.0, 7.0]).unwrap();
        let rows = to_rows(&geometry);
        let expected = [[0.0, -2.0, 0.0, 5.0], [1.0, 0.0, 0.0, 6.0], [0.0, 0.0, -3.0, 7.0]];
        for (found, expected) in rows.as_flattened().iter().zip(expected.as_flattened()) {
            assert!((found - expected).abs() < 1e-12, "{rows:?}");
        }
    }
}
