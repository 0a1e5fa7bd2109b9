//! What lies in the folder of a run when it is over.

mod failing;
mod provenance;
mod table_file;

use std::time::Instant;

use onceflow_costs::Finding;
use serde_json::{Value, json};

use crate::resume::journal::Journal;
use crate::resume::{COMMANDS, commands_text};
use crate::run::Run;
use crate::{
    EngineError, Material, OpenStudy, Pictures, Provenance, RunEnding, RunFolder, TraceEntry, answer_text,
    best_json, grain_json, html, indices_json, metrics_csv, provenance_json, ro_crate, rows_csv, run_json,
};

pub use failing::{Failing, failing};
pub(crate) use provenance::provenance;
pub use table_file::read_row;

/// Written last, and only when a run is complete.
const MARKER: &str = "run.json";

/// The answer for people.
const ANSWER: &str = "answer.txt";

/// Takes possession of a folder: says whose results it will hold, and that they are not complete.
pub(crate) fn begin(folder: &RunFolder, study: &OpenStudy) -> Result<(), EngineError> {
    folder.make()?;
    Journal::check_free(folder)?;
    folder.remove(MARKER)?;
    folder.remove(ANSWER)?;
    // The two texts belong together, also when there is no space for the second.
    folder.remove("workflow.json")?;
    folder.write("study.toml", study.texts.study.as_bytes())?;
    folder.write("workflow.json", study.texts.workflow.as_bytes())?;
    if study.commands() != json!([]) {
        folder.write(COMMANDS, commands_text(study).as_bytes())?;
    }
    Ok(())
}

/// Writes everything a run found; each file whole or not at all. Only a complete run gets its marker. The run began at
/// `began`: its time ends with what is written last.
pub(crate) fn save(
    run: &mut Run,
    began: Instant,
    pictures: Option<&Pictures>,
    provenance: &Provenance,
    folder: &RunFolder,
) -> Result<(), EngineError> {
    save_tables(run, folder)?;
    run.answer.work.wall = began.elapsed().as_secs_f64();
    let answer = &run.answer;
    let material =
        Material { ending: &run.ending, pictures, trace: &run.trace, provenance: Some(provenance) };
    folder.write("report.html", html(answer, &material).as_bytes())?;
    folder.write("provenance.json", pretty(&provenance_json(provenance)).as_bytes())?;
    let described = ro_crate(answer, provenance, &run.ending);
    folder.write("ro-crate-metadata.json", pretty(&described).as_bytes())?;
    if run.ending == RunEnding::Complete {
        folder.write("indices.json", pretty(&indices_json(answer)).as_bytes())?;
    }
    run.answer.work.wall = began.elapsed().as_secs_f64();
    let answer = &run.answer;
    folder.write(ANSWER, answer_text(answer).as_bytes())?;
    if run.ending == RunEnding::Complete {
        folder.write(MARKER, format!("{}\n", run_json(answer)).as_bytes())?;
    }
    Ok(())
}

fn save_tables(run: &Run, folder: &RunFolder) -> Result<(), EngineError> {
    let answer = &run.answer;
    folder.write("rows.csv", rows_csv(answer).as_bytes())?;
    folder.write("metrics.csv", metrics_csv(answer).as_bytes())?;
    folder.write("costs.jsonl", costs(run).as_bytes())?;
    folder.write("reuse.csv", run.converged.as_bytes())?;
    folder.write("objects.csv", run.objects.as_bytes())?;
    folder.write("granularity.json", pretty(&grain_json(&answer.work.grain)).as_bytes())?;
    folder.write("trace.json", trace(&run.trace).to_string().as_bytes())?;
    if let Some(kept) = &run.kept {
        folder.write("regions/list.csv", kept.as_bytes())?;
    }
    folder.write("best.json", pretty(&best_json(answer)).as_bytes())?;
    Ok(())
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

fn costs(run: &Run) -> String {
    let records = run.records.iter().map(|record| record.to_line());
    records.chain(run.findings.iter().map(Finding::to_line)).map(|line| line + "\n").collect()
}

/// The form that chrome://tracing and Perfetto open: times in microseconds.
fn trace(entries: &[TraceEntry]) -> Value {
    let micros = |seconds: f64| (seconds * 1e6).round();
    let event = |entry: &TraceEntry| {
        json!({
            "name": entry.task,
            "cat": entry.phase,
            "ph": "X",
            "ts": micros(entry.start),
            "dur": micros(entry.seconds),
            "pid": 0,
            "tid": entry.worker,
            "args": {
                "row": entry.row, "site": entry.site, "bytes": entry.bytes, "cause": entry.cause,
                "outcome": entry.outcome.word(),
            },
        })
    };
    json!({ "displayTimeUnit": "ms", "traceEvents": entries.iter().map(event).collect::<Vec<_>>() })
}
