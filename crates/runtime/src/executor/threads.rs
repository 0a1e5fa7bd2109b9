//! The executor of one machine: threads do the work, and a thread that has finished something asks the scheduler what
//! comes next. A thread that only decided would need a processor of its own, and the others would wait for it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::thread;

use onceflow_region::Region;
use onceflow_reuse::Plan;
use onceflow_study::Scope;

use super::cached::{CacheClient, CacheUse};
use super::carry::{Carried, Carry};
use super::inputs::{OutputTable, SiteRef};
use super::job::{JobReport, TaskJob};
use super::work_queue::{OrderReport, WorkOrder, WorkQueue};
use super::{ExecuteError, ExecuteOptions, Execution, ExecutionContext, Moves};
use crate::{
    CacheCounts, Cause, Event, FinishedTask, Instance, Instruction, Observer, OperationError, PartLayout,
    RowOutcome, Scheduler, TaskLogEntry, TaskOutcome,
};

/// Carries out a plan at all parts of a layout.
///
/// # Errors
/// When the plan cannot be scheduled within the budget. Tasks that fail are no error: their rows are told so.
pub fn execute(
    plan: &mut Plan,
    layout: &PartLayout,
    work: &ExecutionContext<'_>,
    options: &ExecuteOptions<'_>,
    observer: &mut dyn Observer,
) -> Result<Execution, ExecuteError> {
    let (expected, found) = (plan.flow().tasks.len(), work.operations.len());
    if expected != found {
        return Err(ExecuteError::Operations { expected, found });
    }
    let of_run = CacheClient::new(work.results, work.provider, layout, plan);
    let lasting = work.results.lasting();
    let lasting = lasting.and_then(|lasting| CacheClient::new(lasting.cache, lasting.provider, layout, plan));
    let caches: Vec<CacheClient<'_>> = of_run.into_iter().chain(lasting).collect();
    let scheduler = options.scheduler(plan, layout)?;
    let coordinator = Coordinator {
        scheduler,
        layout,
        work,
        observer,
        kept: OutputTable::default(),
        orders: VecDeque::new(),
        retries: options.retries,
        log: Vec::new(),
        moves: Moves::default(),
        digesting: 0.0,
        caches: &caches,
        cache_counts: CacheCounts::default(),
        rows_left: HashMap::new(),
    };
    let queue = WorkQueue::new(coordinator, work, &caches, options);
    thread::scope(|scope| {
        for worker in 0..options.crew.len() {
            let queue = &queue;
            scope.spawn(move || queue.serve(worker));
        }
    });
    queue.close().map(Coordinator::finish)
}

/// Owns everything that is not a worker's.
pub(super) struct Coordinator<'a, 'p> {
    scheduler: Scheduler<'p>,
    layout: &'a PartLayout,
    work: &'a ExecutionContext<'a>,
    observer: &'a mut dyn Observer,
    kept: OutputTable,
    /// What no worker has been given yet.
    orders: VecDeque<WorkOrder>,
    /// How often what is made again is tried once more when it fails for a reason that may pass.
    retries: u32,
    log: Vec<TaskLogEntry>,
    moves: Moves,
    digesting: f64,
    caches: &'a [CacheClient<'a>],
    cache_counts: CacheCounts,
    /// Rows that are not complete at parts where some are, counted only for the result cache.
    rows_left: HashMap<usize, usize>,
}

impl Coordinator<'_, '_> {
    /// Follows the scheduler as far as it goes, and says whether all is done.
    pub(super) fn go_on(&mut self, options: &ExecuteOptions<'_>) -> Result<bool, ExecuteError> {
        options.pass_on_stop(&mut self.scheduler);
        while let Some(instruction) = self.scheduler.next()? {
            self.carry_out(instruction);
        }
        Ok(self.scheduler.is_finished())
    }

    /// The next order for a worker.
    pub(super) fn next_order(&mut self) -> Option<WorkOrder> {
        self.orders.pop_front()
    }

    /// An order was carried out.
    pub(super) fn take(&mut self, answer: OrderReport) {
        match answer {
            OrderReport::Ran(report) => self.ran(report),
            OrderReport::Carried(carried) => self.carried(carried),
        }
    }

    fn finish(self) -> Execution {
        let executed = self.log.len() as u64;
        let execution = Execution::of(&self.scheduler, executed, self.log, self.moves);
        Execution { digesting: self.digesting, cache: self.cache_counts, ..execution }
    }

    fn carry_out(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Run { instance, worker, attempt, cause } => {
                self.start(instance, worker as usize, attempt, cause);
            }
            Instruction::Same { instance, same_as } => {
                let task = self.scheduler.plan().task_of(instance.node);
                self.observer.duplicate(instance, same_as, task);
            }
            Instruction::Release(instance) => {
                self.kept.forget(instance);
                self.work.spill.forget(instance);
            }
            Instruction::Spill(instance) => {
                let outputs = self.kept.outputs(instance);
                self.orders.push_back(WorkOrder::Carry(Carry::Down { instance, outputs }));
            }
            Instruction::Restore(instance) => self.orders.push_back(WorkOrder::Carry(Carry::Up { instance })),
            Instruction::Drop(instance) => self.kept.release(instance),
            Instruction::Row { row, part, outcome, results } => self.row(row, part, &outcome, &results),
        }
    }

    fn start(&mut self, instance: Instance, worker: usize, attempt: u32, cause: Cause) {
        let plan = self.scheduler.plan();
        let node = plan.spelled(instance.node);
        let task = node.task;
        let ground = SiteRef { scope: plan.flow().scope(task), site: instance.site };
        let job = TaskJob {
            instance,
            task,
            ground,
            inputs: self.kept.inputs(&self.scheduler, self.layout, instance),
            digests: self.scheduler.input_digests(instance),
            parameters: node.parameters,
            row: plan.first_row(instance.node),
            outputs: plan.flow().tasks[task].outputs.len(),
            attempt,
            cause,
        };
        if cause != Cause::MadeAgain {
            self.observer.started(instance, task);
        }
        self.orders.push_back(WorkOrder::Run { job, worker });
    }

    /// Outputs left memory or came back; what cannot be brought back fails the tasks that take it.
    fn carried(&mut self, carried: Carried) {
        let (instance, moved) = match carried {
            Carried::Down { instance, bytes } => {
                if let Some(bytes) = bytes {
                    self.kept.release(instance);
                    self.moves += Moves { spilled: 1, spilled_bytes: bytes, ..Moves::default() };
                }
                (instance, bytes.is_some())
            }
            Carried::Up { instance, outputs } => {
                self.moves.restored += 1;
                let there = outputs.is_ok();
                match outputs {
                    Ok(outputs) => self.kept.keep(instance, outputs),
                    Err(reason) => self.kept.lose(instance, reason),
                }
                (instance, there)
            }
        };
        self.scheduler.handle(Event::Moved { instance, moved });
    }

    fn ran(&mut self, report: JobReport) {
        if report.cause == Cause::MadeAgain {
            return self.take_again(report);
        }
        let JobReport { instance, task, worker, start, seconds, bytes, served, origin, known, .. } = report;
        let JobReport { attempt, cause, outcome, outputs, digests, digesting, cache, .. } = report;
        self.digesting += digesting;
        self.note_cache(instance, cache);
        let row = self.scheduler.plan().first_row(instance.node);
        let outcome = self.checked(task, outcome, outputs.len());
        let failed = matches!(outcome, TaskOutcome::Failed { .. });
        let entry = TaskLogEntry {
            instance,
            task,
            row,
            start,
            seconds,
            bytes,
            worker,
            served,
            origin,
            known,
            failed,
            attempt,
            cause,
        };
        let finished =
            FinishedTask { entry: &entry, outcome: &outcome, outputs: &outputs, digests: &digests };
        self.observer.finished(&finished);
        self.log.push(entry);
        if !failed {
            self.kept.keep(instance, outputs);
            self.scheduler.learn(instance, &digests);
        }
        if served {
            self.scheduler.note_served(instance);
        }
        self.scheduler.handle(Event::Finished { instance, outcome });
    }

    /// What the result cache did for an instance; what failed is told and changes nothing else.
    fn note_cache(&mut self, instance: Instance, used: Vec<CacheUse>) {
        for used in used {
            self.cache_counts += used.counts;
            used.errors.iter().for_each(|error| self.observer.cache_failed(instance, error));
            self.kept.note_digests(instance, used.digests);
        }
    }

    /// The keys of a part are forgotten when all its rows are complete.
    fn close_keys(&mut self, part: usize) {
        if self.caches.is_empty() {
            return;
        }
        let rows = self.scheduler.plan().rows();
        let left = self.rows_left.entry(part).or_insert_with(|| self.scheduler.rows_to_do(part, rows));
        *left = left.saturating_sub(1);
        if *left == 0 {
            self.rows_left.remove(&part);
            let part = SiteRef { scope: Scope::Part, site: part };
            self.caches.iter().for_each(|cache| cache.close(part));
        }
    }

    /// What was made before is there again; the run has been told of it, and knows its outcome.
    fn take_again(&mut self, report: JobReport) {
        let JobReport { instance, worker, attempt, outcome, outputs, cache, .. } = report;
        self.note_cache(instance, cache);
        match &outcome {
            TaskOutcome::Failed { transient: true, .. } if attempt < self.retries => {
                return self.start(instance, worker, attempt + 1, Cause::MadeAgain);
            }
            TaskOutcome::Failed { message, .. } => {
                self.kept.lose(instance, OperationError::new(message.clone()))
            }
            _ => self.kept.keep(instance, outputs),
        }
        self.scheduler.handle(Event::Finished { instance, outcome });
    }

    /// A status that does not end the stage leaves others reading what the task should have made.
    fn checked(&self, task: usize, outcome: TaskOutcome, found: usize) -> TaskOutcome {
        let task = &self.scheduler.plan().flow().tasks[task];
        match outcome {
            TaskOutcome::Ended(status) if found != task.outputs.len() && !task.ends.contains(&status) => {
                let expected = task.outputs.len();
                TaskOutcome::failed(format!(
                    "expected {expected} outputs, found {found}: the status `{status}` does not end the stage; list it in `ends`"
                ))
            }
            outcome => outcome,
        }
    }

    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Option<Instance>]) {
        let tasks = self.scheduler.plan().flow().results.iter();
        let regions = |(task, result): (&usize, &Option<Instance>)| match result {
            Some(instance) => self.kept.outputs(*instance),
            None => self.stand_ins(*task, part),
        };
        let results: Vec<Vec<Arc<Region>>> = tasks.zip(results).map(regions).collect();
        self.observer.row(row, part, outcome, &results);
        self.close_keys(part);
    }

    fn stand_ins(&self, task: usize, part: usize) -> Vec<Arc<Region>> {
        let flow = self.scheduler.plan().flow();
        let (scope, outputs) = (flow.scope(task), flow.tasks[task].outputs.iter());
        let site = self.layout.site(scope, part);
        outputs.map(|output| Arc::new(self.work.provider.empty(output.kind, scope, site))).collect()
    }
}
