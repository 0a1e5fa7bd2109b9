//! The executor that does nothing: every instance is over at once. It measures what scheduling itself costs.

use std::collections::VecDeque;

use onceflow_reuse::Plan;

use super::{Entry, ExecuteError, Execution, Moves, Options};
use crate::{Cause, Event, Instance, Instruction, Layout, Outcome, Scheduler};

/// Carries out a plan without work; `outcome` says how the instance of a task goes.
///
/// # Errors
/// When the plan cannot be scheduled within the budget.
pub fn execute_zero_work(
    plan: &mut Plan,
    layout: &Layout,
    options: &Options<'_>,
    outcome: &mut dyn FnMut(Instance, usize) -> Outcome,
) -> Result<Execution, ExecuteError> {
    let mut scheduler = options.scheduler(plan, layout)?;
    let mut running: VecDeque<Entry> = VecDeque::new();
    let (mut log, mut moves) = (Vec::new(), Moves::default());
    loop {
        options.pass_on_stop(&mut scheduler);
        while let Some(instruction) = scheduler.next()? {
            match instruction {
                Instruction::Run { instance, attempt, cause, .. } => {
                    running.push_back(entry(&scheduler, instance, attempt, cause));
                }
                Instruction::Spill(instance) => {
                    moves.spilled += 1;
                    scheduler.handle(Event::Moved { instance, moved: true });
                }
                Instruction::Restore(instance) => {
                    moves.restored += 1;
                    scheduler.handle(Event::Moved { instance, moved: true });
                }
                Instruction::Release(_) | Instruction::Drop(_) | Instruction::Row { .. } => {}
            }
        }
        let Some(entry) = running.pop_front() else { break };
        log.push(entry);
        let Entry { instance, task, .. } = entry;
        scheduler.handle(Event::Finished { instance, outcome: outcome(instance, task) });
    }
    Ok(Execution::of(&scheduler, log, moves))
}

fn entry(scheduler: &Scheduler<'_>, instance: Instance, attempt: u32, cause: Cause) -> Entry {
    let plan = scheduler.plan();
    let (task, row) = (plan.task_of(instance.node), plan.first_row(instance.node));
    let (start, seconds, bytes) = (0.0, 0.0, 0);
    Entry { instance, task, row, start, seconds, bytes, worker: 0, remembered: false, attempt, cause }
}
