//! Exit codes.

/// How the command ends, as the shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Ok,
    /// Some rows failed, and the user asked to stop then.
    RowsFailed,
    /// Bad command line or file.
    BadInput,
    /// The machine: no permission, no space, no such program.
    Environment,
    /// The memory bound is too small.
    Memory,
    /// Our bug.
    Internal,
    /// Stopped by a signal.
    Interrupted,
    /// As a command of the user ended.
    OfCommand(u8),
}

impl Exit {
    /// The number that the shell gets.
    pub fn code(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::RowsFailed => 1,
            Self::BadInput => 2,
            Self::Environment => 3,
            Self::Memory => 4,
            Self::Internal => 5,
            Self::Interrupted => 130,
            Self::OfCommand(code) => code,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
