//! What tuning found: plots of the search, and tables of metrics, of slides that took no part, and of what the end tried.

mod frame;
mod plots;
mod rows;

use super::element::{paragraph, section, table};
use crate::words::{confirmation, left_out, metric_pair, metric_text};
use crate::{Answer, TuneAnswer, TunedMetric};

/// The section; empty in a study that does not tune.
pub(super) fn all(answer: &Answer) -> String {
    let Some(tuning) = &answer.tuning else { return String::new() };
    let mut body = paragraph(&confirmation(tuning));
    body.push_str(&metrics("Metrics on the images that took part", &tuning.metrics));
    if let Some(held) = &tuning.held_out {
        body.push_str(&metrics("Metrics on slides that took no part, the mean over slides", &held.metrics));
        body.push_str(&slides(tuning));
    }
    body.push_str(&plots::all(answer, tuning));
    if tuning.held_out.is_some() {
        body.push_str(&curve(tuning));
    }
    body.push_str(&left_out_slides(tuning));
    body.push_str(&flips(tuning));
    section("tuning", "Tuning", &body)
}

fn heads(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn pair(default: Option<f64>, best: Option<f64>) -> (String, String) {
    match (default, best) {
        (Some(default), Some(best)) => metric_pair(default, best),
        (default, best) => {
            (default.map(metric_text).unwrap_or_default(), best.map(metric_text).unwrap_or_default())
        }
    }
}

fn metrics(caption: &str, metrics: &[TunedMetric]) -> String {
    let line = |metric: &TunedMetric| {
        let (default, best) = pair(metric.default, metric.best);
        vec![metric.name.clone(), default, best]
    };
    let lines: Vec<Vec<String>> = metrics.iter().map(line).collect();
    table(caption, &heads(&["metric", "defaults", "best values"]), &lines)
}

fn slides(tuning: &TuneAnswer) -> String {
    let slides = tuning.held_out.iter().flat_map(|held| &held.slides);
    let lines: Vec<Vec<String>> = slides
        .map(|slide| {
            let (default, best) = metric_pair(slide.default, slide.best);
            vec![slide.slide.clone(), slide.images.to_string(), default, best]
        })
        .collect();
    let objective = tuning.objectives.first().map_or("", String::as_str);
    let caption = format!("{objective} on each slide that took no part");
    table(&caption, &heads(&["slide", "images", "defaults", "best values"]), &lines)
}

fn curve(tuning: &TuneAnswer) -> String {
    let points = tuning.held_out.iter().flat_map(|held| &held.curve);
    let lines: Vec<Vec<String>> = points
        .map(|(row, training, held)| vec![row.to_string(), metric_text(*training), metric_text(*held)])
        .collect();
    let caption = "Gain over the defaults of rows that were the best so far: on the images that took part, and on the \
                   others. Where only the first grows, more rows fit these images and no others.";
    table(caption, &heads(&["row", "images that took part", "held-out slides"]), &lines)
}

fn left_out_slides(tuning: &TuneAnswer) -> String {
    if tuning.left_out.is_empty() {
        return String::new();
    }
    let lines: Vec<Vec<String>> = tuning
        .left_out
        .iter()
        .map(|slide| {
            let (default, best) = pair(slide.found.map(|found| found.0), slide.found.map(|found| found.1));
            vec![slide.slide.clone(), metric_text(slide.training_gain), default, best]
        })
        .collect();
    let heads = heads(&["slide", "gain on the others", "defaults", "values from the others"]);
    paragraph(&left_out(tuning))
        + &table("Each slide with the values that were tuned on all others", &heads, &lines)
}

fn flips(tuning: &TuneAnswer) -> String {
    if tuning.flips.is_empty() {
        return String::new();
    }
    let objective = tuning.objectives.first().map_or("", String::as_str);
    let lines: Vec<Vec<String>> = tuning
        .flips
        .iter()
        .map(|flip| {
            let value = flip.value.map_or_else(|| "failed".into(), metric_text);
            vec![flip.parameter.clone(), flip.from.to_string(), flip.to.to_string(), value]
        })
        .collect();
    let heads = heads(&["parameter", "best row", "tried", objective]);
    let caption = "What the end of the search tried beside the best row, one parameter at a time";
    table(caption, &heads, &lines)
}
