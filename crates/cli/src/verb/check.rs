//! `onceflow check`: summarises a file and reports all its errors.

mod summary;

use onceflow_engine::{CheckOptions, CheckedDocument, Document, ImageWatch, check_document};
use onceflow_study::{Diagnostics, FileKind, Severity, counted};
use onceflow_terminal::{Exit, Failure, Terminal, diagnostics_to_json, engine_failure};
use serde_json::json;

use crate::args::CheckArgs;

/// Reads a file, prints its summary and diagnostics.
pub(crate) fn run(args: &CheckArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let CheckedDocument { document, refused } = check(args, terminal)?;
    if args.json {
        terminal.diagnostics(&document.diagnostics.0);
        terminal.json(&to_json(&args.file.display().to_string(), &document))?;
    } else {
        say(&document, terminal)?;
    }
    Ok(refused.map_or(Exit::Ok, |kind| Failure::of_kind(kind, Vec::new()).exit()))
}

fn check(args: &CheckArgs, terminal: &Terminal) -> Result<CheckedDocument, Failure> {
    let progress = terminal.shown_progress(format!("looking at the images of {}", args.file.display()));
    let watch = ImageWatch::new(progress.steps());
    check_document(&args.file, &CheckOptions { images: !args.without_images, watch }).map_err(engine_failure)
}

fn say(document: &Document, terminal: &Terminal) -> Result<(), Failure> {
    if let Some(content) = &document.content {
        terminal.text(&format!("{}\n", summary::text(content)))?;
    }
    // A blank line between the parts, but none between notes, which are short.
    let mut before = Severity::Error;
    for message in &document.diagnostics.0 {
        if before != Severity::Note || message.severity != Severity::Note {
            terminal.say("");
        }
        before = message.severity;
        terminal.diagnostics(std::slice::from_ref(message));
    }
    terminal.result(&format!("{}\n", verdict(&document.diagnostics)))
}

/// `ok`, `ok, 1 warning`, `2 errors, 1 warning`.
fn verdict(diagnostics: &Diagnostics) -> String {
    let some = |severity: Severity| {
        let n = diagnostics.count(severity);
        (n > 0).then(|| counted(n, severity.word()))
    };
    let ok = (!diagnostics.has_errors()).then(|| "ok".to_string());
    let parts = [ok, some(Severity::Error), some(Severity::Warning)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn to_json(file: &str, document: &Document) -> serde_json::Value {
    let count = |severity: Severity| document.diagnostics.count(severity);
    json!({
        "version": 1,
        "file": file,
        "kind": word(document.kind),
        "ok": !document.diagnostics.has_errors(),
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "notes": count(Severity::Note),
        "summary": document.content.as_ref().map(summary::to_json),
        "diagnostics": diagnostics_to_json(&document.diagnostics.0),
    })
}

/// The name of the kind in JSON.
fn word(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Study => "study",
        FileKind::Workflow => "workflow",
        FileKind::OriginalStage => "stage",
        FileKind::Taverna => "taverna",
        FileKind::SalibProblem => "salib-problem",
        FileKind::SalibParameters => "salib-parameters",
        FileKind::DakotaInput => "dakota",
    }
}
