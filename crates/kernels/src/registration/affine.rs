//! Affine maps of the world, and matrices of three rows.

/// Rows of a matrix.
pub(crate) type Matrix = [[f64; 3]; 3];

/// An affine map: three rows of a matrix with the translation as the last column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine(pub [[f64; 4]; 3]);

impl Affine {
    /// Every place stays.
    pub const IDENTITY: Affine = Affine([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// A translation.
    pub fn translation(by: [f64; 3]) -> Affine {
        let mut affine = Affine::IDENTITY;
        (0..3).for_each(|row| affine.0[row][3] = by[row]);
        affine
    }

    /// Where a place goes.
    #[inline(always)]
    pub fn apply(&self, place: [f64; 3]) -> [f64; 3] {
        self.0.map(|[a, b, c, offset]| a * place[0] + b * place[1] + c * place[2] + offset)
    }

    /// The matrix without the translation.
    pub fn linear(&self) -> [[f64; 3]; 3] {
        self.0.map(|[a, b, c, _]| [a, b, c])
    }

    /// Whether the map is of finite numbers and can be inverted without mirroring the world.
    pub fn is_proper(&self) -> bool {
        self.0.iter().flatten().all(|number| number.is_finite()) && determinant(&self.linear()) > 0.0
    }
}

/// A matrix times a vector.
#[inline(always)]
pub(crate) fn times(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|[a, b, c]| a * vector[0] + b * vector[1] + c * vector[2])
}

/// One matrix times another.
#[inline(always)]
pub(crate) fn product(one: &Matrix, other: &Matrix) -> Matrix {
    let column = |at: usize| times(one, [other[0][at], other[1][at], other[2][at]]);
    transposed(&[column(0), column(1), column(2)])
}

#[inline(always)]
pub(crate) fn transposed(matrix: &Matrix) -> Matrix {
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| matrix[column][row]))
}

#[inline(always)]
pub(crate) fn determinant(m: &Matrix) -> f64 {
    m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
}

/// How the determinant changes with each entry.
#[inline(always)]
pub(crate) fn cofactors(m: &Matrix) -> Matrix {
    let [a, b, c] = *m;
    let cross = |u: [f64; 3], v: [f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    [cross(b, c), cross(c, a), cross(a, b)]
}

/// The inverse; none when it is not finite.
pub(crate) fn inverse(m: &Matrix) -> Option<Matrix> {
    let by = determinant(m);
    let inverse = transposed(&cofactors(m)).map(|row| row.map(|part| part / by));
    inverse.iter().flatten().all(|part| part.is_finite()).then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_undoes() {
        let matrix = [[1.0, 2.0, 0.5], [-1.0, 3.0, 0.0], [0.25, 0.0, 2.0]];
        let undone = product(&inverse(&matrix).unwrap(), &matrix);
        for (row, values) in undone.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                assert!((value - f64::from(u8::from(row == column))).abs() < 1e-14);
            }
        }
        assert_eq!(inverse(&[[1.0, 2.0, 3.0]; 3]), None);
        assert!((determinant(&matrix) - (6.0 - 2.0 * -2.0 + 0.5 * -0.75)).abs() < 1e-12);
    }

    #[test]
    fn maps() {
        let moved = Affine::translation([1.0, -2.0, 3.0]);
        assert_eq!(moved.apply([1.0, 1.0, 1.0]), [2.0, -1.0, 4.0]);
        assert!(moved.is_proper() && !Affine([[0.0; 4]; 3]).is_proper());
    }
}
