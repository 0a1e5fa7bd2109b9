//! A plan in words: what makes it as long as it is, and where nodes are idle.

use std::fmt::Write as _;

use super::bounds::LowerBound;
use super::evaluate::PlanEvaluator;
use crate::batch::Schedule;

/// Jobs of a chain that are named; longer chains are cut in the middle.
const MOST_NAMED: usize = 12;
/// Times of idle nodes that are named.
const MOST_IDLE: usize = 3;

/// What the makespan of a plan is made of and where nodes are idle.
pub fn explain(evaluator: &PlanEvaluator<'_>, plan: &[u16]) -> String {
    let workflow = evaluator.workflow();
    let schedule = evaluator.schedule(plan);
    let bound = LowerBound::of(workflow);
    let reference = evaluator.reference();
    let mut text = String::new();
    let share = |part: f64, whole: f64| if whole > 0.0 { 100.0 * part / whole } else { 100.0 };
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "The plan takes {} s, {:.0} % of the plan with the smallest numbers of nodes, and {} node-seconds, {:.0} % of its cost.",
        schedule.makespan,
        share(schedule.makespan as f64, reference.makespan as f64),
        schedule.cost,
        share(schedule.cost as f64, reference.cost as f64),
    );
    let _ = writeln!(
        text,
        "On an empty cluster no plan can take less than {:.0} s: the longest path takes {} s, all work on all nodes {:.0} s.",
        bound.makespan().ceil(),
        bound.critical_path,
        bound.area.ceil(),
    );
    text.push_str(&chain_text(evaluator, plan, &schedule));
    text.push_str(&idle_text(evaluator, plan, &schedule));
    text
}

/// Why a job did not start earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitedFor {
    Beginning,
    Task(usize),
    NodesOf(usize),
}

/// The jobs that follow one another up to the last end, the last first.
fn chain(evaluator: &PlanEvaluator<'_>, plan: &[u16], schedule: &Schedule) -> Vec<(usize, WaitedFor)> {
    let Ok(workload) = evaluator.workflow().workload(plan) else { return Vec::new() };
    let others = workload.others();
    let span = |job: usize| schedule.jobs[job].span().unwrap_or_default();
    let mut chain = Vec::new();
    let mut job = (others..schedule.jobs.len()).max_by_key(|job| span(*job).1);
    while let Some(at) = job {
        let start = span(at).0;
        let ends_there = |other: &usize| *other != at && schedule.jobs[*other].end == Some(start);
        let task = workload.jobs()[at].after.iter().copied().find(ends_there);
        let nodes = (0..schedule.jobs.len()).find(|other| ends_there(other) && span(*other).0 < start);
        let waited = match (task, nodes) {
            _ if start == 0 => WaitedFor::Beginning,
            (Some(task), _) => WaitedFor::Task(task),
            (None, Some(job)) => WaitedFor::NodesOf(job),
            (None, None) => WaitedFor::Beginning,
        };
        chain.push((at, waited));
        job = match waited {
            WaitedFor::Task(before) | WaitedFor::NodesOf(before) if chain.len() <= schedule.jobs.len() => {
                Some(before)
            }
            _ => None,
        };
    }
    chain
}

fn chain_text(evaluator: &PlanEvaluator<'_>, plan: &[u16], schedule: &Schedule) -> String {
    let Ok(workload) = evaluator.workflow().workload(plan) else { return String::new() };
    let mut chain = chain(evaluator, plan, schedule);
    chain.reverse();
    let mut text = String::from("These jobs follow one another up to the end:\n");
    for (place, (job, waited)) in chain.iter().enumerate() {
        if chain.len() > MOST_NAMED && place == MOST_NAMED / 2 {
            let _ = writeln!(text, "  ... {} more", chain.len() - MOST_NAMED);
        }
        if (MOST_NAMED / 2..chain.len().saturating_sub(MOST_NAMED / 2)).contains(&place) {
            continue;
        }
        let named = &workload.jobs()[*job];
        let (start, end) = schedule.jobs[*job].span().unwrap_or_default();
        let why = match waited {
            WaitedFor::NodesOf(other) => format!(", waited for nodes of {}", workload.jobs()[*other].id),
            WaitedFor::Task(_) | WaitedFor::Beginning => String::new(),
        };
        let nodes = if named.nodes == 1 { "node" } else { "nodes" };
        let _ = writeln!(text, "  {} on {} {nodes}, {start} to {end} s{why}", named.id, named.nodes);
    }
    text
}

/// Steps of time in which the same number of nodes is free.
fn idle_steps(evaluator: &PlanEvaluator<'_>, plan: &[u16], schedule: &Schedule) -> Vec<(u64, u64, u64)> {
    let Ok(workload) = evaluator.workflow().workload(plan) else { return Vec::new() };
    let jobs =
        schedule.jobs.iter().zip(workload.jobs()).filter_map(|(job, asked)| Some((job.span()?, asked.nodes)));
    let loads = workload.running().iter().map(|load| ((0, load.left), load.nodes));
    let mut changes: Vec<(u64, i128)> = Vec::new();
    for ((start, end), nodes) in jobs.chain(loads) {
        changes.push((start, -i128::from(nodes)));
        changes.push((end, i128::from(nodes)));
    }
    changes.sort_unstable();
    let mut free = i128::from(workload.nodes());
    let mut steps: Vec<(u64, u64, u64)> = Vec::new();
    for pair in changes.chunk_by(|a, b| a.0 == b.0) {
        free += pair.iter().map(|(_, change)| change).sum::<i128>();
        if let Some(last) = steps.last_mut() {
            last.1 = pair[0].0;
        }
        steps.push((pair[0].0, pair[0].0, free.max(0) as u64));
    }
    steps.retain(|(start, end, free)| end > start && *free > 0 && *start < schedule.makespan);
    steps
}

fn idle_text(evaluator: &PlanEvaluator<'_>, plan: &[u16], schedule: &Schedule) -> String {
    let mut steps = idle_steps(evaluator, plan, schedule);
    let mut text = format!("Nodes are busy {:.0} % of the time.", 100.0 * schedule.utilisation);
    steps.sort_by_key(|(start, end, free)| std::cmp::Reverse(u128::from(end - start) * u128::from(*free)));
    let of = |(start, end, free): &(u64, u64, u64)| format!("{free} from {start} to {end} s");
    let named: Vec<String> = steps.iter().take(MOST_IDLE).map(of).collect();
    if !named.is_empty() {
        let _ = write!(text, " Most are idle: {}.", named.join("; "));
    }
    text.push('\n');
    text
}
