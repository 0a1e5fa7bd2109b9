//! The interpolating spline of degree 2, with knots in the middle between neighbours except the first and last pair.

use super::least_squares::solved;

/// A quadratic spline through points.
#[derive(Clone, Debug)]
pub(super) struct QuadraticSpline {
    knots: Vec<f64>,
    coefficients: Vec<f64>,
}

impl QuadraticSpline {
    /// Through at least three points whose places rise.
    pub(super) fn through(points: &[(f64, f64)]) -> Option<Self> {
        let (first, last) = (points.first()?.0, points.last()?.0);
        if points.len() < 3 || points.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
            return None;
        }
        let middles = points.windows(2).map(|pair| f64::midpoint(pair[0].0, pair[1].0));
        let inner = middles.skip(1).take(points.len() - 3);
        let knots: Vec<f64> = [first; 3].into_iter().chain(inner).chain([last; 3]).collect();
        let row = |x: f64| {
            let mut row = vec![0.0; points.len()];
            let (at, values) = basis(&knots, points.len(), x);
            row[at..at + 3].copy_from_slice(&values);
            row
        };
        let rows = points.iter().map(|point| row(point.0)).collect();
        let coefficients = solved(rows, points.iter().map(|point| point.1).collect())?;
        Some(Self { knots, coefficients })
    }

    /// Its value; beyond its ends the parabola of the end goes on.
    pub(super) fn at(&self, x: f64) -> f64 {
        let (at, values) = basis(&self.knots, self.coefficients.len(), x);
        values.iter().zip(&self.coefficients[at..]).map(|(value, coefficient)| value * coefficient).sum()
    }
}

/// The three pieces that are not zero at a place, and which the first of them is (de Boor).
fn basis(knots: &[f64], count: usize, x: f64) -> (usize, [f64; 3]) {
    let interval = knots.partition_point(|knot| *knot <= x).clamp(3, count) - 1;
    let share = |at: usize, degree: usize| {
        let span = knots[at + degree] - knots[at];
        if span == 0.0 { 0.0 } else { (x - knots[at]) / span }
    };
    let mut values = [0.0, 0.0, 1.0];
    for degree in 1..=2 {
        for piece in 2 - degree..=2 {
            let at = interval + piece - 2;
            let left = if piece == 2 - degree { 0.0 } else { share(at, degree) * values[piece] };
            let right = if piece == 2 { 0.0 } else { (1.0 - share(at + 1, degree)) * values[piece + 1] };
            values[piece] = left + right;
        }
    }
    (interval - 2, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_through_its_points_and_is_a_parabola_through_three() {
        let square = |x: f64| 3.0 + x * (2.0 - 0.5 * x);
        let points = [1.0, 2.0, 5.0].map(|x| (x, square(x)));
        let spline = QuadraticSpline::through(&points).unwrap();
        for x in [0.0, 1.0, 1.7, 3.0, 5.0, 7.0] {
            assert!((spline.at(x) - square(x)).abs() < 1e-9, "{x}: {}", spline.at(x));
        }
        let points = [(0.0, 1.0), (1.0, 5.0), (3.0, 2.0), (4.0, 2.5), (9.0, -3.0)];
        let spline = QuadraticSpline::through(&points).unwrap();
        for (x, y) in points {
            assert!((spline.at(x) - y).abs() < 1e-9, "{x}: {}", spline.at(x));
        }
    }

    /// A spline of degree 2 has every parabola among its values.
    #[test]
    fn a_parabola_of_five_points_is_itself() {
        let points: Vec<(f64, f64)> = [0.0, 1.0, 2.5, 4.0, 7.0].map(|x| (x, x * x)).to_vec();
        let spline = QuadraticSpline::through(&points).unwrap();
        for x in [0.5, 1.75, 3.0, 5.5, 6.9] {
            assert!((spline.at(x) - x * x).abs() < 1e-9);
        }
    }
}
