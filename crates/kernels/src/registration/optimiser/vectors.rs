//! Sums over long vectors, in an order that depends on their length only.

/// Sums side by side.
const LANES: usize = 16;

/// The inner product.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (heads, head) = one.as_chunks::<LANES>();
    let (others, other) = other.as_chunks::<LANES>();
    for (a, b) in heads.iter().zip(others) {
        (0..LANES).for_each(|lane| lanes[lane] += a[lane] * b[lane]);
    }
    let rest: f64 = head.iter().zip(other).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f64>() + rest
}

/// Adds a multiple.
pub(crate) fn add(target: &mut [f64], values: &[f64], factor: f64) {
    target.iter_mut().zip(values).for_each(|(target, value)| *target += factor * value);
}

/// Multiplies all.
pub(crate) fn scale(target: &mut [f64], factor: f64) {
    target.iter_mut().for_each(|value| *value *= factor);
}

/// The opposite.
pub(crate) fn opposite(values: &[f64]) -> Vec<f64> {
    values.iter().map(|value| -value).collect()
}
