//! A program as units see it: something that runs once on some inputs.

use onceflow_runtime::{Call, Done, OperationError};

use crate::task::ProgramTask;

/// A program, independent of the way it is run.
pub(crate) trait Program {
    /// Its task.
    fn task(&self) -> &ProgramTask;

    /// Columns and rows of the outputs of a call.
    fn size(&self, call: &Call<'_>) -> Result<(u64, u64), OperationError>;

    /// Runs it once.
    fn once(&self, run: &ProgramRun<'_>) -> Result<Done, OperationError>;
}

/// One run of a program.
pub(crate) struct ProgramRun<'a> {
    /// The call it is part of, with the inputs of this run.
    pub(crate) call: Call<'a>,
    /// Columns and rows of the outputs.
    pub(crate) size: (u64, u64),
    /// Whether its log follows that of an earlier run for the same call.
    pub(crate) again: bool,
}

/// One run for all of a call.
pub(crate) fn whole<'a>(program: &dyn Program, call: &Call<'a>) -> Result<ProgramRun<'a>, OperationError> {
    Ok(ProgramRun { call: *call, size: program.size(call)?, again: false })
}
