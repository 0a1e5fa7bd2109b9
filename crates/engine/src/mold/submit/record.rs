//! What jobs write down of themselves: when they began, how their commands ended and when.

use std::fs;
use std::path::Path;

use onceflow_cluster::JobRecord;

/// Times of one attempt, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AttemptTimes {
    pub(super) start: Option<f64>,
    pub(super) end: Option<f64>,
    pub(super) code: Option<i32>,
}

/// A job that is so much longer than its limit is no longer there.
const GRACE: f64 = 120.0;

/// What the names of the files of an attempt begin with, within the folder.
pub(super) fn files(job: usize, attempt: u32) -> String {
    format!("jobs/{:04}.{attempt}", job + 1)
}

impl AttemptTimes {
    /// Reads the files of an attempt.
    pub(super) fn read(folder: &Path, job: usize, attempt: u32) -> Self {
        let text =
            |ending: &str| fs::read_to_string(folder.join(format!("{}.{ending}", files(job, attempt))));
        let start = text("start").ok().and_then(|text| time(text.trim()));
        let end = text("end").unwrap_or_default();
        let mut words = end.split_whitespace();
        let code = words.next().and_then(|code| code.parse().ok());
        Self { start, end: words.next().and_then(time), code }
    }

    /// How long its command took.
    pub(super) fn seconds(&self) -> Option<f64> {
        Some(self.end? - self.start?).filter(|seconds| *seconds >= 0.0)
    }

    /// The record for the state of the workflow.
    pub(super) fn record(&self, limit: u64, now: f64) -> JobRecord {
        let is_overdue = self.start.is_some_and(|start| now > start + limit as f64 + GRACE);
        JobRecord { ended: self.code, is_overdue }
    }
}

/// `1700000000.123456789`; a `date` without fractions writes `1700000000.%N`.
fn time(text: &str) -> Option<f64> {
    let whole = || text.split('.').next()?.parse().ok();
    text.parse().ok().or_else(whole).filter(|time: &f64| time.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_whatever_date_writes() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("jobs")).unwrap();
        let write = |ending: &str, text: &str| {
            fs::write(folder.path().join(format!("{}.{ending}", files(0, 2))), text).unwrap();
        };
        assert_eq!(AttemptTimes::read(folder.path(), 0, 2), AttemptTimes::default());
        write("start", "1700000000.5\n");
        let running = AttemptTimes::read(folder.path(), 0, 2).record(60, 1_700_000_100.0);
        assert_eq!(running, JobRecord { ended: None, is_overdue: false });
        assert!(AttemptTimes::read(folder.path(), 0, 2).record(60, 1_700_000_300.0).is_overdue);
        write("end", "3 1700000009.%N\n");
        let times = AttemptTimes::read(folder.path(), 0, 2);
        assert_eq!((times.code, times.seconds()), (Some(3), Some(8.5)));
        write("end", "garbage");
        assert_eq!(AttemptTimes::read(folder.path(), 0, 2).code, None);
    }
}
