//! The report page: one file, readable without a network, the answer before the numbers and the doubt beside it.

mod base64;
mod effects;
mod element;
mod lead;
mod rest;
mod work;

use self::element::{attribute, escaped};
use crate::Answer;

/// A picture for the page, such as the overlay of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// What it shows, for readers who cannot see it too.
    pub title: String,
    /// Where it comes from: image, row, values.
    pub caption: String,
    /// The file.
    pub png: Vec<u8>,
}

/// The whole page. It is well-formed XML besides, and fetches nothing.
pub fn html(answer: &Answer, pictures: &[Picture]) -> String {
    let study = escaped(&answer.study);
    let sections = [
        lead::header(answer),
        format!("<main>\n{}", lead::answer(answer)),
        middle(answer, pictures),
        work::account(answer),
        rest::notes(answer),
        effects::phases(answer),
        rest::failures(answer),
        rest::how(answer),
        format!("{}</main>\n", rest::downloads()),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <title>{study}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
        attribute(POLICY),
        include_str!("html/style.css"),
        sections.concat()
    )
}

/// Names in a study are not to be trusted: even if one slipped through, nothing would be run or fetched.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// The effects beside the pictures; without pictures, beside what other metrics and images say.
fn middle(answer: &Answer, pictures: &[Picture]) -> String {
    let (effects, metrics, images) =
        (effects::first(answer), effects::metrics(answer), effects::images(answer));
    if !pictures.is_empty() {
        return columns(&[effects, lead::pictures(pictures)]) + &columns(&[metrics, images]);
    }
    let beside = metrics + &images;
    let beside = if beside.is_empty() { beside } else { format!("<div>\n{beside}</div>\n") };
    columns(&[effects, beside])
}

/// Sections side by side where the window is wide enough; an empty one leaves its place to the others.
fn columns(sections: &[String]) -> String {
    let filled: Vec<&str> =
        sections.iter().map(String::as_str).filter(|section| !section.is_empty()).collect();
    match filled.as_slice() {
        [] => String::new(),
        [one] => (*one).into(),
        several => format!("<div class=\"columns\">\n{}</div>\n", several.concat()),
    }
}
