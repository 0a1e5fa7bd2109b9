//! A command without a store: it runs as with one, and nothing is kept.

use std::process::Stdio;

use super::MemoCommand;
use super::process::{Ended, wait};
use super::request::STANDARD_INPUT;
use super::signals::IgnoredSignals;
use super::start::start;
use crate::{MemoError, TracedFiles};

impl MemoCommand {
    /// Runs the command without a store: its exit code, and the undeclared files that it was traced to read and write. As with a
    /// store, its standard input is empty unless it is declared.
    ///
    /// # Errors
    /// When the request contradicts itself, or the command cannot be started.
    pub fn run_alone(&self) -> Result<(i32, Option<TracedFiles>), MemoError> {
        self.check()?;
        let reads_input = self.reads.iter().any(|path| path.as_os_str() == STANDARD_INPUT);
        let mut process = self.process();
        process.stdin(if reads_input { Stdio::inherit() } else { Stdio::null() });
        let ignored = IgnoredSignals::new();
        let started = start(process, self.trace, None, &ignored);
        let (child, guard) = started.map_err(|error| self.cannot_run(&error))?;
        let ended: Ended = wait(child, guard, self.trace, || ()).0;
        ended.map(|(exit, traced)| (exit, traced.map(|traced| traced.undeclared(&self.reads, &self.writes))))
    }
}
