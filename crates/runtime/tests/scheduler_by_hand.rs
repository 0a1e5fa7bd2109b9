//! The scheduler on small studies, one sentence each.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use onceflow_region::Budget;
use onceflow_reuse::Level;
use onceflow_runtime::{Event, Instance, Instruction, PartLayout, Scheduler, TaskOutcome};

use world::strategies::PLENTY;
use world::{Bounds, World};

#[test]
fn no_parts_and_no_rows_are_over_at_once() {
    let world = World::new(1, Bounds { stages: 3, rows: 0, parts: 0, failures: false, never: false });
    let mut plan = world.plan(Level::Dataflow);
    let mut scheduler = Scheduler::new(&mut plan, &PartLayout::default(), 1, Budget::new(0)).unwrap();
    assert_eq!(scheduler.next(), Ok(None));
    assert!(scheduler.is_finished() && !scheduler.is_stopped());
}

#[test]
fn one_worker_finishes_a_part_before_it_begins_the_next() {
    let world = World::new(12, Bounds { stages: 3, rows: 6, parts: 4, failures: false, never: false });
    let mut plan = world.plan(Level::Dataflow);
    let mut scheduler = Scheduler::new(&mut plan, &world.layout, 1, Budget::new(PLENTY)).unwrap();
    let mut told = Vec::new();
    while let Some(instruction) = scheduler.next().unwrap() {
        match instruction {
            Instruction::Run { instance, .. } => {
                scheduler.handle(Event::Finished { instance, outcome: TaskOutcome::Done });
            }
            Instruction::Row { part, .. } => told.push(part),
            _ => {}
        }
    }
    assert_eq!(told.len(), 24);
    assert!(told.is_sorted(), "{told:?}");
}

#[test]
fn an_instance_that_does_not_run_is_not_listened_to() {
    let world = World::new(12, Bounds { stages: 3, rows: 6, parts: 1, failures: false, never: false });
    let mut plan = world.plan(Level::Dataflow);
    let mut scheduler = Scheduler::new(&mut plan, &world.layout, 1, Budget::new(PLENTY)).unwrap();
    let Some(Instruction::Run { instance, .. }) = scheduler.next().unwrap() else {
        panic!("something can run")
    };
    for stranger in
        [Instance { node: onceflow_reuse::NodeId(9999), site: 0 }, Instance { site: 7, ..instance }]
    {
        scheduler.handle(Event::Finished { instance: stranger, outcome: TaskOutcome::Done });
    }
    assert_eq!(scheduler.next(), Ok(None));
    scheduler.handle(Event::Finished { instance, outcome: TaskOutcome::Done });
    let ready = scheduler.next().unwrap();
    scheduler.handle(Event::Finished { instance, outcome: TaskOutcome::failed("again") });
    assert!(ready.is_some());
}

#[test]
fn what_cannot_be_scheduled_says_why() {
    let world = World::new(12, Bounds { stages: 3, rows: 2, parts: 2, failures: false, never: false });
    let refused = |world: &World, workers, bytes| {
        let mut plan = world.plan(Level::Dataflow);
        Scheduler::new(&mut plan, &world.layout, workers, Budget::new(bytes))
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(refused(&world, 0, 1), "expected at least one worker, found none; ask for one or more");
    assert!(refused(&world, 1, 0).starts_with("memory bound too small: task `t"));
    let mut elsewhere = world.clone();
    elsewhere.layout.parts[1].image = 9;
    assert!(refused(&elsewhere, 1, PLENTY).starts_with("part 1 belongs to image 9: expected an image below"));
}
