//! Predicted makespans beside those of a real Slurm of virtual nodes (`scripts/slurm`), for random workloads.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use onceflow_cluster::batch::{BatchJob, BatchPolicy, SlurmModel, Workload, simulate_batch, simulate_slurm};
use onceflow_terminal::{Failure, Terminal};

use super::curves::Noise;
use super::ours;
use crate::figure::{BenchFigure, Goal};

const WORKLOADS: u64 = 10;
const JOBS: usize = 20;
/// A workload that takes longer is stuck.
const LONGEST: Duration = Duration::from_secs(900);

/// Figures where `SLURM_CONF` names a Slurm; else a word on how to start one.
pub(super) fn figures(terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    if std::env::var_os("SLURM_CONF").is_none() {
        terminal.say("no Slurm: start one with eval \"$(scripts/slurm start /tmp/slurm 54)\"");
        return Ok(Vec::new());
    }
    let nodes: u64 = said("sinfo", &["--noheader", "--format=%D"])?.trim().parse().map_err(ours)?;
    let backfills = said("scontrol", &["show", "config"])?.contains("sched/backfill");
    let usual = SlurmModel::default();
    let model = if backfills { usual } else { SlurmModel { interval: 0, ..usual } };
    let textbook = if backfills { BatchPolicy::Easy } else { BatchPolicy::Fcfs };
    let (mut errors, mut signed) = (Vec::new(), Vec::new());
    for seed in 0..WORKLOADS {
        let workload = workload(nodes, seed)?;
        let measured = measured(&workload)?;
        let predicted = simulate_slurm(&workload, &model).map_err(ours)?.makespan as f64 / 1000.0;
        terminal.say(&format!("workload {seed}: measured {measured:.1} s, predicted {predicted:.1} s"));
        errors.push((predicted / measured - 1.0).abs());
        signed.push(simulate_batch(&workload, textbook).makespan as f64 / measured - 1.0);
    }
    errors.sort_by(f64::total_cmp);
    let median = f64::midpoint(errors[errors.len() / 2], errors[(errors.len() - 1) / 2]);
    let most = errors.last().copied().unwrap_or_default();
    let name = |what: &str| {
        let backfilling = if backfills { "on" } else { "off" };
        format!(
            "Slurm of {nodes} nodes, {WORKLOADS} workloads of {JOBS} jobs, backfilling {backfilling}: {what}"
        )
    };
    let figure =
        |what: &str, value, goal| BenchFigure { name: name(what), value, unit: "of 1", goal, peer: None };
    Ok(vec![
        figure("median error of the makespan", median, Some(Goal::AtMost(0.03))),
        figure("largest error of the makespan", most, Some(Goal::AtMost(0.06))),
        figure(
            &format!("mean signed error of {} without Slurm's habits", textbook.word()),
            signed.iter().sum::<f64>() / signed.len() as f64,
            None,
        ),
    ])
}

/// Jobs of 4 to 30 s on up to all nodes, whose limits are one to three minutes.
fn workload(nodes: u64, seed: u64) -> Result<Workload, Failure> {
    let mut random = Noise(1000 + seed);
    let job = |place: usize| {
        let width = 1 + (nodes as f64 * random.unit() * random.unit()) as u64;
        let run = 4 + (26.0 * random.unit()) as u64;
        let limit = 60 * (1 + (3.0 * random.unit()) as u64);
        BatchJob { id: place.to_string(), nodes: width.min(nodes), run, limit, after: Vec::new(), submit: 0 }
    };
    Workload::new(nodes, (0..JOBS).map(job).collect()).map_err(ours)
}

/// Submits the jobs of a workload, and waits: seconds from the first submission to the last end.
fn measured(workload: &Workload) -> Result<f64, Failure> {
    let folder = tempfile::tempdir().map_err(ours)?;
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_err(ours)?.as_secs_f64();
    for job in workload.jobs() {
        let end = folder.path().join(&job.id);
        let (nodes, minutes) = (format!("--nodes={}", job.nodes), format!("--time={}", job.limit / 60));
        let line = format!("sleep {}; date +%s.%N > {}", job.run, end.display());
        let words = ["--parsable", "--exclusive", "--output=/dev/null", &nodes, &minutes, "--wrap", &line];
        said("sbatch", &words)?;
    }
    let began_waiting = Instant::now();
    loop {
        let ends: Vec<f64> =
            workload.jobs().iter().filter_map(|job| end(&folder.path().join(&job.id))).collect();
        if ends.len() == workload.jobs().len() {
            // The next workload must find all nodes free.
            std::thread::sleep(Duration::from_secs(2));
            return Ok(ends.into_iter().fold(0.0, f64::max) - began);
        }
        if began_waiting.elapsed() > LONGEST {
            return Err(ours(format!("only {} of {JOBS} jobs ended", ends.len())));
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn end(file: &Path) -> Option<f64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn said(program: &str, words: &[&str]) -> Result<String, Failure> {
    let output = Command::new(program).args(words).output().map_err(ours)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(ours(format!("{program}: {}", String::from_utf8_lossy(&output.stderr))))
}
