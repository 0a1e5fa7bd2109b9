//! The whole front of makespan and cost: NSGA-II (Deb and others 2002), with an archive of all plans that none beats.

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;

use super::evaluate::{PlanEvaluator, PlanValue};
use super::genetic::SearchOptions;
use super::random::SearchRandom;
use super::space::SearchSpace;
use super::{heuristics, vary};

/// The points that no other beats in both, by makespan.
#[derive(Clone, Debug, Default)]
pub(super) struct Archive {
    points: BTreeMap<u64, (u128, Vec<u16>)>,
}

impl Archive {
    /// Keeps a plan unless a known one is as good in both; whether it did.
    pub(super) fn offer(&mut self, value: PlanValue, plan: &[u16]) -> bool {
        let before = self.points.range(..=value.makespan).next_back();
        if before.is_some_and(|(_, (cost, _))| *cost <= value.cost) {
            return false;
        }
        let beaten: Vec<u64> = self
            .points
            .range(value.makespan..)
            .take_while(|(_, (cost, _))| *cost >= value.cost)
            .map(|(makespan, _)| *makespan)
            .collect();
        for makespan in beaten {
            self.points.remove(&makespan);
        }
        self.points.insert(value.makespan, (value.cost, plan.to_vec()));
        true
    }

    pub(super) fn into_points(self) -> Vec<(PlanValue, Vec<u16>)> {
        let point = |(makespan, (cost, plan))| (PlanValue { makespan, cost }, plan);
        self.points.into_iter().map(point).collect()
    }
}

/// Plans that no plan found beats in both makespan and cost, by makespan; `go_on` is asked before each generation.
pub fn pareto_front(
    evaluator: &PlanEvaluator<'_>,
    options: &SearchOptions,
    go_on: &dyn Fn() -> bool,
) -> Vec<(PlanValue, Vec<u16>)> {
    let space = SearchSpace::new(evaluator.workflow());
    let mut random = SearchRandom::new(options.seed);
    let size = options.population.max(4);
    let mut plans = heuristics::plans(evaluator.workflow());
    while plans.len() < size {
        plans.push(vary::any(&space.counts, &mut random));
    }
    let mut archive = Archive::default();
    let mut known = HashSet::new();
    let (mut evaluations, mut idle) = (0, 0);
    let mut population: Vec<Ranked> = Vec::new();
    for _ in 0..options.generations {
        plans.retain(|plan| known.insert(plan.clone()));
        evaluations += plans.len();
        let values: Vec<PlanValue> = plans.par_iter().map(|plan| evaluator.value(plan)).collect();
        for (value, plan) in values.into_iter().zip(std::mem::take(&mut plans)) {
            idle = if archive.offer(value, &plan) { 0 } else { idle };
            population.push(Ranked { value, plan, rank: 0, distance: 0.0 });
        }
        population = survivors(population, size);
        idle += 1;
        if evaluations >= options.evaluations || idle > PATIENCE * options.patience || !go_on() {
            break;
        }
        // Plans that were tried are not tried again, so that a few more are drawn than needed.
        plans = (0..2 * size).map(|_| child(&population, &space, &mut random)).collect();
        plans.truncate(2 * size);
    }
    archive.into_points()
}

/// A front has many points: its search is more patient than that of one plan.
const PATIENCE: usize = 3;

/// A plan with its front and its distance to neighbours on it.
#[derive(Clone, Debug)]
struct Ranked {
    value: PlanValue,
    plan: Vec<u16>,
    rank: usize,
    distance: f64,
}

fn child(population: &[Ranked], space: &SearchSpace, random: &mut SearchRandom) -> Vec<u16> {
    let mut parent = || {
        let (a, b) = (random.below(population.len()), random.below(population.len()));
        let better = |a: &Ranked, b: &Ranked| (a.rank, -a.distance) < (b.rank, -b.distance);
        if better(&population[a], &population[b]) { a } else { b }
    };
    let (a, b) = (parent(), parent());
    let mut child = vary::crossed(&population[a].plan, &population[b].plan, random);
    vary::mutate(&mut child, space, random);
    child
}

/// The best fronts, and of the last one that fits in part the plans that are farthest from others.
fn survivors(mut population: Vec<Ranked>, size: usize) -> Vec<Ranked> {
    population.sort_by(|a, b| a.value.cmp(&b.value).then_with(|| a.plan.cmp(&b.plan)));
    rank(&mut population);
    spread(&mut population);
    population.sort_by(|a, b| a.rank.cmp(&b.rank).then(b.distance.total_cmp(&a.distance)));
    population.truncate(size);
    population
}

/// Fronts of plans sorted by makespan, then cost: with two goals a plan belongs to the first front whose least cost so far is
/// above its own.
fn rank(population: &mut [Ranked]) {
    let mut least: Vec<u128> = Vec::new();
    for plan in population.iter_mut() {
        plan.rank = least.partition_point(|cost| *cost <= plan.value.cost);
        match least.get_mut(plan.rank) {
            Some(cost) => *cost = plan.value.cost,
            None => least.push(plan.value.cost),
        }
    }
}

/// The crowding distance: how far apart the neighbours on its front are, in both goals.
fn spread(population: &mut [Ranked]) {
    let fronts = population.iter().map(|plan| plan.rank).max().map_or(0, |last| last + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); fronts];
    population.iter().enumerate().for_each(|(at, plan)| members[plan.rank].push(at));
    for front in members {
        let value = |at: usize| population[at].value;
        let (Some(first), Some(last)) =
            (front.first().map(|at| value(*at)), front.last().map(|at| value(*at)))
        else {
            continue;
        };
        let wide = (last.makespan.abs_diff(first.makespan) as f64).max(1.0);
        let high = (first.cost.abs_diff(last.cost) as f64).max(1.0);
        let distance = |place: usize| {
            let (Some(before), Some(after)) =
                (place.checked_sub(1).and_then(|at| front.get(at)), front.get(place + 1))
            else {
                return f64::INFINITY;
            };
            let (a, b) = (value(*before), value(*after));
            a.makespan.abs_diff(b.makespan) as f64 / wide + a.cost.abs_diff(b.cost) as f64 / high
        };
        let distances: Vec<f64> = (0..front.len()).map(distance).collect();
        front.iter().zip(distances).for_each(|(at, distance)| population[*at].distance = distance);
    }
}
