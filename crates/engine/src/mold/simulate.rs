//! Jobs simulated on a cluster.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_cluster::Chance;
use onceflow_cluster::batch::{
    BatchPolicy, JobEnd, Schedule, SlurmModel, Workload, WorkloadError, parse_swf, read_workload,
    simulate_batch, simulate_slurm,
};
use onceflow_report::{PlanChoice, PlanPage, gantt_svg, gantt_text};
use onceflow_study::{Diagnostic, SourceText};
use serde_json::{Value, json};

use super::MoldAnswer;
use super::chart::chart;
use crate::{EngineError, TextLimit, read_text};

/// What is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulateRequest {
    /// Jobs: JSON, or a log in the Standard Workload Format by its ending `.swf`.
    pub file: PathBuf,
    /// The rule of the scheduler.
    pub rule: SimulatedRule,
    /// Nodes of the cluster, for a log or in place of those of the file.
    pub nodes: Option<u64>,
    /// So many jobs of a log, the first.
    pub most_jobs: Option<usize>,
    /// What runs and waits at the beginning, from a log.
    pub load: Option<ClusterLoad>,
    /// What each start takes of its nodes, in place of that of the file.
    pub overhead: Option<u64>,
    /// Limits are rounded up to multiples of this.
    pub rounding: Option<u64>,
    /// Run times that differ from those of the file.
    pub noise: Option<Chance>,
}

/// By what jobs start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulatedRule {
    /// A rule at the instants at which something happens.
    Policy(BatchPolicy),
    /// The habits of a real Slurm; the file's times are seconds.
    Slurm(SlurmModel),
}

/// A schedule with what one unit of its times is of the file's.
struct Simulated {
    schedule: Schedule,
    /// Units of the schedule in one of the file.
    fine: u64,
}

/// A load from a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterLoad {
    /// The log.
    pub file: PathBuf,
    /// The instant of the log, in seconds after its first submission.
    pub at: u64,
}

/// Simulates jobs.
///
/// # Errors
/// When a file cannot be read, or names jobs that cannot run.
pub fn mold_simulate(request: &SimulateRequest) -> Result<MoldAnswer, EngineError> {
    let workload = workload(request)?;
    let simulated = simulated(request, &workload)?;
    let name = word(request.rule);
    let makespan = simulated.words(simulated.schedule.makespan);
    let title = format!("{name}: {makespan} s on {} nodes", workload.nodes());
    let chart = chart(title, &workload, &in_seconds(&simulated));
    let text = text(name, &workload, &simulated) + &gantt_text(&chart);
    let svg = gantt_svg(&chart);
    let cost = simulated.schedule.cost / u128::from(simulated.fine);
    let page = PlanPage {
        title: format!("{}, {name}", request.file.display()),
        front: vec![PlanChoice {
            value: (simulated.schedule.makespan / simulated.fine, cost as u64),
            alphas: Some((0.0, 1.0)),
            counts: Vec::new(),
            chart: Some(chart),
            words: text.clone(),
        }],
        alpha: 0.5,
    };
    Ok(MoldAnswer { json: to_json(&workload, &simulated), text, svg: Some(svg), html: Some(page.html()) })
}

fn word(rule: SimulatedRule) -> &'static str {
    match rule {
        SimulatedRule::Policy(policy) => policy.word(),
        SimulatedRule::Slurm(_) => "slurm",
    }
}

fn simulated(request: &SimulateRequest, workload: &Workload) -> Result<Simulated, EngineError> {
    match request.rule {
        SimulatedRule::Policy(policy) => {
            Ok(Simulated { schedule: simulate_batch(workload, policy), fine: 1 })
        }
        SimulatedRule::Slurm(model) => {
            let schedule = simulate_slurm(workload, &model)
                .map_err(|error| refused(&request.file, &error.to_string()))?;
            Ok(Simulated { schedule, fine: 1000 })
        }
    }
}

impl Simulated {
    /// A time in the unit of the file: whole where the schedule has the same unit.
    fn time(&self, time: u64) -> Value {
        if self.fine == 1 { json!(time) } else { json!(time as f64 / self.fine as f64) }
    }

    fn words(&self, time: u64) -> String {
        self.time(time).to_string()
    }

    fn cost(&self) -> Value {
        if self.fine == 1 {
            json!(self.schedule.cost as u64)
        } else {
            json!(self.schedule.cost as f64 / self.fine as f64)
        }
    }
}

/// The schedule in the unit of the file, for pictures.
fn in_seconds(simulated: &Simulated) -> Schedule {
    let mut schedule = simulated.schedule.clone();
    for job in &mut schedule.jobs {
        job.start = job.start.map(|start| start / simulated.fine);
        job.end = job.end.map(|end| end / simulated.fine);
    }
    schedule
}

fn workload(request: &SimulateRequest) -> Result<Workload, EngineError> {
    let source = read_text(&request.file, TextLimit::Table)?;
    let is_log = request.file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("swf"));
    let workload = if is_log {
        of_log(request, &source)?
    } else {
        read_workload(&source).map_err(EngineError::Invalid)?
    };
    let changed = || -> Result<Workload, WorkloadError> {
        let mut workload = workload;
        if let Some(nodes) = request.nodes {
            workload = workload.with_nodes(nodes)?;
        }
        if let Some(overhead) = request.overhead {
            workload = workload.with_overhead(overhead)?;
        }
        if let Some(rounding) = request.rounding {
            workload = workload.with_rounded_limits(rounding)?;
        }
        if let Some(noise) = request.noise {
            workload = workload.with_noise(&noise)?;
        }
        Ok(workload)
    };
    let workload = changed().map_err(|error| refused(&request.file, &error.to_string()))?;
    match &request.load {
        Some(load) => with_load(request, workload, load),
        None => Ok(workload),
    }
}

fn of_log(request: &SimulateRequest, source: &Arc<SourceText>) -> Result<Workload, EngineError> {
    let Some(nodes) = request.nodes else {
        let message = Diagnostic::error("a log does not say how many nodes the cluster has");
        let message = message.expected_found("--nodes N", "none");
        return Err(EngineError::bad_input(message.with_hint("its header often has a line `; MaxProcs:`")));
    };
    let mut log = parse_swf(source, nodes).map_err(EngineError::BadInput)?;
    log.jobs.truncate(request.most_jobs.unwrap_or(usize::MAX));
    Workload::new(nodes, log.jobs).map_err(|error| refused(&request.file, &error.to_string()))
}

/// The same jobs behind those that a log had running and waiting at an instant.
fn with_load(
    request: &SimulateRequest,
    workload: Workload,
    load: &ClusterLoad,
) -> Result<Workload, EngineError> {
    let source = read_text(&load.file, TextLimit::Table)?;
    let log = parse_swf(&source, workload.nodes()).map_err(EngineError::BadInput)?;
    let (running, queued) = log.load_at(load.at);
    let held: u64 = running.iter().map(|load| load.nodes).sum();
    if held > workload.nodes() {
        let found = format!("{held} nodes in use at {} s of the log", load.at);
        let message =
            Diagnostic::error(format!("the load of {} does not fit the cluster", load.file.display()));
        let message = message.expected_found(format!("at most {} nodes", workload.nodes()), found);
        return Err(EngineError::bad_input(message.with_hint("give the log's number of nodes with --nodes")));
    }
    workload.with_others(running, queued).map_err(|error| refused(&request.file, &error.to_string()))
}

fn refused(file: &Path, why: &str) -> EngineError {
    EngineError::bad_input(Diagnostic::error(format!("cannot simulate {}", file.display())).with_why(why))
}

fn to_json(workload: &Workload, simulated: &Simulated) -> Value {
    let schedule = &simulated.schedule;
    let time = |time: Option<u64>| time.map_or(Value::Null, |time| simulated.time(time));
    let jobs = workload.jobs().iter().zip(&schedule.jobs);
    let jobs: Vec<Value> = jobs
        .map(|(job, found)| json!([job.id, time(found.start), time(found.end), found.result.word()]))
        .collect();
    json!({
        "version": 1, "jobs": jobs, "makespan": simulated.time(schedule.makespan), "cost": simulated.cost(),
        "utilisation": schedule.utilisation,
    })
}

fn text(rule: &str, workload: &Workload, simulated: &Simulated) -> String {
    let schedule = &simulated.schedule;
    let stopped = schedule.jobs.iter().zip(workload.jobs());
    let not_ok: Vec<String> = stopped
        .filter(|(found, _)| found.result != JobEnd::Ok)
        .map(|(found, job)| format!("{} ({})", job.id, found.result.word()))
        .collect();
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "policy       {rule}");
    let _ = writeln!(text, "jobs         {} on {} nodes", workload.jobs().len(), workload.nodes());
    let _ = writeln!(text, "makespan     {} s", simulated.words(schedule.makespan));
    let _ = writeln!(text, "cost         {} node-seconds", simulated.cost());
    let _ = writeln!(text, "utilisation  {:.1} %", 100.0 * schedule.utilisation);
    if !not_ok.is_empty() {
        let named = not_ok.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "not done     {} of {} jobs: {named}", not_ok.len(), workload.jobs().len());
    }
    text.push('\n');
    text
}
