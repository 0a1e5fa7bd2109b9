//! Programs that serve: each process reads one line of JSON per task and answers with one line, for as many tasks as there are.

mod exchange;
mod message;
mod server;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use onceflow_runtime::Done;
use serde_json::Value;

use self::exchange::{Exchange, opening};
use self::message::result;
use self::server::{ServerProcess, ServerReply};
use super::ExternalOperation;
use crate::failure::ProgramFailure;
use crate::process::ProcessLimits;
use crate::units::ProgramRun;

/// Idle processes of one operation; a worker that finds none starts one.
#[derive(Debug, Default)]
pub(super) struct ServerPool {
    idle: Mutex<Vec<ServerProcess>>,
}

/// How much longer than a task a worker may take until it has loaded its function.
const LOADING: Duration = Duration::from_secs(60);

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
            None => match started(operation, run)? {
                Ok(server) => server,
                Err(attempt) => return Ok(attempt),
            },
        };
        let (exchange, line) = Exchange::begin(&mut server, operation, run)?;
        let text = format!("{line}\n");
        if operation.keeps_folders() {
            let before = opening(operation).unwrap_or_default();
            fs::write(server.folder.join("task.json"), before + &text)?;
        }
        let (log, from) = (server.log.clone(), server.log.metadata()?.len());
        let reply = server.ask(&text, operation.limits());
        let attempt = reply.attempt(operation, run, (&log, from), |server, answer| {
            let done = result(&answer, operation, || exchange.outputs(&server, &answer, operation, run.size));
            // The kept folder of a server is that of one task.
            if !operation.keeps_folders() {
                self.idle().push(*server);
            }
            ServeAttempt::Done(operation.with_log(done, &log, from, run))
        });
        if !operation.keeps_folders() {
            exchange.clear();
        }
        Ok(attempt)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ServerProcess>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new server that is ready for a task; or what became of the task when there is none.
fn started(
    operation: &ExternalOperation,
    run: &ProgramRun<'_>,
) -> Result<Result<ServerProcess, ServeAttempt>, ProgramFailure> {
    let server = ServerProcess::start(operation, run.call.row)?;
    let Some(text) = opening(operation) else { return Ok(Ok(server)) };
    let log = server.log.clone();
    let mut ready = None;
    // Loading is no task, but it must not take for ever.
    let limits = operation.limits();
    let limits = ProcessLimits { time: limits.time.map(|time| time + LOADING), ..limits };
    let attempt = server.ask(&text, limits).attempt(operation, run, (&log, 0), |server, answer| {
        let done = result(&answer, operation, || Ok(Vec::new()));
        if done.is_ok() {
            ready = Some(*server);
        }
        ServeAttempt::Done(operation.with_log(done, &log, 0, run))
    });
    Ok(ready.ok_or(attempt))
}

impl ServerReply {
    /// What became of a task, whose log begins at a position in a file.
    fn attempt(
        self,
        operation: &ExternalOperation,
        run: &ProgramRun<'_>,
        (log, from): (&Path, u64),
        answered: impl FnOnce(Box<ServerProcess>, Value) -> ServeAttempt,
    ) -> ServeAttempt {
        match self {
            Self::Answered(server, answer) => answered(server, answer),
            Self::Died(failure) => match operation.with_log(Err(failure), log, from, run) {
                Err(failure) => ServeAttempt::Died(failure),
                done => ServeAttempt::Done(done),
            },
            Self::Stopped(failure) => ServeAttempt::Done(operation.with_log(Err(failure), log, from, run)),
        }
    }
}
