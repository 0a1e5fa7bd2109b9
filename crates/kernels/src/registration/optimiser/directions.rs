//! Directions of descent from what earlier steps found.

use super::search::Pair;
use super::vectors::{add, dot, opposite, scale};

/// Most pairs that are kept.
pub(super) const PAIRS: usize = 6;

/// The direction of limited-memory BFGS; the last pair is the newest.
pub(super) fn lbfgs(gradient: &[f64], pairs: &[Pair]) -> Vec<f64> {
    let mut direction = opposite(gradient);
    let Some(newest) = pairs.last() else { return direction };
    let mut parts = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let part = dot(&pair.step, &direction) / pair.product;
        add(&mut direction, &pair.change, -part);
        parts.push(part);
    }
    scale(&mut direction, newest.product / dot(&newest.change, &newest.change));
    for (pair, part) in pairs.iter().zip(parts.into_iter().rev()) {
        let back = dot(&pair.change, &direction) / pair.product;
        add(&mut direction, &pair.step, part - back);
    }
    direction
}

/// The conjugate direction of Polak and Ribière; `before` is the gradient before the step.
pub(super) fn conjugate(gradient: &[f64], before: &[f64], direction: &[f64]) -> Vec<f64> {
    let square = dot(before, before);
    let ratio = if square > 0.0 { (dot(gradient, gradient) - dot(gradient, before)) / square } else { 0.0 };
    let mut next = opposite(gradient);
    if ratio > 0.0 {
        add(&mut next, direction, ratio);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_a_quadratic_lead_to_its_minimum() {
        // With a pair along each axis of a quadratic form the direction is Newton's.
        let curvature = [2.0, 5.0, 0.5];
        let pair = |axis: usize| {
            let mut step = vec![0.0; 3];
            step[axis] = 0.3;
            let change: Vec<f64> = step.iter().zip(curvature).map(|(step, by)| step * by).collect();
            let product = dot(&step, &change);
            Pair { step, change, product }
        };
        let place = [1.0, -2.0, 3.0];
        let gradient: Vec<f64> = place.iter().zip(curvature).map(|(place, by)| place * by).collect();
        let direction = lbfgs(&gradient, &[pair(0), pair(1), pair(2)]);
        for (found, place) in direction.iter().zip(place) {
            assert!((found + place).abs() < 1e-12, "{direction:?}");
        }
        assert_eq!(lbfgs(&gradient, &[]), [-2.0, 10.0, -1.5]);
    }
}
