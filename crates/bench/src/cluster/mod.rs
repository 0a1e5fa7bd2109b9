//! Runs by many processes on this machine, beside threads: what handing out buckets takes, and what processes take more.

use std::time::Duration;

use onceflow_engine::take_empty_buckets;
use onceflow_terminal::{Failure, Terminal, engine_failure};

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};
use crate::program::{self, failed};

/// The papers' screening study of the nuclei workflow.
const STUDY: &str = include_str!("../run/study.toml");
const HOUR: Duration = Duration::from_secs(3600);
/// Buckets of which the rate is measured.
const BUCKETS: usize = 10_000;
/// Each run is measured so often; the quickest counts.
const TIMES: usize = 3;

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
    if asked("processes") {
        figures.extend(processes(terminal)?);
    }
    Ok(figures)
}

/// Two threads, two processes, and two jobs of a Slurm where one is set up.
fn processes(terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let bench = Bench::new()?;
    terminal.say("two threads");
    let threads = bench.quickest("threads", &["--workers", "2"])?;
    terminal.say("two processes");
    let local = bench.quickest("local", &["--on", "local:2"])?;
    let mut figures = vec![
        figure("processes: two threads", threads, "s", None),
        figure("processes: local:2 over two threads", local / threads, "x", Some(Goal::AtMost(1.05))),
    ];
    if std::env::var_os("SLURM_CONF").is_some() {
        terminal.say("two jobs of Slurm");
        let slurm = bench.quickest("slurm", &["--on", "slurm:2", "--memory", "2 GiB"])?;
        let name = "processes: slurm:2 over local:2";
        figures.push(figure(name, slurm / local, "x", Some(Goal::AtMost(1.10))));
    }
    Ok(figures)
}

/// A folder with a study of parts.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Result<Self, Failure> {
        let bench = Self { folder: tempfile::tempdir().map_err(failed)? };
        let study = STUDY.replace("synth:1000x1000?seed=1", "synth:1500x1500?seed=1");
        let study = study.replace("[parts]\n", "[parts]\nsize = 300\n");
        std::fs::write(bench.path("study.toml"), study).map_err(failed)?;
        Ok(bench)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Seconds of the quickest of some runs, which all must give the bytes of the first of all runs.
    fn quickest(&self, name: &str, more: &[&str]) -> Result<f64, Failure> {
        let mut least = f64::INFINITY;
        for number in 0..TIMES {
            let (study, output) = (self.path("study.toml"), self.path(&format!("{name}-{number}")));
            let mut arguments = vec!["run", &study, "-o", &output, "--costs", "none", "--store", "none"];
            arguments.extend(["--pictures", "none", "--granularity", "written", "--json"]);
            arguments.extend(more);
            least = least.min(program::run(&arguments, HOUR)?.seconds);
            let read = |folder: &str| std::fs::read(self.path(&format!("{folder}/rows.csv"))).map_err(failed);
            if read("threads-0")? != read(&format!("{name}-{number}"))? {
                return Err(failed(format!("the rows of {name} differ from those of threads")));
            }
        }
        Ok(least)
    }
}

fn figure(name: &str, value: f64, unit: &'static str, goal: Option<Goal>) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal, peer: None }
}
