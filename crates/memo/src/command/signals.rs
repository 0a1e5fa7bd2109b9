//! Ctrl-C is for the command: while it runs, this process ignores the signal, and ends as the command ends.
#![allow(unsafe_code, reason = "what a signal does is set by a call of the C library")]

#[cfg(unix)]
pub(super) use unix::IgnoredSignals;

/// Nothing is ignored on this system.
#[cfg(not(unix))]
pub(super) struct IgnoredSignals;

#[cfg(not(unix))]
impl IgnoredSignals {
    pub(super) fn new() -> Self {
        Self
    }
}

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, PoisonError};

    const SIGNALS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGQUIT];

    /// How many commands run now, and what the signals did before the first of them.
    static RUNNING: Mutex<(usize, [libc::sighandler_t; 2])> = Mutex::new((0, [libc::SIG_DFL; 2]));

    /// As long as it lives, the signals are ignored.
    pub(in super::super) struct IgnoredSignals {
        /// What the signals did before.
        pub(in super::super) before: [libc::sighandler_t; 2],
    }

    impl IgnoredSignals {
        pub(in super::super) fn new() -> Self {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            if running.0 == 0 {
                running.1 = set([libc::SIG_IGN; 2]);
            }
            running.0 += 1;
            Self { before: running.1 }
        }
    }

    impl Drop for IgnoredSignals {
        fn drop(&mut self) {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            running.0 -= 1;
            if running.0 == 0 {
                set(running.1);
            }
        }
    }

    /// Sets what the signals do; what they did before.
    pub(in super::super) fn set(handlers: [libc::sighandler_t; 2]) -> [libc::sighandler_t; 2] {
        // SAFETY: the handlers are those of the system, or were set before; the call touches no memory of ours.
        std::array::from_fn(|place| unsafe { libc::signal(SIGNALS[place], handlers[place]) })
    }
}

#[cfg(unix)]
pub(super) use unix::set;
