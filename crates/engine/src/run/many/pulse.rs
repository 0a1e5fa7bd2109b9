//! Signs of life of a worker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::attempt_lines::{AttemptLines, lock};

/// Signs of life of the attempt that is made now.
#[derive(Default)]
pub(super) struct Pulse {
    attempt: Mutex<Option<Arc<AttemptLines>>>,
    ended: AtomicBool,
    asleep: Mutex<()>,
    waker: Condvar,
}

impl Pulse {
    pub(super) fn set(&self, attempt: Option<Arc<AttemptLines>>) {
        *lock(&self.attempt) = attempt;
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        let _asleep = lock(&self.asleep);
        self.waker.notify_all();
    }

    /// Gives signs until it is ended.
    pub(super) fn beat(&self, every: f64) {
        let step = Duration::from_secs_f64((every / 4.0).clamp(0.05, 0.5));
        let mut asleep = lock(&self.asleep);
        while !self.ended.load(Ordering::Relaxed) {
            if let Some(attempt) = lock(&self.attempt).clone() {
                attempt.beat(every);
            }
            asleep = self.waker.wait_timeout(asleep, step).map_or_else(|e| e.into_inner().0, |woken| woken.0);
        }
        drop(asleep);
    }
}
