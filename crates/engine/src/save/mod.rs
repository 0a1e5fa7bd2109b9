//! What lies in the folder of a run when it is over.

mod failing;
mod optuna;
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
    tune_json,
};

pub use failing::{Failing, failing};
pub(crate) use provenance::provenance;
pub use table_file::read_row;

/// Written last, and only when a run is complete.
const MARKER: &str = "run.json";

/// What tuning found, as `tune --json` prints it.
pub(crate) const TUNING: &str = "tuning.json";

/// The rows of a search as Optuna's dashboard opens them.
pub(crate) const OPTUNA: &str = "optuna.log";

/// The answer for people.
const ANSWER: &str = "answer.txt";

/// A file with more bytes does not wait for others.
const LARGE: usize = 4 << 20;

/// Takes possession of a folder: says whose results it will hold, and that they are not complete.
pub(crate) fn begin(folder: &RunFolder, study: &OpenStudy) -> Result<(), EngineError> {
    folder.make()?;
    Journal::check_free(folder)?;
    folder.remove(MARKER)?;
    folder.remove(ANSWER)?;
    // The two texts belong together, also when there is no space for the second.
    folder.remove("workflow.json")?;
    let mut texts = vec![
        ("study.toml", study.texts.study.clone().into_bytes()),
        ("workflow.json", study.texts.workflow.clone().into_bytes()),
    ];
    if study.commands() != json!([]) {
        texts.push((COMMANDS, commands_text(study).into_bytes()));
    }
    folder.write_several(texts)
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
    let mut files = RunFiles { folder, waiting: Vec::new() };
    add_tables(run, &mut files)?;
    run.answer.work.wall = began.elapsed().as_secs_f64();
    let answer = &run.answer;
    let material =
        Material { ending: &run.ending, pictures, trace: &run.trace, provenance: Some(provenance) };
    files.add("report.html", html(answer, &material))?;
    files.add("provenance.json", pretty(&provenance_json(provenance)))?;
    files.add("ro-crate-metadata.json", pretty(&ro_crate(answer, provenance, &run.ending)))?;
    if run.ending == RunEnding::Complete {
        files.add("indices.json", pretty(&indices_json(answer)))?;
    }
    run.answer.work.wall = began.elapsed().as_secs_f64();
    let answer = &run.answer;
    files.add(ANSWER, answer_text(answer))?;
    files.write()?;
    if run.ending == RunEnding::Complete {
        folder.write(MARKER, format!("{}\n", run_json(answer)).as_bytes())?;
    }
    Ok(())
}

/// Files of a run that are written together: to wait for the disk after each would take longer than to make them.
struct RunFiles<'a> {
    folder: &'a RunFolder,
    waiting: Vec<(&'static str, Vec<u8>)>,
}

impl RunFiles<'_> {
    /// Adds a file. A large one is written at once, so that few bytes wait in memory.
    fn add(&mut self, name: &'static str, text: String) -> Result<(), EngineError> {
        if text.len() > LARGE {
            return self.folder.write(name, text.as_bytes()).map(drop);
        }
        self.waiting.push((name, text.into_bytes()));
        Ok(())
    }

    fn write(self) -> Result<(), EngineError> {
        self.folder.write_several(self.waiting)
    }
}

fn add_tables(run: &Run, files: &mut RunFiles<'_>) -> Result<(), EngineError> {
    let answer = &run.answer;
    files.add("rows.csv", rows_csv(answer))?;
    files.add("metrics.csv", metrics_csv(answer))?;
    files.add("costs.jsonl", costs(run))?;
    files.add("reuse.csv", run.duplicates.clone())?;
    files.add("objects.csv", run.objects.clone())?;
    match &run.earlier {
        Some(earlier) => files.add("earlier.csv", earlier.clone())?,
        // That of a run that was stopped in this folder.
        None => files.folder.remove("earlier.csv")?,
    }
    files.add("granularity.json", pretty(&grain_json(&answer.work.grain)))?;
    files.add("trace.json", trace(&run.trace).to_string())?;
    if let Some(kept) = &run.kept {
        files.folder.write("regions/list.csv", kept.as_bytes())?;
    }
    files.add("best.json", pretty(&best_json(answer)))?;
    match &answer.tuning {
        Some(tuning) => {
            files.add(TUNING, pretty(&tune_json(answer)))?;
            files.add(OPTUNA, optuna::journal(answer, tuning))
        }
        None => [TUNING, OPTUNA].iter().try_for_each(|name| files.folder.remove(name)),
    }
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
