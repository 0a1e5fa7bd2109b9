//! A robust line through sizes and what they cost: a fixed part and a part for each pixel, neither negative.

/// What tasks of about one size cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CostPoint {
    /// Their size.
    pub(crate) pixels: f64,
    /// What one of them costs, above 0.
    pub(crate) cost: f64,
    /// How many there are.
    pub(crate) weight: f64,
}

/// `fixed + each * pixels`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FittedLine {
    fixed: f64,
    each: f64,
}

impl FittedLine {
    /// The line of Theil and Sen: the median of the slopes between any two sizes, weighted by the pairs of tasks they
    /// stand for. Without a slope all of the cost is fixed; with a negative fixed part all of it is the pixels'.
    pub(crate) fn through(points: &[CostPoint]) -> Self {
        let each = weighted_median(slopes(points)).unwrap_or_default();
        if points.len() > 1 && each <= 0.0 {
            let fixed = weighted_median(points.iter().map(|p| (p.cost, p.weight)).collect());
            return Self { fixed: fixed.unwrap_or_default(), each: 0.0 };
        }
        let rest = points.iter().map(|p| (p.cost - each * p.pixels, p.weight)).collect();
        match weighted_median(rest) {
            Some(fixed) if fixed > 0.0 && points.len() > 1 => Self { fixed, each },
            _ => {
                let rates = points.iter().map(|p| (p.cost / p.pixels, p.weight)).collect();
                Self { fixed: 0.0, each: weighted_median(rates).unwrap_or_default() }
            }
        }
    }

    /// What it says of a size.
    pub(crate) fn at(self, pixels: f64) -> f64 {
        self.fixed + self.each * pixels
    }
}

fn slopes(points: &[CostPoint]) -> Vec<(f64, f64)> {
    let pairs = points.iter().enumerate().flat_map(|(place, a)| points[..place].iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| ((a.cost - b.cost) / (a.pixels - b.pixels), a.weight * b.weight)).collect()
}

/// The least value that half of the weight does not exceed.
pub(crate) fn weighted_median(mut values: Vec<(f64, f64)>) -> Option<f64> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut seen = 0.0;
    let reaches = |(_, weight): &&(f64, f64)| {
        seen += weight;
        seen >= half
    };
    values.iter().find(reaches).or(values.last()).map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(costs: &[(f64, f64)]) -> Vec<CostPoint> {
        costs.iter().map(|&(pixels, cost)| CostPoint { pixels, cost, weight: 1.0 }).collect()
    }

    fn near(line: FittedLine, fixed: f64, each: f64) {
        assert!((line.fixed - fixed).abs() < 1e-9 && (line.each - each).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn what_lies_on_a_line_is_found_and_one_outlier_does_not_move_it() {
        let exact: Vec<_> = [10.0, 20.0, 50.0, 80.0, 100.0, 130.0].map(|p| (p, 7.0 + 0.5 * p)).into();
        near(FittedLine::through(&points(&exact)), 7.0, 0.5);
        let mut spoilt = exact;
        spoilt[2].1 = 1e6;
        near(FittedLine::through(&points(&spoilt)), 7.0, 0.5);
    }

    #[test]
    fn no_part_is_negative() {
        near(FittedLine::through(&points(&[(10.0, 1.0), (20.0, 4.0), (40.0, 16.0)])), 0.0, 0.2);
        near(FittedLine::through(&points(&[(10.0, 4.0), (20.0, 4.0), (40.0, 4.0)])), 4.0, 0.0);
        near(FittedLine::through(&points(&[(10.0, 5.0), (20.0, 4.0), (40.0, 3.0)])), 4.0, 0.0);
    }

    #[test]
    fn one_size_says_nothing_of_a_fixed_part() {
        near(FittedLine::through(&points(&[(10.0, 5.0)])), 0.0, 0.5);
        near(FittedLine::through(&[]), 0.0, 0.0);
    }

    #[test]
    fn weight_counts_like_repeats() {
        assert_eq!(weighted_median(vec![(1.0, 1.0), (2.0, 1.0), (9.0, 3.0)]), Some(9.0));
        assert_eq!(weighted_median(vec![(3.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), Some(2.0));
        assert_eq!(weighted_median(vec![]), None);
    }
}
