//! The scheduler, driven by hand: random studies, random order of events, against an oracle that runs each row alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::collections::BTreeSet;

use onceflow_region::Budget;
use onceflow_reuse::Level;
use onceflow_runtime::{Scheduler, SchedulerError};
use onceflow_study::Scope;
use proptest::prelude::*;

use world::World;
use world::driver::Driver;
use world::oracle::Oracle;
use world::strategies::{PLENTY, bounds, levels, workers};

/// The largest task with all it reads, beside everything that cannot leave memory.
fn surely_enough(world: &World) -> u64 {
    let flow = &world.flow;
    let pixels = |task: usize, part: usize| {
        world.layout.pixels(flow.scope(task), world.layout.site(flow.scope(task), part))
    };
    let outputs = |task: usize, part: usize| {
        u64::from(flow.tasks[task].spec.output_bytes_per_pixel) * pixels(task, part)
    };
    let alone = |task: usize, part: usize| {
        let makers: BTreeSet<usize> =
            flow.tasks[task].inputs.iter().filter_map(|input| input.maker()).collect();
        let read: u64 = makers.iter().map(|maker| outputs(*maker, part)).sum();
        // A row and the reference row may both give it their own.
        2 * read
            + outputs(task, part)
            + u64::from(flow.tasks[task].spec.scratch_bytes_per_pixel) * pixels(task, part)
    };
    let (tasks, parts) = (0..flow.tasks.len(), 0..world.layout.parts.len());
    let largest = parts.clone().flat_map(|part| tasks.clone().map(move |task| alone(task, part))).max();
    let stays = |task: &usize| flow.results.contains(task) || flow.scope(*task) != Scope::Part;
    let stay: u64 =
        parts.flat_map(|part| tasks.clone().filter(stays).map(move |task| outputs(task, part))).sum();
    // Each row may have its own, once as planned and once more when a stage ended.
    largest.unwrap_or(0) + stay * 2 * (world.values.len() as u64 + 1)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_row_goes_as_if_it_ran_alone_and_nothing_runs_twice(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), level in levels(), workers in workers()
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let (mut plan, budget) = (world.plan(level), Budget::new(PLENTY));
        let mut scheduler = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).unwrap();
        let mut driver = Driver::new(&oracle, order);
        driver.run(&mut scheduler, workers, usize::MAX).unwrap();
        prop_assert!(!scheduler.is_stopped());
        driver.check_end(level, scheduler.account());
        prop_assert_eq!(budget.used(), 0);
    }

    #[test]
    fn too_little_memory_is_said_and_the_limit_is_never_passed(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), workers in workers(), limit in 0u64..400
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(limit));
        let mut driver = Driver::new(&oracle, order);
        let ran = Scheduler::new(&mut plan, &world.layout, workers, budget.clone())
            .and_then(|mut scheduler| driver.run(&mut scheduler, workers, usize::MAX));
        prop_assert!(budget.peak() <= limit);
        match ran {
            Ok(()) => prop_assert_eq!(driver.rows.len(), oracle.fates.len()),
            Err(SchedulerError::MemoryTooSmall { needed, limit: said, .. }) => {
                prop_assert!(needed > said && said == limit);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn what_does_not_fit_goes_below_and_comes_back(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), workers in workers(), limit in 0u64..400,
        refuses in any::<bool>(),
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let (mut plan, budget) = (world.plan(Level::Dataflow), Budget::new(limit));
        let mut driver = Driver::new(&oracle, order);
        driver.refuses = refuses;
        let mut account = None;
        let ran = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).and_then(|scheduler| {
            let mut scheduler = scheduler.spilling();
            let ran = driver.run(&mut scheduler, workers, usize::MAX);
            account = Some(scheduler.account().clone());
            ran
        });
        prop_assert!(budget.peak() <= limit);
        match ran {
            Ok(()) => {
                driver.check_end(Level::Dataflow, &account.unwrap());
                prop_assert_eq!(budget.used(), 0);
            }
            Err(SchedulerError::MemoryTooSmall { .. }) => {
                prop_assert!(refuses || limit < surely_enough(&world), "it can always go on");
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn after_a_stop_only_what_runs_is_finished(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), workers in workers(), events in 0usize..40
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let mut plan = world.plan(Level::Dataflow);
        let mut scheduler = Scheduler::new(&mut plan, &world.layout, workers, Budget::new(PLENTY)).unwrap();
        let mut driver = Driver::new(&oracle, order);
        driver.run(&mut scheduler, workers, events).unwrap();
        let finished = driver.over.len();
        prop_assert!(finished <= events + workers);
        prop_assert!(scheduler.is_stopped() || (driver.rows.len() == oracle.fates.len() && driver.kept.is_empty()));
        for (at, outcome) in &driver.rows {
            prop_assert_eq!(outcome, &oracle.fates[at].outcome);
        }
        prop_assert!(scheduler.account().is_balanced());
    }
}
