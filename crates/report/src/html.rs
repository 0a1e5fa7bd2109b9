//! The report page: one HTML file that needs no network. The answer comes first, warnings beside it, numbers below.

mod base64;
mod crops;
mod drawing;
mod effects;
mod element;
mod figure;
mod gains;
mod heat;
mod lead;
mod pair;
mod responses;
mod rest;
mod scatter;
mod schedule;
mod tuning;
mod viewer;
mod work;

pub use self::base64::base64;
use self::element::{attribute, escaped};
use crate::{Answer, Material};

/// The whole page. It is well-formed XML besides, and fetches nothing.
pub fn html(answer: &Answer, material: &Material<'_>) -> String {
    debug_assert_eq!(answer.contradiction(), None, "an answer that contradicts itself");
    debug_assert!(material.fits(answer), "pictures of rows or images that are not in the answer");
    let study = escaped(&answer.study);
    let below = below(answer, material);
    let sections = [
        lead::header(answer, material),
        format!("<main>\n{}", lead::answer(answer, material)),
        columns(&[
            effects::tabs(answer) + &effects::metrics(answer),
            crops::first(answer, material.pictures) + &effects::images(answer),
        ]),
        work::account(answer),
        contents(&below),
        below.concat(),
        "</main>\n".into(),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <title>{study}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n{}<script>{SCRIPT}</script>\n</body>\n</html>\n",
        attribute(&format!(
            "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src '{DIGEST}'"
        )),
        include_str!("html/style.css"),
        effects::rules(answer),
        sections.concat()
    )
}

/// Copies texts and opens large pictures; the page is complete without it.
const SCRIPT: &str = include_str!("html/script.js");

/// SHA-256 of the script. Names in a study are not to be trusted: even if one slipped through, nothing but our own
/// script would be run, and nothing fetched.
const DIGEST: &str = "sha256-d0Nrmf+Stpyam9Q0hZLy8CPq+xICbz+rdJZ6+4FdJNw=";

/// What stands below the first screen.
fn below(answer: &Answer, material: &Material<'_>) -> Vec<String> {
    vec![
        tuning::all(answer),
        gains::images(answer),
        rest::notes(answer),
        effects::phases(answer),
        responses::all(answer),
        pair::map(answer),
        heat::map(answer),
        scatter::metrics(answer),
        crops::gallery(answer, material),
        crops::others(answer, material.pictures),
        rest::failures(answer, material),
        schedule::detail(answer, material.trace),
        rest::how(answer, material.provenance),
        rest::provenance(answer, material.provenance),
        rest::downloads(answer),
    ]
}

/// Links to what stands below, by the headings that it has.
fn contents(below: &[String]) -> String {
    let between = |text: &str, from: &str, to: &str| {
        let start = text.find(from)? + from.len();
        Some(text[start..start + text[start..].find(to)?].to_owned())
    };
    let sections = below.iter().flat_map(|text| text.split("<section ").skip(1));
    let link = |text: &str| {
        let (id, title) = (between(text, "id=\"", "\"")?, between(text, "<h2>", "</h2>")?);
        Some(format!("<a href=\"#{id}\">{title}</a>"))
    };
    let links: Vec<String> = sections.filter_map(link).collect();
    format!("<nav aria-label=\"Below\">{}</nav>\n", links.join(" · "))
}

/// Stacks of sections side by side where the window is wide enough; an empty one leaves its place to the others.
fn columns(sections: &[String]) -> String {
    let filled: Vec<&str> =
        sections.iter().map(String::as_str).filter(|section| !section.is_empty()).collect();
    match filled.as_slice() {
        [] => String::new(),
        [one] => (*one).into(),
        several => {
            let stacks: String = several.iter().map(|stack| format!("<div>\n{stack}</div>\n")).collect();
            format!("<div class=\"columns\">\n{stacks}</div>\n")
        }
    }
}
