//! `onceflow extend`: writes a larger sample that begins with an existing one.

use onceflow_sensitivity::{
    Narrowed, Sample, SampleError, SampleFormat, TableLayout, extend, narrow, widen, with_reference,
    without_reference,
};
use onceflow_study::{Diagnostic, Space, counted, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::json;

use super::sample::{refuse_two_results, repeats};
use crate::args::ExtendArgs;
use crate::diagnostics::from_error;
use crate::file::OutputTarget;
use crate::problem::load;
use crate::sample_file;

/// Extends, writes the rows, prints a summary.
pub(crate) fn run(args: &ExtendArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let target = OutputTarget::new(args.output.as_deref());
    refuse_two_results(args.json, args.dry_run, &target)?;
    target.refuse_inputs(&[&args.problem, &args.sample])?;
    if !args.dry_run {
        sample_file::refuse_foreign(&target, args.force)?;
    }
    let space = load(&args.problem, terminal)?.problem.space;
    let format = sample_file::format(args.format, &target);
    refuse_part(args.new_only, format)?;
    let before =
        sample_file::read(&space, &args.sample, &sample_file::options(TableLayout::Points, false))?.sample;
    let after = {
        let _progress = terminal.progress("extending the sample");
        larger(&space, &before, args)?
    };
    let new = after.len() - before.len();
    if !args.dry_run {
        let written = if args.new_only { tail(&after, before.len()) } else { after.clone() };
        sample_file::write(&space, &written, format, &target, terminal)?;
    }
    say(args, &before, &after, terminal);
    if args.json {
        terminal.json(&json!({
            "version": 1,
            "file": target.path().filter(|_| !args.dry_run).map(|p| p.display().to_string()),
            "dry_run": args.dry_run,
            "rows": after.len(),
            "old_rows": before.len(),
            "new_rows": new,
            "duplicates": after.duplicates(),
        }))?;
    }
    Ok(Exit::Ok)
}

/// The extension of what varies, with the constant columns and the reference row where they were.
fn larger(space: &Space, before: &Sample, args: &ExtendArgs) -> Result<Sample, Failure> {
    let title = format!("cannot extend {}", args.sample.display());
    let failed = |e: SampleError| Failure::from(from_error(title.clone(), &e));
    let (bare, has_reference) = without_reference(before);
    let Narrowed { space: varied, sample, .. } =
        narrow(space, &bare).map_err(|e| from_error(title.clone(), &e))?;
    let after = extend(&varied, &sample, args.n).map_err(failed)?;
    let after = widen(space, &varied, &after).map_err(failed)?;
    if has_reference { with_reference(space, &after).map_err(failed) } else { Ok(after) }
}

/// The rows from a number on, without a design, since they are only a part of a sample.
fn tail(sample: &Sample, from: usize) -> Sample {
    Sample {
        design: None,
        rows: sample.rows[from..].to_vec(),
        values: sample.values[from * sample.parameters..].to_vec(),
        parameters: sample.parameters,
    }
}

fn say(args: &ExtendArgs, before: &Sample, after: &Sample, terminal: &Terminal) {
    let would = if args.dry_run { "would be " } else { "" };
    terminal.say(&format!(
        "{}: the first {} are those of {}, {} {would}new; {}",
        counted(after.len(), "row"),
        with_commas(before.len() as u128),
        args.sample.display(),
        with_commas((after.len() - before.len()) as u128),
        repeats(after),
    ));
}

/// New rows alone need row numbers.
fn refuse_part(new_only: bool, format: SampleFormat) -> Result<(), Failure> {
    if !new_only || matches!(format, SampleFormat::Csv | SampleFormat::Json) {
        return Ok(());
    }
    Err(Failure::bad_input(
        Diagnostic::error("a table without row numbers cannot hold new rows only")
            .expected_found("--new-only with --format csv or json", "a format of numbers only")
            .with_hint("leave --new-only out, or choose --format csv"),
    ))
}
