//! From the unit interval to a parameter's values and back: places of discrete domains, distribution functions of
//! continuous ones.

mod curve;
mod normal;

use onceflow_study::{Distribution, DistributionError, Domain, Parameter, Space, Value};

use curve::QuantileCurve;
pub(crate) use normal::{inverse as normal_quantile, share_below as normal_share_below};

/// How the unit interval becomes the values of one parameter.
#[derive(Clone, Debug)]
pub(crate) enum Quantile {
    /// A countable domain.
    Discrete(CountableValues),
    /// An interval.
    Continuous(QuantileCurve),
}

/// The values of a countable domain, and how much of the unit interval each takes.
#[derive(Clone, Debug)]
pub(crate) struct CountableValues {
    domain: Domain,
    count: u64,
    /// The values, unless there are too many to keep.
    table: Vec<f64>,
    /// Upper ends of the shares of the unit interval; empty when all are alike.
    ends: Vec<f64>,
}

/// What is wrong with a distribution: what was expected, what was found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unfit {
    pub(crate) parameter: String,
    pub(crate) expected: &'static str,
    pub(crate) found: String,
}

/// Values kept in a table; larger domains compute them one by one.
const LARGEST_TABLE: u64 = 1 << 16;

impl Quantile {
    /// One per parameter of a space.
    pub(crate) fn of_space(space: &Space) -> Result<Vec<Self>, Unfit> {
        space.parameters().iter().map(Self::new).collect()
    }

    /// Checks that the distribution fits the domain.
    pub(crate) fn new(parameter: &Parameter) -> Result<Self, Unfit> {
        let Parameter { domain, distribution, .. } = parameter;
        let unfit = |error: DistributionError| {
            let DistributionError { expected, found } = error;
            Unfit { parameter: parameter.name.clone(), expected, found }
        };
        distribution.check(domain).map_err(unfit)?;
        match (domain, distribution) {
            (Domain::Continuous { from, to }, _) => {
                QuantileCurve::new(*from, *to, distribution).map(Self::Continuous).map_err(unfit)
            }
            (_, Distribution::Weights(weights)) => {
                Ok(Self::Discrete(CountableValues::new(domain, ends_of(weights))))
            }
            _ => Ok(Self::Discrete(CountableValues::new(domain, Vec::new()))),
        }
    }

    /// The value below which the share `unit` of the distribution lies; 0 and 1 are the ends where these are finite.
    pub(crate) fn at(&self, unit: f64) -> f64 {
        match self {
            Self::Discrete(places) => places.value(places.place(unit)),
            Self::Continuous(curve) => curve.at(unit),
        }
    }

    /// Values there are, or that are taken of a continuous parameter.
    pub(crate) fn places(&self, of_continuous: u64) -> u64 {
        match self {
            Self::Discrete(places) => places.count,
            Self::Continuous(_) => of_continuous,
        }
    }

    /// The value at a place of `count`: of a continuous parameter, quantiles at equal distances, ends included where
    /// they are finite.
    pub(crate) fn value_at(&self, place: u64, count: u64) -> f64 {
        match self {
            Self::Discrete(places) => places.value(place),
            Self::Continuous(curve) if curve.is_bounded() => curve.at(place as f64 / (count - 1) as f64),
            Self::Continuous(curve) => curve.at((place as f64 + 0.5) / count as f64),
        }
    }
}

/// Share of a continuous parameter's distribution below a value; NaN where the distribution does not fit the ends.
pub(crate) fn share_below(from: f64, to: f64, distribution: &Distribution, x: f64) -> f64 {
    QuantileCurve::new(from, to, distribution).map_or(f64::NAN, |curve| curve.share_below(x))
}

impl CountableValues {
    fn new(domain: &Domain, ends: Vec<f64>) -> Self {
        let count = domain.count().unwrap_or(1);
        let mut places = Self { domain: domain.clone(), count, table: Vec::new(), ends };
        if count <= LARGEST_TABLE {
            places.table = (0..count).map(|place| places.compute(place)).collect();
        }
        places
    }

    fn place(&self, unit: f64) -> u64 {
        if self.ends.is_empty() {
            return ((unit * self.count as f64) as u64).min(self.count - 1);
        }
        (self.ends.partition_point(|end| *end <= unit) as u64).min(self.count - 1)
    }

    fn value(&self, place: u64) -> f64 {
        self.table.get(place as usize).copied().unwrap_or_else(|| self.compute(place))
    }

    fn compute(&self, place: u64) -> f64 {
        let number = self.domain.value(place).as_ref().and_then(Value::as_f64);
        // Adding zero makes -0 and 0 one value, so that equal rows have equal bits.
        number.map_or(place as f64, |x| x + 0.0)
    }
}

/// Cumulative shares. The last end is 1, so that rounding leaves no gap; a value of weight 0 has no share.
fn ends_of(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or(0);
    let mut sum = 0.0;
    let ends = weights.iter().enumerate().map(|(place, weight)| {
        sum += weight;
        if place >= last { 1.0 } else { sum / total }
    });
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quantile(domain: Domain, distribution: Distribution) -> Result<Quantile, Unfit> {
        Quantile::new(&Parameter { distribution, ..Parameter::new("p", domain) })
    }

    #[test]
    fn equal_shares_of_the_unit_interval_go_to_each_value() {
        let steps = quantile(Domain::Steps { from: 0.0, to: 0.3, step: 0.1 }, Distribution::Uniform).unwrap();
        assert_eq!([0.0, 0.249, 0.25, 0.5, 0.999, 1.0].map(|u| steps.at(u)), [0.0, 0.0, 0.1, 0.2, 0.3, 0.3]);
        let words =
            quantile(Domain::Categories(vec!["a".into(), "b".into()]), Distribution::Uniform).unwrap();
        assert_eq!([0.49, 0.5].map(|u| words.at(u)), [0.0, 1.0]);
        let many = quantile(Domain::Integers { from: -5, to: (1 << 53) - 7 }, Distribution::Uniform).unwrap();
        assert_eq!([0.0, 1.0].map(|u| many.at(u)), [-5.0, ((1_i64 << 53) - 7) as f64]);
    }

    #[test]
    fn weights_share_the_unit_interval() {
        let values = Domain::Values(vec![4.0, 8.0, 6.0, 2.0]);
        let weighted = quantile(values, Distribution::Weights(vec![1.0, 0.0, 3.0, 0.0])).unwrap();
        assert_eq!([0.0, 0.2499, 0.25, 0.9999].map(|u| weighted.at(u)), [4.0, 4.0, 6.0, 6.0]);
    }

    #[test]
    fn distributions_that_do_not_fit_are_refused() {
        let values = || Domain::Values(vec![4.0, 8.0]);
        for weights in [vec![1.0], vec![1.0, -1.0], vec![0.0, 0.0], vec![f64::NAN, 1.0], vec![f64::MAX; 2]] {
            assert!(quantile(values(), Distribution::Weights(weights)).is_err());
        }
        assert!(quantile(values(), Distribution::Normal { mean: 0.0, sd: 1.0 }).is_err());
    }

    #[test]
    fn places_of_a_continuous_parameter_reach_its_finite_ends() {
        let range = Domain::Continuous { from: 2.0, to: 5.0 };
        let uniform = quantile(range, Distribution::Uniform).unwrap();
        assert_eq!([0, 1, 2, 3].map(|i| uniform.value_at(i, 4)), [2.0, 3.0, 4.0, 5.0]);
        let line = Domain::Continuous { from: f64::NEG_INFINITY, to: f64::INFINITY };
        let normal = quantile(line, Distribution::Normal { mean: 1.0, sd: 2.0 }).unwrap();
        let found = [0, 1, 2, 3].map(|i| normal.value_at(i, 4));
        assert!((found[0] + found[3] - 2.0).abs() < 1e-12 && found[0].is_finite() && found[0] < found[1]);
    }

    proptest! {
        #[test]
        fn discrete_values_are_in_the_domain_and_ascend(
            weights in prop::collection::vec(0.0..5.0_f64, 2..9), u in 0.0..1.0_f64, v in 0.0..1.0_f64,
        ) {
            let domain = Domain::Integers { from: 3, to: 2 + weights.len() as i64 };
            prop_assume!(weights.iter().any(|w| *w > 0.0));
            let weighted = quantile(domain.clone(), Distribution::Weights(weights.clone())).unwrap();
            let (low, high) = (weighted.at(u.min(v)), weighted.at(u.max(v)));
            prop_assert!(low <= high && domain.index_of(&Value::Real(low)).is_some());
            prop_assert!(weights[high as usize - 3] > 0.0, "a value of weight 0 was drawn");
        }
    }
}
