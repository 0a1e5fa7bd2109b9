//! Threads doing real, if small, work: what rows give depends neither on the level nor on the number of workers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use onceflow_region::{Budget, Column, Region, Table};
use onceflow_reuse::{Digest32, Level, TaskKey};
use onceflow_runtime::{
    CachedResult, Call, Device, Done, ExecuteError, ExecuteOptions, Execution, ExecutionContext,
    FinishedTask, InputProvider, Instance, NewResult, NoResultCache, NoSpillStore, Observer, Operation,
    OperationError, Recompute, ResultCache, RowOutcome, SpillStore, TaskOutcome, WorkerDevice, execute,
};
use onceflow_study::{RegionKind, Scope};
use proptest::prelude::*;

use world::oracle::{Fate, Oracle};
use world::strategies::{crew, policies};
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
            TaskOutcome::Failed { message, .. } if content.is_multiple_of(2) => {
                return Err(OperationError::new(message));
            }
            TaskOutcome::Failed { .. } => std::panic::panic_any(format!("content {content}")),
            TaskOutcome::Ended(status) => Some(status),
            TaskOutcome::Done => None,
        };
        let outputs = 0..self.world.flow.tasks[self.task].outputs.len();
        Ok(Done {
            outputs: outputs.map(|output| table(self.world.output(content, output))).collect(),
            ended,
            ..Done::default()
        })
    }
}

/// Notes on which devices a task runs.
struct Placed<'a> {
    operation: &'a dyn Operation,
    task: usize,
    devices: &'a Mutex<HashMap<(usize, WorkerDevice), usize>>,
}

impl Operation for Placed<'_> {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        *self.devices.lock().unwrap().entry((self.task, call.device)).or_default() += 1;
        self.operation.run(call)
    }
}

struct ToyProvider;

impl InputProvider for ToyProvider {
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
    cache_failures: usize,
    /// Instances that were done, and computed for it.
    computed: Vec<Instance>,
}

impl Observer for Metrics {
    fn finished(&mut self, finished: &FinishedTask<'_>) {
        assert_eq!(finished.outputs.is_empty(), matches!(finished.outcome, TaskOutcome::Failed { .. }));
        self.finished += 1;
        if *finished.outcome == TaskOutcome::Done && !finished.entry.served {
            self.computed.push(finished.entry.instance);
        }
    }

    fn cache_failed(&mut self, _: Instance, _: &OperationError) {
        self.cache_failures += 1;
    }

    fn row(&mut self, row: usize, part: usize, outcome: &RowOutcome, results: &[Vec<Arc<Region>>]) {
        let numbers: Vec<Vec<u64>> =
            results.iter().map(|r| r.iter().map(|region| number(region)).collect()).collect();
        assert!(self.rows.insert((part, row), format!("{outcome:?} {numbers:?}")).is_none());
    }
}

/// Keeps every result in memory.
#[derive(Default)]
struct MemoryCache {
    results: Mutex<HashMap<TaskKey, Vec<Arc<Region>>>>,
    lookups: AtomicUsize,
}

impl MemoryCache {
    fn described(outputs: &[Arc<Region>]) -> CachedResult {
        let digest = |region: &Arc<Region>| {
            let mut digest = Digest32::default();
            digest[..8].copy_from_slice(&number(region).to_le_bytes());
            digest
        };
        let bytes = outputs.iter().map(|region| region.bytes()).sum();
        CachedResult {
            digests: outputs.iter().map(digest).collect(),
            contents: Vec::new(),
            bytes,
            origin: None,
        }
    }
}

impl ResultCache for MemoryCache {
    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        self.lookups.fetch_add(1, Ordering::SeqCst);
        let results = self.results.lock().unwrap();
        Ok(keys.iter().map(|key| results.get(key).map(|outputs| Self::described(outputs))).collect())
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        let results = self.results.lock().unwrap();
        results.get(key).cloned().ok_or_else(|| OperationError::new("it is not held"))
    }

    fn store(&self, keys: &[TaskKey], new: &NewResult<'_>) -> Result<Option<CachedResult>, OperationError> {
        let mut results = self.results.lock().unwrap();
        keys.iter().for_each(|key| drop(results.insert(*key, new.outputs.to_vec())));
        Ok(Some(Self::described(new.outputs)))
    }

    fn bytes(&self) -> u64 {
        self.results.lock().unwrap().values().flatten().map(|region| region.bytes()).sum()
    }
}

/// A cache of which any call may fail, by chance: it holds what it cannot give, and cannot take what it is given.
struct FailingCache<'c> {
    cache: &'c MemoryCache,
    dice: Mutex<world::Dice>,
    failures: AtomicUsize,
}

impl FailingCache<'_> {
    fn new(cache: &MemoryCache, seed: u64) -> FailingCache<'_> {
        FailingCache { cache, dice: Mutex::new(world::Dice(seed)), failures: AtomicUsize::new(0) }
    }

    fn stumble(&self) -> Result<(), OperationError> {
        let roll = self.dice.lock().unwrap().roll(6);
        if roll < 3 {
            return Ok(());
        }
        self.failures.fetch_add(1, Ordering::SeqCst);
        if roll == 5 {
            std::panic::panic_any("content is gone".to_owned());
        }
        Err(OperationError::new("the connection was lost"))
    }
}

impl ResultCache for FailingCache<'_> {
    fn lookup(&self, keys: &[TaskKey]) -> Result<Vec<Option<CachedResult>>, OperationError> {
        self.stumble()?;
        let mut held = self.cache.lookup(keys)?;
        let mut dice = self.dice.lock().unwrap();
        for result in &mut held {
            if result.is_none() && dice.chance(20) {
                *result = Some(CachedResult {
                    digests: vec![[7; 32]],
                    contents: Vec::new(),
                    bytes: 1,
                    origin: None,
                });
            }
        }
        Ok(held)
    }

    fn fetch(&self, key: &TaskKey) -> Result<Vec<Arc<Region>>, OperationError> {
        self.stumble()?;
        self.cache.fetch(key).inspect_err(|_| _ = self.failures.fetch_add(1, Ordering::SeqCst))
    }

    fn store(&self, keys: &[TaskKey], new: &NewResult<'_>) -> Result<Option<CachedResult>, OperationError> {
        self.stumble()?;
        self.cache.store(keys, new)
    }

    fn bytes(&self) -> u64 {
        self.cache.bytes()
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

impl SpillStore for Cellar {
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

fn run(world: &World, level: Level, workers: usize, results: &dyn ResultCache) -> Ran {
    try_run(world, level, workers, results, Budget::new(1 << 40)).unwrap()
}

fn try_run(
    world: &World,
    level: Level,
    workers: usize,
    results: &dyn ResultCache,
    budget: Budget,
) -> Result<Ran, ExecuteError> {
    let spill = Cellar::default();
    let toys: Vec<Toy<'_>> =
        (0..world.flow.tasks.len()).map(|task| Toy { world, task, runs: AtomicUsize::new(0) }).collect();
    let operations: Vec<&dyn Operation> = toys.iter().map(|toy| toy as &dyn Operation).collect();
    let work = ExecutionContext {
        operations: &operations,
        provider: &ToyProvider,
        results,
        spill: &spill,
        meter: None,
        digests: None,
    };
    // Under every other bound, outputs may be made again where that seems cheaper.
    let seconds_per_pixel = (0..world.flow.tasks.len()).map(|task| (task % 3) as f64).collect();
    let recompute =
        budget.limit().is_multiple_of(2).then_some(Recompute { bandwidth: 1.0, seconds_per_pixel });
    let options = ExecuteOptions { spilling: true, recompute, ..ExecuteOptions::new(workers, budget) };
    let mut metrics = Metrics::default();
    let execution = execute(&mut world.plan(level), &world.layout, &work, &options, &mut metrics)?;
    assert!(spill.0.lock().unwrap().is_empty(), "something stays below");
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
                    let ran = run(&world, level, workers, &NoResultCache);
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
            try_run(&world, Level::Dataflow, 2, &NoResultCache, budget.clone()).unwrap();
            let expected = expected(&world);
            for percent in [100, 75, 50, 40, 30, 20] {
                let Ok(ran) = try_run(&world, Level::Dataflow, 2, &NoResultCache, Budget::new(budget.peak() * percent / 100))
                else {
                    continue;
                };
                assert_eq!(without_panics(&ran.metrics.rows), expected, "{percent} %");
            }
        });
    }

    #[test]
    fn tasks_run_on_the_workers_that_the_scheduler_chose(seed in any::<u64>(), bounds in bounds(), policy in policies()) {
        quietly(|| {
            let world = World::new(seed, bounds);
            let crew = crew(seed, world.flow.tasks.len());
            let toys: Vec<Toy<'_>> =
                (0..world.flow.tasks.len()).map(|task| Toy { world: &world, task, runs: AtomicUsize::new(0) }).collect();
            let (devices, spills) = (Mutex::new(HashMap::new()), Cellar::default());
            let placed: Vec<Placed<'_>> =
                toys.iter().map(|toy| Placed { operation: toy, task: toy.task, devices: &devices }).collect();
            let operations: Vec<&dyn Operation> = placed.iter().map(|toy| toy as &dyn Operation).collect();
            let work = ExecutionContext {
                operations: &operations,
                provider: &ToyProvider,
                results: &NoResultCache,
                spill: &spills,
                meter: None,
                digests: None,
            };
            let options = ExecuteOptions { crew: crew.clone(), policy, spilling: true, ..ExecuteOptions::new(1, Budget::new(1 << 40)) };
            let mut metrics = Metrics::default();
            let execution =
                execute(&mut world.plan(Level::Dataflow), &world.layout, &work, &options, &mut metrics).unwrap();
            assert_eq!(without_panics(&metrics.rows), expected(&world));
            let mut chosen: HashMap<(usize, WorkerDevice), usize> = HashMap::new();
            for entry in &execution.log {
                let device = crew.worker_device(entry.worker as u32);
                assert!(device.kind == Device::Cpu || crew.expects(entry.task).speedup.is_some());
                *chosen.entry((entry.task, device)).or_default() += 1;
            }
            assert_eq!(*devices.lock().unwrap(), chosen);
        });
    }

    #[test]
    fn what_the_result_cache_holds_is_not_computed_again(seed in any::<u64>(), bounds in bounds()) {
        quietly(|| {
            let world = World::new(seed, bounds);
            let cache = MemoryCache::default();
            let without = run(&world, Level::Dataflow, 2, &NoResultCache);
            let first = run(&world, Level::Dataflow, 2, &cache);
            let held = cache.results.lock().unwrap().len();
            let second = run(&world, Level::Dataflow, 2, &cache);
            assert_eq!(without.metrics.rows, first.metrics.rows);
            assert_eq!(first.metrics.rows, second.metrics.rows);
            let computed = |ran: &Ran| ran.execution.log.iter().filter(|entry| !entry.served).count();
            assert_eq!((computed(&first), computed(&second)), (first.runs, second.runs));
            // What ended or failed is not stored, nor what hangs on stand-ins: their size is not in a key.
            let planned = world.plan(Level::Dataflow).planned();
            let again = |instance: &&Instance| {
                (instance.node.0 as usize) < planned && first.metrics.computed.contains(instance)
            };
            // What the first run did not come to, since its rows had failed before, the second may, and then computes it.
            assert_eq!(second.metrics.computed.iter().find(again), None);
            for ran in [&first, &second] {
                let (cache, products) = (ran.execution.cache, ran.execution.account.total().cached);
                let served = ran.execution.log.iter().filter(|entry| entry.served).count() as u64;
                assert_eq!((products, cache.failed, ran.metrics.cache_failures), (served, 0, 0));
                assert!(cache.served >= served, "what is made again may be served too");
            }
            assert!(held > 0 || second.execution.cache.served == 0);
        });
    }

    #[test]
    fn a_cache_that_fails_changes_no_row_and_loses_nothing(seed in any::<u64>(), bounds in bounds()) {
        quietly(|| {
            let world = World::new(seed, bounds);
            let expected = run(&world, Level::Dataflow, 2, &NoResultCache).metrics.rows;
            let cache = MemoryCache::default();
            for round in 0..3 {
                let failing = FailingCache::new(&cache, seed ^ round);
                let ran = run(&world, Level::Dataflow, 2, &failing);
                assert_eq!(ran.metrics.rows, expected);
                let failures = failing.failures.load(Ordering::SeqCst);
                assert_eq!((ran.metrics.cache_failures, ran.execution.cache.failed as usize), (failures, failures));
            }
            let first = run(&world, Level::Dataflow, 2, &cache);
            let last = run(&world, Level::Dataflow, 2, &cache);
            assert_eq!((&first.metrics.rows, &last.metrics.rows), (&expected, &expected));
            assert!(last.runs <= first.runs);
        });
    }
}

#[test]
fn the_keys_of_a_site_are_looked_up_in_batches() {
    let world = World::new(5, Bounds { stages: 3, rows: 40, parts: 3, failures: false, never: false });
    let cache = MemoryCache::default();
    run(&world, Level::Dataflow, 2, &cache);
    cache.lookups.store(0, Ordering::SeqCst);
    let second = run(&world, Level::Dataflow, 2, &cache);
    let lookups = cache.lookups.load(Ordering::SeqCst);
    assert!(lookups * 2 < second.execution.log.len(), "{lookups} for {}", second.execution.log.len());
    assert!(cache.bytes() > 0);
}

#[test]
fn a_stop_lets_what_runs_finish_and_starts_nothing_more() {
    struct Stopping<'s>(&'s AtomicBool, usize);
    impl Observer for Stopping<'_> {
        fn finished(&mut self, _: &FinishedTask<'_>) {
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
        ExecutionContext {
            operations: &operations,
            provider: &ToyProvider,
            results: &NoResultCache,
            spill: &NoSpillStore,
            meter: None,
            digests: None,
        },
    );
    let options = ExecuteOptions { stop: Some(&stop), ..ExecuteOptions::new(2, Budget::new(1 << 40)) };
    let mut observer = Stopping(&stop, 0);
    let execution =
        execute(&mut world.plan(Level::None), &world.layout, &work, &options, &mut observer).unwrap();
    assert!(execution.stopped && (3..=5).contains(&execution.log.len()), "{} ran", execution.log.len());
}

#[test]
fn an_operation_for_every_task_is_asked_for() {
    let world = World::new(5, Bounds { stages: 1, rows: 1, parts: 1, failures: false, never: false });
    let work = ExecutionContext {
        operations: &[],
        provider: &ToyProvider,
        results: &NoResultCache,
        spill: &NoSpillStore,
        meter: None,
        digests: None,
    };
    let options = ExecuteOptions::new(1, Budget::new(1));
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
        let work = ExecutionContext {
            operations: &operations,
            provider: &ToyProvider,
            results: &NoResultCache,
            spill: &NoSpillStore,
            meter: None,
            digests: None,
        };
        let options = ExecuteOptions { retries, ..ExecuteOptions::new(1, Budget::new(1 << 40)) };
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
        let well =
            try_run(&world, Level::Dataflow, 1, &NoResultCache, unbounded.clone()).unwrap().metrics.rows;
        for percent in [90, 75, 60, 45, 30, 20] {
            let toys: Vec<Toy<'_>> = (0..world.flow.tasks.len())
                .map(|task| Toy { world: &world, task, runs: AtomicUsize::new(0) })
                .collect();
            let others: Vec<EveryOther<'_>> =
                toys.iter().map(|toy| EveryOther { operation: toy, calls: AtomicUsize::new(0) }).collect();
            let operations: Vec<&dyn Operation> =
                others.iter().map(|other| other as &dyn Operation).collect();
            let spill = Cellar::default();
            let (provider, results, meter, digests) = (&ToyProvider, &NoResultCache, None, None);
            let work = ExecutionContext {
                operations: &operations,
                provider,
                results,
                spill: &spill,
                meter,
                digests,
            };
            let recompute = Recompute { bandwidth: 1.0, seconds_per_pixel: vec![0.001; toys.len()] };
            let options = ExecuteOptions {
                spilling: true,
                retries: 1,
                recompute: Some(recompute),
                ..ExecuteOptions::new(1, Budget::new(unbounded.peak() * percent / 100))
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
        let (provider, results, spill, digests) = (&ToyProvider, &NoResultCache, &NoSpillStore, None);
        let work =
            ExecutionContext { operations: &operations, provider, results, spill, meter: None, digests };
        for workers in [1, 2, 5] {
            let options = ExecuteOptions::new(workers, Budget::new(1 << 40));
            let mut plan = world.plan(Level::None);
            let run = std::panic::AssertUnwindSafe(|| {
                execute(&mut plan, &world.layout, &work, &options, &mut Impatient(4))
            });
            assert!(std::panic::catch_unwind(run).is_err());
        }
    });
}
