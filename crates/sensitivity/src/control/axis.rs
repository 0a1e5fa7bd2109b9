//! Orthonormal polynomials of one parameter under its own distribution.

use onceflow_study::{Distribution, Parameter};

/// Polynomials of degrees 1 to [`AxisPolynomials::degrees`] with mean 0, variance 1 and no correlation, under the distribution
/// the parameter is sampled from. Exactness matters: the variances of fitted polynomials are taken from it.
#[derive(Clone, Debug)]
pub(crate) enum AxisPolynomials {
    /// Legendre's polynomials of the quantile position.
    Continuous,
    /// One column of values per degree, by the value's place in its domain.
    Countable(Vec<Vec<f64>>),
}

/// Enough for a kink or one and a half periods; more terms would cost rows to fit.
pub(crate) const HIGHEST_DEGREE: usize = 8;

/// Above this many values Legendre's polynomials at the middles are orthonormal to 1e-7, and a table is a waste.
const LARGEST_TABLE: u64 = 4096;

impl AxisPolynomials {
    pub(crate) fn new(parameter: &Parameter) -> Self {
        match parameter.domain.count() {
            Some(count) if count <= LARGEST_TABLE => Self::Countable(table(&weights(parameter, count))),
            _ => Self::Continuous,
        }
    }

    /// Highest degree available.
    pub(crate) fn degrees(&self) -> usize {
        match self {
            Self::Continuous => HIGHEST_DEGREE,
            Self::Countable(columns) => columns.len(),
        }
    }

    /// The coordinate that belongs to a position between 0 and 1 in the parameter's range.
    pub(crate) fn coordinate(&self, position: f64) -> f64 {
        match self {
            Self::Continuous => position,
            Self::Countable(columns) => {
                let last = columns.first().map_or(0, |column| column.len() - 1);
                (position * last as f64).round()
            }
        }
    }

    /// Writes the values of all degrees at a coordinate (a quantile position, or a place in the domain).
    pub(crate) fn evaluate(&self, coordinate: f64, values: &mut [f64]) {
        match self {
            Self::Continuous => legendre(2.0 * coordinate - 1.0, values),
            Self::Countable(columns) => {
                for (value, column) in values.iter_mut().zip(columns) {
                    let last = column.len() - 1;
                    *value = column[(coordinate as usize).min(last)];
                }
            }
        }
    }
}

fn weights(parameter: &Parameter, count: u64) -> Vec<f64> {
    let given = match &parameter.distribution {
        Distribution::Weights(weights) => weights.clone(),
        _ => vec![1.0; count as usize],
    };
    let total: f64 = given.iter().sum();
    given.iter().map(|w| w / total).collect()
}

/// Normalised Legendre polynomials at x in [-1, 1], degrees 1, 2, ….
fn legendre(x: f64, values: &mut [f64]) {
    let (mut before, mut current) = (1.0, x);
    for (i, value) in values.iter_mut().enumerate() {
        let degree = (i + 1) as f64;
        *value = current * (2.0 * degree + 1.0).sqrt();
        (before, current) =
            (current, ((2.0 * degree + 1.0) * x * current - degree * before) / (degree + 1.0));
    }
}

/// Gram-Schmidt over powers of the place, twice over for exactness. Values of weight 0 end the degrees early.
fn table(weights: &[f64]) -> Vec<Vec<f64>> {
    let count = weights.len();
    let centre = |i: usize| 2.0 * i as f64 / (count - 1).max(1) as f64 - 1.0;
    let product = |a: &[f64], b: &[f64]| -> f64 { (0..count).map(|i| weights[i] * a[i] * b[i]).sum() };
    let mut columns: Vec<Vec<f64>> = vec![vec![1.0; count]];
    while columns.len() <= HIGHEST_DEGREE.min(count - 1) {
        // The next power is taken as place times the last polynomial, which is already nearly orthogonal.
        let mut next: Vec<f64> =
            columns[columns.len() - 1].iter().enumerate().map(|(i, v)| centre(i) * v).collect();
        for column in columns.iter().chain(&columns) {
            let overlap = product(&next, column);
            next.iter_mut().zip(column).for_each(|(n, c)| *n -= overlap * c);
        }
        let norm = product(&next, &next).sqrt();
        if norm < 1e-9 {
            break;
        }
        columns.push(next.iter().map(|n| n / norm).collect());
    }
    columns.split_off(1)
}

#[cfg(test)]
mod tests {
    use onceflow_study::Domain;

    use super::*;

    fn check_orthonormal(axis: &AxisPolynomials, points: &[(f64, f64)], tolerance: f64) {
        let degrees = axis.degrees();
        let mut moments = vec![vec![0.0; degrees + 1]; degrees];
        for (coordinate, weight) in points {
            let mut values = vec![0.0; degrees];
            axis.evaluate(*coordinate, &mut values);
            for a in 0..degrees {
                moments[a][degrees] += weight * values[a];
                for b in 0..degrees {
                    moments[a][b] += weight * values[a] * values[b];
                }
            }
        }
        for (a, row) in moments.iter().enumerate() {
            for (b, moment) in row.iter().enumerate() {
                let expected = if a == b { 1.0 } else { 0.0 };
                assert!((moment - expected).abs() < tolerance, "degrees {} and {}: {moment}", a + 1, b + 1);
            }
        }
    }

    #[test]
    fn countable_axes_are_orthonormal_to_the_last_digits() {
        for count in [2_u64, 3, 4, 11, 13, 20, 300, 4096] {
            let parameter = Parameter::new("p", Domain::Integers { from: 0, to: count as i64 - 1 });
            let axis = AxisPolynomials::new(&parameter);
            assert_eq!(axis.degrees(), HIGHEST_DEGREE.min(count as usize - 1));
            let points: Vec<_> = (0..count).map(|i| (i as f64, 1.0 / count as f64)).collect();
            check_orthonormal(&axis, &points, 1e-12);
        }
    }

    #[test]
    fn weights_are_respected() {
        let mut parameter = Parameter::new("p", Domain::Values(vec![1.0, 5.0, 9.0]));
        parameter.distribution = Distribution::Weights(vec![1.0, 2.0, 5.0]);
        check_orthonormal(
            &AxisPolynomials::new(&parameter),
            &[(0.0, 0.125), (1.0, 0.25), (2.0, 0.625)],
            1e-14,
        );
    }

    #[test]
    fn continuous_axes_are_orthonormal() {
        let n = 20_000;
        let points: Vec<_> = (0..n).map(|i| ((i as f64 + 0.5) / n as f64, 1.0 / n as f64)).collect();
        check_orthonormal(&AxisPolynomials::Continuous, &points, 1e-5);
    }
}
