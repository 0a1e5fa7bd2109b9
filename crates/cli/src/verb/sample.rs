//! `onceflow sample`: writes the rows to run.

use onceflow_sensitivity::{Sample, SampleFormat, sample, warnings, widen, with_reference};
use onceflow_study::{Design, Diagnostic, Space, counted, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::{Value, json};

use crate::args::SampleArgs;
use crate::design::{design, extension, rows_json};
use crate::diagnostics::from_error;
use crate::file::OutputTarget;
use crate::phase;
use crate::problem::{LoadedProblem, load};
use crate::sample_file;

/// The parameters and design to sample.
struct SampleRequest {
    /// The parameters that vary.
    varied: Space,
    /// How rows are chosen.
    design: Design,
}

/// Samples, writes the rows, prints a summary.
pub(crate) fn run(args: &SampleArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let target = OutputTarget::new(args.output.as_deref());
    refuse_two_results(args.json, args.dry_run, &target)?;
    let loaded = load(&args.problem, terminal)?;
    let asked = asked(args, &loaded)?;
    let space = &loaded.problem.space;
    for warning in warnings(&asked.varied, &asked.design) {
        terminal.diagnostics(&[Diagnostic::warning(warning)]);
    }
    if args.dry_run {
        return dry_run(args, &asked, space, terminal);
    }
    let format = sample_file::format(args.format, &target);
    refuse_reference(args.reference, format)?;
    target.refuse_inputs(&[&args.problem])?;
    sample_file::refuse_foreign(&target, args.force)?;
    let sample = {
        let _progress = terminal.progress(format!("sampling by {}", asked.design.method.word()));
        make(args, space, &asked)?
    };
    sample_file::write(space, &sample, format, &target, terminal)?;
    give_account(args.json, &sample, &asked, space, &target, terminal)?;
    Ok(Exit::Ok)
}

fn asked(args: &SampleArgs, loaded: &LoadedProblem) -> Result<SampleRequest, Failure> {
    let problem = match &args.phase {
        Some(name) => {
            let (study, phase) = phase::named(loaded, name)?;
            phase::problem(study, phase, args.after.as_deref())?
        }
        None => loaded.problem.clone(),
    };
    let design = design(args, problem.design.as_ref(), loaded.seed())?;
    Ok(SampleRequest { varied: problem.space, design })
}

/// The rows with every parameter of the problem in them, whether it varies or not.
fn make(args: &SampleArgs, space: &Space, asked: &SampleRequest) -> Result<Sample, Failure> {
    let failed = |e: onceflow_sensitivity::SampleError| Failure::from(from_error("cannot sample", &e));
    let narrow = sample(&asked.varied, &asked.design).map_err(failed)?;
    let sample = widen(space, &asked.varied, &narrow).map_err(failed)?;
    if args.reference { with_reference(space, &sample).map_err(failed) } else { Ok(sample) }
}

fn dry_run(
    args: &SampleArgs,
    asked: &SampleRequest,
    space: &Space,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let rows = asked.varied.rows(&asked.design.method) + u128::from(args.reference);
    terminal.say(&format!(
        "would write {} rows of {}, before duplicates and constraints; nothing was written",
        with_commas(rows),
        counted(space.parameters().len(), "parameter")
    ));
    if args.json {
        let mut account = account(asked, space);
        account["dry_run"] = json!(true);
        account["rows"] = rows_json(rows);
        terminal.json(&account)?;
    }
    Ok(Exit::Ok)
}

fn give_account(
    as_json: bool,
    sample: &Sample,
    asked: &SampleRequest,
    space: &Space,
    target: &OutputTarget,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let fixed = space.parameters().len() - asked.varied.parameters().len();
    let fixed = if fixed == 0 { String::new() } else { format!(", {fixed} of them at their defaults") };
    terminal.say(&format!(
        "{}, seed {}: {} of {}{fixed}; {}",
        asked.design.method.word(),
        asked.design.seed,
        counted(sample.len(), "row"),
        counted(space.parameters().len(), "parameter"),
        repeats(sample),
    ));
    terminal.say(extension(&asked.design.method));
    let Some(path) = target.path().filter(|_| as_json) else { return Ok(()) };
    let mut account = account(asked, space);
    account["file"] = json!(path.display().to_string());
    account["rows"] = json!(sample.len());
    account["duplicates"] = json!(sample.duplicates());
    terminal.json(&account)
}

/// How many rows repeat an earlier one, in words.
pub(super) fn repeats(sample: &Sample) -> String {
    let verb = if sample.duplicates() == 1 { "repeats" } else { "repeat" };
    format!("{} {verb} an earlier row", with_commas(sample.duplicates() as u128))
}

fn account(asked: &SampleRequest, space: &Space) -> Value {
    let names = |space: &Space| space.parameters().iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    json!({
        "version": 1,
        "method": asked.design.method.word(),
        "n": asked.design.method.size(),
        "seed": asked.design.seed,
        "parameters": names(space),
        "varied": names(&asked.varied),
        "extendable": asked.design.method.extendable(),
    })
}

/// Standard output holds one result: the sample or its JSON summary.
pub(super) fn refuse_two_results(json: bool, dry_run: bool, target: &OutputTarget) -> Result<(), Failure> {
    if !json || dry_run || target.path().is_some() {
        return Ok(());
    }
    Err(Failure::bad_input(
        Diagnostic::error("standard output cannot hold both the sample and its JSON summary")
            .expected_found("-o FILE with --json", "no -o")
            .with_hint("add -o X.csv; for the sample itself as JSON, --format json"),
    ))
}

fn refuse_reference(reference: bool, format: SampleFormat) -> Result<(), Failure> {
    if !reference || matches!(format, SampleFormat::Csv | SampleFormat::Json) {
        return Ok(());
    }
    Err(Failure::bad_input(
        Diagnostic::error("a table without roles cannot hold a reference row")
            .expected_found("--reference with --format csv or json", "a format of numbers only")
            .with_hint("leave --reference out, or choose --format csv"),
    ))
}
