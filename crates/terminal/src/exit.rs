//! Exit codes.

/// How the command ends, as the shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Ok = 0,
    /// Some rows failed, and the user asked to stop then.
    RowsFailed = 1,
    /// Bad command line or file.
    BadInput = 2,
    /// The machine: no permission, no space, no such program.
    Environment = 3,
    /// The memory bound is too small.
    Memory = 4,
    /// Our bug.
    Internal = 5,
    /// Stopped by a signal.
    Interrupted = 130,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
