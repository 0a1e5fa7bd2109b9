//! Threads doing real, if small, work: what rows give depends neither on the level nor on the number of workers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use onceflow_region::{Budget, Column, Region, Table};
use onceflow_reuse::{Digest32, Key, Level};
use onceflow_runtime::{
    Below, Call, Done, ExecuteError, Execution, Finished, Instance, Memo, NoBelow, NoMemo, Observer,
    Operation, OperationError, Options, Outcome, Remaking, RowOutcome, Supply, Work, execute,
};
use onceflow_study::{RegionKind, Scope};
use proptest::prelude::*;

use world::oracle::{Fate, Oracle};
use world::{Bounds, World, empty_content, source_content};

/// A task of a world as an operation on tables of one number.
struct Toy<'w> {
    world: &'w World,
    task: usize,
    runs: AtomicUsize,
}

impl Operation for Toy<'_> {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        let inputs: Vec<u64> = call.inputs.iter().map(|region| number(region)).collect();
        let content = self.world.content(self.task, 0, call.parameters, &inputs);
        let ended = match self.world.outcome(self.task, content) {
            Outcome::Failed { message, .. } if content.is_multiple_of(2) => {
                return Err(OperationError::new(message));
            }
            Outcome::Failed { .. } => std::panic::panic_any(format!("content {content}")),
            Outcome::Ended(status) => Some(status),
            Outcome::Done => None,
        };
        let outputs = 0..self.world.flow.tasks[self.task].outputs.len();
        Ok(Done {
            outputs: outputs.map(|output| table(self.world.output(content, output))).collect(),
            ended,
            ..Done::default()
        })
    }
}

struct ToySupply;

impl Supply for ToySupply {
    fn source(&self, source: usize, scope: Scope, site: usize) -> Result<Arc<Region>, OperationError> {
        Ok(Arc::new(table(source_content(source, scope, site))))
    }

    fn digest(&self, source: usize, scope: Scope, site: usize) -> Result<Digest32, OperationError> {
        let mut digest = Digest32::default();
        digest[..8].copy_from_slice(&source_content(source, scope, site).to_le_bytes());
        Ok(digest)
    }

    fn empty(&self, kind: RegionKind, _: Scope, _: usize) -> Region {
        table(empty_content(kind))
    }
}

fn table(number: u64) -> Region {
    let column = Column::Integer(vec![i64::try_from(number).unwrap()]);
    Region::Table(Table::new(vec![("number".into(), column)]).unwrap())
}

fn number(region: &Region) -> u64 {
    region.as_table().and_then(|table| table.integers("number")).unwrap()[0].try_into().unwrap()
}

/// What rows give, as text.
#[derive(Default)]
struct Metrics {
    rows: BTreeMap<(usize, usize), String>,
    finished: usize,
    /// Instances that were done, and computed for it.
    computed: Vec<Instance>,
}

impl Observer for Metrics {
    fn finished(&mut self, finished: &Finished<'_>) {
        assert_eq!(finished.outputs.is_empty(), matches!(finished.outcome, Outcome::Failed { .. }));
        self.finished += 1;
        if *finished.outcome == Outcome::Done && !finished.entry.remembered {
            self.computed.push(finished.entry.instance);
        }
    }

    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Vec<Arc<Region>>]) {
        let numbers: Vec<Vec<u64>> =
            results.iter().map(|r| r.iter().map(|region| number(region)).collect()).collect();
        assert!(self.rows.insert((part, row), format!("{outcome:?} {numbers:?}")).is_none());
    }
}

/// Remembers everything in memory.
#[derive(Default)]
struct Everything(Mutex<HashMap<Key, Vec<Arc<Region>>>>);

impl Memo for Everything {
    fn get(&self, key: &Key) -> Option<Vec<Arc<Region>>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&self, key: &Key, outputs: &[Arc<Region>], _: f64) {
        self.0.lock().unwrap().insert(*key, outputs.to_vec());
    }
}

struct Ran {
    metrics: Metrics,
    execution: Execution,
    runs: usize,
}

/// Keeps what does not fit in another map.
#[derive(Default)]
struct Cellar(Mutex<HashMap<Instance, Vec<Arc<Region>>>>);

impl Below for Cellar {
    fn put(&self, instance: Instance, outputs: &[Arc<Region>]) -> Result<(), OperationError> {
        assert!(self.0.lock().unwrap().insert(instance, outputs.to_vec()).is_none());
        Ok(())
    }

    fn get(&self, instance: Instance) -> Result<Vec<Arc<Region>>, OperationError> {
        Ok(self.0.lock().unwrap()[&instance].clone())
    }

    fn forget(&self, instance: Instance) {
        self.0.lock().unwrap().remove(&instance);
    }
}

fn run(world: &World, level: Level, workers: usize, memo: &dyn Memo) -> Ran {
    try_run(world, level, workers, memo, Budget::new(1 << 40)).unwrap()
}

fn try_run(
    world: &World,
    level: Level,
    workers: usize,
    memo: &dyn Memo,
    budget: Budget,
) -> Result<Ran, ExecuteError> {
    let below = Cellar::default();
    let toys: Vec<Toy<'_>> =
        (0..world.flow.tasks.len()).map(|task| Toy { world, task, runs: AtomicUsize::new(0) }).collect();
    let operations: Vec<&dyn Operation> = toys.iter().map(|toy| toy as &dyn Operation).collect();
    let work = Work {
        operations: &operations,
        supply: &ToySupply,
        memo,
        below: &below,
        meter: None,
        contents: None,
    };
    // Under every other bound, outputs may be made again where that seems cheaper.
    let seconds_per_pixel = (0..world.flow.tasks.len()).map(|task| (task % 3) as f64).collect();
    let remaking = budget.limit().is_multiple_of(2).then_some(Remaking { bandwidth: 1.0, seconds_per_pixel });
    let options = Options { spilling: true, remaking, ..Options::new(workers, budget) };
    let mut metrics = Metrics::default();
    let execution = execute(&mut world.plan(level), &world.layout, &work, &options, &mut metrics)?;
    assert!(below.0.lock().unwrap().is_empty(), "something stays below");
    assert!(execution.account.is_balanced() && !execution.stopped);
    assert_eq!(options.budget.used(), 0);
    assert_eq!(metrics.finished, execution.log.len());
    Ok(Ran { metrics, execution, runs: toys.iter().map(|toy| toy.runs.load(Ordering::SeqCst)).sum() })
}

/// What rows must give, without anything shared.
fn expected(world: &World) -> BTreeMap<(usize, usize), String> {
    let oracle = Oracle::new(world);
    let of = |(at, fate): (&(usize, usize), &world::oracle::RowFate)| {
        let done = matches!(fate.outcome, RowOutcome::Done { .. });
        let result = |task: &usize| {
            let outputs = world.flow.tasks[*task].outputs.iter().enumerate();
            let ended = fate.ended[world.flow.tasks[*task].stage];
            let number = |(output, region): (usize, &onceflow_reuse::FlowRegion)| match fate.tasks[*task] {
                Fate::Runs(content) if !ended => world.output(content, output),
                _ => empty_content(region.kind),
            };
            outputs.map(number).collect::<Vec<_>>()
        };
        let results: Vec<_> = world.flow.results.iter().filter(|_| done).map(result).collect();
        (*at, format!("{:?} {results:?}", fate.outcome))
    };
    oracle.fates.iter().map(of).collect()
}

fn quietly(act: impl FnOnce()) {
    std::panic::set_hook(Box::new(|info| {
        // Toys panic on purpose, with a text of their own; everything else is a failure of the test.
        if !info.payload().downcast_ref::<String>().is_some_and(|text| text.starts_with("content ")) {
            eprintln!("{info}");
        }
    }));
    act();
}

/// A toy that panics says so in its message; the oracle does not know how a toy fails.
fn without_panics(rows: &BTreeMap<(usize, usize), String>) -> BTreeMap<(usize, usize), String> {
    rows.iter().map(|(at, text)| (*at, text.replace("it panicked: ", ""))).collect()
}

/// Worlds are small in a report of a failure when they are not made yet.
fn bounds() -> impl Strategy<Value = Bounds> {
    (1usize..4, 1usize..9, 1usize..4, any::<bool>()).prop_map(|(stages, rows, parts, failures)| Bounds {
        stages,
        rows,
        parts,
        failures,
        never: false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_level_and_any_number_of_workers_give_the_same_rows(seed in any::<u64>(), bounds in bounds()) {
        quietly(|| {
            let world = World::new(seed, bounds);
            let expected = expected(&world);
            for level in Level::PLANNED {
                for workers in [1, 2, 8] {
                    let ran = run(&world, level, workers, &NoMemo);
                    assert_eq!(without_panics(&ran.metrics.rows), expected, "{level} with {workers} workers");
                    assert_eq!(ran.runs, ran.execution.log.len());
                }
            }
        });
    }

    #[test]
    fn little_memory_changes_no_row(seed in any::<u64>(), bounds in bounds()) {
        quietly(|| {
            let world = World::new(seed, bounds);
            let budget = Budget::new(1 << 40);
            try_run(&world, Level::Dataflow, 2, &NoMemo, budget.clone()).unwrap();
            let expected = expected(&world);
            for percent in [100, 75, 50, 40, 30, 20] {
                let Ok(ran) = try_run(&world, Level::Dataflow, 2, &NoMemo, Budget::new(budget.peak() * percent / 100))
                else {
                    continue;
                };
                assert_eq!(without_panics(&ran.metrics.rows), expected, "{percent} %");
            }
        });
    }

    #[test]
    fn what_a_memo_has_is_not_computed_again(seed in any::<u64>(), bounds in bounds()) {
        quietly(|| {
            let world = World::new(seed, bounds);
            let memo = Everything::default();
            let first = run(&world, Level::Dataflow, 2, &memo);
            let second = run(&world, Level::Dataflow, 2, &memo);
            assert_eq!(first.metrics.rows, second.metrics.rows);
            let computed = |ran: &Ran| ran.execution.log.iter().filter(|entry| !entry.remembered).count();
            assert_eq!((computed(&first), computed(&second)), (first.runs, second.runs));
            // What ended or failed is not remembered, nor what hangs on stand-ins: their size is not in a key.
            let planned = world.plan(Level::Dataflow).planned();
            let again = |instance: &&Instance| {
                (instance.node.0 as usize) < planned && first.metrics.computed.contains(instance)
            };
            // What the first run did not come to, since its rows had failed before, the second may, and then computes it.
            assert_eq!(second.metrics.computed.iter().find(again), None);
        });
    }
}

#[test]
fn a_stop_lets_what_runs_finish_and_starts_nothing_more() {
    struct Stopping<'s>(&'s AtomicBool, usize);
    impl Observer for Stopping<'_> {
        fn finished(&mut self, _: &Finished<'_>) {
            self.1 += 1;
            self.0.store(self.1 >= 3, Ordering::Relaxed);
        }
        fn row(&mut self, _: usize, _: usize, _: &RowOutcome, _: &[Vec<Arc<Region>>]) {}
    }
    let world = World::new(5, Bounds { stages: 3, rows: 40, parts: 9, failures: false, never: false });
    let toys: Vec<Toy<'_>> = (0..world.flow.tasks.len())
        .map(|task| Toy { world: &world, task, runs: AtomicUsize::new(0) })
        .collect();
    let operations: Vec<&dyn Operation> = toys.iter().map(|toy| toy as &dyn Operation).collect();
    let (stop, work) = (
        AtomicBool::new(false),
        Work {
            operations: &operations,
            supply: &ToySupply,
            memo: &NoMemo,
            below: &NoBelow,
            meter: None,
            contents: None,
        },
    );
    let options = Options { stop: Some(&stop), ..Options::new(2, Budget::new(1 << 40)) };
    let mut observer = Stopping(&stop, 0);
    let execution =
        execute(&mut world.plan(Level::None), &world.layout, &work, &options, &mut observer).unwrap();
    assert!(execution.stopped && (3..=5).contains(&execution.log.len()), "{} ran", execution.log.len());
}

#[test]
fn an_operation_for_every_task_is_asked_for() {
    let world = World::new(5, Bounds { stages: 1, rows: 1, parts: 1, failures: false, never: false });
    let work = Work {
        operations: &[],
        supply: &ToySupply,
        memo: &NoMemo,
        below: &NoBelow,
        meter: None,
        contents: None,
    };
    let options = Options::new(1, Budget::new(1));
    let refused =
        execute(&mut world.plan(Level::None), &world.layout, &work, &options, &mut Metrics::default());
    let expected = world.flow.tasks.len();
    assert_eq!(refused.unwrap_err(), ExecuteError::Operations { expected, found: 0 });
}

/// Away at first, as a disk may be; then it does what another does.
struct Hiccup<'a> {
    operation: &'a dyn Operation,
    failures: AtomicUsize,
}

impl Operation for Hiccup<'_> {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let left = self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if left.is_ok() {
            Err(OperationError::transient("the disk was busy"))
        } else {
            self.operation.run(call)
        }
    }
}

#[test]
fn what_fails_for_a_reason_that_passes_is_tried_again_and_counted() {
    let world = World::new(5, Bounds { stages: 2, rows: 3, parts: 1, failures: false, never: false });
    let toys: Vec<Toy<'_>> = (0..world.flow.tasks.len())
        .map(|task| Toy { world: &world, task, runs: AtomicUsize::new(0) })
        .collect();
    let rows = |failures: usize, retries: u32| {
        let hiccups: Vec<Hiccup<'_>> =
            toys.iter().map(|toy| Hiccup { operation: toy, failures: AtomicUsize::new(failures) }).collect();
        let operations: Vec<&dyn Operation> = hiccups.iter().map(|hiccup| hiccup as &dyn Operation).collect();
        let work = Work {
            operations: &operations,
            supply: &ToySupply,
            memo: &NoMemo,
            below: &NoBelow,
            meter: None,
            contents: None,
        };
        let options = Options { retries, ..Options::new(1, Budget::new(1 << 40)) };
        let mut metrics = Metrics::default();
        let mut plan = world.plan(Level::Dataflow);
        let execution = execute(&mut plan, &world.layout, &work, &options, &mut metrics).unwrap();
        let attempts = execution.log.iter().map(|entry| entry.attempt).max().unwrap();
        (metrics.rows, attempts)
    };
    let (well, never) = rows(0, 0);
    let (tried, twice) = rows(2, 2);
    assert_eq!((tried, never, twice), (well.clone(), 0, 2));
    let (given_up, once) = rows(2, 1);
    assert!(given_up != well && once == 1, "what does not pass in time fails its rows");
}

/// Fails every other time for a reason that passes.
struct EveryOther<'a> {
    operation: &'a dyn Operation,
    calls: AtomicUsize,
}

impl Operation for EveryOther<'_> {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        if self.calls.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
            return Err(OperationError::transient("the disk was busy"));
        }
        self.operation.run(call)
    }
}

#[test]
fn what_is_made_again_is_tried_again_too() {
    let mut recomputed = 0;
    for seed in 0..150 {
        let world = World::new(seed, Bounds { stages: 3, rows: 8, parts: 3, failures: false, never: false });
        let unbounded = Budget::new(1 << 40);
        let well = try_run(&world, Level::Dataflow, 1, &NoMemo, unbounded.clone()).unwrap().metrics.rows;
        for percent in [90, 75, 60, 45, 30, 20] {
            let toys: Vec<Toy<'_>> = (0..world.flow.tasks.len())
                .map(|task| Toy { world: &world, task, runs: AtomicUsize::new(0) })
                .collect();
            let others: Vec<EveryOther<'_>> =
                toys.iter().map(|toy| EveryOther { operation: toy, calls: AtomicUsize::new(0) }).collect();
            let operations: Vec<&dyn Operation> =
                others.iter().map(|other| other as &dyn Operation).collect();
            let below = Cellar::default();
            let (supply, memo, meter, contents) = (&ToySupply, &NoMemo, None, None);
            let work = Work { operations: &operations, supply, memo, below: &below, meter, contents };
            let remaking = Remaking { bandwidth: 1.0, seconds_per_pixel: vec![0.001; toys.len()] };
            let options = Options {
                spilling: true,
                retries: 1,
                remaking: Some(remaking),
                ..Options::new(1, Budget::new(unbounded.peak() * percent / 100))
            };
            let mut metrics = Metrics::default();
            let mut plan = world.plan(Level::Dataflow);
            let Ok(execution) = execute(&mut plan, &world.layout, &work, &options, &mut metrics) else {
                continue;
            };
            recomputed += execution.moves.recomputed;
            assert_eq!(metrics.rows, well, "seed {seed}, {percent} %");
        }
    }
    assert!(recomputed > 0, "something was made again");
}

/// Has seen enough after some rows.
struct Impatient(usize);

impl Observer for Impatient {
    fn row(&mut self, _: usize, _: usize, _: &RowOutcome, _: &[Vec<Arc<Region>>]) {
        self.0 = self.0.checked_sub(1).unwrap_or_else(|| std::panic::panic_any("content with it".to_owned()));
    }
}

#[test]
fn a_watcher_that_panics_ends_the_run_and_keeps_nobody_waiting() {
    quietly(|| {
        let world = World::new(5, Bounds { stages: 2, rows: 8, parts: 3, failures: false, never: false });
        let toys: Vec<Toy<'_>> = (0..world.flow.tasks.len())
            .map(|task| Toy { world: &world, task, runs: AtomicUsize::new(0) })
            .collect();
        let operations: Vec<&dyn Operation> = toys.iter().map(|toy| toy as &dyn Operation).collect();
        let (supply, memo, below, contents) = (&ToySupply, &NoMemo, &NoBelow, None);
        let work = Work { operations: &operations, supply, memo, below, meter: None, contents };
        for workers in [1, 2, 5] {
            let options = Options::new(workers, Budget::new(1 << 40));
            let mut plan = world.plan(Level::None);
            let run = std::panic::AssertUnwindSafe(|| {
                execute(&mut plan, &world.layout, &work, &options, &mut Impatient(4))
            });
            assert!(std::panic::catch_unwind(run).is_err());
        }
    });
}
