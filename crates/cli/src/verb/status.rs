//! `onceflow status`: the progress of a run, from another terminal.

use std::path::Path;
use std::time::Duration;

use onceflow_engine::{INTERIM_FILE, duration_words, is_running, memory_words};
use onceflow_study::{Diagnostic, Size, counted, with_commas};
use serde_json::{Value, json};

use crate::args::StatusArgs;
use crate::file::read_text;
use crate::run_folder::damaged;
use onceflow_engine::STATUS_FILE;
use onceflow_engine::TextLimit;
use onceflow_terminal::{Exit, Failure, Terminal};

/// Prints the progress of a run, once or until it ends.
pub(crate) fn run(args: &StatusArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    loop {
        let status = look(&args.folder)?;
        if args.json {
            terminal.json(&status)?;
        } else {
            terminal.text(&text(&args.folder, &status))?;
        }
        match status["state"].as_str() {
            Some("running") if args.watch => std::thread::sleep(Duration::from_secs(1)),
            Some("running" | "complete") => return Ok(Exit::Ok),
            _ => return Ok(Exit::RowsFailed),
        }
    }
}

/// The last status of the run. It is interrupted when the status is `running` and the process is gone.
fn look(folder: &Path) -> Result<Value, Failure> {
    let path = folder.join(STATUS_FILE);
    if !path.is_file() {
        return Err(no_status(folder));
    }
    let text = read_text(&path, TextLimit::Description)?;
    let mut status: Value = serde_json::from_str(&text.text).map_err(|error| damaged(&path, &error))?;
    if !is_whole(&status) {
        return Err(no_status(folder));
    }
    if status["state"] == "running" && !is_running(folder) {
        status["state"] = json!("interrupted");
    }
    let interim = read_text(&folder.join(INTERIM_FILE), TextLimit::Description).ok();
    status["interim"] = interim.and_then(|text| serde_json::from_str(&text.text).ok()).unwrap_or_default();
    Ok(status)
}

/// Whether it holds all numbers that are printed: one that is missing is not a 0.
fn is_whole(status: &Value) -> bool {
    let has = |value: &Value, keys: [&str; 3]| keys.iter().all(|key| value[key].is_u64());
    let stage = |stage: &Value| stage["stage"].is_string() && has(stage, ["computed", "planned", "asked"]);
    has(&status["instances"], ["done", "of", "failed"])
        && status["stages"].as_array().is_some_and(|stages| stages.iter().all(stage))
        && status["phase"].is_string()
        && status["running_s"].is_f64()
}

fn no_status(folder: &Path) -> Failure {
    let found = if folder.exists() { "a folder without a status" } else { "no such folder" };
    Failure::bad_input(
        Diagnostic::error(format!("{} is not the folder of a run", folder.display()))
            .expected_found(format!("a folder with {STATUS_FILE}, which onceflow run writes"), found)
            .with_hint("name the folder after -o of onceflow run"),
    )
}

fn text(folder: &Path, status: &Value) -> String {
    let number = |value: &Value| with_commas(value.as_u64().unwrap_or(0).into());
    let mut text = format!("{}  {}\n", folder.display(), state(status));
    let instances = &status["instances"];
    let failed = match instances["failed"].as_u64() {
        Some(failed) if failed > 0 => format!(", {} failed", with_commas(failed.into())),
        _ => String::new(),
    };
    let (done, of) = (number(&instances["done"]), number(&instances["of"]));
    text += &format!("{}  {done} of {of} instances{failed}\n", status["phase"].as_str().unwrap_or_default());
    let stages = status["stages"].as_array().map_or(&[][..], Vec::as_slice);
    let name = |stage: &Value| stage["stage"].as_str().unwrap_or_default().to_owned();
    let width = stages.iter().map(|stage| name(stage).len()).max().unwrap_or(0);
    for stage in stages {
        let (computed, planned) = (number(&stage["computed"]), number(&stage["planned"]));
        let asked = number(&stage["asked"]);
        text +=
            &format!("  {:width$}  {computed} of at most {planned} computed, {asked} asked\n", name(stage));
    }
    if status["state"] != "running" {
        return text;
    }
    text.push_str(&work_text(status));
    let bytes = |name: &str| status["memory"][name].as_u64().unwrap_or(0);
    text + &format!("memory  {} reserved\n", memory_words(bytes("reserved_bytes"), bytes("bound_bytes")))
}

/// What workers did, and the answer so far, where others than the process of the run compute.
fn work_text(status: &Value) -> String {
    let mut text = String::new();
    if let (Some(done), Some(of)) = (status["work"]["done_s"].as_f64(), status["work"]["of_s"].as_f64()) {
        let share = if of > 0.0 { 100.0 * done / of } else { 100.0 };
        let workers = status["processes"].as_u64().unwrap_or(0) as usize;
        let bytes = status["memory"]["largest_worker_bytes"].as_u64().unwrap_or(0);
        let (workers, bytes) = (counted(workers, "worker"), Size(bytes.next_multiple_of(1 << 20)));
        text += &format!("work  {share:.0} % done, {workers} now, up to {bytes} in one\n");
    }
    let interim = &status["interim"];
    if let (Some(done), Some(of)) = (interim["parts"]["done"].as_u64(), interim["parts"]["of"].as_u64()) {
        let (verdicts, metric) =
            (&interim["verdicts"], interim["verdicts"]["metric"].as_str().unwrap_or_default());
        let (decided, all) =
            (verdicts["decided"].as_u64().unwrap_or(0), verdicts["of"].as_u64().unwrap_or(0));
        let of = counted(usize::try_from(of).unwrap_or(usize::MAX), "part");
        text += &format!(
            "so far  all rows at {done} of {of}: {decided} of {all} verdicts about {metric} are decided ({INTERIM_FILE})\n"
        );
    }
    text
}

/// `running for 12 s, at most 20 s more (process 4711)`, or how the run ended and what to do.
fn state(status: &Value) -> String {
    let time = duration_words(status["running_s"].as_f64().unwrap_or(0.0));
    let state = status["state"].as_str().unwrap_or("unknown");
    match (state, status["left_s"].as_f64()) {
        ("running", left) => {
            let more =
                left.map_or_else(String::new, |left| format!(", at most {} more", duration_words(left)));
            format!("running for {time}{more} (process {})", status["process"])
        }
        ("complete", _) => format!("complete after {time}"),
        (state, _) => format!("{state} after {time}; the same onceflow run continues it"),
    }
}
