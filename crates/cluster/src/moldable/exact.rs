//! The best plan and the whole front by trying every plan: for small workflows.

use std::cmp::Ordering;

use super::evaluate::{PlanEvaluator, PlanValue};
use super::goal::PlanGoal;

/// The best of all plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestOfAll {
    /// The plan: places of numbers of nodes.
    pub plan: Vec<u16>,
    /// Its makespan and cost.
    pub value: PlanValue,
    /// How many plans are as good.
    pub as_good: u64,
}

/// Tries every plan. None when there are more than `most`.
pub fn best_of_all(evaluator: &PlanEvaluator<'_>, goal: PlanGoal, most: u64) -> Option<BestOfAll> {
    let reference = evaluator.reference();
    let mut best: Option<BestOfAll> = None;
    for_each_plan(evaluator, most, |plan, value| {
        let Some(so_far) = &mut best else {
            best = Some(BestOfAll { plan: plan.to_vec(), value, as_good: 1 });
            return;
        };
        let fitness = [value, so_far.value].map(|value| goal.fitness(value, reference));
        let is_equal = (fitness[0] - fitness[1]).abs() <= 1e-12 * fitness[1].abs();
        so_far.as_good = match (is_equal, fitness[0] < fitness[1]) {
            (true, _) => so_far.as_good + 1,
            (false, true) => 1,
            (false, false) => so_far.as_good,
        };
        if goal.compare(reference, (value, plan), (so_far.value, &so_far.plan)) == Ordering::Less {
            so_far.plan = plan.to_vec();
            so_far.value = value;
        }
    })?;
    best
}

/// All pairs of makespan and cost that no plan beats in both, each with one plan, by makespan. None when there are more
/// than `most` plans.
pub fn front_of_all(evaluator: &PlanEvaluator<'_>, most: u64) -> Option<Vec<(PlanValue, Vec<u16>)>> {
    let mut front = super::front::Archive::default();
    for_each_plan(evaluator, most, |plan, value| {
        front.offer(value, plan);
    })?;
    Some(front.into_points())
}

/// Plans in the order of their numbers of nodes, the last task's changing fastest.
fn for_each_plan(
    evaluator: &PlanEvaluator<'_>,
    most: u64,
    mut each: impl FnMut(&[u16], PlanValue),
) -> Option<()> {
    evaluator.workflow().plan_count().filter(|plans| *plans <= most)?;
    let counts = evaluator.choice_counts();
    let mut plan = vec![0; counts.len()];
    loop {
        each(&plan, evaluator.value(&plan));
        let next = (0..plan.len()).rev().find(|task| plan[*task] + 1 < counts[*task]);
        let Some(task) = next else { return Some(()) };
        plan[task] += 1;
        plan[task + 1..].fill(0);
    }
}
