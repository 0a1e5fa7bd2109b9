//! Where a value stands in its parameter's range: from 0 to 1, in steps of equal probability.

use onceflow_study::{Domain, Parameter, Value};

use crate::quantile::share_below;

/// Place among the values of a countable domain, divided so that the last is 1; quantile of a continuous one. A value
/// outside the list of a countable domain (from a foreign table) stands by its distance from the ends.
pub(super) fn position(parameter: &Parameter, x: f64) -> f64 {
    match &parameter.domain {
        Domain::Continuous { from, to } => share_below(*from, *to, &parameter.distribution, x),
        Domain::Categories(words) => x / (words.len().max(2) - 1) as f64,
        countable => match (countable.index_of(&Value::Real(x)), countable.count()) {
            (Some(place), Some(count)) => place as f64 / count.saturating_sub(1).max(1) as f64,
            _ => countable.ends().map_or(f64::NAN, |(from, to)| (x - from) / (to - from)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onceflow_study::Distribution;

    fn at(domain: Domain, distribution: Distribution, x: f64) -> f64 {
        position(&Parameter { distribution, ..Parameter::new("p", domain) }, x)
    }

    #[test]
    fn medians_stand_in_the_middle() {
        let all = Domain::Continuous { from: f64::NEG_INFINITY, to: f64::INFINITY };
        let cut = Domain::Continuous { from: 1.0, to: 5.0 };
        let weibull = Distribution::Weibull { shape: 2.0, scale: 3.0, location: 1.0 };
        let cases = [
            (Domain::Continuous { from: 2.0, to: 6.0 }, Distribution::Uniform, 4.0),
            (Domain::Continuous { from: 1.0, to: 100.0 }, Distribution::LogUniform, 10.0),
            (Domain::Continuous { from: 0.0, to: 2.0 }, Distribution::Triangular { peak: 1.0 }, 1.0),
            (
                Domain::Continuous { from: 0.0, to: 1.0 },
                Distribution::Triangular { peak: 0.0 },
                1.0 - 0.5_f64.sqrt(),
            ),
            (all.clone(), Distribution::Normal { mean: 3.0, sd: 2.0 }, 3.0),
            (cut, Distribution::Normal { mean: 3.0, sd: 2.0 }, 3.0),
            (all.clone(), Distribution::LogNormal { mean: 0.5, sd: 2.0 }, 0.5_f64.exp()),
            (all, weibull, 1.0 + 3.0 * 2.0_f64.ln().sqrt()),
            (Domain::Integers { from: 4, to: 8 }, Distribution::Uniform, 6.0),
            (Domain::Values(vec![1.0, 50.0, 7.0]), Distribution::Uniform, 50.0),
            (Domain::Steps { from: 2.5, to: 7.5, step: 0.5 }, Distribution::Uniform, 5.0),
        ];
        for (domain, distribution, median) in cases {
            let found = at(domain.clone(), distribution, median);
            assert!((found - 0.5).abs() < 1e-9, "{domain:?}: {found}");
        }
    }

    #[test]
    fn the_ends_of_a_cut_normal_are_zero_and_one() {
        let cut = Domain::Continuous { from: 1.0, to: 7.0 };
        let normal = Distribution::Normal { mean: 3.0, sd: 2.0 };
        assert!(at(cut.clone(), normal.clone(), 1.0).abs() < 1e-12);
        assert!((at(cut, normal, 7.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_number_between_the_values_is_placed_by_distance() {
        assert_eq!(at(Domain::Integers { from: 0, to: 10 }, Distribution::Uniform, 2.5), 0.25);
    }
}
