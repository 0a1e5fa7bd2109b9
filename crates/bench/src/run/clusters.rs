//! Simulated clusters with the published costs of tasks: how evenly they are loaded, and what the levels of reuse give.

use onceflow_engine::{
    Bucket, Chance, ClaimRules, ClaimedBucket, Device, Machine, Merging, NodeKind, PartLayout, PartSite,
    Pruning, Simulated, SimulatedClaims, SimulatedWorkers, Simulation, SmallBucket, SplitRules, simulate,
    simulate_claims,
};
use onceflow_reuse::{Flow, Level, ParameterRows, Plan, plan};
use onceflow_terminal::Failure;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::plan::designs::{BasePoints, PaperWorkflow};
use crate::plan::{SECONDS, ours};

/// Pixels of a tile, 4096 x 4096.
const TILE: u64 = 1 << 24;
/// The share of a run that normalization takes, as published.
const NORMALIZATION: f64 = 0.43;
/// Tasks take up to this share more or less: data decide how long.
const NOISE: f64 = 0.3;
/// Cores and memory of a node, as published.
const CORES: usize = 28;
const MEMORY: u64 = 64 << 30;

pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let paper = PaperWorkflow::new()?;
    let mut figures = many_tiles(&paper)?;
    for (workers, tiles, trajectories) in WORKERS {
        figures.extend(workers_of_buckets(&paper, workers, tiles, trajectories)?);
    }
    figures.extend(levels(&paper, ("MOAT 640", 8), &paper.screening(40, 1)?, 2.45)?);
    let continuous = paper.decomposition(800, BasePoints::LatinHypercube, 1)?;
    figures.extend(levels(&paper, ("VBD-continuous 8,000", 1), &continuous, 2.6)?);
    Ok(figures)
}

/// Workers, tiles and trajectories of the published runs on many nodes, and of the thesis: 256 workers on a screening of 640
/// rows at the tiles of a slide.
const WORKERS: [(usize, usize, u64); 3] = [(128, 4_276, 15), (256, 6_113, 3), (256, 64, 40)];
/// Seconds that taking a bucket and leaving its results take on a shared folder, and that a process takes to start.
const HANDING: f64 = 0.05;

/// Workers of one core that take buckets as real ones do: cut by the planner of real runs, taken by the rules of real workers.
/// Efficiency is the work in one piece over the time of all workers.
fn workers_of_buckets(
    paper: &PaperWorkflow,
    workers: usize,
    tiles: usize,
    trajectories: u64,
) -> Result<Vec<BenchFigure>, Failure> {
    let rows = paper.screening(trajectories, 1)?;
    let at = |level: Level| plan(paper.flow.clone(), &rows, level).map_err(ours);
    let (none, whole) = (at(Level::None)?, at(Level::Task)?);
    let name = |what: &str| format!("workers: {workers}, {} sets x {tiles} tiles: {what}", rows.len());
    let costs = costs(&paper.flow);
    let of_tile = seconds(&whole, &costs);
    let trtma = |groups: usize| {
        if groups == 1 {
            return Ok(1.0);
        }
        let by = Merging::Trtma { buckets: groups, pruning: Pruning::Siblings, small: SmallBucket::Smallest };
        Ok(grouped_seconds(&whole, &by, &costs)? / of_tile)
    };
    let of_rtma = grouped_seconds(&whole, &Merging::Rtma { most: 7 }, &costs)? / of_tile;
    let efficiency = |made: &Made| made.whole / (workers as f64 * made.claims.makespan);
    let ours_made = made((of_tile, rows.len()), workers, tiles, &trtma)?;
    let rtma = made((of_tile, rows.len()), workers, tiles, &|_| Ok(of_rtma))?;
    let nothing = made((seconds(&none, &costs), rows.len()), workers, tiles, &|_| Ok(1.0))?;
    Ok(vec![
        BenchFigure {
            goal: Some(Goal::AtLeast(0.92)),
            ..figure(name("parallel efficiency"), efficiency(&ours_made), "")
        },
        figure(name("more work than one worker"), 100.0 * (ours_made.split / ours_made.whole - 1.0), "%"),
        figure(name("rtma 7 over this"), rtma.claims.makespan / ours_made.claims.makespan, "x"),
        figure(name("no reuse over this"), nothing.claims.makespan / ours_made.claims.makespan, "x"),
    ])
}

/// What buckets of a plan take.
struct Made {
    /// Seconds of the work in one piece, and in buckets.
    whole: f64,
    split: f64,
    claims: SimulatedClaims,
}

/// Buckets of rows that take so many seconds at a tile in one piece, and `more` times that in groups, taken by workers.
fn made(
    (of_tile, rows): (f64, usize),
    workers: usize,
    tiles: usize,
    more: &dyn Fn(usize) -> Result<f64, Failure>,
) -> Result<Made, Failure> {
    let rules = SplitRules { workers, ..SplitRules::default() };
    // Tiles differ by what is in them; what is expected of each is the mean.
    let expected = vec![of_tile; tiles];
    let (mut buckets, mut truth, mut split) = (Vec::new(), Vec::new(), 0.0);
    for run in rules.runs(&expected) {
        let whole = of_tile * run.len() as f64;
        let groups = rules.row_groups(whole, of_tile * tiles as f64, rows);
        let more = more(groups)?;
        split += whole * more;
        for group in 0..groups {
            let share = whole * more / groups as f64;
            let differs = run.clone().map(|tile| factor(tile, group)).sum::<f64>() / run.len() as f64;
            buckets.push(ClaimedBucket { seconds: share, after: Vec::new() });
            truth.push(share * differs);
        }
    }
    let seconds = |bucket: usize, _: usize| truth[bucket];
    let workers = SimulatedWorkers {
        count: workers,
        rules: ClaimRules::default(),
        handing: HANDING,
        seconds: &seconds,
        lost: &|_| None,
    };
    Ok(Made { whole: of_tile * tiles as f64, split, claims: simulate_claims(&buckets, &workers) })
}

/// Seconds of the rows of a plan in groups that each do their own work.
fn grouped_seconds(plan: &Plan, merging: &Merging, costs: &[f64]) -> Result<f64, Failure> {
    let stages = plan.merge(merging, &[1.0], &|task| costs[task]).map_err(ours)?;
    Ok(seconds(&plan.in_buckets(&stages).map_err(ours)?, costs))
}

/// Seconds of a plan at one tile.
fn seconds(plan: &Plan, costs: &[f64]) -> f64 {
    plan.account().tasks.iter().zip(costs).map(|(task, cost)| task.planned as f64 * cost).sum()
}

/// How much longer or shorter than the mean a group of rows takes at a tile, from its number alone.
fn factor(tile: usize, group: usize) -> f64 {
    let mixed = ((tile as u64) << 20 ^ group as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    1.0 + NOISE * (2.0 * mixed as f64 / (1u64 << 24) as f64 - 1.0)
}

/// Screening of many tiles on many nodes, with reuse of tasks as published.
fn many_tiles(paper: &PaperWorkflow) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for (nodes, tiles, trajectories, goal) in [(256, 6_113, 3, Some(0.92)), (128, 4_276, 15, None)] {
        let plan = plan(paper.flow.clone(), &paper.screening(trajectories, 1)?, Level::Task).map_err(ours)?;
        let machine = Machine::of(NodeKind { count: nodes, ..NodeKind::of_cpus(CORES, MEMORY) });
        let chance = Chance { seed: 1, noise: NOISE, ..Chance::default() };
        let simulated = run(&plan, &machine, tiles, chance)?;
        let name = |what: &str| {
            format!("simulated, {nodes} nodes x {CORES} cores, {} sets x {tiles} tiles: {what}", plan.rows())
        };
        let busy = simulated.busy().0.unwrap_or_default();
        let efficiency = figure(name("parallel efficiency"), busy, "");
        figures.push(BenchFigure { goal: goal.map(Goal::AtLeast), ..efficiency });
        figures.push(figure(name("makespan"), simulated.makespan, "s"));
        figures.push(figure(name("tasks computed"), simulated.tasks() as f64, ""));
        figures.push(figure(
            name("peak of memory of a node"),
            simulated.peak() as f64 / 2f64.powi(30),
            "GiB",
        ));
    }
    Ok(figures)
}

/// Some tiles on one node: how many times sooner each level is done than without reuse.
fn levels(
    paper: &PaperWorkflow,
    (name, tiles): (&str, usize),
    rows: &ParameterRows,
    goal: f64,
) -> Result<Vec<BenchFigure>, Failure> {
    let machine = Machine::of(NodeKind::of_cpus(CORES, MEMORY));
    let makespan = |plan: &Plan| run(plan, &machine, tiles, Chance::default()).map(|found| found.makespan);
    let at = |level: Level| plan(paper.flow.clone(), rows, level).map_err(ours);
    let none = makespan(&at(Level::None)?)?;
    let costs = costs(&paper.flow);
    let merged = at(Level::Task)?;
    let stages = merged.merge(&Merging::Rtma { most: 7 }, &[1.0], &|task| costs[task]).map_err(ours)?;
    let merged = merged.in_buckets(&stages).map_err(ours)?;
    // The published ratio of stages is that of the screening.
    let tell = name.starts_with("MOAT");
    let title = |what: &str| format!("simulated with published costs, {name} x {tiles}: none over {what}");
    let ratio = |what: &str, plan: &Plan, goal: Option<Goal>| -> Result<BenchFigure, Failure> {
        Ok(BenchFigure { goal, ..figure(title(what), none / makespan(plan)?, "x") })
    };
    Ok(vec![
        ratio("stage", &at(Level::Stage)?, tell.then_some(Goal::Between(1.6, 1.8)))?,
        ratio("task, rtma 7", &merged, None)?,
        ratio("task", &at(Level::Task)?, Some(Goal::AtLeast(goal)))?,
        ratio("dataflow", &at(Level::Dataflow)?, None)?,
    ])
}

fn run(plan: &Plan, machine: &Machine, tiles: usize, chance: Chance) -> Result<Simulated, Failure> {
    let layout = PartLayout {
        images: vec![TILE * tiles as u64],
        parts: vec![PartSite { image: 0, pixels: TILE }; tiles],
    };
    let costs = costs(plan.flow());
    let seconds = |task: usize, device: Device, pixels: u64| {
        (device == Device::Cpu).then(|| costs[task] * pixels as f64 / TILE as f64)
    };
    let simulation = Simulation { chance, ..Simulation::new(machine, &seconds) };
    let buckets = (0..tiles).map(|part| Bucket { part, rows: None, after: Vec::new() });
    simulate(plan, &layout, buckets, &simulation, &mut |_, _, _| {}).map_err(ours)
}

/// Seconds of each task on a tile: the published ones of segmentation, and normalization by its share of a run.
fn costs(flow: &Flow) -> Vec<f64> {
    let segmentation: f64 = SECONDS.iter().sum();
    let normalization = segmentation * NORMALIZATION / (1.0 - NORMALIZATION);
    let others = flow.tasks.iter().filter(|task| published(&task.name).is_none()).count();
    let cost = |task: &str| published(task).unwrap_or(normalization / others.max(1) as f64);
    flow.tasks.iter().map(|task| cost(&task.name)).collect()
}

fn published(task: &str) -> Option<f64> {
    let place: usize = task.strip_prefix('t')?.parse().ok()?;
    SECONDS.get(place.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalization_has_its_share_of_a_run() {
        let costs = costs(&PaperWorkflow::new().unwrap().flow);
        assert_eq!(costs.len(), 8);
        let all: f64 = costs.iter().sum();
        assert!((all - SECONDS.iter().sum::<f64>() / 0.57).abs() < 1e-9);
    }
}
