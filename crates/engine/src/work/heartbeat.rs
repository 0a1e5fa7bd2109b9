//! A sign that a process gives again and again, whatever it is busy with.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Gives its sign in a thread of its own until it is dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    ended: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Calls `beat` after each of these pauses.
    pub(crate) fn start(pause: Duration, mut beat: impl FnMut() + Send + 'static) -> Self {
        let ended = Arc::new((Mutex::new(false), Condvar::new()));
        let lock = Arc::clone(&ended);
        let thread = std::thread::spawn(move || {
            let (ended, woken) = &*lock;
            let mut guard = ended.lock().unwrap_or_else(PoisonError::into_inner);
            while !*guard {
                let waited = woken.wait_timeout(guard, pause).unwrap_or_else(PoisonError::into_inner);
                guard = waited.0;
                if waited.1.timed_out() && !*guard {
                    beat();
                }
            }
        });
        Self { ended, thread: Some(thread) }
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        *self.ended.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.1.notify_all();
        // A thread that panicked has ended too.
        let _ended = self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn it_beats_while_its_owner_is_busy_and_not_after() {
        let beats = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&beats);
        let heartbeat = Heartbeat::start(Duration::from_millis(5), move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let limit = std::time::Instant::now() + Duration::from_secs(20);
        while beats.load(Ordering::Relaxed) < 3 && std::time::Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(heartbeat);
        let after = beats.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(50));
        assert!(after >= 3 && beats.load(Ordering::Relaxed) == after);
    }
}
