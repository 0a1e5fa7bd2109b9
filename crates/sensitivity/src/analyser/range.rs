//! How far values reach: their ends, whether they differ at all, and how to bring them near 1.

/// The smallest and the largest value; infinite the wrong way round when there is none.
pub(super) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// Whether values differ by more than the rounding of values of their size.
pub(super) fn varies(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = ends(values);
    high - low > 8.0 * f64::EPSILON * low.abs().max(high.abs())
}

/// A power of two that brings the values near 1, so that their products neither overflow nor vanish; it changes no bit.
pub(super) fn scale(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest > 0.0 { 2.0_f64.powi(-(largest.log2().floor() as i32).clamp(-1000, 1000)) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_no_variation_and_no_values_do_not_vary() {
        let of = |values: &[f64]| varies(values.iter().copied());
        assert!(of(&[1.0, 1.0 + 1e-14]) && !of(&[1e9, 1e9 * (1.0 + f64::EPSILON)]));
        assert!(!of(&[0.0, -0.0]) && !of(&[7.0]) && !of(&[]));
    }

    #[test]
    fn scaled_values_lie_between_one_and_two() {
        for largest in [1e-250, 0.3, 1.0, 77.0, 1e250] {
            let scaled = largest * scale([largest / 3.0, -largest].into_iter());
            assert!((1.0..2.0).contains(&scaled), "{largest}: {scaled}");
        }
        assert_eq!(scale(std::iter::empty()), 1.0);
    }
}
