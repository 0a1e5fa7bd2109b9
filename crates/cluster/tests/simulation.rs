//! Deterministic simulation of whole machines: nodes that are lost, tasks that are slow or fail, little memory, graphs
//! that grow, and every policy. Each seed is a world of its own; `ONCEFLOW_SEEDS=5000` runs as many, and what once failed
//! stays in [`FIXED`].

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

#[path = "../../runtime/tests/world/mod.rs"]
mod world;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use onceflow_cluster::{
    Bucket, BucketId, Chance, Machine, NodeKind, Simulated, Simulation, SimulationError, simulate,
};
use onceflow_reuse::{Level, NodeId, NodeInput, Plan};
use onceflow_runtime::{
    Device, Expected, Instance, PartLayout, Policy, RowOutcome, SchedulerError, TaskOrder, TaskOutcome,
};
use onceflow_study::Scope;

use world::oracle::Oracle;
use world::strategies::{PLENTY, crew};
use world::{Bounds, Dice, World, empty_content, source_content};

/// Seeds that once failed.
const FIXED: [u64; 1] = [868];

/// Seeds of the first tier.
const FEW: u64 = 60;

fn seeds() -> impl Iterator<Item = u64> {
    let many = std::env::var("ONCEFLOW_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(FEW);
    FIXED.into_iter().chain(1..=many)
}

/// What a seed says.
struct Story {
    seed: u64,
    world: World,
    level: Level,
    machine: Machine,
    chance: Chance,
    buckets: Vec<Bucket>,
    /// Buckets that are there from the beginning; each of the others comes when one is done.
    first: usize,
    expected: Vec<Expected>,
}

/// What is told of each row at each part.
type Told = BTreeMap<(usize, usize), RowOutcome>;

impl Story {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (rows, parts) = (dice.roll(9), dice.roll(7));
        let bounds = Bounds {
            stages: 1 + dice.roll(4),
            rows,
            parts,
            failures: dice.chance(50),
            never: dice.chance(30),
        };
        let world = World::new(seed, bounds);
        let tasks = world.flow.tasks.len();
        let devices = crew(seed, tasks);
        let node = NodeKind {
            count: 1 + dice.roll(5),
            cpus: devices.cpus,
            gpus: devices.gpus,
            memory: PLENTY,
            ahead: dice.roll(3),
        };
        let mut machine = Machine::of(node);
        machine.gpu_link = 1.0;
        machine.disk = 1.0;
        machine.network.detection = dice.roll(20) as f64;
        let chance = Chance {
            seed,
            noise: dice.roll(10) as f64 / 10.0,
            slow: dice.roll(3) as f64 / 10.0,
            slowness: 50.0,
            transient: dice.roll(3) as f64 / 10.0,
            permanent: 0.0,
            losses_per_hour: dice.roll(3) as f64 * 100.0,
        };
        let buckets = buckets(&mut dice, rows, parts);
        let first = if buckets.is_empty() { 0 } else { 1 + dice.roll(buckets.len()) };
        let level = Level::PLANNED[dice.roll(4)];
        Self { seed, world, level, machine, chance, buckets, first, expected: devices.expected }
    }

    fn run(&self, policy: Policy, chance: Chance, memory: u64) -> Result<(Told, Simulated), SimulationError> {
        let plan = self.world.plan(self.level);
        let contents = Contents { world: &self.world };
        let seconds = |task: usize, device: Device, pixels: u64| {
            let expected = self.expected[task];
            let cpu = expected.seconds_per_pixel * pixels as f64;
            match device {
                Device::Cpu => Some(cpu),
                Device::Gpu => expected.speedup.map(|speedup| cpu / speedup),
            }
        };
        let mut machine = self.machine.clone();
        machine.nodes[0].memory = memory;
        let grown = RefCell::new(self.buckets[self.first..].iter().cloned());
        let grows = |_: BucketId, _: &Bucket| grown.borrow_mut().next().into_iter().collect();
        let outcome = |plan: &Plan, instance: Instance| contents.outcome(plan, instance);
        let simulation = Simulation {
            policy,
            expected: &self.expected,
            chance,
            retries: 40,
            outcome: &outcome,
            grows: &grows,
            logged: true,
            recompute: self.seed.is_multiple_of(2),
            ..Simulation::new(&machine, &seconds)
        };
        let mut told = Told::new();
        let layout = &self.world.layout;
        let first = self.buckets[..self.first].to_vec();
        let simulated = simulate(&plan, layout, first, &simulation, &mut |row, part, outcome| {
            assert!(told.insert((part, row), outcome.clone()).is_none(), "seed {}: told twice", self.seed);
        })?;
        Ok((told, simulated))
    }
}

/// The rows of every part, in groups.
fn buckets(dice: &mut Dice, rows: usize, parts: usize) -> Vec<Bucket> {
    let mut buckets = Vec::new();
    for part in 0..parts {
        if dice.chance(40) {
            buckets.push(Bucket { part, rows: None, after: Vec::new() });
            continue;
        }
        let groups = 1 + dice.roll(3);
        let group: Vec<usize> = (0..rows).map(|_| dice.roll(groups)).collect();
        for number in 0..groups {
            let rows = Some((0..rows).filter(|row| group[*row] == number).collect());
            let after = (dice.chance(30) && !buckets.is_empty()).then(|| BucketId(dice.roll(buckets.len())));
            buckets.push(Bucket { part, rows, after: after.into_iter().collect() });
        }
    }
    buckets
}

/// How tasks go, from what they read and take.
struct Contents<'w> {
    world: &'w World,
}

impl Contents<'_> {
    fn outcome(&self, plan: &Plan, instance: Instance) -> TaskOutcome {
        let content = self.content(plan, instance, &mut HashMap::new());
        self.world.outcome(plan.task_of(instance.node), content)
    }

    fn content(&self, plan: &Plan, instance: Instance, known: &mut HashMap<Instance, u64>) -> u64 {
        if let Some(content) = known.get(&instance) {
            return *content;
        }
        let node = plan.spelled(instance.node);
        let mut input = |input: &NodeInput| match input {
            NodeInput::Source(source) => {
                source_content(*source, self.world.flow.scope(node.task), instance.site)
            }
            NodeInput::Empty { kind } => empty_content(*kind),
            NodeInput::Node { node, output } => {
                let maker = maker(plan, &self.world.layout, *node, instance);
                self.world.output(self.content(plan, maker, known), *output)
            }
        };
        let inputs: Vec<u64> = node.inputs.iter().map(&mut input).collect();
        let content = self.world.content(node.task, node.row, &node.parameters, &inputs);
        known.insert(instance, content);
        content
    }
}

/// The instance of a node that another takes from.
fn maker(plan: &Plan, layout: &PartLayout, node: NodeId, taker: Instance) -> Instance {
    let scope = |node: NodeId| plan.flow().scope(plan.task_of(node));
    let site = match (scope(taker.node), scope(node)) {
        (own, other) if own == other => taker.site,
        (Scope::Part, other) => layout.site(other, taker.site),
        _ => 0,
    };
    Instance { node, site }
}

fn policies() -> Vec<Policy> {
    let orders =
        [TaskOrder::Reservation, TaskOrder::FirstCome, TaskOrder::ActivePaths(2), TaskOrder::Speedup];
    let all = orders.into_iter().flat_map(|order| {
        [(false, false), (true, false), (true, true)].map(|(locality, prefetch)| Policy {
            order,
            locality,
            prefetch,
        })
    });
    all.collect()
}

#[test]
fn every_row_is_told_once_and_as_if_it_ran_alone_whatever_happens() {
    for seed in seeds() {
        let story = Story::new(seed);
        let oracle = Oracle::new(&story.world);
        let expected: Told = oracle.fates.iter().map(|(at, fate)| (*at, fate.outcome.clone())).collect();
        for policy in policies() {
            let (told, simulated) = story.run(policy, story.chance, PLENTY).unwrap();
            assert_eq!(told, expected, "seed {seed}, {policy}");
            check_order(&story, &simulated);
        }
    }
}

/// On every node, what a task takes from the same part was made there before it began.
fn check_order(story: &Story, simulated: &Simulated) {
    let plan = story.world.plan(story.level);
    let mut made: HashMap<(usize, Instance), Vec<f64>> = HashMap::new();
    for task in &simulated.log {
        made.entry((task.node, task.instance)).or_default().push(task.start + task.seconds);
    }
    let planned = simulated.log.iter().filter(|task| (task.instance.node.0 as usize) < plan.planned());
    for task in planned {
        for input in plan.inputs_of(task.instance.node) {
            let NodeInput::Node { node, .. } = input else { continue };
            let maker = maker(&plan, &story.world.layout, node, task.instance);
            let ends = made.get(&(task.node, maker)).expect("its input was made there");
            let before = ends.iter().any(|end| *end <= task.start + 1e-9);
            assert!(before, "seed {}: it begins before its input is there", story.seed);
        }
    }
}

#[test]
fn tasks_that_always_fail_give_the_same_rows_under_every_policy() {
    for seed in seeds() {
        let story = Story::new(seed);
        let chance = Chance { permanent: 0.1, ..story.chance };
        let mut first: Option<Told> = None;
        for policy in policies() {
            let (told, _) = story.run(policy, chance, PLENTY).unwrap();
            assert_eq!(first.get_or_insert_with(|| told.clone()), &told, "seed {seed}, {policy}");
        }
    }
}

#[test]
fn no_node_passes_its_bound_of_memory() {
    for seed in seeds() {
        let story = Story::new(seed);
        let oracle = Oracle::new(&story.world);
        for policy in policies() {
            let (_, free) = story.run(policy, story.chance, PLENTY).unwrap();
            let limit = free.peak() * (10 + seed % 90) / 100;
            match story.run(policy, story.chance, limit) {
                Ok((told, simulated)) => {
                    assert!(simulated.peak() <= limit, "seed {seed}, {policy}");
                    assert_eq!(told.len(), oracle.fates.len(), "seed {seed}, {policy}");
                }
                Err(SimulationError::Scheduler(SchedulerError::MemoryTooSmall {
                    needed,
                    limit: said,
                    ..
                })) => {
                    assert!(needed > said && said == limit, "seed {seed}, {policy}");
                }
                Err(other) => panic!("seed {seed}, {policy}: {other}"),
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_figures() {
    for seed in seeds().take(10) {
        let story = Story::new(seed);
        for policy in policies() {
            let run = || story.run(policy, story.chance, PLENTY).unwrap();
            assert_eq!(run(), run(), "seed {seed}, {policy}");
        }
    }
}
