//! Eigenvalues of a symmetric matrix by Jacobi's rotations.

/// The values, and the vectors as columns, row by row.
pub(super) fn eigen(matrix: &[f64], size: usize) -> (Vec<f64>, Vec<f64>) {
    const SWEEPS: usize = 30;
    let mut a = matrix.to_vec();
    let mut vectors: Vec<f64> = (0..size * size).map(|i| f64::from(u8::from(i % (size + 1) == 0))).collect();
    for _ in 0..SWEEPS {
        let outside: f64 =
            (0..size).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * size + j].powi(2)).sum();
        let diagonal: f64 = (0..size).map(|i| a[i * size + i].powi(2)).sum();
        if outside <= 1e-24 * diagonal {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                rotate(&mut a, &mut vectors, size, p, q);
            }
        }
    }
    ((0..size).map(|i| a[i * size + i]).collect(), vectors)
}

/// The rotation that makes one entry zero.
fn rotate(a: &mut [f64], vectors: &mut [f64], size: usize, p: usize, q: usize) {
    let entry = a[p * size + q];
    if entry == 0.0 {
        return;
    }
    let theta = (a[q * size + q] - a[p * size + p]) / (2.0 * entry);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..size {
        let (x, y) = (a[k * size + p], a[k * size + q]);
        (a[k * size + p], a[k * size + q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..size {
        let (x, y) = (a[p * size + k], a[q * size + k]);
        (a[p * size + k], a[q * size + k]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..size {
        let (x, y) = (vectors[k * size + p], vectors[k * size + q]);
        (vectors[k * size + p], vectors[k * size + q]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::eigen;

    #[test]
    fn vectors_and_values_make_the_matrix_again() {
        let size = 5;
        let entry = |i: usize, j: usize| ((i * j) as f64 * 0.7).sin() + if i == j { 3.0 } else { 0.0 };
        let matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
        let (values, vectors) = eigen(&matrix, size);
        for i in 0..size {
            for j in 0..size {
                let sum: f64 =
                    (0..size).map(|k| vectors[i * size + k] * values[k] * vectors[j * size + k]).sum();
                assert!((sum - matrix[i * size + j]).abs() < 1e-9);
            }
        }
    }
}
