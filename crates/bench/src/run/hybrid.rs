//! A simulated node of twelve cores and three graphics cards: what the policies give on operations that gain differently.
//!
//! The published chart of speedups has no numbers. The values here keep what the text says: which operations gain little
//! and which much, that these change places when estimates are wrong by 60 to 80 % (so that the ones gain four to nine times
//! as much as the others), and that three cards alone are 2.25 times as fast as twelve cores; copies take the published 12 %
//! of the time of such a run. What is measured then, the policies against each other, is not set by anything.

use onceflow_engine::{
    Bucket, Device, Expected, Machine, NodeKind, PartLayout, PartSite, Policy, Simulated, Simulation,
    simulate,
};
use onceflow_reuse::{Flow, FlowInput, FlowRegion, FlowStage, FlowTask, Level, ParameterRows, Plan, plan};
use onceflow_study::{OpSpec, RegionKind, Scope};
use onceflow_terminal::Failure;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::plan::ours;

/// An operation: its share of the time on a core, how many times faster a card is, whether it reads the image, bytes for
/// each pixel that it makes.
struct HybridOperation(&'static str, f64, f64, bool, u32);

/// The operations, one after the other.
const OPERATIONS: [HybridOperation; 9] = [
    HybridOperation("rbc_detection", 0.03, 2.5, true, 1),
    HybridOperation("morph_open", 0.05, 3.0, true, 1),
    HybridOperation("recon_to_nuclei", 0.15, 14.0, true, 1),
    HybridOperation("area_threshold", 0.02, 2.5, false, 1),
    HybridOperation("fill_holes", 0.03, 3.5, false, 1),
    HybridOperation("pre_watershed", 0.17, 16.0, false, 4),
    HybridOperation("watershed", 0.13, 13.0, true, 1),
    HybridOperation("bw_label", 0.02, 3.0, false, 4),
    HybridOperation("features", 0.40, 26.0, true, 1),
];
/// Those whose speedups errors make larger, as published.
const LOW: f64 = 5.0;

/// Seconds of a tile on one core: 11,730 tiles a minute on a hundred nodes, each four times as fast as cores that together
/// are 10.9 times as fast as one.
const TILE_SECONDS: f64 = 22.3;
const TILE: u64 = 1 << 24;
const TILES: usize = 400;
/// The share of the time of cards alone that copies take.
const COPIES: f64 = 0.12;
const ERRORS: [u32; 10] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let hybrid = HybridNode::new()?;
    let cpus = hybrid.makespan((12, 0), "fcfs", 0.0)?;
    let gpus = hybrid.makespan((0, 3), "fcfs", 0.0)?;
    let fcfs = hybrid.makespan((12, 3), "fcfs", 0.0)?;
    let pats = hybrid.makespan((12, 3), "pats", 0.0)?;
    let local = hybrid.makespan((12, 3), "pats+locality", 0.0)?;
    let ahead = hybrid.makespan((12, 3), "pats+locality+prefetch", 0.0)?;
    let ratio = |what: &str, value: f64, goal: Option<f64>| {
        let name = format!("simulated, 12 cores and 3 gpus: {what}");
        BenchFigure { goal: goal.map(Goal::AtLeast), ..figure(name, value, "x") }
    };
    let mut figures = vec![
        ratio("gpus alone over cpus alone (published 2.25)", cpus / gpus, None),
        ratio("fcfs over cpus alone (published 2.9)", cpus / fcfs, None),
        ratio("pats over fcfs (published 1.38)", fcfs / pats, Some(1.3)),
        ratio("locality over pats (published 1.05)", pats / local, Some(1.0)),
        ratio("prefetch over locality (published 1.03)", local / ahead, Some(1.0)),
        ratio("pats, locality and prefetch over cpus alone (published 4.34)", cpus / ahead, None),
    ];
    figures.extend(errors(&hybrid, fcfs, pats)?);
    Ok(figures)
}

/// What wrong speedups cost: low ones are made larger and high ones smaller, until their order is turned round.
fn errors(hybrid: &HybridNode, fcfs: f64, right: f64) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for error in ERRORS {
        let wrong = hybrid.makespan((12, 3), "pats", f64::from(error) / 100.0)?;
        let name = format!("simulated, speedups wrong by {error} %: pats over pats with right ones");
        let goal = (error == 50).then_some(Goal::AtMost(1.10));
        figures.push(BenchFigure { goal, ..figure(name, wrong / right, "x") });
        if error >= 80 {
            let name = format!("simulated, speedups wrong by {error} %: pats over fcfs");
            figures.push(figure(name, fcfs / wrong, "x"));
        }
    }
    Ok(figures)
}

/// The operations as a workflow of one row, and a machine.
struct HybridNode {
    plan: Plan,
    layout: PartLayout,
    /// Bytes per second between a node and a card.
    link: f64,
}

impl HybridNode {
    fn new() -> Result<Self, Failure> {
        let mut rows = ParameterRows::new(Vec::new());
        rows.push(&[]).map_err(ours)?;
        let plan = plan(flow(), &rows, Level::Dataflow).map_err(ours)?;
        let parts = vec![PartSite { image: 0, pixels: TILE }; TILES];
        let layout = PartLayout { images: vec![TILE * TILES as u64], parts };
        let computing: f64 =
            OPERATIONS.iter().map(|operation| TILE_SECONDS * operation.1 / operation.2).sum();
        let copying = computing * COPIES / (1.0 - COPIES);
        Ok(Self { plan, layout, link: copied() * TILE as f64 / copying })
    }

    fn makespan(&self, workers: (usize, usize), policy: &str, error: f64) -> Result<f64, Failure> {
        Ok(self.run(workers, policy, error)?.makespan)
    }

    fn run(&self, (cpus, gpus): (usize, usize), policy: &str, error: f64) -> Result<Simulated, Failure> {
        let node = NodeKind { count: 1, cpus, gpus, memory: 1 << 40, ahead: 2 };
        let machine = Machine { gpu_link: self.link, ..Machine::of(node) };
        let seconds = |task: usize, device: Device, _: u64| {
            let HybridOperation(_, share, speedup, ..) = OPERATIONS[task];
            let cpu = share * TILE_SECONDS;
            Some(if device == Device::Cpu { cpu } else { cpu / speedup })
        };
        let expected: Vec<Expected> = (0..OPERATIONS.len()).map(|task| self.expected(task, error)).collect();
        let policy = Policy::parse(policy).map_err(ours)?;
        let simulation = Simulation { policy, expected: &expected, ..Simulation::new(&machine, &seconds) };
        let buckets = (0..TILES).map(|part| Bucket { part, rows: None, after: Vec::new() });
        simulate(&self.plan, &self.layout, buckets, &simulation, &mut |_, _, _| {}).map_err(ours)
    }

    fn expected(&self, task: usize, error: f64) -> Expected {
        let HybridOperation(_, share, speedup, ..) = OPERATIONS[task];
        let wrong = if speedup <= LOW { speedup * (1.0 + error) } else { speedup * (1.0 - error) };
        let copying = taken(task) * TILE as f64 / self.link;
        let computing = share * TILE_SECONDS / speedup;
        Expected {
            speedup: Some(wrong),
            transfer_share: copying / (copying + computing),
            seconds_per_pixel: share * TILE_SECONDS / TILE as f64,
        }
    }
}

/// Bytes for each pixel that a tile takes up to a card and down again when nothing stays there.
fn copied() -> f64 {
    (0..OPERATIONS.len()).map(|task| taken(task) + f64::from(OPERATIONS[task].4)).sum()
}

/// Bytes for each pixel that an operation reads.
fn taken(task: usize) -> f64 {
    let image = if OPERATIONS[task].3 { 3.0 } else { 0.0 };
    image + task.checked_sub(1).map_or(0.0, |before| f64::from(OPERATIONS[before].4))
}

fn flow() -> Flow {
    let task = |(at, operation): (usize, &HybridOperation)| {
        let mut spec = OpSpec::new(operation.0, "", 1.0);
        spec.output_bytes_per_pixel = operation.4;
        let before = at.checked_sub(1).map(|task| FlowInput::Task { task, output: 0 });
        let image = operation.3.then_some(FlowInput::Source(0));
        FlowTask {
            name: operation.0.to_owned(),
            stage: 0,
            spec,
            reads: Vec::new(),
            inputs: before.into_iter().chain(image).collect(),
            outputs: vec![FlowRegion { name: operation.0.to_owned(), kind: RegionKind::U8 }],
            ends: Vec::new(),
            after: Vec::new(),
            made: onceflow_reuse::TaskOrigin::Written,
        }
    };
    Flow {
        stages: vec![FlowStage {
            name: "tile".into(),
            scope: Scope::Part,
            tasks: (0..OPERATIONS.len()).collect(),
        }],
        tasks: OPERATIONS.iter().enumerate().map(task).collect(),
        sources: vec!["image".into()],
        results: vec![OPERATIONS.len() - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_one_tile_and_copies_take_their_share() {
        assert!((OPERATIONS.iter().map(|operation| operation.1).sum::<f64>() - 1.0).abs() < 1e-9);
        let hybrid = HybridNode::new().unwrap();
        let alone = hybrid.run((0, 1), "fcfs", 0.0).unwrap();
        let share = alone.transfers().seconds / (alone.transfers().seconds + alone.nodes[0].gpu_seconds);
        assert!((share - COPIES).abs() < 1e-9, "{share}");
    }

    #[test]
    fn policies_that_use_speedups_are_sooner_done() {
        let hybrid = HybridNode::new().unwrap();
        let makespan = |policy: &str| hybrid.makespan((12, 3), policy, 0.0).unwrap();
        assert!(makespan("pats") < makespan("fcfs"));
        assert!(makespan("pats+locality+prefetch") < makespan("pats"));
    }
}
