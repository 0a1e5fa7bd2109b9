//! Response slices on the page: one small drawing per parameter, all with the same scale.

mod slices;

use onceflow_sensitivity::svg::TextAnchor;
use onceflow_study::Value;

use self::slices::{Response, responses, responses_csv};
use super::drawing::{Drawing, FinishedDrawing};
use super::element::{details, escaped, paragraph, section};
use super::figure::{download, figure, file_name};
use crate::Answer;
use crate::subject::Subject;
use crate::words::metric_text;

/// The slices of every metric: those of the first stand open.
pub(super) fn all(answer: &Answer) -> String {
    let bodies: Vec<(String, String)> = answer
        .metrics
        .iter()
        .filter_map(|metric| Some((metric.name.clone(), of_metric(answer, &metric.name)?)))
        .collect();
    let Some(((first, body), others)) = bodies.split_first() else { return String::new() };
    let others: String = others.iter().map(|(name, body)| details(&format!("Mean {name}"), body)).collect();
    let title = format!("Mean {first} by the value of each parameter");
    section("responses", &title, &format!("{body}{others}"))
}

fn of_metric(answer: &Answer, metric: &str) -> Option<String> {
    let responses = ordered(answer, metric);
    let scale = ResponseScale::over(&responses)?;
    let drawn: String = responses.iter().map(|response| small(response, metric, &scale)).collect();
    let csv = responses_csv(metric, &responses);
    let file = format!("{}.csv", file_name(&format!("responses-{metric}")));
    let get = download(&file, "text/csv;charset=utf-8", csv.as_bytes(), "all of them as CSV");
    Some(format!(
        "{}<div class=\"small\">\n{drawn}</div>\n<p class=\"get\">{get}</p>\n",
        paragraph(
            "Means over all rows of the named phase, in which the other parameters vary too. Bands are twice the \
             standard error, as if rows were independent. All plots have the same scale; a dashed line is the default."
        )
    ))
}

/// Those of the phase the answer speaks of, the largest effect first, then those that only earlier phases varied.
fn ordered(answer: &Answer, metric: &str) -> Vec<Response> {
    let Some(subject) = Subject::of(answer, metric) else { return Vec::new() };
    let place = |name: &str| subject.table.lines.iter().position(|line| line.name == name);
    let mut found = responses(answer, subject.phase, metric);
    found.sort_by_key(|response| place(&response.parameter).unwrap_or(usize::MAX));
    for phase in answer.phases.iter().rev().filter(|phase| phase.name != subject.phase.name) {
        for response in responses(answer, phase, metric) {
            if !found.iter().any(|known| known.parameter == response.parameter) {
                found.push(response);
            }
        }
    }
    found
}

/// The slice of the leading parameter, in words and as a drawing.
pub(super) fn leading(answer: &Answer) -> Option<String> {
    let metric = &answer.metrics.first()?.name;
    // Without any effect there is no leading parameter.
    let most = Subject::of(answer, metric)?.table.lines.first()?.main.value;
    if most == 0.0 || most.is_nan() {
        return None;
    }
    let responses = ordered(answer, metric);
    let response = responses.first()?;
    let scale = ResponseScale::over(std::slice::from_ref(response))?;
    let title = format!("Mean {metric} by {}, over all rows of {}", response.parameter, response.phase);
    let drawing = draw(response, &scale, (560.0, 78.0), &title);
    Some(format!(
        "<h3 class=\"quiet\">{}</h3>\n<div class=\"spark\">{}</div>\n<p class=\"fine\">{}</p>\n",
        escaped(&title),
        drawing.inline,
        escaped(&extremes(response))
    ))
}

/// `highest 0.64 at 55, lowest 0.44 at 5; 0.57 at the default, 80`.
fn extremes(response: &Response) -> String {
    let slices = &response.slices;
    let highest = slices.iter().max_by(|a, b| a.mean.total_cmp(&b.mean));
    let lowest = slices.iter().min_by(|a, b| a.mean.total_cmp(&b.mean));
    let (Some(highest), Some(lowest)) = (highest, lowest) else { return String::new() };
    let said = |slice: &slices::Slice| format!("{} at {}", metric_text(slice.mean), slice.label);
    let default = response.default.as_ref().and_then(|default| {
        let slice = slices.iter().find(|slice| slice.label == default.to_string())?;
        Some(format!("; {} at the default, {default}", metric_text(slice.mean)))
    });
    format!("Highest {}, lowest {}{}.", said(highest), said(lowest), default.unwrap_or_default())
}

fn small(response: &Response, metric: &str, scale: &ResponseScale) -> String {
    let title = format!("Mean {metric} by {} in {}", response.parameter, response.phase);
    let drawing = draw(response, scale, (270.0, 140.0), &title);
    let caption = format!("{} ({}). {}", response.parameter, response.phase, extremes(response));
    figure(&drawing, &format!("response-{metric}-{}", response.parameter), &caption, None)
}

/// From means to heights, the same for all.
struct ResponseScale {
    low: f64,
    high: f64,
}

impl ResponseScale {
    fn over(responses: &[Response]) -> Option<Self> {
        let ends = responses.iter().flat_map(|r| &r.slices).flat_map(|s| {
            let reach = if s.reach.is_finite() { s.reach } else { 0.0 };
            [s.mean - reach, s.mean + reach]
        });
        let (low, high) =
            ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        match (low, high) {
            (low, high) if low > high => None,
            (low, high) if low == high => Some(Self { low: low - 0.5, high: high + 0.5 }),
            (low, high) => Some(Self { low, high }),
        }
    }

    fn share(&self, x: f64) -> f64 {
        (x - self.low) / (self.high - self.low)
    }
}

fn draw(
    response: &Response,
    scale: &ResponseScale,
    (width, height): (f64, f64),
    title: &str,
) -> FinishedDrawing {
    let (left, right, top, bottom) = (52.0, width - 10.0, 10.0, height - 24.0);
    let mut drawing = Drawing::new(width, height);
    let slices = &response.slices;
    let first = slices.first().map_or(0.0, |slice| slice.at);
    let last = slices.last().map_or(1.0, |slice| slice.at);
    let x = |at: f64| left + 8.0 + (right - left - 16.0) * (at - first) / (last - first);
    let y = |value: f64| bottom - (bottom - top) * scale.share(value);
    for value in [scale.low, scale.high] {
        drawing.line((left, y(value)), (right, y(value)), "d-grid");
        drawing.text((left - 6.0, y(value) + 4.0), TextAnchor::End, "d-quiet", &metric_text(value));
    }
    if let Some(at) = response.default.as_ref().and_then(Value::as_f64)
        && (first..=last).contains(&at)
    {
        drawing.line((x(at), top), (x(at), bottom), "d-mark");
    }
    let band = |side: f64| {
        slices.iter().filter(|s| s.reach.is_finite()).map(move |s| (s.at, s.mean + side * s.reach))
    };
    let around: Vec<(f64, f64)> = band(1.0).chain(band(-1.0).rev()).map(|(at, v)| (x(at), y(v))).collect();
    drawing.path(&around, "d-band");
    let means: Vec<(f64, f64)> = slices.iter().map(|slice| (x(slice.at), y(slice.mean))).collect();
    drawing.path(&means, "d-line");
    means.iter().for_each(|place| drawing.circle(*place, 2.4, "d-dot"));
    let label = |place: usize| slices.get(place).map(|slice| slice.label.clone()).unwrap_or_default();
    drawing.text((x(first) - 8.0, height - 8.0), TextAnchor::Start, "d-quiet", &label(0));
    drawing.text((x(last) + 8.0, height - 8.0), TextAnchor::End, "d-quiet", &label(slices.len() - 1));
    drawing.finish(title)
}
