//! What tasks and their steps are expected to take, so that a whole and its steps can be compared.

use std::collections::BTreeMap;

use onceflow_reuse::{FlowTask, Level, TaskOrigin};
use onceflow_study::OpSpec;

use crate::OpenStudy;

/// Seconds of a step: of what its whole takes, or of what it took by itself, where all steps did. Noise, and what was
/// declared on another machine, never make steps cheaper than their whole.
pub(super) fn of_step(whole: &Price, steps: &[Price], at: usize) -> f64 {
    let all = |of: fn(&Price) -> f64| steps.iter().map(of).sum::<f64>();
    let (part, parts) = if steps.iter().all(|step| step.is_measured) {
        (steps[at].seconds, all(|step| step.seconds).min(whole.seconds))
    } else {
        (steps[at].declared, all(|step| step.declared).min(whole.declared))
    };
    if parts > 0.0 { whole.seconds * part / parts } else { whole.seconds / steps.len() as f64 }
}

/// What an operation takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Price {
    /// Seconds, here.
    pub(super) seconds: f64,
    /// Seconds that it declares, on some other machine.
    pub(super) declared: f64,
    /// Whether tasks of it were measured here.
    pub(super) is_measured: bool,
}

impl OpenStudy {
    /// Seconds of a task or step at a level, on average over instances of these sizes; `here` is how much longer than
    /// declared operations take on this machine.
    pub(super) fn step_seconds(
        &self,
        task: &FlowTask,
        sizes: &BTreeMap<u64, u64>,
        level: Level,
        here: f64,
    ) -> f64 {
        let price = |spec: &OpSpec| self.price(spec, sizes, level, here);
        let Some(whole) = self.whole_of(task) else { return price(&task.spec).seconds };
        let specs = || whole.steps.iter().filter_map(|step| self.catalogue.get(&step.operation));
        let steps: Vec<Price> = specs().map(price).collect();
        match specs().position(|spec| spec.id == task.spec.id) {
            Some(at) => of_step(&price(whole), &steps, at),
            None => price(&task.spec).seconds,
        }
    }

    /// The operation of the task that a task is a step of.
    fn whole_of(&self, task: &FlowTask) -> Option<&OpSpec> {
        let TaskOrigin::Step { of } = &task.made else { return None };
        self.written.task(of).map(|whole| &self.written.tasks[whole].spec)
    }

    fn price(&self, spec: &OpSpec, sizes: &BTreeMap<u64, u64>, level: Level, here: f64) -> Price {
        let is_measured = !self.is_declared(spec, level);
        let seconds = self.mean_operation_seconds(spec, sizes, level);
        let declared = spec.cost_ns_per_pixel;
        Price { seconds: if is_measured { seconds } else { here * seconds }, declared, is_measured }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(seconds: f64, declared: f64, is_measured: bool) -> Price {
        Price { seconds, declared, is_measured }
    }

    fn steps(whole: Price, steps: [Price; 2]) -> [f64; 2] {
        [0, 1].map(|at| of_step(&whole, &steps, at))
    }

    #[test]
    fn steps_that_never_ran_share_what_their_whole_took() {
        let [first, second] = [3.0, 1.0].map(|declared| price(100.0 * declared, declared, false));
        assert_eq!(steps(price(8.0, 4.0, true), [first, second]), [6.0, 2.0]);
    }

    #[test]
    fn what_steps_declare_beyond_their_whole_stays() {
        let step = price(1.0, 3.0, false);
        assert_eq!(steps(price(8.0, 4.0, true), [step, step]), [6.0, 6.0]);
    }

    #[test]
    fn steps_are_never_cheaper_than_their_whole() {
        let step = price(1.0, 1.0, false);
        assert_eq!(steps(price(8.0, 4.0, true), [step, step]), [4.0, 4.0]);
        let measured = [price(1.0, 9.0, true), price(3.0, 9.0, true)];
        assert_eq!(steps(price(8.0, 4.0, true), measured), [2.0, 6.0]);
        assert_eq!(steps(price(3.0, 4.0, true), measured), [1.0, 3.0]);
    }

    #[test]
    fn steps_of_which_nothing_is_known_share_alike() {
        let step = price(0.0, 0.0, false);
        assert_eq!(steps(price(8.0, 0.0, true), [step, step]), [4.0, 4.0]);
        assert_eq!(steps(price(0.0, 0.0, true), [step, step]), [0.0, 0.0]);
    }
}
