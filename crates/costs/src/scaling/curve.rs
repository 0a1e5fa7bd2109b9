//! A strong-scaling curve: measured durations by number of nodes, and straight lines between them.

use super::error::ScalingError;

/// Durations of one task on one size by number of nodes, at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingCurve {
    points: Vec<(u64, f64)>,
}

/// What an estimate is outside the measured numbers of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outside {
    /// None.
    #[default]
    Refuse,
    /// On the line through the two nearest.
    Extrapolate,
    /// Above the largest its duration; below the smallest its work shared among fewer nodes.
    Hold,
}

impl ScalingCurve {
    /// A curve through points; of several durations at one number of nodes the median counts.
    ///
    /// # Errors
    /// When there are no points, or one is not possible.
    pub fn new(points: impl IntoIterator<Item = (u64, f64)>) -> Result<Self, ScalingError> {
        let mut all: Vec<(u64, f64)> = points.into_iter().collect();
        if let Some((nodes, seconds)) = all.iter().find(|(n, s)| *n == 0 || !(s.is_finite() && *s > 0.0)) {
            return Err(ScalingError::Point { nodes: *nodes, seconds: *seconds });
        }
        all.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let points: Vec<(u64, f64)> = all.chunk_by(|a, b| a.0 == b.0).map(median).collect();
        if points.is_empty() {
            return Err(ScalingError::Empty { task: "the task".into(), proposed: "1, 2, 4 and 8".into() });
        }
        Ok(Self { points })
    }

    /// The points, by number of nodes.
    pub fn points(&self) -> &[(u64, f64)] {
        &self.points
    }

    /// The duration measured at a number of nodes.
    pub fn measured(&self, nodes: u64) -> Option<f64> {
        let at = self.points.binary_search_by_key(&nodes, |point| point.0).ok()?;
        Some(self.points[at].1)
    }

    /// The same curve without one point, if others are left.
    pub(super) fn without(&self, at: usize) -> Option<Self> {
        let mut points = self.points.clone();
        points.remove(at);
        (!points.is_empty()).then_some(Self { points })
    }

    /// On the line between the two measured numbers of nodes around one.
    ///
    /// ```
    /// # use onceflow_costs::scaling::{Outside, ScalingCurve};
    /// let curve = ScalingCurve::new([(1, 100.0), (2, 60.0), (4, 30.0)]).unwrap();
    /// assert_eq!(curve.linear(3, Outside::Refuse), Ok(45.0));
    /// assert!(curve.linear(8, Outside::Refuse).is_err());
    /// assert_eq!(curve.linear(8, Outside::Hold), Ok(30.0));
    /// ```
    ///
    /// # Errors
    /// Outside the measured numbers, when those are refused.
    pub fn linear(&self, nodes: u64, outside: Outside) -> Result<f64, ScalingError> {
        let (first, last) = self.ends();
        let after = self.points.partition_point(|point| point.0 < nodes);
        match (after.checked_sub(1), self.points.get(after)) {
            (_, Some((at, seconds))) if *at == nodes => Ok(*seconds),
            (Some(before), Some(next)) => Ok(on_line(self.points[before], *next, nodes)),
            _ => match outside {
                Outside::Refuse => Err(ScalingError::Outside { nodes, least: first.0, most: last.0 }),
                Outside::Hold if nodes > last.0 => Ok(last.1),
                Outside::Hold => Ok(first.1 * first.0 as f64 / nodes as f64),
                Outside::Extrapolate => self.extrapolated(nodes),
            },
        }
    }

    fn extrapolated(&self, nodes: u64) -> Result<f64, ScalingError> {
        let count = self.points.len();
        let (first, _) = self.ends();
        if count < 2 {
            return Err(ScalingError::OnePoint(first.0));
        }
        let at = if nodes < first.0 { 0 } else { count - 2 };
        Ok(on_line(self.points[at], self.points[at + 1], nodes))
    }

    /// The first and the last point.
    pub(super) fn ends(&self) -> ((u64, f64), (u64, f64)) {
        let first = self.points.first().copied().unwrap_or_default();
        (first, self.points.last().copied().unwrap_or(first))
    }
}

fn on_line(a: (u64, f64), b: (u64, f64), nodes: u64) -> f64 {
    let share = (nodes as f64 - a.0 as f64) / (b.0 as f64 - a.0 as f64);
    a.1 + (b.1 - a.1) * share
}

fn median(points: &[(u64, f64)]) -> (u64, f64) {
    let middle = points.len() / 2;
    let (nodes, upper) = points[middle];
    let seconds = if points.len() % 2 == 1 { upper } else { f64::midpoint(points[middle - 1].1, upper) };
    (nodes, seconds)
}

/// The limit to request for an estimate: with a margin, as the next whole number.
pub fn limit(estimate: f64, margin: f64) -> u64 {
    let limit = estimate * (1.0 + margin);
    let nearest = limit.round();
    // A product such as 30 * 1.1 is 33 but for rounding.
    if (limit - nearest).abs() <= 1e-9 * nearest.max(1.0) { nearest as u64 } else { limit.ceil() as u64 }
}

/// The mean of |measured - estimated| / measured, and how many were underestimated.
pub fn mean_error(pairs: impl IntoIterator<Item = (f64, f64)>) -> (f64, usize) {
    let (mut sum, mut count, mut under) = (0.0, 0usize, 0);
    for (measured, estimated) in pairs {
        sum += (measured - estimated).abs() / measured;
        count += 1;
        under += usize::from(estimated < measured);
    }
    (if count == 0 { 0.0 } else { sum / count as f64 }, under)
}
