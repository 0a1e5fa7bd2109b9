//! What a good plan is.

use std::cmp::Ordering;

use super::evaluate::PlanValue;

/// What a plan is judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlanGoal {
    /// On demand: alpha times the makespan and 1 - alpha times the cost, each as a share of the reference plan's.
    OnDemand {
        /// From 0, cost alone, to 1, makespan alone.
        alpha: f64,
    },
    /// A static allocation is paid as a whole: the makespan, then the cost.
    Static,
}

/// Fitnesses that differ by less are equal: their last digits are rounding.
const EQUAL: f64 = 1e-12;

impl PlanGoal {
    /// The fitness of a plan beside the reference plan: less is better.
    pub fn fitness(self, value: PlanValue, reference: PlanValue) -> f64 {
        let share = |part: f64, whole: f64| if whole == 0.0 { 0.0 } else { part / whole };
        let makespan = share(value.makespan as f64, reference.makespan as f64);
        match self {
            Self::OnDemand { alpha } => {
                alpha * makespan + (1.0 - alpha) * share(value.cost as f64, reference.cost as f64)
            }
            Self::Static => makespan,
        }
    }

    /// Which of two plans is better; equals by makespan, then by cost, then by the smaller numbers of nodes.
    pub fn compare(self, reference: PlanValue, a: (PlanValue, &[u16]), b: (PlanValue, &[u16])) -> Ordering {
        let (first, second) = (self.fitness(a.0, reference), self.fitness(b.0, reference));
        if (first - second).abs() > EQUAL * first.abs().max(second.abs()) {
            return first.total_cmp(&second);
        }
        a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1))
    }
}
