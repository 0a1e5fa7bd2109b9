//! What stands below: notes, failures, how it was computed, and the files.

use std::collections::BTreeMap;

use onceflow_study::{counted, with_commas};

use super::element::{list, paragraph, section, table};
use crate::report::words::{how as how_words, remarks};
use crate::{Answer, RowStatus};

/// Different failures that are listed.
const MOST_FAILURES: usize = 20;

/// What belongs beside the answer.
pub(super) fn notes(answer: &Answer) -> String {
    let remarks = remarks(answer);
    if remarks.is_empty() { String::new() } else { section("notes", "Notes", &list("notes", &remarks)) }
}

/// Equal failures in one line, the most frequent first.
pub(super) fn failures(answer: &Answer) -> String {
    let mut groups: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
    for row in &answer.table.rows {
        if let RowStatus::Failed { task, message } = &row.status {
            groups.entry((task, message)).or_insert((row.row, 0)).1 += 1;
        }
    }
    if groups.is_empty() {
        return section("failures", "Failures", &paragraph("No row failed."));
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (first, count))| (std::cmp::Reverse(*count), *first));
    let rows: Vec<Vec<String>> = groups
        .iter()
        .take(MOST_FAILURES)
        .map(|((task, message), (first, count))| {
            vec![(*task).to_owned(), with_commas((*count).into()), first.to_string(), (*message).to_owned()]
        })
        .collect();
    let heads = ["task", "rows", "first row", "what it said"].map(str::to_owned);
    let failed: u64 = groups.iter().map(|(_, (_, count))| count).sum();
    let caption =
        format!("{} of {} failed", with_commas(failed.into()), counted(answer.table.rows.len(), "row"));
    let mut body = table(&caption, &heads, &rows);
    if groups.len() > MOST_FAILURES {
        body.push_str(&paragraph(&format!(
            "{} not listed here.",
            counted(groups.len() - MOST_FAILURES, "other failure")
        )));
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
