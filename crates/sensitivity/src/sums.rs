//! Sums in a fixed order that the compiler can vectorise: the same bits on every processor.

const LANES: usize = 8;

/// The sum of products.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a_parts, b_parts) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_parts.zip(b_parts) {
        for lane in 0..LANES {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// The sum of squares.
pub(crate) fn sum_of_squares(values: &[f64]) -> f64 {
    dot(values, values)
}

/// The sum.
pub(crate) fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let parts = values.chunks_exact(LANES);
    let rest: f64 = parts.remainder().iter().sum();
    for x in parts {
        for lane in 0..LANES {
            lanes[lane] += x[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// The mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    sum(values) / values.len() as f64
}

/// The variance, divided by one less than their number; NaN of fewer than two.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let freedom = values.len() as f64 - 1.0;
    if freedom < 1.0 { f64::NAN } else { sum_of_squares(&centred(values)) / freedom }
}

/// The values less their mean. A column that does not vary becomes exactly 0.
pub(crate) fn centred(values: &[f64]) -> Vec<f64> {
    let constant = values.iter().all(|v| *v == values[0]);
    let middle = if constant { values.first().copied().unwrap_or(0.0) } else { mean(values) };
    values.iter().map(|v| v - middle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_hold_every_value() {
        let values: Vec<f64> = (1..=21).map(f64::from).collect();
        assert_eq!((sum(&values), dot(&values, &values)), (231.0, 3_311.0));
        assert_eq!(sum(&centred(&values)), 0.0);
        assert_eq!(centred(&[0.1; 7]), [0.0; 7]);
    }
}
