//! What stands below: notes, failures, how it was computed, and the files.

use onceflow_study::{counted, with_commas};

use super::element::{list, paragraph, section, table};
use crate::Answer;
use crate::report::words::{Failure, failed, failures as failure_groups, how as how_words, remarks};

/// Different failures that are listed.
const MOST_FAILURES: usize = 20;

/// What belongs beside the answer.
pub(super) fn notes(answer: &Answer) -> String {
    let remarks = remarks(answer);
    if remarks.is_empty() { String::new() } else { section("notes", "Notes", &list("notes", &remarks)) }
}

/// Equal failures in one line, the most frequent first.
pub(super) fn failures(answer: &Answer) -> String {
    let failures = failure_groups(answer);
    if failures.is_empty() {
        return section("failures", "Failures", &paragraph("No row failed."));
    }
    let row = |f: &Failure<'_>| {
        vec![f.task.to_owned(), with_commas(f.rows.into()), f.first.to_string(), f.message.to_owned()]
    };
    let rows: Vec<Vec<String>> = failures.iter().take(MOST_FAILURES).map(row).collect();
    let heads = ["task", "rows", "first row", "what it said"].map(str::to_owned);
    let all = counted(answer.table.rows.len(), "row");
    let mut body = table(&format!("{} of {all} failed", with_commas(failed(answer) as u128)), &heads, &rows);
    if failures.len() > MOST_FAILURES {
        let more = counted(failures.len() - MOST_FAILURES, "other failure");
        body.push_str(&paragraph(&format!("{more} not listed here.")));
    }
    section("failures", "Failures", &body)
}

/// A paragraph for a paper.
pub(super) fn how(answer: &Answer) -> String {
    section("how", "How it was computed", &paragraph(&how_words(answer)))
}

/// The files beside the page.
pub(super) fn downloads() -> String {
    let files = [
        ("rows.csv", "one line per row: parameters, and metrics over all images"),
        ("metrics.csv", "one line per row and image"),
        ("indices.json", "indices with intervals and verdicts, over all images and for each"),
        ("best.json", "the best row with all its values"),
        ("study.toml", "what was asked"),
    ];
    let items: String =
        files.iter().map(|(file, what)| format!("<li><a href=\"{file}\">{file}</a> {what}</li>\n")).collect();
    section("files", "Files", &format!("<ul class=\"files\">\n{items}</ul>\n"))
}
