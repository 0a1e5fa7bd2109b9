//! Every policy, on any crew: the same rows, the same work, the same bounds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use onceflow_region::Budget;
use onceflow_reuse::Level;
use onceflow_runtime::{Scheduler, SchedulerError};
use proptest::prelude::*;

use world::driver::Driver;
use world::oracle::Oracle;
use world::strategies::{PLENTY, bounds, crew, levels, policies};
use world::{Bounds, World};

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_policy_gives_every_row_as_if_it_ran_alone(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), level in levels(), policy in policies(),
        devices in any::<u64>(), hiccups in 0u32..3,
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let crew = crew(devices, world.flow.tasks.len());
        let slots = crew.cpus + crew.gpus * if policy.prefetch { 2 } else { 1 };
        let (mut plan, budget) = (world.plan(level), Budget::new(PLENTY));
        let scheduler = Scheduler::new(&mut plan, &world.layout, 1, budget.clone()).unwrap();
        let mut scheduler = scheduler.with_crew(crew).following(policy).retrying(hiccups);
        let mut driver = Driver::new(&oracle, order);
        driver.hiccups = hiccups;
        driver.run(&mut scheduler, slots, usize::MAX).unwrap();
        driver.check_end(level, scheduler.account());
        prop_assert_eq!(budget.used(), 0);
    }

    #[test]
    fn no_policy_passes_the_bound_of_memory(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), policy in policies(), devices in any::<u64>(),
        limit in 0u64..400, spilling in any::<bool>(),
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let crew = crew(devices, world.flow.tasks.len());
        let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(limit));
        let mut driver = Driver::new(&oracle, order);
        let ran = Scheduler::new(&mut plan, &world.layout, 1, budget.clone()).and_then(|scheduler| {
            let scheduler = scheduler.with_crew(crew).following(policy);
            let mut scheduler = if spilling { scheduler.spilling() } else { scheduler };
            driver.run(&mut scheduler, usize::MAX, usize::MAX)
        });
        prop_assert!(budget.peak() <= limit);
        match ran {
            Ok(()) => prop_assert_eq!(driver.rows.len(), oracle.fates.len()),
            Err(SchedulerError::MemoryTooSmall { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

/// The reference row fails before a stage of it ends, while others use the nodes it would have come to.
#[test]
fn all_that_ran_is_counted_when_the_reference_row_fails_early() {
    let world = World::new(
        13152630409312651721,
        Bounds { stages: 4, rows: 5, parts: 4, failures: true, never: true },
    );
    let oracle = Oracle::new(&world);
    let mut plan = world.plan(Level::Dataflow);
    let scheduler = Scheduler::new(&mut plan, &world.layout, 1, Budget::new(PLENTY)).unwrap();
    let crew = crew(0, world.flow.tasks.len());
    let slots = crew.cpus + crew.gpus;
    let mut scheduler = scheduler.with_crew(crew);
    let mut driver = Driver::new(&oracle, 0);
    driver.run(&mut scheduler, slots, usize::MAX).unwrap();
    driver.check_end(Level::Dataflow, scheduler.account());
}
