//! `onceflow why`: which rows share a task, and how it differs from the nearest other one.

use std::path::Path;

use onceflow_engine::{FoundSame, Question, stored_row};
use onceflow_study::Diagnostic;

use crate::args::{SettingsArgs, WhyArgs};
use crate::file::read_text;
use crate::run_folder::NamedStudy;
use onceflow_engine::TextLimit;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

/// Plans and explains.
pub(crate) fn run(args: &WhyArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let settings = SettingsArgs::new(&args.machine, Some(&args.merge));
    let NamedStudy { study, run } = NamedStudy::open(&args.study, args.run.as_deref(), &settings, terminal)?;
    let place = match args.row {
        Some(row) => study.phase_of_row(row),
        None => study.phase_place(args.phase.as_deref()),
    };
    let place = place.map_err(engine_failure)?;
    let question = match (args.row, args.bucket) {
        (Some(row), _) => Question::Row { row, task: args.task.clone() },
        (None, bucket) => Question::Bucket { bucket: bucket.unwrap_or_default(), stage: args.stage.clone() },
    };
    let phase = &study.study().phases[place].name;
    let from_run = run.clone();
    let same = run.map_or_else(|| Ok(FoundSame::default()), |run| found_same(&run, phase))?;
    let settings = study.settings();
    let found = study.why(place, settings.level, &settings.merge, &question, &same);
    let mut found = found.map_err(engine_failure)?;
    // What a run took stands in its own list.
    if let (Some(row), None, 0) = (args.row, &from_run, place)
        && let Some(stored) = stored_row(&study, settings, row).map_err(engine_failure)?
    {
        stored.text.lines().for_each(|line| found.text.push_str(&format!("  {line}\n")));
        found.json["stored"] = stored.json;
    }
    if args.json {
        terminal.json(&found.json)?;
    } else {
        terminal.text(&found.text)?;
    }
    Ok(Exit::Ok)
}

/// The equal tasks that a run of the study found in a phase.
fn found_same(run: &Path, phase: &str) -> Result<FoundSame, Failure> {
    let path = run.join("reuse.csv");
    let source = read_text(&path, TextLimit::Table)?;
    let objects = run.join("objects.csv");
    let objects =
        if objects.is_file() { read_text(&objects, TextLimit::Table)?.text.clone() } else { String::new() };
    let earlier = run.join("earlier.csv");
    let earlier =
        if earlier.is_file() { read_text(&earlier, TextLimit::Table)?.text.clone() } else { String::new() };
    let found = FoundSame::read(&source.text, phase);
    let found = found.map(|found| found.with_objects(objects).with_earlier(earlier));
    found.map_err(|(line, found)| {
        let error = Diagnostic::error(format!("cannot read {}", path.display()));
        let error = error.expected_found(format!("line {line}: phase,task,site,row,same_as"), found);
        Failure::bad_input(error.with_hint("give the folder of a run of this study"))
    })
}
