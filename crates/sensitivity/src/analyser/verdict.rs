//! Verdicts: does the interval of an index lie above, below or across the threshold?

use crate::{IndexEstimate, Indices, Verdict};

/// One verdict per factor; empty for techniques without one. Where delta or PAWN cannot be told from a parameter without
/// effect, the interval begins at 0.
pub(super) fn verdicts(indices: &Indices, threshold: f64, rows: usize) -> Vec<Verdict> {
    let bar = indices.bar(threshold);
    indices.main().iter().map(|(_, estimate)| verdict(estimate, bar, rows)).collect()
}

/// Without an interval the verdict is undecided.
fn verdict(estimate: &IndexEstimate, threshold: f64, rows: usize) -> Verdict {
    if estimate.low > threshold {
        Verdict::Influential
    } else if estimate.high < threshold {
        Verdict::NotInfluential
    } else {
        Verdict::Undecided { more_rows: more_rows(estimate, threshold, rows) }
    }
}

/// An estimate beyond this many times the rows is not given.
const LARGEST_ESTIMATE: f64 = 1000.0;

/// With rows that bring the arm just to the threshold, the estimate, which moves too, decides every second time only;
/// with twice as many about four times in five.
const TO_BE_SURE: f64 = 2.0;

/// Widths shrink with the square root of the rows, so the arm of the interval that reaches over the threshold must
/// shrink to the distance between estimate and threshold, and a little more.
fn more_rows(estimate: &IndexEstimate, threshold: f64, rows: usize) -> Option<u64> {
    let distance = (estimate.value - threshold).abs();
    let above = estimate.value > threshold;
    let arm = if above { estimate.value - estimate.low } else { estimate.high - estimate.value };
    let times = TO_BE_SURE * (arm / distance).powi(2) - 1.0;
    (times <= LARGEST_ESTIMATE).then(|| (times.max(0.0) * rows as f64).ceil().max(1.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, low: f64, high: f64) -> Verdict {
        verdict(&IndexEstimate { value, low, high }, 0.05, 100)
    }

    #[test]
    fn the_interval_decides_and_the_estimate_does_not() {
        assert_eq!(of(0.4, 0.051, 0.7), Verdict::Influential);
        assert_eq!(of(0.01, -0.02, 0.049), Verdict::NotInfluential);
        assert!(matches!(of(0.4, 0.04, 0.7), Verdict::Undecided { .. }));
    }

    #[test]
    fn three_times_the_distance_takes_twice_nine_times_the_rows() {
        assert_eq!(of(0.25, -0.35, 0.85), Verdict::Undecided { more_rows: Some(1700) });
        assert_eq!(of(0.04, 0.03, 0.07), Verdict::Undecided { more_rows: Some(1700) });
    }

    #[test]
    fn what_no_rows_decide_has_no_number() {
        assert_eq!(of(0.05, 0.0, 0.1), Verdict::Undecided { more_rows: None });
        assert_eq!(of(0.0501, 0.0, 0.1), Verdict::Undecided { more_rows: None });
        assert_eq!(of(f64::NAN, f64::NAN, f64::NAN), Verdict::Undecided { more_rows: None });
        assert_eq!(of(0.3, f64::NAN, f64::NAN), Verdict::Undecided { more_rows: None });
    }
}
