//! A sample that grows until every verdict is decided: at which sizes it is looked at, at which level intervals are computed
//! at each look, and whether to go on.
//!
//! A reader who looks often at 95 % intervals and stops when one lies off the threshold finds one that misses the truth far more
//! often than once in twenty. So the probability of a miss, 5 %, is shared out over the looks: half of it to the first, a
//! sixth to the second, a twelfth to the third, `1 / (k (k + 1))` to the k-th; all shares together are 1. At whichever look a
//! run ends, and why, its intervals hold the truth with the probability asked for (Bonferroni's inequality over the looks).
//! The level of a look does not depend on how many follow: a run that may take longer goes on where it ended.

use onceflow_study::RunBound;

use crate::{Analysis, OutputAnalysis, Verdict};

/// The looks at a sample that doubles from one to the next, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    first: u64,
    confidence: f64,
}

/// What a look leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterLook {
    /// Every verdict is decided.
    Decided,
    /// Some verdict is undecided, and the sample may not grow further.
    Exhausted,
    /// The sample grows to this size (base rows, trajectories, rows).
    Grow(u64),
}

/// What a run has used, and what the next look would add.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthState {
    /// Rows of all phases.
    pub rows: u64,
    /// The same at the next look.
    pub next_rows: u64,
    /// Rows that were computed in these seconds; the others were known before.
    pub computed: u64,
    /// Seconds used.
    pub seconds: f64,
}

impl Looks {
    /// Looks at a sample of this size and its doublings, for intervals that hold with this probability over all looks.
    pub fn new(first: u64, confidence: f64) -> Self {
        Self { first, confidence }
    }

    /// The probability with which an interval holds at whichever look a run ends.
    pub fn overall(&self) -> f64 {
        self.confidence
    }

    /// The size at a look; `None` when it has no number.
    pub fn size(&self, look: u32) -> Option<u64> {
        1_u64.checked_shl(look).and_then(|times| self.first.checked_mul(times))
    }

    /// The probability of the intervals that are computed at a look.
    pub fn confidence(&self, look: u32) -> f64 {
        let number = f64::from(look) + 1.0;
        1.0 - (1.0 - self.confidence) / (number * (number + 1.0))
    }

    /// What to do after a look at which verdicts are decided or not, and the next size is within the bound or not.
    pub fn after(&self, look: u32, decided: bool, fits: bool) -> AfterLook {
        match self.size(look + 1) {
            _ if decided => AfterLook::Decided,
            Some(size) if fits => AfterLook::Grow(size),
            _ => AfterLook::Exhausted,
        }
    }
}

impl GrowthState {
    /// Whether the next look is within a bound. The seconds of rows to come are told from those that were computed; when none
    /// was, the next look is begun while any time is left.
    pub fn fits(&self, bound: RunBound) -> bool {
        match bound {
            RunBound::Rows(most) => self.next_rows <= most,
            RunBound::Time(most) => {
                let most = most.as_secs_f64();
                self.seconds < most && self.next_seconds() <= most
            }
        }
    }

    /// Seconds at the end of the next look, at the speed so far.
    fn next_seconds(&self) -> f64 {
        let more = self.next_rows.saturating_sub(self.rows) as f64;
        let per_row = if self.computed == 0 { 0.0 } else { self.seconds / self.computed as f64 };
        self.seconds + more * per_row
    }
}

/// The verdicts that decide about an output: those of the first analysis that has any. `None` when none has.
pub fn leading_verdicts<'a>(analyses: &'a [Analysis], output: &str) -> Option<&'a [Verdict]> {
    let of_output = |analysis: &'a Analysis| analysis.outputs.iter().find(|found| found.name == output);
    let verdicts = |found: &'a OutputAnalysis| found.verdicts.as_slice();
    analyses.iter().filter_map(of_output).map(verdicts).find(|verdicts| !verdicts.is_empty())
}

/// Whether no verdict is undecided.
pub fn is_decided(verdicts: &[Verdict]) -> bool {
    !verdicts.iter().any(|verdict| matches!(verdict, Verdict::Undecided { .. }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_double_and_levels_rise() {
        let looks = Looks::new(256, 0.95);
        assert_eq!([0, 1, 5].map(|look| looks.size(look)), [Some(256), Some(512), Some(8192)]);
        let level = [0, 1, 2, 3].map(|look| (looks.confidence(look) * 1e5).round() / 1e5);
        assert_eq!(level, [0.975, 0.991_67, 0.995_83, 0.997_5]);
    }

    #[test]
    fn a_decided_sample_does_not_grow_and_an_undecided_one_within_the_bound_does() {
        let looks = Looks::new(100, 0.95);
        assert_eq!(looks.after(0, true, true), AfterLook::Decided);
        assert_eq!(looks.after(2, false, true), AfterLook::Grow(800));
        assert_eq!(looks.after(2, false, false), AfterLook::Exhausted);
        assert_eq!(looks.after(62, false, true), AfterLook::Exhausted, "no such size");
    }

    #[test]
    fn a_bound_of_rows_counts_all_rows_and_one_of_time_foresees_the_next_look() {
        let state = GrowthState { rows: 1000, next_rows: 1900, computed: 500, seconds: 10.0 };
        let time = |milliseconds| RunBound::Time(Duration::from_millis(milliseconds));
        assert!(state.fits(RunBound::Rows(1900)) && !state.fits(RunBound::Rows(1899)));
        // 900 more rows at 0.02 s each.
        assert!(state.fits(time(28_000)) && !state.fits(time(27_900)));
        let known = GrowthState { computed: 0, ..state };
        assert!(known.fits(time(10_100)) && !known.fits(time(10_000)));
    }

    proptest! {
        #[test]
        fn all_looks_together_miss_no_more_often_than_asked(confidence in 0.5..0.999_f64, count in 1..64_u32) {
            let looks = Looks::new(1, confidence);
            let misses: f64 = (0..count).map(|look| 1.0 - looks.confidence(look)).sum();
            prop_assert!(misses <= 1.0 - confidence + 1e-12, "{misses}");
            prop_assert!((1..count).all(|look| looks.confidence(look) > looks.confidence(look - 1)));
        }

        #[test]
        fn a_run_always_ends(first in 1..u64::MAX, rows_per_base in 1..40_u64, most in 0..1_000_000_u64) {
            let (looks, mut look) = (Looks::new(first, 0.95), 0);
            loop {
                let rows = |look| looks.size(look).unwrap_or(u64::MAX).saturating_mul(rows_per_base);
                let state =
                    GrowthState { rows: rows(look), next_rows: rows(look + 1), computed: 1, seconds: 1.0 };
                match looks.after(look, false, state.fits(RunBound::Rows(most))) {
                    AfterLook::Grow(size) => {
                        prop_assert_eq!(Some(size), first.checked_mul(1 << (look + 1)));
                        prop_assert!(size.saturating_mul(rows_per_base) <= most);
                    }
                    end => {
                        prop_assert_eq!(end, AfterLook::Exhausted);
                        break;
                    }
                }
                look += 1;
            }
        }
    }
}
