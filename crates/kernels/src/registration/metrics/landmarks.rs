//! Landmarks carried by a transform, and how far they lie from where they belong.

use crate::registration::{Mapped, Transform};

/// Errors of landmarks in mm.
#[derive(Clone, Debug, PartialEq)]
pub struct LandmarkErrors {
    /// Where each one goes.
    pub mapped: Vec<Mapped>,
    /// Its distance from where it belongs.
    pub errors: Vec<f64>,
    /// The mean error.
    pub mean: f64,
    /// The error that 95 of 100 do not exceed, between neighbours in proportion.
    pub p95: f64,
    /// The greatest error.
    pub greatest: f64,
    /// How many lie outside the fixed volume, where only the affine part moves them.
    pub outside: usize,
}

impl LandmarkErrors {
    /// The errors of landmarks of the fixed world that belong at places of the moving world; none without landmarks, or when
    /// their numbers differ.
    pub fn of(transform: &Transform, from: &[[f64; 3]], to: &[[f64; 3]]) -> Option<LandmarkErrors> {
        if from.is_empty() || from.len() != to.len() {
            return None;
        }
        let mapped: Vec<Mapped> = from.iter().map(|place| transform.map(*place)).collect();
        let errors: Vec<f64> = mapped.iter().zip(to).map(|(found, to)| distance(found.place, *to)).collect();
        let mut sorted = errors.clone();
        sorted.sort_by(f64::total_cmp);
        Some(LandmarkErrors {
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            p95: quantile(&sorted, 0.95),
            greatest: sorted[sorted.len() - 1],
            outside: mapped.iter().filter(|found| !found.inside).count(),
            mapped,
            errors,
        })
    }
}

fn distance(one: [f64; 3], other: [f64; 3]) -> f64 {
    (0..3).map(|axis| (one[axis] - other[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The quantile of sorted numbers, between neighbours in proportion.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let low = place.floor();
    let high = sorted[place.ceil() as usize];
    let low_value = sorted[low as usize];
    low_value + (place - low) * (high - low_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_between_neighbours() {
        assert_eq!(quantile(&[7.0], 0.95), 7.0);
        let numbers: Vec<f64> = (0..=20).map(f64::from).collect();
        assert!((quantile(&numbers, 0.95) - 19.0).abs() < 1e-12);
        assert!((quantile(&[0.0, 10.0], 0.95) - 9.5).abs() < 1e-12);
    }
}
