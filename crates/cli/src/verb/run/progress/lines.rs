//! Progress where nobody can rewrite a line: plain lines at growing distances.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::far::HowFar;

/// Speaks now and then.
pub(super) struct Lines {
    spoke: Instant,
    pause: Duration,
}

const FIRST: Duration = Duration::from_secs(1);
/// Somebody who looks at a log of days still wants to see that it goes on.
const LONGEST: Duration = Duration::from_secs(600);

impl Lines {
    pub(super) fn new() -> Self {
        Self { spoke: Instant::now(), pause: FIRST }
    }

    /// Says how far it is, unless it did so shortly before.
    pub(super) fn show(&mut self, far: &HowFar) {
        if self.spoke.elapsed() < self.pause {
            return;
        }
        self.spoke = Instant::now();
        self.pause = (self.pause * 2).min(LONGEST);
        say(&far.line());
    }
}

/// A line on standard error. One that is closed must not stop the work.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
