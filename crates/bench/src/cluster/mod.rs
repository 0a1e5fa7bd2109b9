//! Runs by many processes on this machine, beside threads: what handing out buckets takes, what processes take more, and what
//! a lost node and a killed manager cost.

mod lost;
mod planned;
mod study;

use std::time::Duration;

use onceflow_engine::take_empty_buckets;
use onceflow_terminal::{Failure, Terminal, engine_failure};

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};
use crate::program::failed;
use study::StudyFolder;

const HOUR: Duration = Duration::from_secs(3600);
/// Buckets of which the rate is measured.
const BUCKETS: usize = 10_000;

/// The figures of runs by many processes.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let asked = |name: &str| args.only.as_deref().is_none_or(|only| name.contains(only));
    let mut figures = Vec::new();
    if asked("claims") {
        terminal.say("buckets with nothing to compute");
        let folder = tempfile::tempdir().map_err(failed)?;
        let seconds = take_empty_buckets(folder.path(), BUCKETS).map_err(engine_failure)?;
        let name = "claims: empty buckets a second, one worker, local folder";
        figures.push(figure(name, BUCKETS as f64 / seconds, "1/s", Some(Goal::AtLeast(2000.0))));
    }
    if asked("planned") {
        terminal.say("10,000 nodes and 10^9 tasks");
        figures.extend(planned::figures()?);
    }
    if asked("processes") {
        figures.extend(processes(terminal)?);
    }
    if asked("lost") {
        figures.extend(lost::figures(terminal)?);
    }
    Ok(figures)
}

/// Two threads, two processes, and two jobs of a Slurm where one is set up.
fn processes(terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let bench = StudyFolder::new(3000, 300)?;
    terminal.say("two threads");
    let threads = bench.quickest("threads", &["--workers", "2"])?;
    terminal.say("two processes");
    let local = bench.quickest("local", &["--on", "local:2"])?;
    let mut figures = vec![
        figure("processes: two threads", threads, "s", Some(Goal::AtLeast(20.0))),
        figure("processes: local:2 over two threads", local / threads, "x", Some(Goal::AtMost(1.05))),
    ];
    if std::env::var_os("SLURM_CONF").is_some() {
        // Buckets of about 1.5 s, so that there are 64 of them or more.
        let time = (threads * 2.0 / 80.0).round().max(1.0).to_string();
        terminal.say("two processes with buckets as for Slurm");
        let small = bench.quickest("small", &["--on", "local:2", "--bucket-time", &time])?;
        terminal.say("two jobs of Slurm");
        let more = ["--on", "slurm:2", "--memory", "2 GiB", "--bucket-time", &time];
        let slurm = bench.quickest("slurm", &more)?;
        let buckets = bench.buckets("slurm-0")?;
        figures.push(figure(
            "processes: buckets of the run on Slurm",
            buckets,
            "",
            Some(Goal::AtLeast(64.0)),
        ));
        figures.push(figure(
            "processes: seconds of work in one of them, on average",
            threads * 2.0 / buckets,
            "s",
            Some(Goal::AtLeast(1.0)),
        ));
        figures.push(figure("processes: slurm:2 over local:2", slurm / small, "x", Some(Goal::AtMost(1.10))));
    }
    Ok(figures)
}

fn figure(name: &str, value: f64, unit: &'static str, goal: Option<Goal>) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal, peer: None }
}
