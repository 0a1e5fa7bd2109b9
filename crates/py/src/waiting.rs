//! Work without the GIL, in its own thread, while this one looks for Ctrl-C.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use onceflow_engine::StopFlag;
use onceflow_study::Diagnostic;
use pyo3::prelude::*;

use crate::error::bug;

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(100);

/// Does work that takes longer than a thread takes to start. After Ctrl-C the flag is set, and `KeyboardInterrupt` is raised
/// at once; what the work had begun ends in its thread.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let receive = begun(work)?;
    loop {
        match py.detach(|| receive.recv_timeout(PAUSE)) {
            Ok(found) => return found.map_err(|message| bug(&message)),
            Err(RecvTimeoutError::Disconnected) => return Err(bug("a thread ended without a result")),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            })?,
        }
    }
}

/// Does the same work, and waits for its end after Ctrl-C too: then `KeyboardInterrupt` is raised. A second one is raised at once.
pub(crate) fn to_its_end<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let receive = begun(work)?;
    let mut interrupted = None;
    loop {
        match py.detach(|| receive.recv_timeout(PAUSE)) {
            Ok(found) => return interrupted.map_or_else(|| found.map_err(|message| bug(&message)), Err),
            Err(RecvTimeoutError::Disconnected) => return Err(bug("a thread ended without a result")),
            Err(RecvTimeoutError::Timeout) => {
                let signal = py.check_signals();
                if interrupted.is_some() {
                    signal?;
                } else {
                    interrupted = signal.err();
                }
            }
        }
    }
}

/// Begins work in a thread of its own, which sends its result.
fn begun<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<Receiver<Result<T, String>>> {
    let (send, receive) = bounded(1);
    let thread = std::thread::Builder::new().name("onceflow".into()).spawn(move || {
        // After Ctrl-C nothing may wait for it.
        let _ = send.send(caught(work));
    });
    thread.map_err(|error| bug(&format!("cannot start a thread: {error}")))?;
    Ok(receive)
}

/// The result, or the message of a panic.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
    })
}

/// The message that a value is not what a keyword takes.
pub(crate) fn unknown_word(keyword: &str, known: &[&str], found: &str) -> Diagnostic {
    let error = Diagnostic::error(format!("{keyword} has no such value"));
    error.expected_found(format!("one of {}", known.join(", ")), format!("`{found}`"))
}
