//! How good plans are and how long they take to find: beside the exact optimum, PyGAD, and plans from all measurements.

use std::time::Instant;

use onceflow_cluster::batch::{BatchPolicy, Workload};
use onceflow_cluster::moldable::{
    Margin, MoldableTask, MoldableWorkflow, PlanEvaluator, PlanGoal, SearchOptions, SearchResult,
    best_by_search, best_of_all, front_of_all, neurostimulation, pareto_front, photoacoustic,
};
use onceflow_costs::scaling::ScalingCurve;
use onceflow_terminal::Failure;
use serde_json::{Value, json};

use super::curves::{MOST, MachineShape, machines};
use super::{estimator, ours};
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

/// Nodes of the paper's cluster.
const NODES: u64 = 54;
/// Processing tasks.
const PROCESSING: [(u64, u64); 2] = [(1, 90), (2, 46)];
/// Runs of each search, as in the paper.
const SEEDS: u64 = 20;

pub(super) fn figures(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = exact()?;
    figures.extend(alphas()?);
    figures.extend(table()?);
    figures.extend(beside_peer(peer)?);
    Ok(figures)
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str, goal: Option<Goal>) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal, peer: None }
}

/// The machine of the paper: 36 cores to a node.
fn barbora() -> Result<MachineShape, Failure> {
    machines().into_iter().find(|shape| shape.cores == 36).ok_or_else(|| ours("no machine of 36 cores"))
}

fn workflow(tasks: Vec<MoldableTask>, nodes: u64) -> Result<MoldableWorkflow, Failure> {
    let cluster = Workload::new(nodes, Vec::new()).map_err(ours)?;
    MoldableWorkflow::new(tasks, cluster, BatchPolicy::Paper, Margin::TENTH).map_err(ours)
}

/// Durations in whole seconds at each number of nodes.
fn whole(curve: impl Fn(u64) -> Result<f64, Failure>) -> Result<Vec<(u64, u64)>, Failure> {
    (1..=MOST).map(|nodes| Ok((nodes, curve(nodes)?.round().max(1.0) as u64))).collect()
}

fn full(shape: &MachineShape, planes: u64) -> Result<Vec<(u64, u64)>, Failure> {
    let curve: ScalingCurve = shape.measured(planes)?;
    whole(|nodes| curve.measured(nodes).ok_or_else(|| ours("a point is missing")))
}

/// Durations from an estimator.
fn estimated(shape: &MachineShape, planes: u64, points: usize) -> Result<Vec<(u64, u64)>, Failure> {
    let estimator =
        estimator::estimator(shape, vec![(planes, estimator::few(shape, planes, points)?)], false)?;
    let size = (planes * planes * planes) as f64;
    whole(|nodes| Ok(estimator.estimate(size, nodes).map_err(ours)?.seconds))
}

/// A workflow of 1,024 plans, which are all tried: is the optimum found from each seed, and how fast?
fn exact() -> Result<Vec<BenchFigure>, Failure> {
    let times = |counts: &[u64], work: f64| {
        counts
            .iter()
            .map(|n| (*n, (work / *n as f64 + 0.03 * work).round() as u64))
            .collect::<Vec<(u64, u64)>>()
    };
    let workflow = workflow(photoacoustic(1, 3, &times(&[1, 2, 4, 8], 400.0), &times(&[1, 2], 40.0)), 12)?;
    let evaluator = PlanEvaluator::new(&workflow).map_err(ours)?;
    let goals = [0.0, 0.25, 0.5, 0.75, 1.0].map(|alpha| PlanGoal::OnDemand { alpha });
    let (mut reached, mut slowest, mut runs) = (0.0, 0.0f64, 0.0);
    let too_many = || ours("too many plans to try");
    for goal in goals.into_iter().chain([PlanGoal::Static]) {
        let best = best_of_all(&evaluator, goal, 100_000).ok_or_else(too_many)?;
        for seed in 0..SEEDS {
            let began = Instant::now();
            let found = best_by_search(
                &evaluator,
                goal,
                &SearchOptions { seed, ..SearchOptions::default() },
                &|| true,
            );
            slowest = slowest.max(began.elapsed().as_secs_f64());
            let fitness = |value| goal.fitness(value, evaluator.reference());
            reached += f64::from(fitness(found.value) <= fitness(best.value) + 1e-12);
            runs += 1.0;
        }
    }
    let front = front_of_all(&evaluator, 100_000).ok_or_else(too_many)?;
    let found = pareto_front(&evaluator, &SearchOptions::default(), &|| true);
    let hits = front.iter().filter(|(value, _)| found.iter().any(|(other, _)| other == value)).count();
    Ok(vec![
        figure(
            "1,024 plans, 6 goals, 20 seeds: searches that reach the optimum",
            reached / runs,
            "of 1",
            Some(Goal::AtLeast(1.0)),
        ),
        figure("1,024 plans: slowest search", slowest, "s", Some(Goal::AtMost(0.5))),
        figure(
            "1,024 plans: NSGA-II, share of the exact front",
            hits as f64 / front.len() as f64,
            "of 1",
            Some(Goal::AtLeast(0.95)),
        ),
    ])
}

/// How far alpha moves makespan and cost on the paper's workflows.
fn alphas() -> Result<Vec<BenchFigure>, Failure> {
    let simulation = full(&barbora()?, 1024)?;
    let flows = [
        ("neurostimulation, 20 tasks", neurostimulation(4, &simulation, &PROCESSING)),
        ("photoacoustic, 11 tasks", photoacoustic(2, 3, &simulation, &PROCESSING)),
    ];
    let mut figures = Vec::new();
    for (name, tasks) in flows {
        let workflow = workflow(tasks, NODES)?;
        let evaluator = PlanEvaluator::new(&workflow).map_err(ours)?;
        let best = |alpha| {
            best_by_search(&evaluator, PlanGoal::OnDemand { alpha }, &SearchOptions::default(), &|| true)
                .value
        };
        let (cheap, fast) = (best(0.0), best(1.0));
        let makespan = cheap.makespan as f64 / fast.makespan as f64;
        let cost = fast.cost as f64 / cheap.cost as f64;
        figures.push(figure(
            format!("{name}: makespan of alpha 0 over alpha 1"),
            makespan,
            "x",
            Some(Goal::AtLeast(10.0)),
        ));
        figures.push(figure(
            format!("{name}: cost of alpha 1 over alpha 0"),
            cost,
            "x",
            Some(Goal::AtLeast(1.7)),
        ));
    }
    Ok(figures)
}

/// The paper's table 1: plans of a static allocation from all and from few measurements, both simulated with all.
fn table() -> Result<Vec<BenchFigure>, Failure> {
    let shape = barbora()?;
    let mut figures = Vec::new();
    for planes in [1024, 810] {
        let all = full(&shape, planes)?;
        for trains in [8, 16] {
            let truth = workflow(neurostimulation(trains, &all, &PROCESSING), NODES)?;
            let truth = PlanEvaluator::new(&truth).map_err(ours)?;
            let name = format!("{planes} cubed, {} tasks", trains * 5);
            let from_all = makespans(&truth, &all, trains)?;
            figures.extend(spread(&name, "all points", &from_all));
            for (points, goal) in [(16, 0.017), (8, 0.10)] {
                let found = makespans(&truth, &estimated(&shape, planes, points)?, trains)?;
                figures.extend(spread(&name, &format!("{points} points"), &found));
                let worse = mean(&found) / mean(&from_all) - 1.0;
                let what = format!("{name}, plans from {points} points beside those from all");
                figures.push(figure(what, worse, "of 1", Some(Goal::AtMost(goal))));
            }
        }
    }
    Ok(figures)
}

/// Makespans in minutes of the plans that searches from each seed find with some durations, simulated with all.
fn makespans(
    truth: &PlanEvaluator<'_>,
    simulation: &[(u64, u64)],
    trains: usize,
) -> Result<Vec<f64>, Failure> {
    let known = workflow(neurostimulation(trains, simulation, &PROCESSING), NODES)?;
    let known = PlanEvaluator::new(&known).map_err(ours)?;
    let one = |seed| {
        let options = SearchOptions { seed, evaluations: BUDGET, ..SearchOptions::default() };
        let found = best_by_search(&known, PlanGoal::Static, &options, &|| true);
        truth.value(&found.plan).makespan as f64 / 60.0
    };
    Ok((0..SEEDS).map(one).collect())
}

/// Simulations of one search beside PyGAD and in the table.
const BUDGET: usize = 5000;

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn spread(name: &str, from: &str, minutes: &[f64]) -> Vec<BenchFigure> {
    let least = minutes.iter().copied().fold(f64::INFINITY, f64::min);
    let most = minutes.iter().copied().fold(0.0, f64::max);
    let of = |what: &str, value| {
        figure(format!("{name}, {from}: makespan, {what} of 20 runs"), value, "min", None)
    };
    vec![of("average", mean(minutes)), of("minimum", least), of("maximum", most)]
}

/// The 80-task plan beside PyGAD with as many simulations, and one simulation beside one in Python.
fn beside_peer(peer: Option<&PythonPeer>) -> Result<Vec<BenchFigure>, Failure> {
    let workflow = workflow(neurostimulation(16, &full(&barbora()?, 1024)?, &PROCESSING), NODES)?;
    let evaluator = PlanEvaluator::new(&workflow).map_err(ours)?;
    let search = |seed| {
        let options = SearchOptions { seed, evaluations: BUDGET, ..SearchOptions::default() };
        best_by_search(&evaluator, PlanGoal::Static, &options, &|| true)
    };
    // The peer has one thread.
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(ours)?;
    let began = Instant::now();
    let found: Vec<SearchResult> = single.install(|| (0..SEEDS).map(search).collect());
    let seconds = began.elapsed().as_secs_f64();
    let evaluations: usize = found.iter().map(|found| found.evaluations).sum();
    let makespans = || found.iter().map(|found| found.value.makespan as f64);
    let (best, worst) = (makespans().fold(f64::INFINITY, f64::min), makespans().fold(0.0, f64::max));
    let mut one = figure(
        "80 tasks: one simulation within a search, one thread",
        seconds / evaluations.max(1) as f64 * 1e6,
        "us",
        Some(Goal::Ratio(50.0)),
    );
    let mut plan = figure(
        "80 tasks, static allocation: worst of our 20 runs, beside the best of 20 of PyGAD",
        worst,
        "s",
        Some(Goal::Ratio(1.0)),
    );
    if let Some(peer) = peer {
        let tasks = as_json(&workflow);
        let found = peer.ask(&json!({
            "do": "gosa", "tasks": tasks, "nodes": NODES, "seeds": SEEDS, "evaluations": BUDGET, "population": 50,
        }))?;
        let makespans = found["makespans"]
            .as_array()
            .map(|all| all.iter().filter_map(Value::as_f64).collect::<Vec<f64>>());
        plan.peer = makespans.and_then(|all| all.into_iter().reduce(f64::min));
        one.peer = found["seconds_per_evaluation"].as_f64().map(|seconds| seconds * 1e6);
        agree(peer, &evaluator, &tasks)?;
    }
    Ok(vec![one, plan, figure("80 tasks, static allocation: best of our 20 runs", best, "s", None)])
}

fn as_json(workflow: &MoldableWorkflow) -> Value {
    let task = |(task, after): (&MoldableTask, &Vec<usize>)| {
        let (counts, seconds): (Vec<u64>, Vec<u64>) = task.seconds.iter().copied().unzip();
        json!({ "after": after, "counts": counts, "seconds": seconds })
    };
    workflow.tasks().iter().zip(workflow.after()).map(task).collect()
}

/// Both simulators must give the same makespans, or the comparison means nothing.
fn agree(peer: &PythonPeer, evaluator: &PlanEvaluator<'_>, tasks: &Value) -> Result<(), Failure> {
    let mut random = super::curves::Noise(7);
    let tasks_count = evaluator.workflow().tasks().len();
    let mut plan = || {
        (0..tasks_count)
            .map(|task| (random.unit() * evaluator.workflow().tasks()[task].seconds.len() as f64) as u16)
            .collect::<Vec<u16>>()
    };
    let plans: Vec<Vec<u16>> = (0..50).map(|_| plan()).collect();
    let theirs = peer.ask(&json!({ "do": "simulate", "tasks": tasks, "nodes": NODES, "plans": plans }))?;
    let makespans: Vec<u64> = plans.iter().map(|plan| evaluator.value(plan).makespan).collect();
    if theirs["makespans"] == json!(makespans) { Ok(()) } else { Err(ours("the peer's simulator differs")) }
}
