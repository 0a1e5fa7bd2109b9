//! Which rows failed, what that costs, and what the reader must know of it.

use onceflow_study::Space;

use super::cluster::cluster;
use super::error::AnalyzeError;
use crate::{FailurePolicy, Failures, Sample, Status};

/// A column with NaN wherever there is no number to trust.
pub(super) fn usable(column: &[f64], status: &[Status]) -> Vec<f64> {
    let number = |(y, s): (&f64, &Status)| if *s == Status::Ok && y.is_finite() { *y } else { f64::NAN };
    column.iter().zip(status).map(number).collect()
}

/// The rows of one output that cannot be used.
pub(super) struct Tally {
    /// Places of rows that were answered, with whether they failed.
    answered: Vec<(usize, bool)>,
    /// Numbers of the first rows that failed or are missing.
    first: Vec<u64>,
    failed: usize,
    missing: usize,
}

/// Rows an error names before it stops.
const NAMED: usize = 5;

impl Tally {
    /// Goes through the rows that take part; `y` as [`usable`] gives it.
    pub(super) fn new(sample: &Sample, rows: &[usize], y: &[f64], status: &[Status]) -> Self {
        let mut tally = Self { answered: Vec::new(), first: Vec::new(), failed: 0, missing: 0 };
        for row in rows {
            let lacking = y[*row].is_nan();
            if lacking && tally.first.len() < NAMED {
                tally.first.push(sample.rows[*row].id);
            }
            if lacking && status[*row] == Status::Missing {
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

    /// Refuses an output of which nothing is left, or anything lacks where the policy is to stop.
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

/// What the reader must know of failures among `rows` rows.
pub(super) fn warnings(failures: &Failures, rows: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    let lacking = failures.failed + failures.missing;
    if lacking > 0 {
        let share = 100.0 * lacking as f64 / rows as f64;
        warnings.push(format!(
            "{} failed and {} missing of {rows} rows ({share:.1} %): the indices speak of the rows that are there",
            failures.failed, failures.missing
        ));
    }
    if let Some(place) = &failures.cluster {
        warnings.push(format!(
            "failures gather where {place}: the indices do not speak of that corner; narrow the ranges, or see how far \
             they could move with the policy `bounds`"
        ));
    }
    warnings
}
