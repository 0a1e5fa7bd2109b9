//! What is lost when a node or the manager goes: seconds until others go on.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use onceflow_terminal::{Failure, Terminal};

use super::figure;
use super::study::StudyFolder;
use crate::figure::{BenchFigure, Goal};
use crate::program::{failed, onceflow};

/// Nothing that is waited for takes longer.
const LIMIT: Duration = Duration::from_secs(600);

/// A killed manager of many buckets, and a lost node of a Slurm where one is set up.
pub(super) fn figures(terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    terminal.say("a killed manager of 10,000 buckets");
    let (buckets, seconds) = killed_manager()?;
    let mut figures = vec![
        figure(
            "lost: buckets of the run whose manager is killed",
            buckets as f64,
            "",
            Some(Goal::AtLeast(10_000.0)),
        ),
        figure("lost: a killed manager hands out again after", seconds, "s", Some(Goal::AtMost(2.0))),
    ];
    if let Some(folder) = std::env::var_os("ONCEFLOW_SLURM") {
        terminal.say("a lost node of Slurm");
        let seconds = lost_node(&folder.to_string_lossy())?;
        let name = "lost: the bucket of a lost Slurm node is begun again after";
        figures.push(figure(name, seconds, "s", Some(Goal::AtMost(45.0))));
    }
    Ok(figures)
}

/// A run in the background, ended with the benchmark.
struct Manager(Child);

impl Drop for Manager {
    fn drop(&mut self) {
        let _gone = (self.0.kill(), self.0.wait());
    }
}

impl Manager {
    fn start(bench: &StudyFolder, more: &[&str]) -> Result<Self, Failure> {
        let mut command = Command::new(onceflow()?);
        command.args(bench.words("run", more)).env("ONCEFLOW_STORE", "none");
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().map(Self).map_err(failed)
    }
}

/// Waits until something is there.
fn wait_for<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> Result<T, Failure> {
    let limit = Instant::now() + LIMIT;
    while Instant::now() < limit {
        if let Some(found) = found() {
            return Ok(found);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(failed(format!("{what} did not come in {} s", LIMIT.as_secs())))
}

/// The folder of the phase that has buckets now.
fn phase(bench: &StudyFolder) -> Option<PathBuf> {
    let work = PathBuf::from(bench.path("run")).join("work");
    Some(work.join(std::fs::read_to_string(work.join("now")).ok()?))
}

fn names(folder: PathBuf) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Buckets of a run, and seconds from the start of its second manager until its first sign that buckets are there.
fn killed_manager() -> Result<(usize, f64), Failure> {
    // Parts of 30 x 30 pixels: more than 10,000.
    let bench = StudyFolder::new(3030, 30)?;
    let on = ["--on", "folder", "--bucket-time", "1", "--merge", "naive", "--max-bucket-size", "641"];
    let mut first = Manager::start(&bench, &on)?;
    let now = wait_for("the first buckets", || phase(&bench).filter(|path| path.join("cut.json").is_file()))?;
    let buckets = names(now.join("buckets")).len();
    first.0.kill().and_then(|()| first.0.wait()).map_err(failed)?;
    let name = PathBuf::from(bench.path("run")).join("work/now");
    std::fs::remove_file(&name).map_err(failed)?;
    let began = Instant::now();
    let _second = Manager::start(&bench, &on)?;
    wait_for("the second manager", || name.is_file().then_some(()))?;
    Ok((buckets, began.elapsed().as_secs_f64()))
}

/// Seconds from the loss of a node until the bucket that its worker held is begun by another.
fn lost_node(slurm: &str) -> Result<f64, Failure> {
    let bench = StudyFolder::new(3000, 300)?;
    let on = ["--on", "slurm:3", "--memory", "1 GiB", "--bucket-time", "2", "--lease", "10"];
    let mut run = Manager::start(&bench, &on)?;
    let (node, bucket) = wait_for("a worker with a bucket", || held(&bench))?;
    let script = std::env::var("ONCEFLOW_SLURM_SCRIPT").unwrap_or_else(|_| "scripts/slurm".into());
    let killed = Command::new(script).args(["kill", slurm, &node]).status().map_err(failed)?;
    if !killed.success() {
        return Err(failed(format!("scripts/slurm kill {slurm} {node} failed")));
    }
    let death = Instant::now();
    let again = format!("{bucket}.2");
    let begun = || phase(&bench).is_some_and(|phase| phase.join("leases").join(&again).is_file());
    wait_for("the second attempt", || begun().then_some(()))?;
    let seconds = death.elapsed().as_secs_f64();
    wait_for("the end of the run", || run.0.try_wait().ok().flatten())?;
    Ok(seconds)
}

/// A node and the bucket that its worker was the first to take and has not done.
fn held(bench: &StudyFolder) -> Option<(String, String)> {
    let phase = phase(bench)?;
    let listed =
        Command::new("squeue").args(["--noheader", "--array", "--format=%i %N", "--states=R"]).output();
    let listed = String::from_utf8(listed.ok()?.stdout).ok()?;
    let holder = |bucket: &str| std::fs::read_to_string(phase.join(format!("leases/{bucket}.1"))).ok();
    let done = |bucket: &str| phase.join(format!("results/{bucket}.json")).is_file();
    let attempts = names(phase.join("leases"));
    let buckets: Vec<&str> = attempts.iter().filter_map(|name| name.strip_suffix(".1")).collect();
    listed.lines().find_map(|line| {
        let (id, node) = line.trim().split_once(' ')?;
        let worker = format!("\"slurm-{}\"", id.replace('_', "-"));
        let is_held =
            |bucket: &&&str| !done(bucket) && holder(bucket).is_some_and(|text| text.contains(&worker));
        let bucket = buckets.iter().find(is_held)?;
        Some((node.to_owned(), (*bucket).to_owned()))
    })
}
