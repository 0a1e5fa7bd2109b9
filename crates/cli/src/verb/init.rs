//! `onceflow init`: writes a study to start from, a study of existing images, or a problem in another format.

mod program;
mod qupath;
mod resolution;
mod slides;

use std::path::{Path, PathBuf};

use onceflow_study::{
    Diagnostic, Exported, SHIPPED, Workflow, dakota_input, model_template, nearest, problem_template,
    read_workflow, salib_problem_json, shipped_workflow, workflow_template,
};

use crate::args::{InitArgs, ProblemFormat};
use crate::diagnostics::from_error;
use crate::file::{OutputTarget, Overwrite};
use crate::problem::load;
use onceflow_engine::{DocumentContent, open_document};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

/// Writes the text and warns of what the format cannot express.
pub(crate) fn run(args: &InitArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let (images, named) = split(args)?;
    if !images.is_empty() {
        return slides::run(args, images, terminal);
    }
    if args.program {
        return program::run(args, args.output.as_deref().or(named), terminal);
    }
    let target = OutputTarget::new(args.output.as_deref().or(named));
    let exported = match &args.from {
        Some(path) => convert(path, args.to, terminal)?,
        None => whole(template(args, &target)?),
    };
    if let Some(path) = &args.from {
        target.refuse_inputs(&[path])?;
    }
    if args.json && target.path().is_none() && !args.dry_run {
        return Err(Failure::bad_input(
            Diagnostic::error("standard output cannot hold both the text and the JSON summary")
                .expected_found("-o FILE or --dry-run with --json", "neither"),
        ));
    }
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    if !args.dry_run {
        target.write(&exported.text, overwrite, terminal)?;
    }
    for loss in &exported.losses {
        terminal.diagnostics(&[Diagnostic::warning(loss)]);
    }
    if args.json {
        terminal.json(&account(args, &target, &exported))?;
    }
    say(args, &target, terminal);
    Ok(Exit::Ok)
}

/// The images, or the file of the study to write.
fn split(args: &InitArgs) -> Result<(&[PathBuf], Option<&Path>), Failure> {
    let is_study = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
    let refused = |message: &str, expected: &str, found: &str| {
        Failure::bad_input(Diagnostic::error(message).expected_found(expected, found))
    };
    match args.inputs.as_slice() {
        [file] if is_study(file) && args.output.is_some() => {
            Err(refused("two output files are named", "FILE or -o FILE", "both"))
        }
        [file] if is_study(file) && args.truth.is_none() => Ok((&[], Some(file))),
        [] if args.truth.is_some() => {
            Err(refused("--truth needs images", "images before --truth", "no images"))
        }
        images if !images.is_empty() && (args.from.is_some() || args.model || args.program) => Err(refused(
            "images cannot be combined with --from, --model or --program",
            "images only, or one of these only",
            "both",
        )),
        images => Ok((images, None)),
    }
}

fn account(args: &InitArgs, target: &OutputTarget, exported: &Exported) -> serde_json::Value {
    serde_json::json!({
        "version": 1,
        "file": target.path(),
        "written": !args.dry_run,
        "bytes": exported.text.len(),
        "losses": exported.losses,
    })
}

fn say(args: &InitArgs, target: &OutputTarget, terminal: &Terminal) {
    let Some(path) = target.path() else { return };
    let wrote = if args.dry_run { "would write" } else { "wrote" };
    terminal.say(&format!("{wrote} {}", path.display()));
    if args.to == ProblemFormat::Study && !args.dry_run {
        terminal.say(&format!("next: onceflow check {}", path.display()));
    }
}

fn convert(path: &Path, to: ProblemFormat, terminal: &Terminal) -> Result<Exported, Failure> {
    let loaded = load(path, terminal)?;
    // Other formats have one design: that of the first phase.
    let problem = loaded.study.as_ref().map_or(loaded.problem, onceflow_study::Study::problem);
    let name = path.file_stem().map_or_else(|| "study".into(), |stem| stem.to_string_lossy().into_owned());
    let refused = |e: onceflow_study::ExportError| {
        Failure::from(from_error(format!("cannot convert {}", path.display()), &e))
    };
    match to {
        ProblemFormat::Study => Ok(whole(problem_template(&name, &problem))),
        ProblemFormat::Salib => salib_problem_json(&problem).map_err(refused),
        ProblemFormat::Dakota => dakota_input(&problem).map_err(refused),
    }
}

/// A text without losses.
fn whole(text: String) -> Exported {
    Exported { text, losses: Vec::new() }
}

fn template(args: &InitArgs, target: &OutputTarget) -> Result<String, Failure> {
    if args.to != ProblemFormat::Study {
        return Err(Failure::bad_input(
            Diagnostic::error("--to needs --from")
                .expected_found("--from PROBLEM with --to", "--to only")
                .with_hint("name the study or problem: onceflow init --from study.toml --to salib"),
        ));
    }
    if args.model {
        return Ok(model_template());
    }
    let (workflow, reference) = workflow(args, target)?;
    Ok(workflow_template(&workflow, &reference))
}

/// The workflow, and how the study names it.
fn workflow(args: &InitArgs, target: &OutputTarget) -> Result<(Workflow, String), Failure> {
    let name = args.workflow.as_str();
    if let Some(source) = shipped_workflow(name) {
        return Ok((read_workflow(&source)?, name.to_owned()));
    }
    let path = Path::new(name);
    if path.extension().is_none() && !path.exists() {
        return Err(unknown_workflow(name));
    }
    Ok((workflow_of(path)?, reference(path, target)))
}

fn workflow_of(path: &Path) -> Result<Workflow, Failure> {
    let document = open_document(path).map_err(engine_failure)?;
    match document.content {
        Some(DocumentContent::Workflow(workflow)) => Ok(*workflow),
        Some(_) => Err(Failure::bad_input(
            Diagnostic::error(format!("{} is not a workflow", path.display()))
                .expected_found("a workflow", document.kind.about())
                .with_hint(format!("onceflow init --from {} converts it", path.display())),
        )),
        None => Err(document.diagnostics.into()),
    }
}

/// How the study names the workflow: relative to itself.
fn reference(workflow: &Path, target: &OutputTarget) -> String {
    slides::relative(workflow, target.path().and_then(Path::parent).unwrap_or(Path::new("")))
}

fn unknown_workflow(name: &str) -> Failure {
    let hint = match nearest(name, SHIPPED) {
        Some(near) => format!("did you mean --workflow {near}?"),
        None => "--model writes a study of your own model, which needs no workflow".into(),
    };
    Failure::bad_input(
        Diagnostic::error(format!("unknown workflow `{name}`"))
            .expected_found(format!("a workflow file, or one of {}", SHIPPED.join(", ")), format!("`{name}`"))
            .with_hint(hint),
    )
}
