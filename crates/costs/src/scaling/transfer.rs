//! A curve of another machine, moved by a few measurements on this one.

use super::choice::AroundEstimate;
use super::curve::{Outside, ScalingCurve};
use super::error::ScalingError;
use super::method::ScalingMethod;

/// A curve of this machine whose missing points come from another one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MovedCurve {
    /// What was measured here.
    here: ScalingCurve,
    /// What was measured there.
    there: ScalingCurve,
    /// The other machine.
    machine: String,
    /// Both as one.
    moved: ScalingCurve,
}

/// With more points of its own a machine needs no other.
const FEW: usize = 3;

impl MovedCurve {
    /// A curve of few points, filled by that of another machine; nothing where that has no more points.
    pub(super) fn new(here: &ScalingCurve, there: &ScalingCurve, machine: &str) -> Option<Self> {
        if here.points().len() > FEW || there.points().len() <= here.points().len() {
            return None;
        }
        let moved = transferred(there, here).ok()?;
        Some(Self { here: here.clone(), there: there.clone(), machine: machine.to_owned(), moved })
    }

    /// Both machines' points as one curve.
    pub(super) fn curve(&self) -> &ScalingCurve {
        &self.moved
    }

    /// The duration on so many nodes, the way it was found, and what it was for each point measured here when that was left out.
    pub(super) fn estimate(
        &self,
        nodes: u64,
        outside: Outside,
    ) -> Result<(f64, String, AroundEstimate), ScalingError> {
        if let Some(seconds) = self.here.measured(nodes) {
            return Ok((seconds, "measured".into(), AroundEstimate::new([(1.0, 1.0)])));
        }
        let seconds = ScalingMethod::Power.estimate(&self.moved, nodes, outside)?;
        let pair = |at: usize| {
            let (nodes, measured) = self.here.points()[at];
            let others = transferred(&self.there, &self.here.without(at)?).ok()?;
            Some((measured, ScalingMethod::Power.estimate(&others, nodes, Outside::Refuse).ok()?))
        };
        let around = AroundEstimate::new((0..self.here.points().len()).filter_map(pair));
        Ok((seconds, format!("curve of {}", self.machine), around))
    }
}

/// The other machine's curve times what this one takes of it at its measured points: a power of the nodes between them, the
/// same factor beyond. The measured points of this machine stay as they are.
///
/// # Errors
/// When no measured point lies on the other curve.
fn transferred(other: &ScalingCurve, here: &ScalingCurve) -> Result<ScalingCurve, ScalingError> {
    let factor =
        |(nodes, seconds): &(u64, f64)| Some((*nodes, seconds / other.linear(*nodes, Outside::Refuse).ok()?));
    let factors = ScalingCurve::new(here.points().iter().filter_map(factor))?;
    let (first, last) = factors.ends();
    let moved = other.points().iter().map(|(nodes, seconds)| {
        let at = (*nodes).clamp(first.0, last.0);
        let factor = ScalingMethod::Power.estimate(&factors, at, Outside::Refuse)?;
        Ok((*nodes, seconds * factor))
    });
    let moved: Vec<(u64, f64)> = moved.collect::<Result<_, ScalingError>>()?;
    let unmeasured = moved.into_iter().filter(|(nodes, _)| here.measured(*nodes).is_none());
    ScalingCurve::new(unmeasured.chain(here.points().iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other() -> ScalingCurve {
        ScalingCurve::new([(1, 100.0), (2, 52.0), (4, 30.0), (8, 29.0)]).unwrap()
    }

    #[test]
    fn a_machine_that_is_twice_as_slow_needs_one_point() {
        let moved = transferred(&other(), &ScalingCurve::new([(2, 104.0)]).unwrap()).unwrap();
        assert_eq!(moved.points(), [(1, 200.0), (2, 104.0), (4, 60.0), (8, 58.0)]);
        assert!(transferred(&other(), &ScalingCurve::new([(64, 1.0)]).unwrap()).is_err());
    }

    #[test]
    fn a_moved_point_says_where_it_comes_from_and_how_far_off_such_points_were() {
        let here = ScalingCurve::new([(1, 200.0), (8, 58.0)]).unwrap();
        let moved = MovedCurve::new(&here, &other(), "old").unwrap();
        let (seconds, way, around) = moved.estimate(4, Outside::Refuse).unwrap();
        assert!((seconds - 60.0).abs() < 1e-9 && way == "curve of old", "{seconds} {way}");
        assert!(around.error().unwrap() < 1e-9, "the other machine is twice as fast everywhere");
        assert_eq!(moved.estimate(8, Outside::Refuse).unwrap().1, "measured");
        assert!(MovedCurve::new(&other(), &here, "old").is_none(), "enough points of its own");
    }
}
