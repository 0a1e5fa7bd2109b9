//! Programs that serve: each process reads one line of JSON per task and answers with one line, for as many tasks as there are.

mod message;
mod server;

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use onceflow_runtime::Done;

use self::message::{result, task_line};
use self::server::{ServerProcess, ServerReply};
use super::ExternalOperation;
use crate::failure::ProgramFailure;
use crate::folder::RegionFiles;
use crate::units::ProgramRun;

/// Idle processes of one operation; a worker that finds none starts one.
#[derive(Debug, Default)]
pub(super) struct ServerPool {
    idle: Mutex<Vec<ServerProcess>>,
}

/// How one attempt at a task went.
enum ServeAttempt {
    /// The server answered, or was stopped.
    Done(Result<Done, ProgramFailure>),
    /// The server died by itself: another one may succeed.
    Died(ProgramFailure),
}

impl ServerPool {
    /// Gives one task to a server. A server that dies by itself before it answers is replaced once.
    pub(super) fn run(
        &self,
        operation: &ExternalOperation,
        run: &ProgramRun<'_>,
    ) -> Result<Done, ProgramFailure> {
        let idle = self.idle().pop();
        match self.attempt(operation, run, idle)? {
            ServeAttempt::Done(done) => done,
            // Another idle server may be in the same state as the one that died: a new one is started.
            ServeAttempt::Died(_) => match self.attempt(operation, run, None)? {
                ServeAttempt::Done(done) => done,
                ServeAttempt::Died(failure) => Err(failure),
            },
        }
    }

    fn attempt(
        &self,
        operation: &ExternalOperation,
        run: &ProgramRun<'_>,
        idle: Option<ServerProcess>,
    ) -> Result<ServeAttempt, ProgramFailure> {
        let mut server = match idle {
            Some(server) => server,
            None => ServerProcess::start(operation, run.call.row)?,
        };
        let folder = server.next_folder();
        let files = RegionFiles { task: &operation.task, folder: &folder };
        files.write(run.call.inputs)?;
        let line = task_line(operation, run, &folder);
        if operation.keeps_folders() {
            fs::write(server.folder.join("task.json"), format!("{line}\n"))?;
        }
        let (log, from) = (server.log.clone(), server.log.metadata()?.len());
        let attempt = match server.ask(&line, operation) {
            ServerReply::Answered(server, answer) => {
                let done = result(&answer, operation, || files.read(run.size));
                // The kept folder of a server is that of one task.
                if !operation.keeps_folders() {
                    self.idle().push(*server);
                }
                ServeAttempt::Done(operation.with_log(done, &log, from, run))
            }
            ServerReply::Died(failure) => match operation.with_log(Err(failure), &log, from, run) {
                Err(failure) => ServeAttempt::Died(failure),
                done => ServeAttempt::Done(done),
            },
            ServerReply::Stopped(failure) => {
                ServeAttempt::Done(operation.with_log(Err(failure), &log, from, run))
            }
        };
        if !operation.keeps_folders() {
            // What cannot be removed now is removed with the temporary folder of the workspace.
            let _ = fs::remove_dir_all(&folder);
        }
        Ok(attempt)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ServerProcess>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
