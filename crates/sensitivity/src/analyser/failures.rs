//! Failed rows, their effect on the indices, and the warnings about them.

use onceflow_study::Space;

use super::cluster::cluster;
use super::error::AnalyzeError;
use crate::{FailurePolicy, Failures, OutputStatus, Sample};

/// A column with NaN for all rows that failed or are not finite.
pub(super) fn usable(column: &[f64], status: &[OutputStatus]) -> Vec<f64> {
    let number =
        |(y, s): (&f64, &OutputStatus)| if *s == OutputStatus::Ok && y.is_finite() { *y } else { f64::NAN };
    column.iter().zip(status).map(number).collect()
}

/// The rows of one output that cannot be used.
pub(super) struct UnusableRows {
    /// Places of rows that were answered, with whether they failed.
    answered: Vec<(usize, bool)>,
    /// Numbers of the first rows that failed or are missing.
    first: Vec<u64>,
    failed: usize,
    missing: usize,
}

/// Rows an error names before it stops.
const NAMED: usize = 5;

impl UnusableRows {
    /// Collects the unusable ones among `rows`; `y` as [`usable`] gives it.
    pub(super) fn new(sample: &Sample, rows: &[usize], y: &[f64], status: &[OutputStatus]) -> Self {
        let mut tally = Self { answered: Vec::new(), first: Vec::new(), failed: 0, missing: 0 };
        for row in rows {
            let lacking = y[*row].is_nan();
            if lacking && tally.first.len() < NAMED {
                tally.first.push(sample.rows[*row].id);
            }
            if lacking && status[*row] == OutputStatus::Missing {
                tally.missing += 1;
            } else {
                tally.failed += usize::from(lacking);
                tally.answered.push((*row, lacking));
            }
        }
        tally
    }

    /// Rows without a number.
    pub(super) fn lacking(&self) -> usize {
        self.failed + self.missing
    }

    /// Refuses an output without a usable row, and any failure when the policy is to stop.
    pub(super) fn check(&self, output: &str, policy: FailurePolicy) -> Result<(), AnalyzeError> {
        let output = output.to_owned();
        if self.answered.len() == self.failed {
            return Err(AnalyzeError::AllFailed { output, failed: self.failed, missing: self.missing });
        }
        if policy == FailurePolicy::Stop && self.lacking() > 0 {
            return Err(AnalyzeError::Stopped { output, count: self.lacking(), rows: self.first.clone() });
        }
        Ok(())
    }

    /// The account of them.
    pub(super) fn failures(&self, space: &Space, sample: &Sample, lost: Vec<usize>) -> Failures {
        let cluster = if self.failed > 0 { cluster(space, sample, &self.answered) } else { None };
        Failures { failed: self.failed, missing: self.missing, lost, cluster }
    }
}

/// Warnings about failures among `rows` rows.
pub(super) fn warnings(failures: &Failures, rows: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let lacking = failures.failed + failures.missing;
    if lacking > 0 {
        let share = 100.0 * lacking as f64 / rows as f64;
        warnings.push(format!(
            "{} failed and {} missing of {rows} rows ({share:.1} %): the indices are computed from the other rows",
            failures.failed, failures.missing
        ));
    }
    if let Some(place) = &failures.cluster {
        warnings.push(format!(
            "failures cluster where {place}: the indices do not cover that region; narrow the ranges, or see how far \
             they could move with the policy `bounds`"
        ));
    }
    warnings
}
