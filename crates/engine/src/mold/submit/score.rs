//! What became of a submission, beside what was predicted; and its durations as measurements for the next plan.

use std::fmt::Write as _;
use std::path::Path;

use onceflow_cluster::{JobStage, WorkflowProgress};
use onceflow_costs::scaling::{PerformanceDatabase, PerformanceRecord};
use serde_json::{Value, json};

use super::folder::SubmittedPlan;
use super::follow::stage_words;
use super::record::AttemptTimes;
use crate::mold::MoldAnswer;
use crate::mold::performance::{add_records, write_database};
use crate::{EngineError, write_whole};

/// What became of a submission, also as `result.json`.
pub(super) fn score(
    plan: &SubmittedPlan,
    progress: &WorkflowProgress,
    folder: &Path,
) -> Result<MoldAnswer, EngineError> {
    let times = times(plan, progress, folder);
    let scored = Scored::of(plan, &times);
    let tasks: Vec<Value> = (0..plan.tasks.len()).map(|job| task_json(plan, progress, &times, job)).collect();
    let done = tasks.iter().filter(|task| task["result"] == "ok").count();
    let json = json!({
        "version": 1, "ok": done, "tasks": tasks,
        "makespan": { "predicted": plan.makespan, "measured": scored.makespan },
        "cost": { "predicted": plan.cost, "measured": scored.cost },
        "mean_error": scored.mean_error, "underestimated": scored.underestimated,
    });
    let path = folder.join("result.json");
    let text = format!("{json:#}\n");
    write_whole(&path, text.as_bytes()).map_err(|error| EngineError::Write { path, error })?;
    Ok(MoldAnswer { text: words(plan, progress, &times, &scored, done), json, svg: None, html: None })
}

/// Adds the measured durations to the table of the folder, and to another that the user names.
pub(super) fn collect(
    plan: &SubmittedPlan,
    progress: &WorkflowProgress,
    folder: &Path,
    other: Option<&Path>,
) -> Result<(), EngineError> {
    let mut database = PerformanceDatabase::default();
    for (job, times) in times(plan, progress, folder).iter().enumerate() {
        let task = &plan.tasks[job];
        let (Some(kind), Some(size), Some(seconds)) = (&task.kind, task.size, times.seconds()) else {
            continue;
        };
        let record = PerformanceRecord {
            task: kind.clone(),
            machine: plan.machine.clone(),
            size,
            nodes: task.nodes,
            device: plan.device.clone(),
            seconds: seconds.max(1e-3),
            memory: None,
            when: times.end.map_or_else(String::new, |end| format!("{end:.0}")),
            run: format!("{} {}", plan.name, task.id),
        };
        database.add(record).map_err(|error| EngineError::Internal(error.to_string()))?;
    }
    write_database(&folder.join("performance.csv"), &database)?;
    other.map_or(Ok(()), |file| add_records(file, database.records()))
}

/// Times of the last attempts of jobs that ended well; nothing of the others.
fn times(plan: &SubmittedPlan, progress: &WorkflowProgress, folder: &Path) -> Vec<AttemptTimes> {
    let one = |job: usize| match progress.stage(job) {
        JobStage::Done => AttemptTimes::read(folder, job, progress.attempt(job)),
        _ => AttemptTimes::default(),
    };
    (0..plan.tasks.len()).map(one).collect()
}

/// Sums of all tasks that ended well.
struct Scored {
    makespan: Option<f64>,
    cost: f64,
    mean_error: Option<f64>,
    underestimated: usize,
}

impl Scored {
    fn of(plan: &SubmittedPlan, times: &[AttemptTimes]) -> Self {
        let pairs: Vec<(f64, f64, u64)> = plan
            .tasks
            .iter()
            .zip(times)
            .filter_map(|(task, times)| Some((times.seconds()?, task.seconds as f64, task.nodes)))
            .collect();
        let errors: f64 = pairs.iter().map(|(found, said, _)| (found - said).abs() / found.max(1e-3)).sum();
        let last = times.iter().filter_map(|times| times.end).reduce(f64::max);
        Self {
            makespan: last.map(|last| last - plan.submitted).filter(|_| pairs.len() == times.len()),
            cost: pairs.iter().map(|(seconds, _, nodes)| seconds * *nodes as f64).sum(),
            mean_error: (!pairs.is_empty()).then(|| errors / pairs.len() as f64),
            underestimated: pairs.iter().filter(|(found, said, _)| found > said).count(),
        }
    }
}

fn task_json(plan: &SubmittedPlan, progress: &WorkflowProgress, times: &[AttemptTimes], job: usize) -> Value {
    let (task, times) = (&plan.tasks[job], times[job]);
    json!({
        "id": task.id, "nodes": task.nodes, "result": progress.stage(job).word(),
        "why": stage_words(plan, progress.stage(job)), "attempts": progress.attempt(job),
        "seconds": { "predicted": task.seconds, "measured": times.seconds() },
        "start": { "predicted": task.start, "measured": times.start.map(|start| start - plan.submitted) },
    })
}

fn words(
    plan: &SubmittedPlan,
    progress: &WorkflowProgress,
    times: &[AttemptTimes],
    scored: &Scored,
    done: usize,
) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "tasks     {done} of {} ended well", plan.tasks.len());
    if let Some(makespan) = scored.makespan {
        let beside = beside(makespan, plan.makespan as f64);
        let _ = writeln!(text, "makespan  {makespan:.1} s, predicted {} s ({beside})", plan.makespan);
    }
    if let Some(error) = scored.mean_error {
        let under = scored.underestimated;
        let _ = writeln!(text, "durations mean error {:.1} %, {under} longer than predicted", 100.0 * error);
    }
    let width = plan.tasks.iter().map(|task| task.id.chars().count()).max().unwrap_or(0).max("task".len());
    let _ = writeln!(text, "\n{:<width$}  nodes  seconds  predicted    start  predicted", "task");
    for (job, (task, times)) in plan.tasks.iter().zip(times).enumerate() {
        let _ = match (times.seconds(), times.start, task.start) {
            (Some(seconds), Some(start), Some(planned)) => writeln!(
                text,
                "{:<width$}  {:>5}  {seconds:>7.1}  {:>9}  {:>7.1}  {planned:>9}",
                task.id,
                task.nodes,
                task.seconds,
                start - plan.submitted
            ),
            _ => writeln!(
                text,
                "{:<width$}  {:>5}  {}",
                task.id,
                task.nodes,
                stage_words(plan, progress.stage(job))
            ),
        };
    }
    text
}

/// `+3.1 %`.
fn beside(found: f64, predicted: f64) -> String {
    format!("{:+.1} %", 100.0 * (found / predicted.max(1e-3) - 1.0))
}
