//! Whole commands that plan large studies: how their time grows, and how fast tasks are written for other engines.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onceflow_terminal::Failure;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::program::{self, failed};

/// A screening of forty trajectories over fifteen parameters.
const STUDY: &str = include_str!("../run/study.toml");

/// Trajectories of sixteen rows: 11,200 and 112,000 rows.
const TRAJECTORIES: [u64; 2] = [700, 7_000];

/// The least time that is told from none.
const LEAST: f64 = 1e-3;

const HOUR: Duration = Duration::from_secs(3600);

pub(super) fn figures() -> Result<Vec<BenchFigure>, Failure> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let study = |trajectories| write(folder.path(), trajectories);
    let studies = TRAJECTORIES.map(study).into_iter().collect::<Result<Vec<_>, _>>()?;
    let planned = studies.iter().map(|study| planned(study)).collect::<Result<Vec<_>, _>>()?;
    let (small, large) = (planned[0], planned[1]);
    let growth = large / small / (TRAJECTORIES[1] as f64 / TRAJECTORIES[0] as f64);
    let exported = exported(&studies[1], &folder.path().join("plan.jsonl"), large)?;
    Ok(vec![
        figure("onceflow plan, 112,000 rows, whole command", large, "s", Some(Goal::AtMost(10.0))),
        figure("the same: time per row over that of 11,200 rows", growth, "", Some(Goal::AtMost(1.5))),
        figure(
            "the same with --export: tasks written in the time that it takes longer",
            exported,
            "tasks/s",
            Some(Goal::AtLeast(100_000.0)),
        ),
    ])
}

fn write(folder: &Path, trajectories: u64) -> Result<PathBuf, Failure> {
    let path = folder.join(format!("{trajectories}.toml"));
    std::fs::write(&path, study_of(trajectories)).map_err(failed)?;
    Ok(path)
}

/// The study with so many trajectories, on a tile that is opened in no time.
fn study_of(trajectories: u64) -> String {
    let text = STUDY.replace("trajectories = 40", &format!("trajectories = {trajectories}"));
    text.replace("synth:1000x1000?seed=1", "synth:64x64?seed=1")
}

/// Seconds of the command.
fn planned(study: &Path) -> Result<f64, Failure> {
    let study = study.display().to_string();
    Ok(program::run(&["plan", &study, "--costs", "none", "--workers", "2", "--json"], HOUR)?.seconds)
}

/// Tasks that are written in a second, beside the plan that is printed and takes so long alone.
fn exported(study: &Path, file: &Path, alone: f64) -> Result<f64, Failure> {
    let [study, file] = [study, file].map(|path| path.display().to_string());
    let arguments = ["plan", &study, "--costs", "none", "--workers", "2", "--export", &file, "--json"];
    let ran = program::run(&arguments, HOUR)?;
    let tasks = written(&ran.stderr).ok_or_else(|| failed("no number of written tasks"))?;
    Ok(tasks as f64 / (ran.seconds - alone).max(LEAST))
}

/// The number of `123 tasks: plan.jsonl`.
fn written(said: &str) -> Option<u64> {
    let line = said.lines().find_map(|line| line.split_once(" tasks: "))?.0;
    line.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_study_is_large_and_its_tile_small() {
        let text = study_of(7_000);
        assert!(text.contains("trajectories = 7000\n") && text.contains("\"synth:64x64?seed=1\""), "{text}");
    }

    #[test]
    fn the_number_of_written_tasks_is_read() {
        assert_eq!(written("planning: 2 s so far\n1232011 tasks: /tmp/plan.jsonl\n"), Some(1_232_011));
        assert_eq!(written("nothing"), None);
    }
}
