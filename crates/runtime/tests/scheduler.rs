//! The scheduler, driven by hand: random studies, random order of events, against an oracle that runs each row alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod world;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use onceflow_region::Budget;
use onceflow_reuse::{Account, Level, NodeInput, Plan};
use onceflow_runtime::{
    Event, Instance, Instruction, Known, Layout, Outcome, RowOutcome, Scheduler, SchedulerError,
};
use onceflow_study::Scope;
use proptest::prelude::*;

use world::oracle::{Fate, Oracle};
use world::{Bounds, Dice, World, empty_content, output_content, source_content};

/// A run by hand that checks every instruction as it comes.
struct Driver<'w> {
    world: &'w World,
    oracle: &'w Oracle<'w>,
    dice: Dice,
    running: Vec<Instance>,
    /// Outputs on their way, and whether down.
    moving: Vec<(Instance, bool)>,
    /// Outputs below memory.
    below: HashSet<Instance>,
    /// Whether what lies below sometimes takes nothing.
    refuses: bool,
    /// What each instance gave.
    contents: HashMap<Instance, u64>,
    /// Instances whose outputs are there.
    kept: HashSet<Instance>,
    released: HashSet<Instance>,
    ran: Vec<(Scope, usize, usize, u64)>,
    failed: usize,
    over: BTreeSet<(Scope, usize, usize, u64)>,
    rows: BTreeMap<(usize, usize), RowOutcome>,
}

impl<'w> Driver<'w> {
    fn new(oracle: &'w Oracle<'w>, seed: u64) -> Self {
        Self {
            world: oracle.world,
            oracle,
            dice: Dice(seed),
            running: Vec::new(),
            moving: Vec::new(),
            below: HashSet::new(),
            refuses: false,
            contents: HashMap::new(),
            kept: HashSet::new(),
            released: HashSet::new(),
            ran: Vec::new(),
            failed: 0,
            over: BTreeSet::new(),
            rows: BTreeMap::new(),
        }
    }

    /// Runs until nothing is left, or until `events` of them have happened.
    fn run(
        &mut self,
        scheduler: &mut Scheduler<'_>,
        workers: usize,
        events: usize,
    ) -> Result<(), SchedulerError> {
        for event in 0.. {
            if event == events {
                scheduler.handle(Event::Stop);
            }
            while let Some(instruction) = scheduler.next()? {
                self.obey(scheduler.plan(), instruction);
                let busy = self.running.len() + self.moving.len();
                assert!(busy <= workers, "more instances run than there are workers");
            }
            let Some(event) = self.happen(scheduler.plan()) else { break };
            scheduler.handle(event);
        }
        assert!(scheduler.is_finished(), "nothing runs, but the scheduler is not finished");
        assert_eq!(scheduler.next(), Ok(None), "an instruction after the end");
        Ok(())
    }

    /// Something that runs or moves is over.
    fn happen(&mut self, plan: &Plan) -> Option<Event> {
        let busy = self.running.len() + self.moving.len();
        if busy == 0 {
            return None;
        }
        let which = self.dice.roll(busy);
        if which < self.running.len() {
            let instance = self.running.swap_remove(which);
            let outcome = self.finish(plan, instance);
            return Some(Event::Finished { instance, outcome });
        }
        let (instance, down) = self.moving.swap_remove(which - self.running.len());
        let moved = !(down && self.refuses && self.dice.roll(3) == 0);
        if moved && down {
            assert!(self.kept.remove(&instance) && self.below.insert(instance), "it is not in memory");
        } else if !down {
            assert!(self.kept.insert(instance), "it is in memory already");
        }
        Some(Event::Moved { instance, moved })
    }

    fn leave(&mut self, plan: &Plan, instance: Instance) {
        assert!(self.kept.contains(&instance), "it is not in memory");
        for reader in &self.running {
            assert!(!self.inputs(plan, *reader).contains(&instance), "it leaves while it is read");
        }
    }

    fn obey(&mut self, plan: &Plan, instruction: Instruction) {
        match instruction {
            Instruction::Run { instance } => self.start(plan, instance),
            Instruction::Spill(instance) => {
                self.leave(plan, instance);
                assert!(!self.below.contains(&instance), "it is written twice");
                self.moving.push((instance, true));
            }
            Instruction::Drop(instance) => {
                self.leave(plan, instance);
                assert!(self.below.contains(&instance), "what is dropped is lost");
                self.kept.remove(&instance);
            }
            Instruction::Restore(instance) => {
                assert!(self.below.contains(&instance), "it is not below");
                assert!(!self.kept.contains(&instance), "it is in memory");
                self.moving.push((instance, false));
            }
            Instruction::Release(instance) => {
                let (above, below) = (self.kept.remove(&instance), self.below.remove(&instance));
                assert!(above || below, "released what is not there");
                assert!(self.moving.iter().all(|(moving, _)| *moving != instance), "released on its way");
                assert!(self.released.insert(instance), "released twice");
                for reader in &self.running {
                    assert!(!self.inputs(plan, *reader).contains(&instance), "released while it is read");
                }
            }
            Instruction::Row { row, part, outcome, results } => {
                for (task, result) in self.world.flow.results.iter().zip(&results) {
                    let fate = &self.oracle.fates[&(part, row)];
                    let ended = fate.ended[self.world.flow.tasks[*task].stage];
                    assert_eq!(result.is_none(), ended);
                    if let Some(result) = result {
                        assert!(self.kept.contains(result), "a result is not there");
                        assert_eq!(fate.tasks[*task], Fate::Runs(self.contents[result]));
                    }
                }
                assert!(self.rows.insert((part, row), outcome).is_none(), "a row is told twice");
            }
        }
    }

    fn start(&mut self, plan: &Plan, instance: Instance) {
        for input in self.inputs(plan, instance) {
            assert!(self.kept.contains(&input), "an input is not there");
        }
        let content = self.content(plan, instance);
        assert!(self.contents.insert(instance, content).is_none(), "an instance runs twice");
        let place = self.place(plan, instance);
        assert!(self.oracle.allowed.contains(&place), "nobody needs {place:?}");
        assert!(self.is_due(place), "{place:?} starts before the tasks that may end it");
        self.ran.push(place);
        self.running.push(instance);
    }

    /// Whether for some row all that comes before is over, or is not needed for it.
    fn is_due(&self, (scope, site, task, content): (Scope, usize, usize, u64)) -> bool {
        let before = self.oracle.before(task);
        let fates =
            self.oracle.fates.iter().filter(|((part, _), _)| self.world.layout.site(scope, *part) == site);
        let due = |(part, fate): (usize, &world::oracle::RowFate)| {
            fate.tasks[task] == Fate::Runs(content)
                && before.iter().all(|task| match fate.tasks[*task] {
                    Fate::Runs(content) => self.over.contains(&self.oracle.place(part, *task, content)),
                    Fate::Ended => true,
                    Fate::NotReached => false,
                })
        };
        let mut fates = fates.map(|((part, _), fate)| (*part, fate));
        // What rows that fail had begun is not in their fates: of those only the inputs are checked.
        !self.oracle.needed.contains(&(scope, site, task, content)) || self.has_failures() || fates.any(due)
    }

    fn has_failures(&self) -> bool {
        self.world.fails.contains(&true)
    }

    fn finish(&mut self, plan: &Plan, instance: Instance) -> Outcome {
        let place = self.place(plan, instance);
        self.over.insert(place);
        let outcome = self.world.outcome(place.2, place.3);
        if matches!(outcome, Outcome::Failed(_)) {
            self.failed += 1;
        } else {
            self.kept.insert(instance);
        }
        outcome
    }

    fn place(&self, plan: &Plan, instance: Instance) -> (Scope, usize, usize, u64) {
        let task = plan.task_of(instance.node);
        (self.world.flow.scope(task), instance.site, task, self.contents[&instance])
    }

    fn inputs(&self, plan: &Plan, instance: Instance) -> Vec<Instance> {
        let inputs: Vec<NodeInput> = plan.inputs_of(instance.node).collect();
        let node = |input: &NodeInput| match input {
            NodeInput::Node { node, .. } => Some(self.instance(plan, *node, instance)),
            _ => None,
        };
        inputs.iter().filter_map(node).collect()
    }

    /// The instance of a node that another instance takes from.
    fn instance(&self, plan: &Plan, node: onceflow_reuse::NodeId, taker: Instance) -> Instance {
        let scope = |node: onceflow_reuse::NodeId| self.world.flow.scope(plan.task_of(node));
        let site = match (scope(taker.node), scope(node)) {
            (own, other) if own == other => taker.site,
            (Scope::Part, other) => self.world.layout.site(other, taker.site),
            _ => 0,
        };
        Instance { node, site }
    }

    fn content(&self, plan: &Plan, instance: Instance) -> u64 {
        let node = plan.spelled(instance.node);
        let input = |input: &NodeInput| match input {
            NodeInput::Source(source) => {
                source_content(*source, self.world.flow.scope(node.task), instance.site)
            }
            NodeInput::Empty { kind } => empty_content(*kind),
            NodeInput::Node { node, output } => {
                output_content(self.contents[&self.instance(plan, *node, instance)], *output)
            }
        };
        let inputs: Vec<u64> = node.inputs.iter().map(input).collect();
        self.world.content(node.task, node.row, &node.parameters, &inputs)
    }

    /// What must hold when a run was not stopped.
    fn check_end(&self, level: Level, account: &Account) {
        let told: BTreeMap<_, _> =
            self.oracle.fates.iter().map(|(at, fate)| (*at, fate.outcome.clone())).collect();
        assert_eq!(self.rows, told);
        assert!(self.kept.is_empty() && self.below.is_empty(), "outputs stay behind");
        let ran: BTreeSet<_> = self.ran.iter().copied().collect();
        assert!(ran.is_superset(&self.oracle.needed), "something needed did not run");
        if !self.has_failures() {
            assert_eq!(ran, self.oracle.needed);
        }
        if level == Level::Dataflow {
            assert_eq!(ran.len(), self.ran.len(), "equal work ran twice");
        }
        self.check_account(account);
    }

    fn check_account(&self, account: &Account) {
        assert!(account.is_balanced());
        assert_eq!(account.total().planned, (self.ran.len() - self.failed) as u64);
        for (task, entry) in account.tasks.iter().enumerate() {
            let scope = self.world.flow.scope(task);
            let sites: BTreeSet<usize> =
                self.parts().map(|part| self.world.layout.site(scope, part)).collect();
            assert_eq!(entry.asked, (sites.len() * self.world.values.len()) as u64);
            let ended = |((part, row), fate): (&(usize, usize), &world::oracle::RowFate)| {
                let site = self.world.layout.site(scope, *part);
                (fate.tasks[task] == Fate::Ended).then_some((site, *row))
            };
            let ended: BTreeSet<_> = self.oracle.fates.iter().filter_map(ended).collect();
            if !self.has_failures() {
                assert_eq!((entry.ended_early, entry.failed), (ended.len() as u64, 0));
            }
        }
    }

    fn parts(&self) -> impl Iterator<Item = usize> {
        0..self.world.layout.parts.len()
    }
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let sizes = (1usize..5, 0usize..9, 0usize..5);
    (sizes, any::<bool>(), any::<bool>()).prop_map(|((stages, rows, parts), failures, never)| Bounds {
        stages,
        rows,
        parts,
        failures,
        never,
    })
}

fn levels() -> impl Strategy<Value = Level> {
    prop::sample::select(Level::ALL.to_vec())
}

fn workers() -> impl Strategy<Value = usize> {
    prop::sample::select(vec![1usize, 2, 8])
}

const PLENTY: u64 = 1 << 40;

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_that_are_known_are_not_run_again_and_the_others_go_as_before(
        seed in any::<u64>(), order in any::<u64>(), bounds in bounds(), level in levels(), workers in workers(),
        events in 0usize..40,
    ) {
        let world = World::new(seed, bounds);
        let oracle = Oracle::new(&world);
        let mut plan = world.plan(level);
        let mut scheduler = Scheduler::new(&mut plan, &world.layout, workers, Budget::new(PLENTY)).unwrap();
        let mut first = Driver::new(&oracle, order);
        first.run(&mut scheduler, workers, events).unwrap();
        drop(scheduler);
        let mut known = Known::nothing();
        first.rows.keys().for_each(|(part, row)| known.note(*row, *part));

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
        let (planned, ran) = (scheduler.account().total().planned, second.ran.len() - second.failed);
        prop_assert_eq!(planned, ran as u64);
        if known.len() == oracle.fates.len() {
            prop_assert!(second.ran.is_empty(), "all was known");
        }
        prop_assert_eq!(budget.used(), 0);
    }
}

#[test]
fn no_parts_and_no_rows_are_over_at_once() {
    let world = World::new(1, Bounds { stages: 3, rows: 0, parts: 0, failures: false, never: false });
    let mut plan = world.plan(Level::Dataflow);
    let mut scheduler = Scheduler::new(&mut plan, &Layout::default(), 1, Budget::new(0)).unwrap();
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
            Instruction::Run { instance } => {
                scheduler.handle(Event::Finished { instance, outcome: Outcome::Done });
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
    let Some(Instruction::Run { instance }) = scheduler.next().unwrap() else { panic!("something can run") };
    for stranger in
        [Instance { node: onceflow_reuse::NodeId(9999), site: 0 }, Instance { site: 7, ..instance }]
    {
        scheduler.handle(Event::Finished { instance: stranger, outcome: Outcome::Done });
    }
    assert_eq!(scheduler.next(), Ok(None));
    scheduler.handle(Event::Finished { instance, outcome: Outcome::Done });
    let ready = scheduler.next().unwrap();
    scheduler.handle(Event::Finished { instance, outcome: Outcome::Failed("again".into()) });
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
