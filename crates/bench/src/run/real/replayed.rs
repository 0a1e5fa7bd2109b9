//! What a run executed, done again in virtual time with the published costs of tasks.

use std::time::Duration;

use onceflow_study::Catalogue;
use onceflow_terminal::Failure;
use serde_json::{Value, json};

use super::super::{EVERY_TASK, WORKERS};
use super::{PaperStudy, StudyFolder, StudyRun};
use crate::program::{self, failed};

/// What normalization costs beside segmentation, in percent of segmentation: 43 % of a whole run, as published.
const NORMALIZATION: f64 = 100.0 * 0.43 / 0.57;
/// What has no published cost takes next to nothing.
const NOTHING: f64 = 1e-6;

/// Operations whose tasks have a published cost.
const OPERATIONS: [(&str, &str); 10] = [
    ("colour.transfer", "normalize"),
    ("nuclei.background", "background"),
    ("nuclei.red_blood_cells", "t1"),
    ("nuclei.reconstruct", "t2"),
    ("nuclei.candidates", "t3"),
    ("mask.area_filter", "t4"),
    ("nuclei.grow", "t5"),
    ("nuclei.clumps", "t6_grow"),
    ("nuclei.split", "t6_flood"),
    ("nuclei.finish", "t7"),
];

/// How many times sooner than without reuse the tasks that a run executed are done.
pub(super) fn replayed(
    place: &StudyFolder,
    design: PaperStudy,
    none: &StudyRun,
    best: &StudyRun,
) -> Result<f64, Failure> {
    let (costs, machine) = (place.path("published.jsonl"), place.path("node.toml"));
    std::fs::write(&costs, published()).map_err(failed)?;
    let node = format!("[[node]]\ncount = 1\ncpus = {WORKERS}\nmemory = \"64 GiB\"\n");
    std::fs::write(&machine, node).map_err(failed)?;
    let study = place.study(design)?.display().to_string();
    let (costs, machine) = (costs.display().to_string(), machine.display().to_string());
    let makespan = |level: &str, run: &StudyRun| -> Result<f64, Failure> {
        let folder = run.folder.display().to_string();
        let arguments = [
            "run",
            &study,
            "--executor",
            "simulated",
            "--machine",
            &machine,
            "--costs",
            &costs,
            "--reuse",
            level,
            "--replay",
            &folder,
            "--json",
        ];
        let said = program::run(&arguments, Duration::from_secs(600))?.stdout;
        let json: Value = serde_json::from_str(&said).map_err(failed)?;
        json["makespan"].as_f64().ok_or_else(|| failed("a simulation without makespan"))
    };
    Ok(makespan("none", none)? / makespan("object", best)?)
}

/// The published costs as records of a core.
fn published() -> String {
    let catalogue = Catalogue::nuclei();
    let cost = |id: &str| {
        let task = OPERATIONS.iter().find(|(operation, _)| *operation == id).map_or("", |(_, task)| *task);
        let of_task = EVERY_TASK.iter().find(|(name, _)| *name == task).map_or(NOTHING, |(_, cost)| *cost);
        if task == "normalize" { NORMALIZATION } else { of_task }
    };
    let line = |id: &str, version: u64| {
        let record = json!({
            "operation": id, "version": version, "device": "cpu", "pixels": 1_000_000, "seconds": cost(id),
            "output_bytes": 0,
        });
        format!("{record}\n")
    };
    catalogue.specs().map(|spec| line(&spec.id, spec.version)).collect::<String>()
        + &line("metric.compare", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_cost_has_its_operation() {
        let tasks: Vec<&str> = OPERATIONS.iter().map(|(_, task)| *task).collect();
        assert!(EVERY_TASK.iter().all(|(task, _)| tasks.contains(task)));
        let catalogue = Catalogue::nuclei();
        assert!(OPERATIONS.iter().all(|(id, _)| catalogue.get(id).is_some()));
    }
}
