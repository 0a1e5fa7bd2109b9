//! `onceflow why`: which rows share a task, and how it differs from the nearest other one.

use std::path::Path;

use onceflow_engine::{FoundSame, Question};
use onceflow_study::{Diagnostic, Study};

use crate::args::{SettingsArgs, WhyArgs};
use crate::file::read_text;
use crate::settings::{open, with_granularity_of};
use onceflow_engine::TextLimit;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

/// Plans and explains.
pub(crate) fn run(args: &WhyArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let study = open(&args.study, &SettingsArgs::new(&args.machine, Some(&args.merge)), terminal)?;
    let study = match &args.run {
        Some(run) => with_granularity_of(study, run)?,
        None => study,
    };
    let settings = study.settings();
    let question = match (args.row, args.bucket) {
        (Some(row), _) => Question::Row { row, task: args.task.clone() },
        (None, bucket) => Question::Bucket(bucket.unwrap_or_default()),
    };
    let same =
        args.run.as_deref().map_or_else(|| Ok(FoundSame::default()), |run| found_same(run, study.study()))?;
    let found = study.why(settings.level, &settings.merge, &question, &same).map_err(engine_failure)?;
    if args.json {
        terminal.json(&found.json)?;
    } else {
        terminal.result(&found.text)?;
    }
    Ok(Exit::Ok)
}

/// The equal tasks that a run of the study found in the first phase.
fn found_same(run: &Path, study: &Study) -> Result<FoundSame, Failure> {
    let path = run.join("reuse.csv");
    let source = read_text(&path, TextLimit::Table)?;
    let phase = study.phases.first().map_or("", |phase| phase.name.as_str());
    let objects = run.join("objects.csv");
    let objects =
        if objects.is_file() { read_text(&objects, TextLimit::Table)?.text.clone() } else { String::new() };
    let found = FoundSame::read(&source.text, phase).map(|found| found.with_objects(objects));
    found.map_err(|(line, found)| {
        let error = Diagnostic::error(format!("cannot read {}", path.display()));
        let error = error.expected_found(format!("line {line}: phase,task,site,row,same_as"), found);
        Failure::bad_input(error.with_hint("give the folder of a run of this study"))
    })
}
