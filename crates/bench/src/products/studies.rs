//! Studies that find what earlier ones computed, as whole commands with their reports.

use std::path::Path;
use std::time::Duration;

use onceflow_terminal::Failure;
use serde_json::Value;
use tempfile::TempDir;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::program::{self, failed};

/// The papers' screening study of the nuclei workflow: 641 rows over 15 parameters.
const STUDY: &str = include_str!("../run/study.toml");

/// A metric that needs a comparison of its own.
const METRIC: &str =
    "\n[[metric]]\nname = \"truth\"\nof = \"nuclei\"\nmeasure = \"dice\"\nagainst = \"truth\"\n";

const HOUR: Duration = Duration::from_secs(3600);

/// A folder with studies, their runs and their stores.
struct Bench {
    folder: TempDir,
}

/// What a run took, and how many of its tasks other than comparisons ran.
struct Ran {
    seconds: f64,
    others: f64,
}

impl Bench {
    /// A folder with an image of this side: studies have files, whose digests are remembered.
    fn new(side: &str) -> Result<Self, Failure> {
        let bench = Self { folder: tempfile::tempdir().map_err(failed)? };
        let (image, truth) = (bench.path("tile.png"), bench.path("truth.png"));
        let size = ["--width", side, "--height", side, "--seed", "1"];
        program::run(&[&["image", "synth", "-o", &image, "--truth", &truth][..], &size].concat(), HOUR)?;
        Ok(bench)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Runs a study into a folder of its own, with a store, or with `none`.
    fn run(&self, study: &str, into: &str, store: &str, more: &[&str]) -> Result<Ran, Failure> {
        let (file, output) = (self.path("study.toml"), self.path(into));
        let image = "file = \"tile.png\"\ntruth = \"truth.png\"";
        let study = study.replace("file = \"synth:1000x1000?seed=1\"", image);
        std::fs::write(&file, study).map_err(failed)?;
        let store = if store == "none" { store.to_owned() } else { self.path(store) };
        let mut arguments = vec!["run", &file, "-o", &output, "--json", "--costs", "none", "--workers", "2"];
        arguments.extend(["--granularity", "written", "--store", &store]);
        arguments.extend(more);
        let took = program::run(&arguments, HOUR)?;
        Ok(Ran { seconds: took.seconds, others: others(Path::new(&output), &took.stdout)? })
    }
}

/// The share of the tasks of a run that were computed and are no comparisons.
fn others(folder: &Path, said: &str) -> Result<f64, Failure> {
    let json: Value = serde_json::from_str(said).map_err(failed)?;
    let asked = json["tasks"]["asked"].as_f64().unwrap_or(f64::NAN);
    let trace = std::fs::read_to_string(folder.join("trace.json")).map_err(failed)?;
    let trace: Value = serde_json::from_str(&trace).map_err(failed)?;
    let events = trace["traceEvents"].as_array().map_or(&[][..], Vec::as_slice);
    let is_other = |event: &&Value| {
        event["ph"] == "X"
            && event["cat"] != "proposed"
            && !event["name"].as_str().unwrap_or_default().starts_with("compare")
    };
    Ok(events.iter().filter(is_other).count() as f64 / asked)
}

/// The same study in a new folder, and with a metric more.
pub(super) fn again() -> Result<Vec<BenchFigure>, Failure> {
    let bench = Bench::new("1000")?;
    let alone = bench.run(STUDY, "alone", "none", &["--reuse", "none"])?;
    let first = bench.run(STUDY, "first", "store", &[])?;
    let again = bench.run(STUDY, "again", "store", &[])?;
    let added = bench.run(&format!("{STUDY}{METRIC}"), "added", "store", &[])?;
    Ok(vec![
        figure("study of 641 rows, no reuse, no store", alone.seconds, "s", None),
        figure("the same with an empty store", first.seconds, "s", None),
        figure("the same again in a new folder", again.seconds, "s", None),
        figure("how many times faster again", alone.seconds / again.seconds, "x", Some(Goal::AtLeast(50.0))),
        figure("a metric added", added.seconds, "s", None),
        figure("a metric added: tasks besides comparison", added.others, "", Some(Goal::AtMost(0.0))),
    ])
}

/// A study of which an earlier one computed half of the rows. The ideal is the time of as many rows as are new, alone and without
/// a store: rows share tasks, so that half of them take more than half of the time of all.
pub(super) fn overlap() -> Result<Vec<BenchFigure>, Failure> {
    let bench = Bench::new("1000")?;
    let half = STUDY.replace("trajectories = 40", "trajectories = 20");
    let none = bench.run(STUDY, "none", "none", &[])?;
    let (mut ideal, mut known) = (f64::INFINITY, f64::INFINITY);
    for round in 0..3 {
        let (alone, store) = (format!("alone-{round}"), format!("store-{round}"));
        ideal = ideal.min(bench.run(&half, &alone, "none", &[])?.seconds);
        bench.run(&half, &format!("half-{round}"), &store, &[])?;
        known = known.min(bench.run(STUDY, &format!("whole-{round}"), &store, &[])?.seconds);
    }
    Ok(vec![
        figure("641 rows without a store", none.seconds, "s", None),
        figure("half of them alone without a store, the ideal", ideal, "s", None),
        figure("641 rows of which the store has half", known, "s", None),
        figure("half known, times the ideal", known / ideal, "x", Some(Goal::AtMost(1.1))),
        figure("half known, times half of all", known / (none.seconds / 2.0), "x", None),
    ])
}

/// An empty store beside none, in turns; the shorter of each. With two workers it takes about two and a half minutes.
pub(super) fn empty() -> Result<Vec<BenchFigure>, Failure> {
    let bench = Bench::new("5000")?;
    let (mut none, mut empty) = (f64::INFINITY, f64::INFINITY);
    for round in 0..3 {
        let store = format!("store-{round}");
        none = none.min(bench.run(STUDY, &format!("none-{round}"), "none", &[])?.seconds);
        empty = empty.min(bench.run(STUDY, &format!("empty-{round}"), &store, &[])?.seconds);
    }
    Ok(vec![
        figure("study without a store", none, "s", Some(Goal::AtLeast(20.0))),
        figure("study with an empty store", empty, "s", None),
        figure("an empty store, times none", empty / none, "x", Some(Goal::AtMost(1.03))),
    ])
}
