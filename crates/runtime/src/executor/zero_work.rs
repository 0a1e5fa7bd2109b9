//! The executor that does nothing: every instance is over at once. It measures what scheduling itself costs.

use std::collections::VecDeque;

use onceflow_reuse::Plan;

use super::{ExecuteError, ExecuteOptions, Execution, Moves};
use crate::{Event, Instance, Instruction, PartLayout, TaskOutcome};

/// Carries out a plan without work; `outcome` says how the instance of a task goes.
///
/// # Errors
/// When the plan cannot be scheduled within the budget.
pub fn execute_zero_work(
    plan: &mut Plan,
    layout: &PartLayout,
    options: &ExecuteOptions<'_>,
    outcome: &mut dyn FnMut(Instance, usize) -> TaskOutcome,
) -> Result<Execution, ExecuteError> {
    let mut scheduler = options.scheduler(plan, layout)?;
    let mut running: VecDeque<Instance> = VecDeque::new();
    let (mut executed, mut moves) = (0, Moves::default());
    loop {
        options.pass_on_stop(&mut scheduler);
        while let Some(instruction) = scheduler.next()? {
            match instruction {
                Instruction::Run { instance, .. } => running.push_back(instance),
                Instruction::Spill(instance) => {
                    moves.spilled += 1;
                    scheduler.handle(Event::Moved { instance, moved: true });
                }
                Instruction::Restore(instance) => {
                    moves.restored += 1;
                    scheduler.handle(Event::Moved { instance, moved: true });
                }
                Instruction::Same { .. }
                | Instruction::Release(_)
                | Instruction::Drop(_)
                | Instruction::Row { .. } => {}
            }
        }
        let Some(instance) = running.pop_front() else { break };
        executed += 1;
        let task = scheduler.plan().task_of(instance.node);
        scheduler.handle(Event::Finished { instance, outcome: outcome(instance, task) });
    }
    Ok(Execution::of(&scheduler, executed, Vec::new(), moves))
}
