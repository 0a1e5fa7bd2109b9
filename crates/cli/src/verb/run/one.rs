//! `onceflow run STUDY --row N`: computes one row, with a picture of every region.

use std::path::Path;

use onceflow_engine::{InstanceRequest, OpenStudy};
use onceflow_study::{Diagnostic, Value};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use crate::args::RunArgs;
use crate::instance::show;

/// Makes the row on one part of an image, with the values of the command line over its own.
pub(super) fn run(
    args: &RunArgs,
    study: &OpenStudy,
    row: u64,
    into: &Path,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let one = &args.one;
    let mut values = study.row(row).map_err(engine_failure)?;
    for word in &one.parameters {
        let (name, value) = set(word, study)?;
        values.retain(|(known, _)| *known != name);
        values.push((name, value));
    }
    let asked = InstanceRequest {
        values,
        image: one.image.as_deref(),
        part: one.part,
        memory: study.settings().memory,
        task: one.task.as_deref(),
        keep: Some(into),
    };
    show(study, &asked, (into, args.force), terminal)
}

fn set(word: &str, study: &OpenStudy) -> Result<(String, Value), Failure> {
    let Some((name, value)) = word.split_once('=') else {
        let message = Diagnostic::error(format!("invalid argument `-p {word}`"));
        let message =
            message.expected_found("-p NAME=VALUE", format!("`{word}`")).with_hint("write -p G1=40");
        return Err(Failure::bad_input(message));
    };
    let name = name.trim();
    Ok((name.to_owned(), study.value(name, value.trim()).map_err(engine_failure)?))
}
