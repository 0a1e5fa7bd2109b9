//! How the regions of a task reach a server and come back: as files, or in memory that is shared with a worker.

use std::path::PathBuf;

use onceflow_region::Region;
use serde_json::Value;

use super::message;
use super::server::ServerProcess;
use crate::external::ExternalOperation;
use crate::failure::ProgramFailure;
use crate::folder::RegionFiles;
use crate::python::{Given, WORKER, first_line, head_line, task_line};
use crate::units::ProgramRun;

/// The regions of one task.
pub(super) enum Exchange {
    /// Files in a folder.
    Files(PathBuf),
    /// Places in the memory of a worker.
    Memory(Given),
}

impl Exchange {
    /// Hands the inputs over; returns the line that tells of them.
    pub(super) fn begin(
        server: &mut ServerProcess,
        operation: &ExternalOperation,
        run: &ProgramRun<'_>,
    ) -> Result<(Self, Value), ProgramFailure> {
        let task = &operation.task;
        let (Some(function), Some(memory)) = (&task.function, &mut server.memory) else {
            let folder = server.next_folder();
            RegionFiles { task, folder: &folder }.write(run.call.inputs)?;
            let line = message::task_line(operation, run, &folder);
            return Ok((Self::Files(folder), line));
        };
        let call = &run.call;
        let place = operation.workspace.place(operation.scope, call.site, call.row, run.size)?;
        let given = memory.give(call.inputs, (&task.spec.inputs, &task.spec.outputs), run.size)?;
        let line = task_line(&task.spec, function, call, &place, memory, &given);
        Ok((Self::Memory(given), line))
    }

    /// The outputs, once the server has answered.
    pub(super) fn outputs(
        &self,
        server: &ServerProcess,
        answer: &Value,
        operation: &ExternalOperation,
        size: (u64, u64),
    ) -> Result<Vec<Region>, String> {
        match (self, &server.memory) {
            (Self::Files(folder), _) => RegionFiles { task: &operation.task, folder }.read(size),
            (Self::Memory(given), Some(memory)) => memory.take(given, &answer["tables"]),
            (Self::Memory(_), None) => Err("expected a worker with shared memory".into()),
        }
    }

    /// Removes files that only this task needed.
    pub(super) fn clear(&self) {
        if let Self::Files(folder) = self {
            // What cannot be removed now is removed with the temporary folder of the workspace.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// What a server is told before its first task: nothing, or the function that a worker runs.
pub(super) fn opening(operation: &ExternalOperation) -> Option<String> {
    let task = &operation.task;
    let function = task.function.as_ref()?;
    let files: Vec<&str> = task.files.iter().map(|file| file.name.as_str()).collect();
    Some(format!("{}{}\n", first_line(WORKER), head_line(&task.name, &files, function)))
}
