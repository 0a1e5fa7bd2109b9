//! Outputs that are let go and made again: results, order and bounds stay what they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::cell::Cell;

use onceflow_region::Budget;
use onceflow_reuse::Level;
use onceflow_runtime::{Crew, Expected, Policy, Scheduler, SchedulerError, TaskOrder};
use proptest::prelude::*;
use proptest::test_runner::{TestRunner, contextualize_config};

use world::driver::Driver;
use world::oracle::Oracle;
use world::strategies::{PLENTY, bounds, policies, workers};
use world::{Bounds, World};

/// Tasks of which some are cheap and some dear beside moving a byte a second; in every other crew none is dear, so that
/// much hangs on what was let go too.
fn crew(world: &World, workers: usize, seed: u64) -> Crew {
    let mut dice = world::Dice(seed);
    let kinds = [2, 4][dice.roll(2)];
    let mut expected = |_: &_| {
        let seconds_per_pixel = [0.001, 0.5, 3.0, 100.0][dice.roll(kinds)];
        Expected { seconds_per_pixel, ..Expected::default() }
    };
    Crew { cpus: workers, gpus: 0, expected: world.flow.tasks.iter().map(&mut expected).collect() }
}

/// What is reserved at the most when nothing bounds it.
fn peak(world: &World, oracle: &Oracle<'_>, workers: usize) -> u64 {
    let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(PLENTY));
    let mut scheduler = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).unwrap();
    Driver::new(oracle, 1).run(&mut scheduler, workers, usize::MAX).unwrap();
    budget.peak()
}

/// A run that lets go what it has no room for.
#[derive(Clone, Copy, Debug)]
struct Case {
    seed: u64,
    order: u64,
    bounds: Bounds,
    workers: usize,
    /// Of what is reserved at the most when nothing bounds it.
    percent: u64,
    refuses: bool,
    policy: Policy,
    costs: u64,
}

/// Runs a case, and says how many outputs were made again.
fn recompute_case(case: Case) -> Result<u64, TestCaseError> {
    let Case { seed, order, bounds, workers, percent, refuses, policy, costs } = case;
    let world = World::new(seed, bounds);
    let oracle = Oracle::new(&world);
    let limit = peak(&world, &oracle, workers) * percent / 100;
    let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(limit));
    let mut driver = Driver::new(&oracle, order);
    driver.refuses = refuses;
    let mut account = None;
    let ran = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).and_then(|scheduler| {
        let scheduler = scheduler.with_crew(crew(&world, workers, costs)).following(policy);
        let mut scheduler = scheduler.spilling().recompute(1.0);
        let ran = driver.run(&mut scheduler, workers, usize::MAX);
        assert!(ran.is_err() || scheduler.recomputed() == driver.recomputed);
        account = Some(scheduler.account().clone());
        ran
    });
    prop_assert!(budget.peak() <= limit);
    match ran {
        Ok(()) => {
            driver.check_end(Level::Dataflow, &account.unwrap());
            prop_assert_eq!(budget.used(), 0);
        }
        Err(SchedulerError::MemoryTooSmall { needed, limit: said, .. }) => {
            prop_assert!(needed > said, "{needed} {said}");
        }
        Err(other) => prop_assert!(false, "{other}"),
    }
    Ok(driver.recomputed)
}

#[test]
fn what_is_let_go_is_made_again_and_nothing_else_changes() {
    let recomputed = Cell::new(0);
    let config = ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() };
    let all =
        (any::<u64>(), any::<u64>(), bounds(), workers(), 10u64..95, any::<bool>(), policies(), any::<u64>());
    let cases = all.prop_map(|(seed, order, bounds, workers, percent, refuses, policy, costs)| Case {
        seed,
        order,
        bounds,
        workers,
        percent,
        refuses,
        policy,
        costs,
    });
    let mut runner = TestRunner::new(contextualize_config(config));
    runner
        .run(&cases, |case| recompute_case(case).map(|again| recomputed.set(recomputed.get() + again)))
        .unwrap();
    assert!(recomputed.get() > 500, "only {} outputs were made again", recomputed.get());
}

/// What is needed only to make something else again may have to be written too: its copy goes with it.
#[test]
fn what_was_written_on_the_way_leaves_no_copy_behind() {
    let case = Case {
        seed: 16279389734555600515,
        order: 98886237817107,
        bounds: Bounds { stages: 4, rows: 5, parts: 1, failures: false, never: true },
        workers: 2,
        percent: 60,
        refuses: false,
        policy: Policy { order: TaskOrder::FirstCome, locality: false, prefetch: false },
        costs: 12135733899110185293,
    };
    assert!(recompute_case(case).unwrap() > 0);
}
