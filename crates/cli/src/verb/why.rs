//! `onceflow why`: with whom a task is shared, and what makes it different from its nearest relative.

use std::path::Path;

use onceflow_engine::{FoundSame, Question};
use onceflow_study::{Diagnostic, Study};

use crate::args::WhyArgs;
use crate::engine::{as_fine_as, engine_failure, for_machine, options};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{Limit, read_text};
use crate::study::LoadedStudy;
use crate::terminal::Terminal;

/// Plans and explains.
pub(crate) fn run(args: &WhyArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let loaded = LoadedStudy::open(&args.study, terminal)?;
    let prepared = for_machine(loaded.prepare()?, &args.machine, terminal);
    let prepared = match &args.run {
        Some(run) => as_fine_as(prepared, run)?,
        None => prepared,
    };
    let options = options(&args.machine, &args.merge, prepared.study())?;
    let question = match (args.row, args.bucket) {
        (Some(row), _) => Question::Row { row, task: args.task.clone() },
        (None, bucket) => Question::Bucket(bucket.unwrap_or_default()),
    };
    let same = args
        .run
        .as_deref()
        .map_or_else(|| Ok(FoundSame::default()), |run| found_same(run, prepared.study()))?;
    let found = prepared.why(options.level, &options.merge, &question, &same).map_err(engine_failure)?;
    if args.json {
        terminal.json(&found.json)?;
    } else {
        terminal.result(&found.text)?;
    }
    Ok(Exit::Ok)
}

/// What a run of the study found; the first phase is what is explained.
fn found_same(run: &Path, study: &Study) -> Result<FoundSame, Failure> {
    let path = run.join("reuse.csv");
    let source = read_text(&path, Limit::Table)?;
    let phase = study.phases.first().map_or("", |phase| phase.name.as_str());
    let objects = run.join("objects.csv");
    let objects =
        if objects.is_file() { read_text(&objects, Limit::Table)?.text.clone() } else { String::new() };
    let found = FoundSame::read(&source.text, phase).map(|found| found.with_objects(objects));
    found.map_err(|(line, found)| {
        let error = Diagnostic::error(format!("cannot read {}", path.display()));
        let error = error.expected_found(format!("line {line}: phase,task,site,row,same_as"), found);
        Failure::bad_input(error.with_hint("give the folder of a run of this study"))
    })
}
