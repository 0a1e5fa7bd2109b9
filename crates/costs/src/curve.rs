//! What a task costs by its size: through what was measured, and along a line beyond it.

use crate::line::{CostPoint, FittedLine, weighted_median};

/// Costs by size, which never fall as the size grows.
#[derive(Clone, Debug)]
pub(crate) struct CostCurve {
    knots: Vec<Knot>,
    line: FittedLine,
}

/// A size whose costs are well known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Knot {
    pub(crate) point: CostPoint,
    /// A quarter costs less than this share of the mean, or than the mean itself.
    pub(crate) low: f64,
    /// A quarter costs more than this share of the mean, or nearly a quarter more than the mean itself.
    pub(crate) high: f64,
}

/// A place on the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CurvePlace {
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

/// What is known of no size by more than a few tasks is right up to this factor.
pub(crate) const FEW_SPREAD: f64 = 2.0;
/// Each doubling of the size beyond what was measured widens the error bars by this share.
const WIDENING: f64 = 0.125;

impl CostCurve {
    /// Through knots, with the line through all sizes. Where a larger size was found cheaper than a smaller one, which
    /// is noise, both get the median of the two (isotonic regression in the L1 norm, by pooling adjacent violators).
    pub(crate) fn rising(knots: Vec<Knot>, all: &[CostPoint]) -> Self {
        Self { knots: pooled(knots), line: FittedLine::through(all) }
    }

    /// Through knots that are upper bounds: a larger size needs no less than a smaller one.
    pub(crate) fn bounding(mut knots: Vec<Knot>, all: &[CostPoint]) -> Self {
        let mut most = 0.0f64;
        for knot in &mut knots {
            most = most.max(knot.point.cost);
            knot.point.cost = most;
        }
        Self { knots, line: FittedLine::through(all) }
    }

    /// What a size costs.
    pub(crate) fn at(&self, pixels: f64) -> CurvePlace {
        let next = self.knots.partition_point(|knot| knot.point.pixels < pixels);
        match (next.checked_sub(1).map(|before| self.knots[before]), self.knots.get(next)) {
            (Some(a), Some(b)) => between(a, *b, pixels),
            (Some(end), None) | (None, Some(&end)) => self.beyond(end, pixels),
            (None, None) => CurvePlace::around(self.line.at(pixels), FEW_SPREAD),
        }
    }

    /// Beyond the first or last knot the cost changes as the line does.
    fn beyond(&self, end: Knot, pixels: f64) -> CurvePlace {
        let CostPoint { pixels: from, cost, .. } = end.point;
        let middle = cost * (self.line.at(pixels) / self.line.at(from));
        let wider = 1.0 + WIDENING * doublings(pixels, from);
        CurvePlace {
            low: middle * (end.low / wider).min(1.0),
            middle,
            high: middle * (end.high * wider).max(1.0),
        }
    }
}

impl CurvePlace {
    pub(crate) fn around(middle: f64, spread: f64) -> Self {
        Self { low: middle / spread, middle, high: middle * spread }
    }
}

/// Straight between two knots: locally a fixed part and a part for each pixel.
fn between(a: Knot, b: Knot, pixels: f64) -> CurvePlace {
    let share = (pixels - a.point.pixels) / (b.point.pixels - a.point.pixels);
    let mix = |a: f64, b: f64| a + (b - a) * share;
    let middle = mix(a.point.cost, b.point.cost).min(b.point.cost);
    CurvePlace {
        low: middle * mix(a.low, b.low).min(1.0),
        middle,
        high: middle * mix(a.high, b.high).max(1.0),
    }
}

/// How often the smaller of two sizes is doubled, whole times, until it is about the larger.
fn doublings(a: f64, b: f64) -> f64 {
    let ratio = (a.max(b) / a.min(b)) as u64;
    f64::from(ratio.checked_ilog2().unwrap_or_default())
}

fn pooled(knots: Vec<Knot>) -> Vec<Knot> {
    let mut blocks: Vec<(f64, Vec<Knot>)> = Vec::new();
    for knot in knots {
        let mut block = (knot.point.cost, vec![knot]);
        while let Some(before) = blocks.pop_if(|before| before.0 > block.0) {
            let members = [before.1, block.1].concat();
            let costs = members.iter().map(|knot| (knot.point.cost, knot.point.weight)).collect();
            block = (weighted_median(costs).unwrap_or_default(), members);
        }
        blocks.push(block);
    }
    let with = |cost: f64| move |knot: Knot| Knot { point: CostPoint { cost, ..knot.point }, ..knot };
    blocks.into_iter().flat_map(|(cost, members)| members.into_iter().map(with(cost))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knots(costs: &[(f64, f64, f64)]) -> Vec<Knot> {
        let knot = |&(pixels, cost, weight): &(f64, f64, f64)| {
            let point = CostPoint { pixels, cost, weight };
            Knot { point, low: 0.9, high: 1.2 }
        };
        costs.iter().map(knot).collect()
    }

    fn costs(curve: &CostCurve) -> Vec<f64> {
        curve.knots.iter().map(|knot| knot.point.cost).collect()
    }

    fn rising(values: &[(f64, f64, f64)]) -> CostCurve {
        let knots = knots(values);
        let points: Vec<CostPoint> = knots.iter().map(|knot| knot.point).collect();
        CostCurve::rising(knots, &points)
    }

    #[test]
    fn noise_that_falls_is_pooled_and_a_light_outlier_counts_little() {
        let curve = rising(&[(1.0, 1.0, 9.0), (2.0, 900.0, 4.0), (3.0, 3.0, 9.0), (4.0, 4.0, 9.0)]);
        assert_eq!(costs(&curve), [1.0, 3.0, 3.0, 4.0]);
        let whole = rising(&[(1.0, 5.0, 1.0), (2.0, 3.0, 1.0), (3.0, 1.0, 1.0)]);
        assert_eq!(costs(&whole), [3.0, 3.0, 3.0]);
    }

    #[test]
    fn a_bound_is_never_lowered() {
        let values = knots(&[(1.0, 5.0, 1.0), (2.0, 3.0, 9.0), (3.0, 8.0, 1.0)]);
        assert_eq!(costs(&CostCurve::bounding(values, &[])), [5.0, 5.0, 8.0]);
    }

    #[test]
    fn it_goes_through_its_knots_and_beyond_them_along_the_line() {
        let curve = rising(&[(10.0, 12.0, 5.0), (20.0, 22.0, 5.0), (40.0, 42.0, 5.0)]);
        for (pixels, cost) in
            [(10.0, 12.0), (15.0, 17.0), (20.0, 22.0), (30.0, 32.0), (5.0, 7.0), (80.0, 82.0)]
        {
            let place = curve.at(pixels);
            assert!((place.middle - cost).abs() < 1e-9, "{pixels}: {place:?}");
        }
        let (near, far) = (curve.at(40.0), curve.at(4000.0));
        assert!(far.high / far.middle > near.high / near.middle, "less is known far away");
        assert!(far.low / far.middle < near.low / near.middle);
    }
}
