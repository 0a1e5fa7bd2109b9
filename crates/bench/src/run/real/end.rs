//! The end of a run: what pictures, report and files take after the last row, beside the time of the rows.

use std::path::Path;
use std::time::Duration;

use onceflow_terminal::{Failure, Terminal};
use serde_json::Value;

use super::{PaperStudy, StudyFolder};
use crate::figure::{BenchFigure, Goal};
use crate::program::{self, failed};

/// The image of the measurement: large, and slow to read.
const TISSUE: &str = "synth:4096x4096?seed=1";

/// The time after the last row is at most this share of the time before it.
const SHARE: f64 = 0.1;

/// Seconds after the last row of the demo, in which pictures take most.
const DEMO: f64 = 2.0;

const HOUR: Duration = Duration::from_secs(3600);

/// One figure for synthetic tissue, one for the same tissue in a PNG file, and one for the demo.
pub(super) fn figures(image: Option<&str>, terminal: &Terminal) -> Result<Vec<BenchFigure>, Failure> {
    let _progress = terminal.progress("the end of a run");
    if let Some(image) = image {
        return Ok(vec![figure("an image", &StudyFolder::new(Some(image))?)?]);
    }
    let tissue = StudyFolder::new(Some(TISSUE))?;
    let file = tissue.path("tissue.png").display().to_string();
    let truth = tissue.path("truth.png").display().to_string();
    let synth = ["image", "synth", "--width", "4096", "--height", "4096", "--seed", "1"];
    program::run(&[&synth[..], &["-o", &file, "--truth", &truth]].concat(), HOUR)?;
    let png = StudyFolder::new(Some(&file))?;
    Ok(vec![figure("synthetic tissue", &tissue)?, figure("a PNG file", &png)?, demo(&tissue)?])
}

/// The study that the demo writes, run again into a new folder: painting the tissue is no part of the end.
fn demo(place: &StudyFolder) -> Result<BenchFigure, Failure> {
    let folder = place.path("demo").display().to_string();
    program::run(&["demo", "-o", &folder, "--costs", "none", "--workers", "2"], HOUR)?;
    let study = place.path("demo/study.toml").display().to_string();
    let (whole, rows) = ended(place, &study, "demo-end")?;
    let name = "time after the last row of the demo".into();
    Ok(BenchFigure { name, value: whole - rows, unit: "s", goal: Some(Goal::AtMost(DEMO)), peer: None })
}

fn figure(of: &str, place: &StudyFolder) -> Result<BenchFigure, Failure> {
    let text = PaperStudy::Moat.text().replace("trajectories = 40", "trajectories = 4");
    let study = place.write("end.toml", &text)?.display().to_string();
    let (whole, rows) = ended(place, &study, "end")?;
    let value = (whole - rows) / rows;
    let name = format!("time after the last of 65 rows over the time before it, {of}");
    Ok(BenchFigure { name, value, unit: "", goal: Some(Goal::AtMost(SHARE)), peer: None })
}

/// Seconds of a run into a new folder, and those until its last row. What the command does before the run begins counts as if
/// it were done after the rows.
fn ended(place: &StudyFolder, study: &str, name: &str) -> Result<(f64, f64), Failure> {
    let [folder, events] =
        [name.into(), format!("{name}.jsonl")].map(|name| place.path(&name).display().to_string());
    let arguments = ["run", study, "-o", &folder, "--costs", "none", "--workers", "2", "--events", &events];
    place.use_memory();
    let whole = program::run(&arguments, HOUR)?.seconds;
    Ok((whole, last_row(Path::new(&events))?))
}

/// Seconds from the beginning of the run to its last row.
fn last_row(events: &Path) -> Result<f64, Failure> {
    let text = std::fs::read_to_string(events).map_err(failed)?;
    let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut rows = events.filter(|event| event["event"] == "row").filter_map(|event| event["s"].as_f64());
    rows.next_back().ok_or_else(|| failed("no row in the events"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_is_found_among_other_events() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines =
            "{\"event\":\"row\",\"s\":1.5}\n{\"event\":\"row\",\"s\":2.5}\n{\"event\":\"end\",\"s\":4}\n";
        std::fs::write(file.path(), lines).unwrap();
        assert_eq!(last_row(file.path()).unwrap(), 2.5);
        std::fs::write(file.path(), "").unwrap();
        assert!(last_row(file.path()).is_err());
    }
}
