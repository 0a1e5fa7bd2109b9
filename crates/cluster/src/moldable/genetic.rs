//! A genetic algorithm for one goal, with a local search when it no longer finds better plans.

use std::cmp::Ordering;
use std::collections::HashMap;

use rayon::prelude::*;

use super::evaluate::{PlanEvaluator, PlanValue};
use super::goal::PlanGoal;
use super::random::SearchRandom;
use super::space::SearchSpace;
use super::{heuristics, vary};

/// How long a search looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The seed: the same seed finds the same plan.
    pub seed: u64,
    /// Plans of a generation.
    pub population: usize,
    /// Generations at most.
    pub generations: usize,
    /// Simulations at most.
    pub evaluations: usize,
    /// Generations without a better plan after which it ends.
    pub patience: usize,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The best plan: places of numbers of nodes.
    pub plan: Vec<u16>,
    /// Its makespan and cost.
    pub value: PlanValue,
    /// Plans that were simulated.
    pub evaluations: usize,
    /// Generations.
    pub generations: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { seed: 0, population: 200, generations: 1000, evaluations: 200_000, patience: 15 }
    }
}

/// The best plan that a genetic algorithm finds; `go_on` is asked before each generation.
pub fn best_by_search(
    evaluator: &PlanEvaluator<'_>,
    goal: PlanGoal,
    options: &SearchOptions,
    go_on: &dyn Fn() -> bool,
) -> SearchResult {
    let mut search = GeneticSearch::new(evaluator, goal, options);
    let (mut generations, mut patience) = (0, options.patience);
    while generations < options.generations && search.may_simulate() && go_on() {
        generations += 1;
        let better = search.generation() || (patience == 0 && search.climb());
        match (better, patience) {
            (true, _) => patience = options.patience,
            (false, 0) => break,
            (false, left) => patience = left - 1,
        }
    }
    let (plan, value) = search.population.swap_remove(0);
    SearchResult { plan, value, evaluations: search.evaluations, generations }
}

type Individual = (Vec<u16>, PlanValue);

struct GeneticSearch<'e, 'w> {
    evaluator: &'e PlanEvaluator<'w>,
    goal: PlanGoal,
    options: &'e SearchOptions,
    space: SearchSpace,
    random: SearchRandom,
    /// From the best to the worst.
    population: Vec<Individual>,
    known: HashMap<Vec<u16>, PlanValue>,
    evaluations: usize,
}

/// The best plans of a generation that live on as they are.
const ELITE: usize = 4;
/// Plans of which the best becomes a parent.
const TOURNAMENT: usize = 3;
/// The share of children of two parents.
const CROSSED: f64 = 0.9;
/// With more plans around the best one, only some of them are tried.
const MOST_NEIGHBOURS: usize = 400;
/// How far away those are.
const STEPS: [u16; 3] = [1, 2, 5];
/// Values are remembered for so many plans.
const MOST_KNOWN: usize = 200_000;

impl<'e, 'w> GeneticSearch<'e, 'w> {
    fn new(evaluator: &'e PlanEvaluator<'w>, goal: PlanGoal, options: &'e SearchOptions) -> Self {
        let space = SearchSpace::new(evaluator.workflow());
        let mut random = SearchRandom::new(options.seed);
        let mut plans = heuristics::plans(evaluator.workflow());
        // Half of the others are around good plans, half are anywhere.
        while plans.len() < options.population.max(ELITE) {
            let mut plan = plans[random.below(plans.len())].clone();
            (0..3).for_each(|_| vary::mutate(&mut plan, &space, &mut random));
            plans.push(plan);
            plans.push(vary::any(&space.counts, &mut random));
        }
        let (population, known) = (Vec::new(), HashMap::new());
        let mut search = Self { evaluator, goal, options, space, random, population, known, evaluations: 0 };
        search.population = search.valued(plans);
        search.sort();
        search
    }

    fn may_simulate(&self) -> bool {
        self.evaluations < self.options.evaluations
    }

    fn compare(&self, a: &Individual, b: &Individual) -> Ordering {
        self.goal.compare(self.evaluator.reference(), (a.1, &a.0), (b.1, &b.0))
    }

    fn sort(&mut self) {
        let (goal, reference) = (self.goal, self.evaluator.reference());
        let fitness = |value: PlanValue| goal.fitness(value, reference);
        self.population.sort_by(|a, b| {
            fitness(a.1).total_cmp(&fitness(b.1)).then(a.1.cmp(&b.1)).then_with(|| a.0.cmp(&b.0))
        });
        self.population.dedup();
        self.population.truncate(self.options.population.max(ELITE));
    }

    /// Simulates plans that are not known, on all threads; the order is that of the plans.
    fn valued(&mut self, plans: Vec<Vec<u16>>) -> Vec<Individual> {
        let evaluator = self.evaluator;
        let known = &self.known;
        let values: Vec<(PlanValue, bool)> = plans
            .par_iter()
            .map(|plan| match known.get(plan) {
                Some(value) => (*value, false),
                None => (evaluator.value(plan), true),
            })
            .collect();
        self.evaluations += values.iter().filter(|(_, new)| *new).count();
        if self.known.len() > MOST_KNOWN {
            self.known.clear();
        }
        let individuals: Vec<Individual> =
            plans.into_iter().zip(values.iter().map(|(value, _)| *value)).collect();
        self.known.extend(individuals.iter().cloned());
        individuals
    }

    /// One generation; whether its best is better.
    fn generation(&mut self) -> bool {
        let before = self.population[0].clone();
        let mut children = Vec::with_capacity(self.options.population);
        while children.len() < self.options.population {
            children.push(self.child());
        }
        let children = self.valued(children);
        self.population.truncate(self.options.population.div_ceil(4).max(ELITE));
        self.population.extend(children);
        self.sort();
        self.compare(&self.population[0], &before) == Ordering::Less
    }

    fn child(&mut self) -> Vec<u16> {
        let mut child = self.parent();
        if self.random.happens(CROSSED) {
            let other = self.parent();
            child = vary::crossed(&child, &other, &mut self.random);
        }
        vary::mutate(&mut child, &self.space, &mut self.random);
        child
    }

    fn parent(&mut self) -> Vec<u16> {
        let count = self.population.len();
        let best = (0..TOURNAMENT).map(|_| self.random.below(count)).min().unwrap_or(0);
        self.population[best].0.clone()
    }

    /// Plans that differ from the best in one task; whether one is better.
    fn climb(&mut self) -> bool {
        let before = self.population[0].clone();
        let wide = self.space.counts.iter().map(|count| usize::from(*count)).sum::<usize>() > MOST_NEIGHBOURS;
        let mut plans = Vec::new();
        for task in 0..self.space.counts.len() {
            for choice in neighbours(before.0[task], self.space.counts[task], wide) {
                let mut plan = before.0.clone();
                plan[task] = choice;
                plans.push(plan);
            }
        }
        plans.truncate(self.options.evaluations.saturating_sub(self.evaluations));
        let plans = self.valued(plans);
        self.population.extend(plans);
        self.sort();
        self.compare(&self.population[0], &before) == Ordering::Less
    }
}

/// Other choices of a task: all, or those a few steps away.
fn neighbours(choice: u16, count: u16, wide: bool) -> Vec<u16> {
    if !wide {
        return (0..count).filter(|other| *other != choice).collect();
    }
    let both = STEPS.iter().flat_map(|step| [choice.checked_sub(*step), choice.checked_add(*step)]);
    both.flatten().filter(|other| *other < count).collect()
}
