//! Instances that turn out to be equal while they run: every row goes as if it ran alone, and equal work runs once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use onceflow_region::Budget;
use onceflow_reuse::{Level, NodeId};
use onceflow_runtime::{Crew, DuplicateOptions, Scheduler, SchedulerError};
use proptest::prelude::*;

use world::driver::Driver;
use world::oracle::Oracle;
use world::strategies::{PLENTY, bounds, workers};
use world::{Bounds, World};

fn few_contents(seed: u64, bounds: Bounds) -> World {
    World { variety: 1 + seed % 5, ..World::new(seed, bounds) }
}

fn retaining(retained: u64) -> DuplicateOptions {
    DuplicateOptions { retained, ..DuplicateOptions::default() }
}

/// A run that has little memory.
#[derive(Clone, Copy)]
struct Bounded {
    seed: u64,
    order: u64,
    bounds: Bounds,
    workers: usize,
    limit: u64,
    retained: u64,
    spills: bool,
    recomputes: bool,
    hiccups: u32,
}

impl Bounded {
    fn check(self) -> Result<(), TestCaseError> {
        let Self { seed, order, bounds, workers, limit, retained, spills, recomputes, hiccups } = self;
        let world = few_contents(seed, bounds);
        let oracle = Oracle::new(&world);
        let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(limit));
        let mut driver = Driver::new(&oracle, order);
        driver.hiccups = hiccups;
        let mut account = None;
        let ran = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).and_then(|scheduler| {
            let scheduler = scheduler.finding_duplicates(retaining(retained)).retrying(hiccups);
            let scheduler = if spills { scheduler.spilling() } else { scheduler };
            let crew = world::strategies::crew(seed, world.flow.tasks.len());
            // Every other time moving is so slow that whole chains are made again.
            let bandwidth = [1.0, 0.02][usize::from(order % 2 == 1)];
            let mut scheduler = if spills && recomputes {
                scheduler.with_crew(Crew { cpus: workers, gpus: 0, ..crew }).recompute(bandwidth)
            } else {
                scheduler
            };
            let ran = driver.run(&mut scheduler, workers, usize::MAX);
            account = Some(scheduler.account().clone());
            ran
        });
        prop_assert!(budget.peak() <= limit);
        match ran {
            Ok(()) => {
                driver.check_end(Level::None, &account.unwrap());
                prop_assert_eq!(budget.used(), 0);
            }
            Err(SchedulerError::MemoryTooSmall { needed, limit: said, .. }) => {
                prop_assert!(needed > said && said == limit);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn with_memory_for_all_outputs_nothing_equal_runs_twice(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), workers in workers()
    ) {
        let world = few_contents(seed, bounds);
        let oracle = Oracle::new(&world);
        let (mut plan, budget) = (world.plan(Level::Convergent), Budget::new(PLENTY));
        let scheduler = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).unwrap();
        let mut scheduler = scheduler.finding_duplicates(retaining(PLENTY));
        let mut driver = Driver::new(&oracle, order);
        driver.run(&mut scheduler, workers, usize::MAX).unwrap();
        let account = scheduler.account().clone();
        driver.check_end(Level::Convergent, &account);
        prop_assert_eq!(budget.used(), 0);
    }

    #[test]
    fn whatever_is_retained_and_fits_rows_go_as_if_alone(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), workers in workers(),
        limit in 0u64..400, retained in 0u64..100, spills in any::<bool>(), recomputes in any::<bool>(), hiccups in 0u32..2,
    ) {
        Bounded { seed, order, bounds, workers, limit, retained, spills, recomputes, hiccups }.check()?;
    }

    #[test]
    fn what_somebody_looks_at_runs(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), workers in workers()
    ) {
        let world = few_contents(seed, bounds);
        let oracle = Oracle::new(&world);
        let mut plan = world.plan(Level::Dataflow);
        let tasks = vec![world.flow.tasks.len() - 1];
        let nodes: Vec<NodeId> = (0..plan.planned() as u32).step_by(3).map(NodeId).collect();
        let duplicates = DuplicateOptions { tasks: tasks.clone(), nodes: nodes.clone(), ..retaining(PLENTY) };
        let scheduler = Scheduler::new(&mut plan, &world.layout, workers, Budget::new(PLENTY)).unwrap();
        let mut scheduler = scheduler.finding_duplicates(duplicates);
        let mut driver = Driver::new(&oracle, order);
        driver.run(&mut scheduler, workers, usize::MAX).unwrap();
        for instance in driver.same.keys() {
            prop_assert!(!nodes.contains(&instance.node));
            prop_assert!(!tasks.contains(&scheduler.plan().task_of(instance.node)));
        }
        let account = scheduler.account().clone();
        driver.check_end(Level::None, &account);
    }
}

#[test]
fn what_was_retained_and_lies_below_is_not_written_again() {
    let bounds = Bounds { stages: 3, rows: 5, parts: 4, failures: false, never: true };
    let (seed, order) = (2828066854916818312, 408713628892198961);
    let (limit, retained) = (173, 15);
    let (spills, recomputes) = (true, false);
    let run = Bounded { seed, order, bounds, workers: 8, limit, retained, spills, recomputes, hiccups: 1 };
    run.check().unwrap();
}

#[test]
fn what_is_made_again_holds_what_its_inputs_are_equal_to() {
    let bounds = Bounds { stages: 4, rows: 7, parts: 3, failures: false, never: false };
    let (seed, order) = (17979792353310871236, 10454343821863342777);
    let (limit, retained) = (65, 0);
    let (spills, recomputes) = (true, true);
    let run = Bounded { seed, order, bounds, workers: 8, limit, retained, spills, recomputes, hiccups: 0 };
    run.check().unwrap();
}

#[test]
fn what_failed_for_a_while_may_turn_out_to_be_equal_to_what_did_not() {
    let bounds = Bounds { stages: 4, rows: 7, parts: 4, failures: true, never: true };
    let (seed, order) = (3378685934201099381, 3563884682307126797);
    let (limit, retained) = (152, 0);
    let (spills, recomputes) = (true, false);
    let run = Bounded { seed, order, bounds, workers: 2, limit, retained, spills, recomputes, hiccups: 1 };
    run.check().unwrap();
}

/// The reference row fails before a stage of it ends, and its provider goes on to a node of its own.
#[test]
fn what_a_provider_did_counts_before_what_others_did_where_its_row_failed() {
    let bounds = Bounds { stages: 4, rows: 7, parts: 2, failures: true, never: true };
    let (seed, order) = (1699433561020198943, 0);
    let (limit, retained) = (126, 0);
    let (spills, recomputes) = (true, false);
    let run = Bounded { seed, order, bounds, workers: 1, limit, retained, spills, recomputes, hiccups: 0 };
    run.check().unwrap();
}
