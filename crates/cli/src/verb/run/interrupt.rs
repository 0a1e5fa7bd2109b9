//! Ctrl-C: the first lets running tasks end, the second stops at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use onceflow_engine::{StopFlag, remove_unfinished};
use onceflow_terminal::Exit;

use crate::started::is_own_process;

/// The run that a signal stops.
static RUNNING: Mutex<Option<StopFlag>> = Mutex::new(None);
static HANDLER: Once = Once::new();
static ASKED: AtomicBool = AtomicBool::new(false);

/// Forgets the run when it is over.
pub(in crate::verb) struct StopGuard;

impl Drop for StopGuard {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// From now on a signal stops the run of this flag.
pub(in crate::verb) fn watch(stop: &StopFlag) -> StopGuard {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(StopFlag::clone(stop));
    // Without a handler a signal ends the process at once, which loses no file: all are written whole.
    if is_own_process() {
        HANDLER.call_once(|| drop(ctrlc::set_handler(stop_or_exit)));
    }
    StopGuard
}

fn stop_or_exit() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    match running.as_ref() {
        Some(stop) if !ASKED.swap(true, Ordering::Relaxed) => stop.store(true, Ordering::Relaxed),
        _ => {
            let _nothing_more = remove_unfinished();
            std::process::exit(i32::from(Exit::Interrupted.code()))
        }
    }
}
