//! Ctrl-C: the first lets running tasks end, the second stops at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

use onceflow_engine::{RunOptions, remove_unfinished};

use crate::exit::Exit;

/// The run that a signal stops.
static RUNNING: Mutex<Option<Arc<RunOptions>>> = Mutex::new(None);
static HANDLER: Once = Once::new();
static ASKED: AtomicBool = AtomicBool::new(false);

/// Forgets the run when it is over.
pub(super) struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// From now on a signal stops this run.
pub(super) fn watch(options: Arc<RunOptions>) -> Guard {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(options);
    // Without a handler a signal ends the process at once, which loses no file: all are written whole.
    HANDLER.call_once(|| drop(ctrlc::set_handler(stop)));
    Guard
}

fn stop() {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    match running.as_ref() {
        Some(options) if !ASKED.swap(true, Ordering::Relaxed) => options.stop.store(true, Ordering::Relaxed),
        _ => {
            let _nothing_more = remove_unfinished();
            std::process::exit(Exit::Interrupted as i32)
        }
    }
}
