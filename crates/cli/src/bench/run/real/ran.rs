//! A study that a process of its own ran, and what it left in its folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::super::published;
use super::folder_text;
use crate::bench::program::{self, failed};
use crate::failure::Failure;

/// What a run took.
#[derive(Clone, Debug)]
pub(super) struct Ran {
    /// Seconds from its first task to its answer.
    pub(super) wall: f64,
    /// Seconds that tasks took, all workers together.
    pub(super) busy: f64,
    /// Different tasks that were computed.
    pub(super) tasks: u64,
    /// How often one was computed once more, since memory had no room for what it had made.
    pub(super) recomputed: u64,
    /// The cost of segmentation that was executed, by the published shares.
    pub(super) cost: f64,
    /// Most bytes resident.
    pub(super) resident: u64,
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Its rows with their metrics.
    pub(super) rows: String,
}

const HOUR: Duration = Duration::from_secs(3600);

impl Ran {
    /// Runs a study into a folder.
    pub(super) fn of(study: &Path, folder: &Path, options: &[&str]) -> Result<Self, Failure> {
        let (study, into) = (study.display().to_string(), folder.display().to_string());
        let mut arguments = vec!["run", &study, "-o", &into, "--json", "--costs", "none"];
        if !options.contains(&"--workers") {
            arguments.extend(["--workers", "2"]);
        }
        arguments.extend(options);
        let took = program::run(&arguments, HOUR)?;
        let json: Value = serde_json::from_str(&took.stdout).map_err(failed)?;
        let trace: Value = serde_json::from_str(&folder_text(folder, "trace.json")?).map_err(failed)?;
        let events = trace["traceEvents"].as_array().map_or(&[][..], Vec::as_slice);
        let tasks: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
        let cost = |event: &&Value| published(event["name"].as_str().unwrap_or_default());
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        Ok(Self {
            wall: json["wall_s"].as_f64().unwrap_or(f64::NAN),
            busy: tasks.iter().filter_map(|event| event["dur"].as_f64()).sum::<f64>() / 1e6,
            tasks: number(&json["tasks"]["computed"]),
            recomputed: number(&json["tasks"]["recomputed"]),
            cost: tasks.iter().map(cost).sum(),
            resident: took.resident.max(number(&json["peak_rss_bytes"])),
            folder: folder.to_owned(),
            rows: folder_text(folder, "rows.csv")?,
        })
    }
}
