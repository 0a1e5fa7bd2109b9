//! What tuning found, in tables: metrics, slides that took no part, and the gain on both as the search went on.

use super::element::{paragraph, section, table};
use crate::words::{confirmation, metric_pair, metric_text};
use crate::{Answer, TuneAnswer, TunedMetric};

/// The section; empty in a study that does not tune.
pub(super) fn tables(answer: &Answer) -> String {
    let Some(tuning) = &answer.tuning else { return String::new() };
    let mut body = paragraph(&confirmation(tuning));
    body.push_str(&metrics("Metrics on the images that took part", &tuning.metrics));
    if let Some(held) = &tuning.held_out {
        body.push_str(&metrics("Metrics on slides that took no part, the mean over slides", &held.metrics));
        body.push_str(&slides(tuning));
        body.push_str(&curve(tuning));
    }
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
