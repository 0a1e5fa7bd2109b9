//! What is wished of each operation on a tile of 4096 x 4096: milliseconds on the machine on which the peers took theirs.
//!
//! Machines differ, therefore what counts is how many times faster than a peer in the same run that makes it.

use crate::figure::Goal;

/// Operation, milliseconds that we wish, and what each peer took there.
type TimeGoal = (&'static str, f64, &'static [(&'static str, f64)]);

const TIME_GOALS: [TimeGoal; 11] = [
    ("opening", 30.0, &[("OpenCV", 84.0)]),
    ("reconstruction", 110.0, &[("ITK", 1162.0), ("scikit-image", 11189.0)]),
    ("fill holes", 15.0, &[("OpenCV", 38.0), ("SciPy", 438.0)]),
    ("label", 13.0, &[("OpenCV", 27.0)]),
    ("label and filter by area", 25.0, &[("OpenCV", 140.0)]),
    ("distance", 60.0, &[("edt", 276.0), ("SciPy", 1144.0)]),
    ("h-maxima", 100.0, &[("ITK", 664.0), ("scikit-image", 8804.0)]),
    ("regional maxima", 30.0, &[("scikit-image", 312.0)]),
    ("watershed", 100.0, &[("OpenCV", 407.0)]),
    ("normalization", 150.0, &[("NumPy", 9870.0)]),
    ("segmentation", 600.0, &[("best of peers", 3760.0), ("plain Python", 22790.0)]),
];

/// How many times faster than this peer we wish to be; nothing for a peer that is there for comparison only.
pub(super) fn goal(operation: &str, peer: &str) -> Option<Goal> {
    let (_, wish, peers) = TIME_GOALS.iter().find(|(name, ..)| *name == operation)?;
    let (_, took) = peers.iter().find(|(name, _)| *name == peer)?;
    Some(Goal::Ratio(took / wish))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_the_quotient_of_the_wishes() {
        assert_eq!(goal("opening", "OpenCV"), Some(Goal::Ratio(2.8)));
        assert_eq!(goal("distance", "OpenCV"), None);
        assert_eq!(goal("closing", "OpenCV"), None);
    }
}
