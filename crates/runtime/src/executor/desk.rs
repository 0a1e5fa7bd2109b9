//! Where workers meet: whoever is done with something says so, decides with the scheduler what comes next, takes some of it
//! and wakes who waits for the rest.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::carry::{Carried, Carry};
use super::job::{Job, Report};
use super::pinned::pin;
use super::threads::Coordinator;
use super::{ExecuteError, Options, Work};

/// What a worker is asked to do.
pub(super) enum Order {
    Run(Job),
    Carry(Carry),
}

/// How it went.
pub(super) enum Answer {
    Ran(Report),
    Carried(Carried),
}

impl Order {
    fn carry_out(self, work: &Work<'_>, worker: usize, began: Instant) -> Answer {
        match self {
            Self::Run(job) => Answer::Ran(job.run(work, worker, began)),
            Self::Carry(carry) => Answer::Carried(carry.carry(work)),
        }
    }
}

/// What workers share.
pub(super) struct Desk<'a, 'p> {
    state: Mutex<State<'a, 'p>>,
    /// There is something to do, or nothing ever again.
    more: Condvar,
    work: &'a Work<'a>,
    options: &'a Options<'a>,
    began: Instant,
}

struct State<'a, 'p> {
    coordinator: Coordinator<'a, 'p>,
    /// Workers that have nothing to do.
    idle: usize,
    /// How it ended.
    end: Option<Result<(), ExecuteError>>,
}

impl<'a, 'p> Desk<'a, 'p> {
    /// A desk with the first orders on it.
    pub(super) fn new(
        coordinator: Coordinator<'a, 'p>,
        work: &'a Work<'a>,
        options: &'a Options<'a>,
    ) -> Self {
        let mut state = State { coordinator, idle: 0, end: None };
        state.decide(options);
        Self { state: Mutex::new(state), more: Condvar::new(), work, options, began: Instant::now() }
    }

    /// What a worker does until all is over.
    pub(super) fn serve(&self, worker: usize) {
        let _leaving = Leaving(self);
        if self.options.pinned {
            pin(worker);
        }
        let mut answer = None;
        while let Some(order) = self.next(answer.take()) {
            answer = Some(order.carry_out(self.work, worker, self.began));
        }
    }

    /// What all of it came to.
    pub(super) fn close(self) -> Result<Coordinator<'a, 'p>, ExecuteError> {
        let State { coordinator, end, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        end.unwrap_or(Err(ExecuteError::WorkerLost)).map(|()| coordinator)
    }

    /// Takes how the last order went, and gives the next; none when all is over.
    fn next(&self, answer: Option<Answer>) -> Option<Order> {
        let mut state = self.lock();
        if let Some(answer) = answer {
            state.coordinator.take(answer);
            state.decide(self.options);
            self.wake(&state);
        }
        loop {
            if state.end.is_some() {
                return None;
            }
            if let Some(order) = state.coordinator.next_order() {
                return Some(order);
            }
            state.idle += 1;
            if state.idle == self.options.workers {
                // Nobody is left who could bring anything that the scheduler waits for.
                state.end = Some(Err(ExecuteError::WorkerLost));
                self.wake(&state);
            } else {
                state = self.more.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.idle -= 1;
        }
    }

    /// Wakes as many as there are orders for, beside the one that this worker takes itself.
    fn wake(&self, state: &State<'_, '_>) {
        if state.end.is_some() {
            return self.more.notify_all();
        }
        let others = state.coordinator.orders().saturating_sub(1).min(state.idle);
        (0..others).for_each(|_| self.more.notify_one());
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, 'p>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State<'_, '_> {
    /// Follows the scheduler as far as it goes.
    fn decide(&mut self, options: &Options<'_>) {
        match self.coordinator.go_on(options) {
            Ok(false) => {}
            Ok(true) => self.end = Some(Ok(())),
            Err(error) => self.end = Some(Err(error)),
        }
    }
}

/// A worker that leaves because something panicked takes the others with it.
struct Leaving<'d, 'a, 'p>(&'d Desk<'a, 'p>);

impl Drop for Leaving<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().end.get_or_insert(Err(ExecuteError::WorkerLost));
            self.0.more.notify_all();
        }
    }
}
