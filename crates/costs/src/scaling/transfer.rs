//! A curve of another machine, moved by a few measurements on this one.

use super::curve::{Outside, ScalingCurve};
use super::error::ScalingError;

/// The other machine's curve times what this one takes of it at its measured points: a power of the nodes between them, the
/// same factor beyond. The measured points of this machine stay as they are.
///
/// # Errors
/// When no measured point lies on the other curve.
pub fn transferred(other: &ScalingCurve, here: &ScalingCurve) -> Result<ScalingCurve, ScalingError> {
    let factor =
        |(nodes, seconds): &(u64, f64)| Some((*nodes, seconds / other.linear(*nodes, Outside::Refuse).ok()?));
    let factors = ScalingCurve::new(here.points().iter().filter_map(factor))?;
    let (first, last) = factors.ends();
    let moved = other.points().iter().map(|(nodes, seconds)| {
        let at = (*nodes).clamp(first.0, last.0);
        let factor = super::method::ScalingMethod::Power.estimate(&factors, at, Outside::Refuse)?;
        Ok((*nodes, seconds * factor))
    });
    let moved: Vec<(u64, f64)> = moved.collect::<Result<_, ScalingError>>()?;
    let unmeasured = moved.into_iter().filter(|(nodes, _)| here.measured(*nodes).is_none());
    ScalingCurve::new(unmeasured.chain(here.points().iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_twice_as_slow_needs_one_point() {
        let other = ScalingCurve::new([(1, 100.0), (2, 52.0), (4, 30.0), (8, 29.0)]).unwrap();
        let moved = transferred(&other, &ScalingCurve::new([(2, 104.0)]).unwrap()).unwrap();
        assert_eq!(moved.points(), [(1, 200.0), (2, 104.0), (4, 60.0), (8, 58.0)]);
        assert!(transferred(&other, &ScalingCurve::new([(64, 1.0)]).unwrap()).is_err());
    }
}
