//! Rows that are known from before, and runs that were stopped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::collections::BTreeMap;

use onceflow_region::Budget;
use onceflow_reuse::Level;
use onceflow_runtime::{KnownFrom, KnownRows, Scheduler};
use proptest::prelude::*;

use world::driver::Driver;
use world::oracle::Oracle;
use world::strategies::{PLENTY, bounds, levels, workers};
use world::{Bounds, World};

/// What decides one case.
#[derive(Clone, Copy, Debug)]
struct Case {
    seed: u64,
    order: u64,
    bounds: Bounds,
    level: Level,
    workers: usize,
    /// How many events happen before the first run is stopped.
    events: usize,
}

fn go_on_after_a_stop(case: Case) -> Result<(), TestCaseError> {
    let Case { seed, order, bounds, level, workers, events } = case;
    let world = World::new(seed, bounds);
    let oracle = Oracle::new(&world);
    let mut plan = world.plan(level);
    let mut scheduler = Scheduler::new(&mut plan, &world.layout, workers, Budget::new(PLENTY)).unwrap();
    let mut first = Driver::new(&oracle, order);
    first.run(&mut scheduler, workers, events).unwrap();
    drop(scheduler);
    let mut known = KnownRows::nothing();
    let from = if seed % 2 == 0 { KnownFrom::Journal } else { KnownFrom::Products };
    first.rows.keys().for_each(|(part, row)| known.note(*row, *part, from));

    let (mut plan, budget) = (world.plan(level), Budget::new(PLENTY));
    let scheduler = Scheduler::new(&mut plan, &world.layout, workers, budget.clone()).unwrap();
    let mut scheduler = scheduler.knowing(known.clone());
    let mut second = Driver::new(&oracle, order.rotate_left(7));
    second.run(&mut scheduler, workers, usize::MAX).unwrap();
    prop_assert!(second.rows.keys().all(|(part, row)| !known.knows(*row, *part)));
    let mut all = first.rows;
    all.extend(second.rows);
    let told: BTreeMap<_, _> = oracle.fates.iter().map(|(at, fate)| (*at, fate.outcome.clone())).collect();
    prop_assert_eq!(all, told);
    prop_assert!(second.kept.is_empty(), "outputs stay behind");
    prop_assert!(scheduler.account().is_balanced());
    let total = scheduler.account().total();
    let other = if from == KnownFrom::Journal { total.products } else { total.resumed };
    prop_assert_eq!(other, 0, "every known row has its column");
    let (planned, ran) = (scheduler.account().total().planned, second.ran.len() - second.failed);
    prop_assert_eq!(planned, ran as u64);
    if known.len() == oracle.fates.len() {
        prop_assert!(second.ran.is_empty(), "all was known");
    }
    prop_assert_eq!(budget.used(), 0);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_that_are_known_are_not_run_again_and_the_others_go_as_before(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), level in levels(), workers in workers(),
        events in 0usize..40,
    ) {
        go_on_after_a_stop(Case { seed, order, bounds, level, workers, events })?;
    }
}

/// The reference row is known, a stage of it ended, and only one of two providers walks where that diverts it to.
#[test]
fn a_provider_that_does_not_walk_somewhere_is_not_asked_what_became_of_it() {
    let bounds = Bounds { stages: 4, rows: 6, parts: 1, failures: false, never: false };
    let case =
        Case { seed: 14249236679290534307, order: 0, bounds, level: Level::Dataflow, workers: 1, events: 12 };
    go_on_after_a_stop(case).unwrap();
}
