//! The executor of one machine: threads do the work, and whoever has finished something decides with the scheduler what
//! comes next. A thread that only decided would need a processor of its own, and the others would wait for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use onceflow_region::Region;
use onceflow_reuse::{Digest32, Key, NodeId, Plan};
use onceflow_study::Scope;

use super::carry::{Carried, Carry};
use super::desk::{Answer, Desk, Order};
use super::inputs::{Ground, Kept};
use super::job::{Job, Report};
use super::{Entry, ExecuteError, Execution, Moves, Options, Work};
use crate::{
    Cause, Event, Finished, Instance, Instruction, Layout, Observer, OperationError, Outcome, RowOutcome,
    Scheduler,
};

/// Carries out a plan at all parts of a layout.
///
/// # Errors
/// When the plan cannot be scheduled within the budget. Tasks that fail are no error: their rows are told so.
pub fn execute(
    plan: &mut Plan,
    layout: &Layout,
    work: &Work<'_>,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Execution, ExecuteError> {
    let (expected, found) = (plan.flow().tasks.len(), work.operations.len());
    if expected != found {
        return Err(ExecuteError::Operations { expected, found });
    }
    let scheduler = options.scheduler(plan, layout)?;
    let coordinator = Coordinator {
        scheduler,
        layout,
        work,
        observer,
        kept: Kept::default(),
        orders: VecDeque::new(),
        retries: options.retries,
        log: Vec::new(),
        moves: Moves::default(),
        digesting: 0.0,
    };
    let desk = Desk::new(coordinator, work, options);
    thread::scope(|scope| {
        for worker in 0..options.workers {
            let desk = &desk;
            scope.spawn(move || desk.serve(worker));
        }
    });
    desk.close().map(Coordinator::finish)
}

/// Owns everything that is not a worker's.
pub(super) struct Coordinator<'a, 'p> {
    scheduler: Scheduler<'p>,
    layout: &'a Layout,
    work: &'a Work<'a>,
    observer: &'a mut dyn Observer,
    kept: Kept,
    /// What nobody has taken yet.
    orders: VecDeque<Order>,
    /// How often what is made again is tried once more when it fails for a reason that may pass.
    retries: u32,
    log: Vec<Entry>,
    moves: Moves,
    digesting: f64,
}

impl Coordinator<'_, '_> {
    /// Follows the scheduler as far as it goes, and says whether all is done.
    pub(super) fn go_on(&mut self, options: &Options<'_>) -> Result<bool, ExecuteError> {
        options.pass_on_stop(&mut self.scheduler);
        while let Some(instruction) = self.scheduler.next()? {
            self.carry_out(instruction);
        }
        Ok(self.scheduler.is_finished())
    }

    /// How many orders nobody has taken yet.
    pub(super) fn orders(&self) -> usize {
        self.orders.len()
    }

    /// The order that has waited longest.
    pub(super) fn next_order(&mut self) -> Option<Order> {
        self.orders.pop_front()
    }

    /// An order was carried out.
    pub(super) fn take(&mut self, answer: Answer) {
        match answer {
            Answer::Ran(report) => self.ran(report),
            Answer::Carried(carried) => self.carried(carried),
        }
    }

    fn finish(self) -> Execution {
        let executed = self.log.len() as u64;
        let execution = Execution::of(&self.scheduler, executed, self.log, self.moves);
        Execution { digesting: self.digesting, ..execution }
    }

    fn carry_out(&mut self, instruction: Instruction) {
        match instruction {
            Instruction::Run { instance, attempt, cause, .. } => self.start(instance, attempt, cause),
            Instruction::Same { instance, same_as } => {
                let task = self.scheduler.plan().task_of(instance.node);
                self.observer.converged(instance, same_as, task);
            }
            Instruction::Release(instance) => {
                self.kept.release(instance);
                self.work.below.forget(instance);
            }
            Instruction::Spill(instance) => {
                let outputs = self.kept.outputs(instance);
                self.orders.push_back(Order::Carry(Carry::Down { instance, outputs }));
            }
            Instruction::Restore(instance) => self.orders.push_back(Order::Carry(Carry::Up { instance })),
            Instruction::Drop(instance) => self.kept.release(instance),
            Instruction::Row { row, part, outcome, results } => self.row(row, part, &outcome, &results),
        }
    }

    fn start(&mut self, instance: Instance, attempt: u32, cause: Cause) {
        let plan = self.scheduler.plan();
        let node = plan.spelled(instance.node);
        let task = node.task;
        let ground = Ground { scope: plan.flow().scope(task), site: instance.site };
        let job = Job {
            instance,
            task,
            ground,
            inputs: self.kept.inputs(&self.scheduler, self.layout, instance),
            contents: self.scheduler.contents(instance),
            parameters: node.parameters,
            row: plan.first_row(instance.node),
            outputs: plan.flow().tasks[task].outputs.len(),
            key: self.key(instance.node, ground),
            attempt,
            cause,
        };
        if cause != Cause::MadeAgain {
            self.observer.started(instance, task);
        }
        self.orders.push_back(Order::Run(job));
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

    /// The static key of a node, when the memo wants it and the node's bytes are the same in every run.
    ///
    /// A node that came by diversion has none: it hangs on stand-ins, whose size is that of the site and not in the key.
    fn key(&self, node: NodeId, ground: Ground) -> Option<Key> {
        let plan = self.scheduler.plan();
        let planned = (node.0 as usize) < plan.planned();
        if !self.work.memo.enabled() || !planned || !plan.lasts(node) {
            return None;
        }
        let unreadable = std::cell::Cell::new(false);
        let digest = |source: usize, scope: Scope| -> Digest32 {
            let digest = self.work.supply.digest(source, scope, ground.wider(self.layout, scope));
            digest.unwrap_or_else(|_| {
                unreadable.set(true);
                Digest32::default()
            })
        };
        let key = plan.key(node, &digest);
        (!unreadable.get()).then_some(key)
    }

    fn ran(&mut self, report: Report) {
        if report.cause == Cause::MadeAgain {
            return self.take_again(report);
        }
        let Report { instance, task, worker, start, seconds, bytes, remembered, .. } = report;
        let Report { attempt, cause, outcome, outputs, contents, digesting, .. } = report;
        self.digesting += digesting;
        let row = self.scheduler.plan().first_row(instance.node);
        let entry = Entry { instance, task, row, start, seconds, bytes, worker, remembered, attempt, cause };
        let outcome = self.checked(task, outcome, outputs.len());
        self.observer.finished(&Finished { entry: &entry, outcome: &outcome, outputs: &outputs });
        self.log.push(entry);
        if !matches!(outcome, Outcome::Failed { .. }) {
            self.kept.keep(instance, outputs);
            self.scheduler.learn(instance, &contents);
        }
        self.scheduler.handle(Event::Finished { instance, outcome });
    }

    /// What was made before is there again; the run has been told of it, and knows its outcome.
    fn take_again(&mut self, report: Report) {
        let Report { instance, attempt, outcome, outputs, .. } = report;
        match &outcome {
            Outcome::Failed { transient: true, .. } if attempt < self.retries => {
                return self.start(instance, attempt + 1, Cause::MadeAgain);
            }
            Outcome::Failed { message, .. } => self.kept.lose(instance, OperationError::new(message.clone())),
            _ => self.kept.keep(instance, outputs),
        }
        self.scheduler.handle(Event::Finished { instance, outcome });
    }

    /// A status that does not end the stage leaves others reading what the task should have made.
    fn checked(&self, task: usize, outcome: Outcome, found: usize) -> Outcome {
        let task = &self.scheduler.plan().flow().tasks[task];
        match outcome {
            Outcome::Ended(status) if found != task.outputs.len() && !task.ends.contains(&status) => {
                let expected = task.outputs.len();
                Outcome::failed(format!(
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
    }

    fn stand_ins(&self, task: usize, part: usize) -> Vec<Arc<Region>> {
        let flow = self.scheduler.plan().flow();
        let (scope, outputs) = (flow.scope(task), flow.tasks[task].outputs.iter());
        let site = self.layout.site(scope, part);
        outputs.map(|output| Arc::new(self.work.supply.empty(output.kind, scope, site))).collect()
    }
}
