//! The page of a registration: what came out, slices in three planes before and after, and the cost iteration by iteration.

mod chart;
mod slices;

use std::fmt::Write as _;

use onceflow_kernels::registration::ScaledVolume;

use crate::measure::Measures;
use crate::register::{LevelReport, Registered};
use crate::{OpenPair, RegistrationParameters, Role, grid};
use slices::{Picture, Plane, pictures};

/// What a registration is shown and written with.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// What was found.
    pub registered: &'a Registered,
    /// The files.
    pub pair: &'a OpenPair,
    /// The fixed volume.
    pub fixed: &'a ScaledVolume,
    /// The moving volume.
    pub moving: &'a ScaledVolume,
    /// The parameters.
    pub parameters: &'a RegistrationParameters,
}

/// What the page shows.
pub(crate) struct Page<'a> {
    pub(crate) finished: &'a Finished<'a>,
    pub(crate) measures: &'a Measures,
    /// The determinant at each fixed voxel.
    pub(crate) jacobian: &'a [f32],
}

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1b1b1b;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}.row{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.8rem}
figure{margin:0}figure img{width:100%;image-rendering:pixelated;background:#000;display:block}figcaption{font-size:.85rem;color:#444}svg{max-width:100%}";

/// The page as HTML that needs no other file.
pub(crate) fn page(page: &Page<'_>) -> String {
    let Page { finished, measures, .. } = page;
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Registration</title><style>{STYLE}</style></head><body>\n<main><h1>Registration of {} onto {}</h1>\n",
        escaped(&name(finished, Role::Moving)),
        escaped(&name(finished, Role::Fixed))
    );
    lead(finished, measures, &mut html);
    for plane in Plane::ALL {
        let _ = write!(html, "<h2>{}</h2>\n<div class=\"row\">", plane.title());
        pictures(page, plane).iter().for_each(|picture| figure(picture, plane, &mut html));
        html.push_str("</div>\n");
    }
    html.push_str("<h2>Cost</h2>\n");
    html.push_str(&chart::costs(&finished.registered.levels));
    levels(&finished.registered.levels, &mut html);
    metrics(measures, &mut html);
    parameters(finished, &mut html);
    html.push_str("</main></body></html>\n");
    html
}

fn name(finished: &Finished<'_>, role: Role) -> String {
    let path = &finished.pair.files().volumes[role as usize];
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What matters most, in sentences.
fn lead(finished: &Finished<'_>, measures: &Measures, html: &mut String) {
    let value = |name: &str| measures.iter().find(|(known, _)| known == name).and_then(|(_, value)| *value);
    let mut sentences = Vec::new();
    if let (Some(before), Some(after)) = (value("dice_before"), value("dice")) {
        sentences.push(format!("The mean Dice overlap of labels went from {before:.3} to {after:.3}."));
    }
    if let (Some(before), Some(after)) = (value("landmark_before"), value("landmark_mean")) {
        sentences.push(format!("The mean landmark error went from {before:.2} to {after:.2} mm."));
    }
    if let (Some(before), Some(after)) = (value("nmi_before"), value("nmi")) {
        sentences.push(format!("Normalised mutual information went from {before:.4} to {after:.4}."));
    }
    sentences.push(match value("folding") {
        Some(0.0) => "No voxel is folded.".to_owned(),
        Some(share) => {
            format!("{:.4} % of the voxels are folded: a larger bending weight avoids it.", 100.0 * share)
        }
        None => String::new(),
    });
    let stalled: Vec<String> = finished
        .registered
        .levels
        .iter()
        .filter(|level| level.status == "stalled" && level.trace.len() == 1)
        .map(|level| level.level.to_string())
        .collect();
    if !stalled.is_empty() {
        sentences.push(format!("Level {} made no step.", stalled.join(", ")));
    }
    let _ = writeln!(html, "<p>{}</p>", sentences.join(" "));
    let grids = Role::BOTH.map(|role| {
        format!(
            "<tr><th>{}</th><td>{}</td></tr>",
            role.word(),
            escaped(&grid::words(&finished.pair.grid(role)))
        )
    });
    let _ = writeln!(html, "<table>{}</table>", grids.concat());
}

fn figure(picture: &Picture, plane: Plane, html: &mut String) {
    let [wide, high] = picture.millimetres;
    let _ = write!(
        html,
        "<figure><img alt=\"{}, {}\" style=\"aspect-ratio:{wide:.3}/{high:.3}\" src=\"data:image/png;base64,{}\"><figcaption>{}</figcaption></figure>",
        escaped(picture.caption),
        plane.title().to_lowercase(),
        onceflow_report::base64(&picture.png),
        escaped(picture.caption)
    );
}

fn levels(levels: &[LevelReport], html: &mut String) {
    html.push_str("<table><tr><th>level</th><th>status</th><th>iterations</th><th>cost at the start</th><th>cost</th><th>bending energy</th></tr>\n");
    for level in levels {
        let (first, last) = (level.trace.first(), level.trace.last());
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            level.level,
            level.status,
            last.map_or(0, |row| row.iteration),
            number(first.map(|row| row.cost.total)),
            number(last.map(|row| row.cost.total)),
            number(last.map(|row| row.cost.bending))
        );
    }
    html.push_str("</table>\n");
}

fn metrics(measures: &Measures, html: &mut String) {
    html.push_str("<h2>Metrics</h2>\n<table>\n");
    for (name, value) in measures {
        let value = value.map_or_else(String::new, |value| format!("{value:.6}"));
        let _ = writeln!(html, "<tr><th>{name}</th><td class=\"n\">{value}</td></tr>");
    }
    html.push_str("</table>\n");
}

fn parameters(finished: &Finished<'_>, html: &mut String) {
    html.push_str("<h2>Parameters</h2>\n<table>\n");
    for (name, value) in finished.parameters.values(&finished.pair.grid(Role::Fixed)) {
        let _ = writeln!(html, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&value.to_string()));
    }
    html.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
