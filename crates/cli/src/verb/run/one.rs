//! `onceflow run STUDY --row N`: one instance of a workflow, into a folder to look at.

use std::path::Path;

use onceflow_engine::{Asked, Prepared, available_memory};
use onceflow_study::{Diagnostic, Value};

use crate::args::RunArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::instance::show;
use crate::terminal::Terminal;

/// Makes the row on one part of an image, with the values of the command line over its own.
pub(super) fn run(
    args: &RunArgs,
    prepared: &Prepared<'_>,
    row: u64,
    into: &Path,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let one = &args.one;
    let mut values = prepared.row(row).map_err(engine_failure)?;
    for word in &one.parameters {
        let (name, value) = set(word, prepared)?;
        values.retain(|(known, _)| *known != name);
        values.push((name, value));
    }
    let memory = args.machine.memory.map(|size| size.0).or(prepared.study().run.memory);
    let asked = Asked {
        values,
        image: one.image.as_deref(),
        part: one.part,
        memory: memory.unwrap_or_else(available_memory),
        task: one.task.as_deref(),
        keep: Some(into),
    };
    show(prepared, &asked, into, terminal)
}

fn set(word: &str, prepared: &Prepared<'_>) -> Result<(String, Value), Failure> {
    let Some((name, value)) = word.split_once('=') else {
        let message = Diagnostic::error(format!("`-p {word}` sets nothing"));
        let message =
            message.expected_found("-p NAME=VALUE", format!("`{word}`")).with_hint("write -p G1=40");
        return Err(Failure::bad_input(message));
    };
    let name = name.trim();
    Ok((name.to_owned(), prepared.value(name, value.trim()).map_err(engine_failure)?))
}
