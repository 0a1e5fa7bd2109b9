//! Buckets for 10,000 nodes and 10^9 tasks, cut as they come, with the cutting of real runs.

use std::time::Instant;

use onceflow_engine::SplitRules;
use onceflow_terminal::Failure;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;

const NODES: usize = 10_000;
/// Rows with eight tasks each.
const TASKS_OF_A_PART: f64 = 240.0 * 8.0;
const TASKS: f64 = 1e9;
/// Seconds of a task on average.
const SECONDS: f64 = 1.0;

/// Seconds for each task, bytes that the planner kept, and buckets for each node.
pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let parts = (TASKS / TASKS_OF_A_PART).ceil() as usize;
    let rules = SplitRules { workers: NODES, ..SplitRules::default() };
    // Parts differ: a mixed number stands for the tissue in them.
    let cost = |part: usize| {
        let mixed = (part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        TASKS_OF_A_PART * SECONDS * (0.5 + mixed as f64 / (1u64 << 24) as f64)
    };
    let began = Instant::now();
    let total: f64 = (0..parts).map(cost).sum();
    let (mut buckets, mut covered) = (0_u64, 0);
    for run in rules.stream(total, (0..parts).map(cost)) {
        // Rows are cut too where a run of parts is too much for a bucket.
        let seconds: f64 = run.clone().map(cost).sum();
        buckets += rules.row_groups(seconds, total, 240) as u64;
        covered += run.len();
    }
    let seconds = began.elapsed().as_secs_f64();
    if covered != parts {
        return Err(failed(format!("{covered} of {parts} parts are in buckets")));
    }
    let name = |what: &str| format!("planned: 10,000 nodes, 10^9 tasks: {what}");
    Ok(vec![
        figure(&name("a task"), seconds / TASKS * 1e6, "us", Some(Goal::AtMost(2.0))),
        figure(&name("buckets for each node"), buckets as f64 / NODES as f64, "", Some(Goal::AtLeast(4.0))),
        figure(
            &name("bytes that are kept, whatever the number of parts"),
            size_of_val(&rules.stream(total, std::iter::empty())) as f64,
            "B",
            None,
        ),
    ])
}
