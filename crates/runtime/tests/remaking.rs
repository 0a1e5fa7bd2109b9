//! Outputs that are let go and made again: results, order and bounds stay what they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::cell::Cell;

use onceflow_region::Budget;
use onceflow_reuse::Level;
use onceflow_runtime::{Crew, Expected, Scheduler, SchedulerError};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use world::World;
use world::driver::Driver;
use world::oracle::Oracle;
use world::strategies::{PLENTY, bounds, policies, workers};

/// Tasks of which some are cheap and some dear beside moving a byte a second.
fn crew(world: &World, workers: usize, seed: u64) -> Crew {
    let mut dice = world::Dice(seed);
    let mut expected = |_: &_| {
        let seconds_per_pixel = [0.001, 0.5, 3.0, 100.0][dice.roll(4)];
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

#[test]
fn what_is_let_go_is_made_again_and_nothing_else_changes() {
    let remade = Cell::new(0);
    let config = ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() };
    let all =
        (any::<u64>(), any::<u64>(), bounds(), workers(), 10u64..95, any::<bool>(), policies(), any::<u64>());
    TestRunner::new(config)
        .run(&all, |(seed, order, bounds, workers, percent, refuses, policy, costs)| {
            let world = World::new(seed, bounds);
            let oracle = Oracle::new(&world);
            let limit = peak(&world, &oracle, workers) * percent / 100;
            let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(limit));
            let mut driver = Driver::new(&oracle, order);
            driver.refuses = refuses;
            let mut account = None;
            let ran =
                Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).and_then(|scheduler| {
                    let scheduler = scheduler.with_crew(crew(&world, workers, costs)).following(policy);
                    let mut scheduler = scheduler.spilling().remaking(1.0);
                    let ran = driver.run(&mut scheduler, workers, usize::MAX);
                    assert!(ran.is_err() || scheduler.recomputed() == driver.remade);
                    account = Some(scheduler.account().clone());
                    ran
                });
            remade.set(remade.get() + driver.remade);
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
            Ok(())
        })
        .unwrap();
    assert!(remade.get() > 500, "only {} outputs were made again", remade.get());
}
