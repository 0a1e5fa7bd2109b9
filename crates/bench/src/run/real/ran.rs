//! A study that a process of its own ran, and what it left in its folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use onceflow_terminal::Failure;
use serde_json::Value;

use super::super::weight;
use super::beyond::TaskSeconds;
use super::folder_text;
use super::oracle::BY_OBJECTS;
use crate::program::{self, failed};

/// What a run took.
#[derive(Clone, Debug)]
pub(super) struct StudyRun {
    /// Seconds from its first task to its answer.
    pub(super) wall: f64,
    /// Seconds that tasks took, all workers together.
    pub(super) busy: f64,
    /// Different tasks that were computed.
    pub(super) tasks: u64,
    /// How often one was computed once more, since memory had no room for what it had made.
    pub(super) recomputed: u64,
    /// The cost of segmentation that was executed, by the weight of every task; tasks on objects count by new ones.
    pub(super) cost: f64,
    /// The share of objects' pixels that were new to a task.
    new_shares: BTreeMap<String, f64>,
    /// How often each task ran, and its seconds.
    pub(super) by_task: TaskSeconds,
    /// Seconds of segmentation, all workers together.
    pub(super) segmenting: f64,
    /// Seconds that digests of results and lookups of objects took.
    pub(super) digesting: f64,
    pub(super) looking: f64,
    /// Most bytes resident.
    pub(super) resident: u64,
    /// Its folder.
    pub(super) folder: PathBuf,
    /// Its rows with their metrics.
    pub(super) rows: String,
}

const HOUR: Duration = Duration::from_secs(3600);

impl StudyRun {
    /// The share of what a task works on that was new to it.
    pub(super) fn new_share(&self, task: &str) -> f64 {
        self.new_shares.get(task).copied().unwrap_or(1.0)
    }

    /// How often a task ran, and its seconds.
    pub(super) fn tasks_of(&self, task: &str) -> Option<(u64, f64)> {
        self.by_task.get(task).copied()
    }

    /// Runs a study into a folder.
    pub(super) fn of(study: &Path, folder: &Path, options: &[&str]) -> Result<Self, Failure> {
        let (study, into) = (study.display().to_string(), folder.display().to_string());
        let mut arguments = vec!["run", &study, "-o", &into, "--json"];
        if !options.contains(&"--costs") {
            arguments.extend(["--costs", "none"]);
        }
        if !options.contains(&"--workers") {
            arguments.extend(["--workers", "2"]);
        }
        // Figures are about the tasks of the papers.
        if !options.contains(&"--granularity") {
            arguments.extend(["--granularity", "written"]);
        }
        arguments.extend(options);
        let took = program::run(&arguments, HOUR)?;
        let json: Value = serde_json::from_str(&took.stdout).map_err(failed)?;
        let trace: Value = serde_json::from_str(&folder_text(folder, "trace.json")?).map_err(failed)?;
        let events = trace["traceEvents"].as_array().map_or(&[][..], Vec::as_slice);
        // The row that is proposed at the end is no row of the papers' designs.
        let is_of_row = |event: &&Value| event["ph"] == "X" && event["cat"] != "proposed";
        let tasks: Vec<&Value> = events.iter().filter(is_of_row).collect();
        let mut by_task = TaskSeconds::new();
        for event in &tasks {
            let (count, seconds) =
                by_task.entry(event["name"].as_str().unwrap_or_default().to_owned()).or_default();
            *count += 1;
            *seconds += event["dur"].as_f64().unwrap_or(0.0) / 1e6;
        }
        let share = |task: &str| {
            let pixels = |key: &str| json["objects"][task][key].as_f64().unwrap_or(0.0);
            (task.to_owned(), 1.0 - pixels("pixels_known") / pixels("pixels_asked").max(1.0))
        };
        let new_shares: BTreeMap<String, f64> = BY_OBJECTS.iter().map(|task| share(task)).collect();
        let cost = |(task, (count, _)): (&String, &(u64, f64))| {
            weight(task) * *count as f64 * new_shares.get(task).copied().unwrap_or(1.0)
        };
        let segments = |task: &str| weight(task) > 0.0;
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        Ok(Self {
            wall: json["wall_s"].as_f64().unwrap_or(f64::NAN),
            busy: tasks.iter().filter_map(|event| event["dur"].as_f64()).sum::<f64>() / 1e6,
            tasks: number(&json["tasks"]["computed"]),
            recomputed: number(&json["tasks"]["recomputed"]),
            cost: by_task.iter().map(cost).sum(),
            segmenting: by_task
                .iter()
                .filter(|(task, _)| segments(task))
                .map(|(_, (_, seconds))| seconds)
                .sum(),
            digesting: json["digesting_s"].as_f64().unwrap_or(0.0),
            looking: json["objects"].as_object().map_or(0.0, |tasks| {
                tasks.values().filter_map(|task| task["seconds_looking"].as_f64()).sum()
            }),
            by_task,
            new_shares,
            resident: took.resident.max(number(&json["peak_rss_bytes"])),
            folder: folder.to_owned(),
            rows: folder_text(folder, "rows.csv")?,
        })
    }
}
