//! The top of the page: what was run, the answer in words, and warnings beside it.

use onceflow_study::counted;

use super::element::{escaped, list, paragraph};
use crate::Material;
use crate::words::{against, better, confirmation, failed, headline, proposed, values};
use crate::{Answer, BestRow, RunEnding};

/// The name of the study and its size.
pub(super) fn header(answer: &Answer, material: &Material<'_>) -> String {
    let with_truth = answer.images.iter().filter(|image| image.truth_objects.is_some()).count();
    let ending = match material.ending {
        RunEnding::Complete => "complete",
        RunEnding::Stopped => "stopped before its end",
        RunEnding::TooManyFailures => "stopped: too many rows failed",
    };
    let facts = [
        answer.workflow.clone(),
        ending.to_owned(),
        counted(answer.table.rows.len(), "row"),
        format!("{}, {with_truth} with truth", counted(answer.images.len(), "image")),
        format!("{} failed", failed(answer)),
        format!("seed {}", answer.seed),
    ];
    let facts = escaped(&facts.join(" · "));
    format!("<header>\n<h1>{}</h1>\n<p class=\"facts\">{facts}</p>\n</header>\n", escaped(&answer.study))
}

/// The question, the answer, the better values, and beside them what to know before using them.
pub(super) fn answer(answer: &Answer, material: &Material<'_>) -> String {
    let mut body = format!("<p class=\"lead\">{}</p>\n", escaped(&headline(answer)));
    body.push_str(&paragraph(&better(answer)));
    if let Some(best) = answer.best.as_ref().filter(|best| !best.changes.is_empty()) {
        body.push_str(&format!(
            "<div class=\"copied\">\n{}{}</div>\n",
            list("values", &values(best)),
            copy(best)
        ));
    }
    body.push_str(&proposed(answer).map(|sentence| paragraph(&sentence)).unwrap_or_default());
    let held = answer.tuning.as_ref().map(|tuning| paragraph(&confirmation(tuning)));
    body.push_str(&held.unwrap_or_default());
    let doubts = doubts(answer, material);
    let has_values = answer.best.as_ref().is_some_and(|best| !best.changes.is_empty());
    let what = if has_values { "use them" } else { "believe it" };
    let (class, doubts) = if doubts.is_empty() {
        ("", String::new())
    } else {
        (
            " class=\"beside\"",
            format!(
                "<div class=\"doubts\">\n<h3>Before you {what}</h3>\n{}</div>\n",
                list("warnings", &doubts)
            ),
        )
    };
    format!(
        "<section id=\"answer\">\n<h2>{}</h2>\n<div{class}>\n<div>\n{body}</div>\n{doubts}</div>\n</section>\n",
        escaped(&question(answer, material))
    )
}

/// The question that the study itself asks in its first comment, or the one its first metric asks.
fn question(answer: &Answer, material: &Material<'_>) -> String {
    let asked = material.provenance.and_then(|provenance| {
        let first = provenance.study.lines().next()?.strip_prefix('#')?.trim();
        first.ends_with('?').then(|| first.to_owned())
    });
    let metric = answer.metrics.first().map(|m| m.name.as_str()).unwrap_or_default();
    let against = against(answer, metric).map(|words| format!(" ({words})")).unwrap_or_default();
    match answer.metrics.is_empty() {
        _ if asked.is_some() => asked.unwrap_or_default(),
        true => "What was found".into(),
        false => format!("Which parameters matter for {metric}{against}, and which values are best?"),
    }
}

/// Why the answer, and the best row, should not be believed blindly.
fn doubts(answer: &Answer, material: &Material<'_>) -> Vec<String> {
    let rows = counted(answer.table.rows.len(), "row");
    let early = match material.ending {
        RunEnding::Complete => None,
        RunEnding::Stopped => Some(format!(
            "The run was stopped: the answer is from {rows}; give the same command again to compute the others."
        )),
        RunEnding::TooManyFailures => Some(format!(
            "The run was stopped because too many of {rows} failed; the failures are listed below."
        )),
    };
    let failed = match failed(answer) {
        0 => None,
        some => Some(format!("{} of {rows} failed and are not included in the numbers.", some)),
    };
    let own = answer.best.iter().flat_map(|best| best.warnings.iter().cloned());
    early.into_iter().chain(failed).chain(own).collect()
}

/// The values as a study writes them, for the clipboard.
fn copy(best: &BestRow) -> String {
    let line = |change: &crate::ValueChange| format!("{} = {}\n", change.parameter, change.to);
    let text: String = best.proposed_changes().iter().map(line).collect();
    format!(
        "<p class=\"fine\"><button type=\"button\" hidden=\"hidden\" data-copy=\"best-values\">copy</button> \
         <a href=\"#files\">all values in best.json</a></p>\n<pre id=\"best-values\" hidden=\"hidden\">{}</pre>\n",
        escaped(&text)
    )
}
