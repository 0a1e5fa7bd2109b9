//! Buckets that are larger than the memory they would take at once: few active paths against small buckets.

use onceflow_terminal::{Failure, Terminal};

use super::super::figure;
use super::{PaperStudy, StudyFolder};
use crate::figure::BenchFigure;

/// Active paths, and the size of buckets that need as much memory.
const PATHS: [u64; 3] = [2, 4, 8];

/// Buckets of 28 with so many active paths beside buckets of that size, as the papers compare them, in time and memory.
pub(super) fn figures(place: &StudyFolder, terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let mut figures = Vec::new();
    for paths in PATHS {
        let _progress = terminal.progress(format!("running VBD-grid 1000 with {paths} active paths"));
        let run = |name: &str, most: u64, policy: &str| {
            let most = most.to_string();
            let options =
                ["--reuse", "task", "--merge", "rtma", "--max-bucket-size", &most, "--policy", policy];
            place.run(PaperStudy::Vbd, &format!("{name}-{paths}"), &options)
        };
        let small = run("rtma", paths, "fcfs")?;
        let large = run("rmsr", 28, &format!("rmsr:{paths}"))?;
        let name =
            |what: &str| format!("VBD-grid 1000, RMSR({paths},28) beside RTMA({paths},{paths}): {what}");
        let beside = |what: &str, ours: f64, theirs: f64, unit| BenchFigure {
            peer: Some(theirs),
            ..figure(name(what), ours, unit)
        };
        figures.push(beside("wall time", large.wall, small.wall, "s"));
        figures.push(beside("tasks executed", large.tasks as f64, small.tasks as f64, ""));
        figures.push(beside("resident peak", large.resident as f64 / 1e6, small.resident as f64 / 1e6, "MB"));
    }
    Ok(figures)
}
