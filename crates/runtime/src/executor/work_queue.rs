//! The queues of workers. The scheduler chooses the worker of every task; a worker that has finished something asks the
//! scheduler what comes next, fills the queues, wakes those that got something, and goes on with its own.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::cached::CacheClient;
use super::carry::{Carried, Carry};
use super::job::{JobReport, TaskJob};
use super::pinned::pin;
use super::threads::Coordinator;
use super::{ExecuteError, ExecuteOptions, ExecutionContext};
use crate::WorkerDevice;

/// What a worker is asked to do.
pub(super) enum WorkOrder {
    /// To run a task; the scheduler chose the worker.
    Run { job: TaskJob, worker: usize },
    /// To move outputs; any CPU worker can.
    Carry(Carry),
}

/// How it went.
pub(super) enum OrderReport {
    Ran(JobReport),
    Carried(Carried),
}

/// What workers share.
pub(super) struct WorkQueue<'a, 'p> {
    state: Mutex<QueueState<'a, 'p>>,
    /// One for each worker: it has something to do, or nothing will ever come again.
    wake: Vec<Condvar>,
    work: &'a ExecutionContext<'a>,
    caches: &'a [CacheClient<'a>],
    options: &'a ExecuteOptions<'a>,
    began: Instant,
}

struct QueueState<'a, 'p> {
    coordinator: Coordinator<'a, 'p>,
    /// The orders of each worker.
    queues: Vec<VecDeque<WorkOrder>>,
    /// Moves that found all workers busy.
    moves: VecDeque<WorkOrder>,
    /// Workers that have nothing to do, the one that waits longest first.
    waiting: Vec<usize>,
    /// How it ended.
    end: Option<Result<(), ExecuteError>>,
}

impl<'a, 'p> WorkQueue<'a, 'p> {
    /// Queues with the first orders in them.
    pub(super) fn new(
        coordinator: Coordinator<'a, 'p>,
        work: &'a ExecutionContext<'a>,
        caches: &'a [CacheClient<'a>],
        options: &'a ExecuteOptions<'a>,
    ) -> Self {
        let workers = options.crew.len();
        let queues = (0..workers).map(|_| VecDeque::new()).collect();
        let (moves, waiting) = (VecDeque::new(), Vec::with_capacity(workers));
        let state = QueueState { coordinator, queues, moves, waiting, end: None };
        let wake = (0..workers).map(|_| Condvar::new()).collect();
        let queue = Self { state: Mutex::new(state), wake, work, caches, options, began: Instant::now() };
        queue.decide(&mut queue.lock());
        queue
    }

    /// What a worker does until all is over.
    pub(super) fn serve(&self, worker: usize) {
        let _leaving = Leaving(self);
        if self.options.pinned {
            pin(worker);
        }
        let device = self.options.crew.worker_device(worker as u32);
        let mut answer = None;
        while let Some(order) = self.next(worker, answer.take()) {
            answer = Some(self.carry_out(order, device));
        }
    }

    /// The result of all of it.
    pub(super) fn close(self) -> Result<Coordinator<'a, 'p>, ExecuteError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.end.unwrap_or(Err(ExecuteError::WorkerLost)).map(|()| state.coordinator)
    }

    fn carry_out(&self, order: WorkOrder, device: WorkerDevice) -> OrderReport {
        match order {
            WorkOrder::Run { job, worker } => {
                OrderReport::Ran(job.run(self.work, self.caches, (worker, device), self.began))
            }
            WorkOrder::Carry(carry) => OrderReport::Carried(carry.carry(self.work)),
        }
    }

    /// Takes how the last order of a worker went, and gives the next; none when all is over.
    fn next(&self, worker: usize, answer: Option<OrderReport>) -> Option<WorkOrder> {
        let mut state = self.lock();
        if let Some(answer) = answer {
            state.coordinator.take(answer);
            self.decide(&mut state);
        }
        loop {
            if state.end.is_some() {
                return None;
            }
            if let Some(order) = state.take(worker, self.moves_outputs(worker)) {
                return Some(order);
            }
            state = self.wait(state, worker);
        }
    }

    /// Waits until the worker has something to do. When all workers wait, none is left that could finish what the
    /// scheduler waits for.
    fn wait<'s>(
        &'s self,
        mut state: MutexGuard<'s, QueueState<'a, 'p>>,
        worker: usize,
    ) -> MutexGuard<'s, QueueState<'a, 'p>> {
        state.waiting.push(worker);
        if state.waiting.len() == self.wake.len() && state.is_empty() {
            state.end = Some(Err(ExecuteError::WorkerLost));
            self.wake_all();
        } else {
            state = self.wake[worker].wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.retain(|other| *other != worker);
        state
    }

    /// Follows the scheduler as far as it goes, and fills the queues.
    fn decide(&self, state: &mut QueueState<'a, 'p>) {
        match state.coordinator.go_on(self.options) {
            Ok(false) => {}
            Ok(true) => state.end = Some(Ok(())),
            Err(error) => state.end = Some(Err(error)),
        }
        if state.end.is_some() {
            return self.wake_all();
        }
        while let Some(order) = state.coordinator.next_order() {
            self.queue(state, order);
        }
    }

    /// Puts an order where it belongs. The scheduler gives the next task to the CPU that was busy last, so a move goes to the
    /// one that has waited longest.
    fn queue(&self, state: &mut QueueState<'a, 'p>, order: WorkOrder) {
        let worker = match &order {
            WorkOrder::Run { worker, .. } => Some(*worker),
            WorkOrder::Carry(_) => state.waits_longest(|worker| self.moves_outputs(worker)),
        };
        match worker {
            Some(worker) => {
                state.queues[worker].push_back(order);
                if state.waiting.contains(&worker) {
                    self.wake[worker].notify_one();
                }
            }
            None => state.moves.push_back(order),
        }
    }

    /// Whether a worker may move outputs: CPUs do, GPUs only where there is no CPU.
    fn moves_outputs(&self, worker: usize) -> bool {
        let cpus = self.options.crew.cpus;
        worker < cpus || cpus == 0
    }

    fn wake_all(&self) {
        self.wake.iter().for_each(Condvar::notify_all);
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<'a, 'p>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState<'_, '_> {
    /// The next order of a worker: moves that wait for any worker make room, so they come first.
    fn take(&mut self, worker: usize, moves: bool) -> Option<WorkOrder> {
        let moved = if moves { self.moves.pop_front() } else { None };
        moved.or_else(|| self.queues[worker].pop_front())
    }

    fn waits_longest(&self, which: impl Fn(usize) -> bool) -> Option<usize> {
        self.waiting.iter().copied().find(|worker| which(*worker) && self.queues[*worker].is_empty())
    }

    fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.queues.iter().all(VecDeque::is_empty)
    }
}

/// A worker that leaves because something panicked takes the others with it.
struct Leaving<'d, 'a, 'p>(&'d WorkQueue<'a, 'p>);

impl Drop for Leaving<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().end.get_or_insert(Err(ExecuteError::WorkerLost));
            self.0.wake_all();
        }
    }
}
