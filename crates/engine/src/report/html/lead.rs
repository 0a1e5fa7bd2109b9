//! What stands first: what was run, the answer in words, the doubts, the pictures.

use onceflow_study::counted;

use super::Picture;
use super::base64::base64;
use super::element::{attribute, escaped, list, paragraph, section};
use crate::Answer;
use crate::report::words::{against, better, failed, headline, values};

/// The name of the study and its size.
pub(super) fn header(answer: &Answer) -> String {
    let with_truth = answer.images.iter().filter(|image| image.truth_objects.is_some()).count();
    let facts = [
        answer.workflow.clone(),
        counted(answer.table.rows.len(), "row"),
        format!("{}, {with_truth} with truth", counted(answer.images.len(), "image")),
        format!("{} failed", counted(failed(answer), "row")),
        format!("seed {}", answer.seed),
    ];
    let facts = escaped(&facts.join(" · "));
    format!("<header>\n<h1>{}</h1>\n<p class=\"facts\">{facts}</p>\n</header>\n", escaped(&answer.study))
}

/// The question, the answer, the better values, and what to know before using them.
pub(super) fn answer(answer: &Answer) -> String {
    let metric = answer.metrics.first().map(|m| m.name.as_str()).unwrap_or_default();
    let against = against(answer, metric).map(|words| format!(" ({words})")).unwrap_or_default();
    let question = match answer.metrics.is_empty() {
        true => "What was found".into(),
        false => format!("Which parameters matter for {metric}{against}, and which values are best?"),
    };
    let mut body = format!("<p class=\"lead\">{}</p>\n", escaped(&headline(answer)));
    body.push_str(&paragraph(&better(answer)));
    if let Some(best) = &answer.best {
        if !best.changes.is_empty() {
            body.push_str(&list("values", &values(best)));
        }
        if !best.warnings.is_empty() {
            body.push_str("<h3>Before you use them</h3>\n");
            body.push_str(&list("warnings", &best.warnings));
        }
    }
    section("answer", &question, &body)
}

/// The pictures, each with its title and where it comes from.
pub(super) fn pictures(pictures: &[Picture]) -> String {
    let figure = |picture: &Picture| {
        format!(
            "<figure>\n<img alt=\"{}\" src=\"data:image/png;base64,{}\"/>\n<figcaption><b>{}</b> {}</figcaption>\n\
             </figure>\n",
            attribute(&picture.title),
            base64(&picture.png),
            escaped(&picture.title),
            escaped(&picture.caption)
        )
    };
    if pictures.is_empty() {
        return String::new();
    }
    let figures: String = pictures.iter().map(figure).collect();
    section("pictures", "What it looks like", &format!("<div class=\"pictures\">\n{figures}</div>\n"))
}
