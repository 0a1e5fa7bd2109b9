//! How long a simulation of many jobs takes.

use std::time::Instant;

use onceflow_cluster::batch::{BatchJob, BatchPolicy, Workload, simulate_batch};
use onceflow_terminal::Failure;

use super::curves::Noise;
use super::ours;
use crate::figure::{BenchFigure, Goal};

const NODES: u64 = 10_000;
const JOBS: usize = 1_000_000;
/// The share of the nodes that the jobs take; with more than there are, the queue grows to the end.
const LOAD: f64 = 0.85;
const OVERLOAD: f64 = 1.2;

pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let workload = workload(JOBS, LOAD)?;
    let mut figures = Vec::new();
    for (word, policy) in BatchPolicy::WORDS {
        let began = Instant::now();
        let schedule = simulate_batch(&workload, policy);
        let seconds = began.elapsed().as_secs_f64();
        let name = format!("1,000,000 jobs on 10,000 nodes, {word}");
        figures.push(BenchFigure {
            name,
            value: seconds,
            unit: "s",
            goal: Some(Goal::AtMost(10.0)),
            peer: None,
        });
        let name = format!("1,000,000 jobs on 10,000 nodes, {word}: utilisation");
        figures.push(BenchFigure { name, value: schedule.utilisation, unit: "of 1", goal: None, peer: None });
    }
    figures.extend(overloaded()?);
    Ok(figures)
}

/// A queue of more than a hundred thousand jobs: for the rules that need no place for each of them.
fn overloaded() -> Result<Vec<BenchFigure>, Failure> {
    let workload = self::workload(JOBS, OVERLOAD)?;
    let rules = [BatchPolicy::Strict, BatchPolicy::Paper, BatchPolicy::Fcfs, BatchPolicy::Easy];
    let one = |policy: BatchPolicy| {
        let began = Instant::now();
        let schedule = simulate_batch(&workload, policy);
        let seconds = began.elapsed().as_secs_f64();
        let name = format!("the same with more work than nodes, {}", policy.word());
        let busy = format!("{name}: utilisation");
        let goal = Some(Goal::AtMost(10.0));
        [
            BenchFigure { name, value: seconds, unit: "s", goal, peer: None },
            BenchFigure { name: busy, value: schedule.utilisation, unit: "of 1", goal: None, peer: None },
        ]
    };
    Ok(rules.into_iter().flat_map(one).collect())
}

/// Jobs whose widths are powers of two as a rule, whose lengths spread over four powers of ten, and whose limits are one to
/// four times as long.
fn workload(jobs: usize, load: f64) -> Result<Workload, Failure> {
    let mut random = Noise(2026);
    let mut node_time = 0.0;
    let mut shapes = Vec::with_capacity(jobs);
    for _ in 0..jobs {
        let nodes = 2f64.powf((9.0 * random.unit() * random.unit()).floor()) as u64;
        let run = 10f64.powf(1.0 + 3.5 * random.unit()) as u64;
        let limit = (run as f64 * (1.0 + 3.0 * random.unit())) as u64;
        node_time += nodes as f64 * run as f64;
        shapes.push((nodes, run, limit));
    }
    let gap = node_time / (NODES as f64 * load) / jobs as f64;
    let mut submit = 0.0;
    let mut made = Vec::with_capacity(jobs);
    for (place, (nodes, run, limit)) in shapes.into_iter().enumerate() {
        submit -= gap * (1.0 - random.unit()).ln();
        let id = place.to_string();
        made.push(BatchJob { id, nodes, run, limit, after: Vec::new(), submit: submit as u64 });
    }
    Workload::new(NODES, made).map_err(ours)
}
