//! Files of a plan: a graph, or the tasks as lines.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use onceflow_engine::{GraphForm, GraphOf, OpenStudy, RunSettings, write_file};
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, Terminal, engine_failure, unwritable};

use crate::args::PlanArgs;
use crate::file::{extension, mark, refuse_foreign, unsupported_extension, write_bytes};

/// Writes the files that were asked for.
pub(super) fn write(study: &OpenStudy, args: &PlanArgs, terminal: &Terminal) -> Result<(), Failure> {
    let options = study.settings();
    let files = [&args.graph, &args.export].into_iter().flatten();
    files.into_iter().try_for_each(|file| refuse_foreign(file, args.force))?;
    if let Some(file) = &args.graph {
        let place = study.phase_place(args.phase.as_deref()).map_err(engine_failure)?;
        let text = study.graph(place, options.level, &options.merge, &subject(args)?, form(file)?);
        let text = text.map_err(engine_failure)?;
        write_bytes(file, text.as_bytes())?;
        terminal.say(&format!("graph: {}", file.display()));
    }
    if let Some(file) = &args.export {
        let _progress = terminal.progress("writing the plan");
        let count = export(study, options, &places(study, args)?, file)?;
        terminal.say(&format!("{count} tasks: {}", file.display()));
    }
    Ok(())
}

/// The phases that are written: the one that was named, or all.
fn places(study: &OpenStudy, args: &PlanArgs) -> Result<Vec<usize>, Failure> {
    match &args.phase {
        Some(name) => Ok(vec![study.phase_place(Some(name)).map_err(engine_failure)?]),
        None => Ok((0..study.study().phases.len()).collect()),
    }
}

/// Line by line: a plan of many parts may be larger than memory.
fn export(study: &OpenStudy, options: &RunSettings, places: &[usize], file: &Path) -> Result<u64, Failure> {
    let mut exported = Ok(0);
    let written = write_file(file, |to| {
        let mut to = BufWriter::new(to);
        let phases = places.iter();
        exported = phases.map(|place| study.export(*place, options.level, &options.merge, &mut to)).sum();
        // The error is returned below; here it only prevents that the file is published.
        exported.as_ref().map_err(|error| io::Error::other(error.to_string()))?;
        to.flush()
    });
    let count = exported.map_err(engine_failure)?;
    written.map_err(|error| unwritable(file, &error))?;
    mark(file);
    Ok(count)
}

fn form(file: &Path) -> Result<GraphForm, Failure> {
    match extension(file).as_deref() {
        Some("dot" | "gv") => Ok(GraphForm::Dot),
        Some("svg") => Ok(GraphForm::Svg),
        _ => Err(unsupported_extension(file, ".svg, .dot or .gv", "name it plan.svg or plan.dot")),
    }
}

/// `workflow`, `compact`, or `bucket:3`.
fn subject(args: &PlanArgs) -> Result<GraphOf, Failure> {
    let word = args.graph_of.as_str();
    let bucket = word.strip_prefix("bucket:").and_then(|number| number.parse().ok());
    match (word, bucket) {
        ("workflow", _) => Ok(GraphOf::Workflow),
        ("compact", _) => Ok(GraphOf::Compact),
        (_, Some(bucket)) => Ok(GraphOf::Bucket(bucket, args.stage.clone())),
        _ => {
            let error = Diagnostic::error(format!("unknown graph `{word}`"));
            let error = error.expected_found("--graph-of workflow, compact or bucket:N", format!("`{word}`"));
            Err(Failure::bad_input(error.with_hint("give --graph-of compact")))
        }
    }
}
