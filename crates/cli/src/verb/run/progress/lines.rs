//! Progress without a terminal: plain lines at growing intervals.

use std::io::Write as _;
use std::time::{Duration, Instant};

use onceflow_engine::ProgressTracker;

/// Prints a progress line at growing intervals.
pub(super) struct ProgressLines {
    spoke: Instant,
    pause: Duration,
}

const FIRST: Duration = Duration::from_secs(1);
/// Even the log of a long run shows progress this often.
const LONGEST: Duration = Duration::from_secs(600);

impl ProgressLines {
    pub(super) fn new() -> Self {
        Self { spoke: Instant::now(), pause: FIRST }
    }

    /// Prints a progress line, unless the last one is too recent.
    pub(super) fn show(&mut self, far: &ProgressTracker) {
        self.show_line(|| far.line());
    }

    /// The same for a line that is made only then.
    pub(super) fn show_line(&mut self, line: impl FnOnce() -> String) {
        if self.spoke.elapsed() < self.pause {
            return;
        }
        self.spoke = Instant::now();
        self.pause = (self.pause * 2).min(LONGEST);
        say(&line());
    }
}

/// Prints a line to standard error; a closed standard error does not stop the work.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
