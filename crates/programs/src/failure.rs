//! Why one run of a program gave no result.

use std::io;

use onceflow_runtime::OperationError;

use crate::process::ProcessEnd;
use crate::task::ProgramTask;

/// Separates the cause of a failure from the last line of the program's log, in the message of a failed task.
pub const LOG_MARK: &str = "; its log ends with: ";

/// The exit code with which a program asks to be run again later: EX_TEMPFAIL.
const TRY_AGAIN: i32 = 75;

/// Signals with which users and systems end a program: HUP, INT, KILL, TERM.
const FROM_OUTSIDE: [i32; 4] = [1, 2, 9, 15];

/// Why one run of a program gave no result.
#[derive(Debug)]
pub(crate) struct ProgramFailure {
    /// The cause, as the rest of a sentence that begins with the command.
    what: String,
    /// Whether another attempt may succeed.
    transient: bool,
    last_line: Option<String>,
}

impl ProgramFailure {
    /// A failure that another attempt would repeat.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), transient: false, last_line: None }
    }

    /// An output is missing or wrong.
    pub(crate) fn output(why: String) -> Self {
        Self::new(format!("did not make its outputs as declared: {why}"))
    }

    /// Adds the last line of the program's log.
    pub(crate) fn with_last_line(self, last_line: Option<String>) -> Self {
        Self { last_line, ..self }
    }

    /// The error of the task.
    pub(crate) fn into_error(self, task: &ProgramTask) -> OperationError {
        let last = self.last_line.map_or_else(String::new, |line| format!("{LOG_MARK}{line}"));
        let message = format!("`{}` {}{last}", task.short_command(), self.what);
        if self.transient { OperationError::transient(message) } else { OperationError::new(message) }
    }
}

impl From<io::Error> for ProgramFailure {
    fn from(error: io::Error) -> Self {
        Self::new(format!("could not be run: {}", onceflow_region::io_words(&error)))
    }
}

/// Accepts exit code 0 only.
pub(crate) fn check_end(end: &ProcessEnd) -> Result<(), ProgramFailure> {
    let (what, transient) = match end {
        ProcessEnd::Code(0) => return Ok(()),
        ProcessEnd::Code(code) => (format!("ended with exit code {code}"), *code == TRY_AGAIN),
        ProcessEnd::Signal(signal) => {
            (format!("was ended by signal {signal}"), FROM_OUTSIDE.contains(signal))
        }
        ProcessEnd::Stopped(why) => (why.clone(), false),
    };
    Err(ProgramFailure { what, transient, last_line: None })
}
