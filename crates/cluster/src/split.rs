//! How much work a bucket holds: parts are cut into runs of about equal cost, the last ones smaller.
//!
//! Work of different parts never merges, so that cutting between parts costs nothing. Rows of one part are cut only where
//! there are too few parts for the workers.

use std::ops::Range;

/// What a bucket should be like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitRules {
    /// Workers that take buckets.
    pub workers: usize,
    /// Seconds that a bucket takes at most, where its parts are small enough.
    pub most: f64,
    /// Seconds below which a bucket does not pay: handing it out takes a share of that.
    pub least: f64,
}

/// Buckets that each worker takes before the last fifth.
const EACH: f64 = 4.0;
/// The share of the work that is handed out in smaller buckets.
const LAST: f64 = 0.2;
/// How many times smaller these are.
const SMALLER: f64 = 4.0;

impl Default for SplitRules {
    fn default() -> Self {
        Self { workers: 1, most: 600.0, least: 0.25 }
    }
}

impl SplitRules {
    /// Seconds of a bucket of work that takes so many seconds on one worker.
    pub fn size(&self, seconds: f64) -> f64 {
        (seconds / (self.workers.max(1) as f64 * EACH)).min(self.most).max(self.least)
    }

    /// Runs of parts, in order, by the seconds of each part.
    pub fn runs<'c>(&self, costs: &'c [f64]) -> impl Iterator<Item = Range<usize>> + use<'c> {
        self.stream(costs.iter().sum(), costs.iter().copied())
    }

    /// The same of parts that come one after the other and take so many seconds together: none of them is kept.
    pub fn stream<I: IntoIterator<Item = f64>>(&self, total: f64, costs: I) -> SplitRuns<I::IntoIter> {
        SplitRuns { rules: *self, total, costs: costs.into_iter(), part: 0, first: 0, held: 0.0, before: 0.0 }
    }

    /// Into how many groups the rows of a run of parts are cut that takes so many seconds; one where its size is right.
    pub fn row_groups(&self, seconds: f64, total: f64, rows: usize) -> usize {
        let size = self.size(total);
        if seconds <= 2.0 * size {
            return 1;
        }
        ((seconds / size).round() as usize).clamp(1, rows.max(1))
    }
}

/// Runs of parts as they come.
#[derive(Clone, Debug)]
pub struct SplitRuns<I> {
    rules: SplitRules,
    total: f64,
    costs: I,
    /// How many parts came.
    part: usize,
    /// The first part of the run that is being made, its seconds, and those of all parts before the next one.
    first: usize,
    held: f64,
    before: f64,
}

impl<I: Iterator<Item = f64>> Iterator for SplitRuns<I> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let (rules, size) = (self.rules, self.rules.size(self.total));
        for cost in self.costs.by_ref() {
            let last = self.before >= self.total * (1.0 - LAST);
            let wanted = if last { (size / SMALLER).max(rules.least) } else { size };
            let (first, part) = (self.first, self.part);
            self.part += 1;
            self.before += cost;
            // The part goes where the bucket is nearer to its size.
            if part > first && self.held + cost / 2.0 > wanted {
                (self.first, self.held) = (part, cost);
                return Some(first..part);
            }
            self.held += cost;
        }
        let rest = self.first..self.part;
        self.first = self.part;
        (!rest.is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_fifth_is_cut_smaller_and_small_work_is_not_cut() {
        let rules = SplitRules { workers: 2, ..SplitRules::default() };
        let runs: Vec<Range<usize>> = rules.runs(&[1.0; 80]).collect();
        let sizes: Vec<usize> = runs.iter().map(ExactSizeIterator::len).collect();
        assert_eq!(sizes[..6], [10; 6]);
        assert!(sizes[sizes.len() - 3..].iter().all(|size| *size <= 3), "{sizes:?}");
        assert_eq!(
            rules.runs(&[0.01; 20]).count(),
            1,
            "a bucket of less than {} s does not pay",
            rules.least
        );
        assert_eq!(rules.runs(&[]).next(), None);
        assert_eq!(rules.row_groups(100.0, 100.0, 640), 8);
        assert_eq!(rules.row_groups(100.0, 100.0, 3), 3);
        assert_eq!(rules.row_groups(1.0, 100.0, 640), 1);
    }

    proptest! {
        #[test]
        fn every_part_is_in_one_run(costs in prop::collection::vec(0.0..10.0f64, 0..200), workers in 1usize..300) {
            let runs: Vec<_> = SplitRules { workers, ..SplitRules::default() }.runs(&costs).collect();
            let parts: Vec<usize> = runs.iter().cloned().flatten().collect();
            prop_assert_eq!(parts, (0..costs.len()).collect::<Vec<_>>());
            prop_assert!(runs.iter().all(|run| !run.is_empty()));
        }
    }
}
