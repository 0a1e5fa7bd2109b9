//! The lower sections: notes, failures, how it was computed, where it came from, and the files.

use onceflow_study::{counted, with_commas};

use super::element::{details, escaped, list, paragraph, section, table};
use super::figure::download;
use crate::json::{best_json, indices_json};
use crate::words::{FailureGroup, failed, failures as failure_groups, how as how_words, remarks};
use crate::{Answer, Provenance, UsedFile};
use crate::{Material, metrics_csv, rows_csv};

/// Different failures that are listed.
const MOST_FAILURES: usize = 20;

/// What belongs beside the answer.
pub(super) fn notes(answer: &Answer) -> String {
    let remarks = remarks(answer);
    if remarks.is_empty() { String::new() } else { section("notes", "Notes", &list("notes", &remarks)) }
}

/// Equal failures in one line, the most frequent first.
pub(super) fn failures(answer: &Answer, material: &Material<'_>) -> String {
    let failures = failure_groups(answer);
    if failures.is_empty() {
        return section("failures", "Failures", &paragraph("No row failed."));
    }
    let row = |f: &FailureGroup<'_>| {
        vec![f.task.to_owned(), with_commas(f.rows.into()), f.first.to_string(), f.message.to_owned()]
    };
    let rows: Vec<Vec<String>> = failures.iter().take(MOST_FAILURES).map(row).collect();
    let heads = ["task", "rows", "first row", "message"].map(str::to_owned);
    let all = counted(answer.table.rows.len(), "row");
    let mut body = table(&format!("{} of {all} failed", with_commas(failed(answer) as u128)), &heads, &rows);
    if failures.len() > MOST_FAILURES {
        let more = counted(failures.len() - MOST_FAILURES, "other failure");
        body.push_str(&paragraph(&format!("{more} not listed here.")));
    }
    if let Some(first) = failures.first() {
        let look = escaped(&material.look(first.first));
        body.push_str(&format!("<p>To look at the first: <code>{look}</code></p>\n"));
    }
    section("failures", "Failures", &body)
}

/// A paragraph for a paper.
pub(super) fn how(answer: &Answer, provenance: Option<&Provenance>) -> String {
    let digests = provenance.map(digests).unwrap_or_default();
    let body = format!(
        "<p id=\"how-text\">{}</p>\n<p class=\"fine\"><button type=\"button\" hidden=\"hidden\" \
         data-copy=\"how-text\">copy</button></p>\n",
        escaped(&format!("{}{digests}", how_words(answer)))
    );
    section("how", "How it was computed", &body)
}

/// The beginnings of the digests of a few files: enough to tell them from others.
fn digests(provenance: &Provenance) -> String {
    let short = |file: &UsedFile| {
        let digest: String = file.digest.chars().take(16).collect();
        format!("{} of {} {digest}", file.role, file.image)
    };
    let known: Vec<String> =
        provenance.files.iter().filter(|file| !file.digest.is_empty()).map(short).collect();
    match known.len() {
        1..=6 => format!(" Files, by the first digits of their BLAKE3 digests: {}.", known.join(", ")),
        _ => String::new(),
    }
}

/// Study, versions, seeds, digests, command.
pub(super) fn provenance(answer: &Answer, provenance: Option<&Provenance>) -> String {
    let Some(provenance) = provenance else { return String::new() };
    let facts = [
        ("program", format!("Onceflow {}", env!("CARGO_PKG_VERSION"))),
        ("workflow", answer.workflow.clone()),
        ("seed", answer.seed.to_string()),
        ("command", provenance.command.clone()),
        ("study", provenance.origin.clone()),
        ("folder", provenance.folder.clone()),
        ("began", provenance.began.clone()),
        ("ended", provenance.ended.clone()),
    ];
    let rows: Vec<Vec<String>> = facts
        .into_iter()
        .filter(|(_, what)| !what.is_empty())
        .map(|(name, what)| vec![name.to_owned(), what])
        .collect();
    let heads = ["what", "value"].map(str::to_owned);
    let mut body = table("What was run", &heads, &rows);
    let used = |file: &UsedFile| {
        let digest = if file.digest.is_empty() { "could not be read" } else { &file.digest };
        vec![file.image.clone(), file.role.to_owned(), file.file.clone(), digest.to_owned()]
    };
    let rows: Vec<Vec<String>> = provenance.files.iter().take(MOST_FILES).map(used).collect();
    let heads = ["image", "role", "file", "BLAKE3"].map(str::to_owned);
    body.push_str(&table("Files that were read", &heads, &rows));
    if provenance.files.len() > MOST_FILES {
        let more = counted(provenance.files.len() - MOST_FILES, "other file");
        body.push_str(&paragraph(&format!("{more} in ro-crate-metadata.json.")));
    }
    for (name, text) in [("study.toml", &provenance.study), ("workflow.json", &provenance.workflow)] {
        body.push_str(&details(name, &source(name, text)));
    }
    section("provenance", "Where it came from", &body)
}

/// A text that scrolls in its box, which the keyboard reaches too.
fn source(name: &str, text: &str) -> String {
    format!(
        "<pre class=\"source\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\">{}</pre>\n",
        escaped(text)
    )
}

/// Files that are listed.
const MOST_FILES: usize = 48;

/// Tables up to this size travel in the page itself.
const MOST_CARRIED: usize = 400_000;

/// The tables, in the page where they are small enough and beside it in any case.
pub(super) fn downloads(answer: &Answer) -> String {
    let csv = "text/csv;charset=utf-8";
    let json = "application/json";
    let pretty = |value: serde_json::Value| format!("{value:#}\n");
    let carried = [
        ("rows.csv", csv, rows_csv(answer), "one line per row: parameters, and metrics over all images"),
        ("metrics.csv", csv, metrics_csv(answer), "one line per row and image"),
        (
            "indices.json",
            json,
            pretty(indices_json(answer)),
            "indices with intervals and verdicts, over all images and for each",
        ),
        ("best.json", json, pretty(best_json(answer)), "the proposed values, and the best row behind them"),
    ];
    let mut items: String = carried
        .iter()
        .map(|(file, kind, text, what)| {
            let get = if text.len() <= MOST_CARRIED {
                download(file, kind, text.as_bytes(), file)
            } else {
                format!("<a href=\"{file}\">{file}</a>")
            };
            format!("<li>{get} {what}</li>\n")
        })
        .collect();
    let beside = [
        ("study.toml", "what was asked"),
        ("workflow.json", "what was run"),
        ("trace.json", "the schedule, for Perfetto"),
        ("reuse.csv", "results that were found to be equal during the run"),
        ("objects.csv", "the rows whose objects each task reused"),
        ("ro-crate-metadata.json", "all of this described for archives and registries"),
    ];
    let item = |(file, what): &(&str, &str)| format!("<li><a href=\"{file}\">{file}</a> {what}</li>\n");
    items.extend(beside.iter().map(item));
    let words = "The tables are inside this page unless they are large; the other files are in the folder of the run. Each figure above has its own data.";
    section("files", "Files", &format!("<ul class=\"files\">\n{items}</ul>\n{}", paragraph(words)))
}
