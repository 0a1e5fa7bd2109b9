//! All parameters against all metrics: how large each effect is beside the largest one on its metric.

use onceflow_sensitivity::svg::TextAnchor;
use onceflow_sensitivity::{csv_lines, number_text};

use super::drawing::{Drawing, FinishedDrawing};
use super::element::section;
use super::figure::figure;
use crate::Answer;
use crate::subject::Subject;

const CELL: (f64, f64) = (74.0, 22.0);

/// The heat map; only where there are several metrics to compare.
pub(super) fn map(answer: &Answer) -> String {
    let subjects: Vec<Subject<'_>> =
        answer.metrics.iter().filter_map(|metric| Subject::of(answer, &metric.name)).collect();
    let names = names(&subjects);
    if subjects.len() < 2 || names.is_empty() {
        return String::new();
    }
    let caption = "Each effect as a share of the largest on its metric; darker is larger. An empty cell: the \
                   parameter did not vary in the phase of the answer.";
    let drawn = figure(&draw(&subjects, &names), "effects-by-metric", caption, Some(&csv(&subjects)));
    section("heat", "All parameters, all metrics", &drawn)
}

/// Every parameter once, in the order of the first metric that has it.
fn names(subjects: &[Subject<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in subjects.iter().flat_map(|subject| &subject.table.lines) {
        if !names.iter().any(|name| name == line.name) {
            names.push(line.name.to_owned());
        }
    }
    names
}

/// The effect and its share of the largest.
fn share(subject: &Subject<'_>, name: &str) -> Option<(String, f64)> {
    let most = subject.table.lines.iter().map(|line| line.main.value.abs()).fold(f64::NAN, f64::max);
    let line = subject.table.lines.iter().find(|line| line.name == name)?;
    let share = line.main.value.abs() / most;
    Some((line.behind.first().cloned().unwrap_or_default(), share))
}

fn draw(subjects: &[Subject<'_>], names: &[String]) -> FinishedDrawing {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(32);
    let (left, top) = (16.0 + 7.2 * longest as f64, 30.0);
    let (width, height) =
        (left + CELL.0 * subjects.len() as f64 + 30.0, top + CELL.1 * names.len() as f64 + 8.0);
    let mut drawing = Drawing::new(width, height);
    for (column, subject) in subjects.iter().enumerate() {
        let x = left + (column as f64 + 0.5) * CELL.0;
        drawing.text((x, top - 10.0), TextAnchor::Middle, "d-strong", &shortened(&subject.output.name, 11));
    }
    for (row, name) in names.iter().enumerate() {
        let y = top + row as f64 * CELL.1;
        drawing.text((left - 8.0, y + 15.0), TextAnchor::End, "d-ink", &shortened(name, 32));
        for (column, subject) in subjects.iter().enumerate() {
            let x = left + column as f64 * CELL.0;
            let Some((number, share)) = share(subject, name) else { continue };
            let said = format!("{name} on {}: {number}", subject.output.name);
            drawing.rectangle((x + 1.0, y + 1.0), (CELL.0 - 2.0, CELL.1 - 2.0), &colour(share), &said);
            let class = if share > 0.45 { "d-on-dark" } else { "d-on-light" };
            drawing.text((x + CELL.0 / 2.0, y + 15.0), TextAnchor::Middle, class, &number);
        }
    }
    drawing.finish("Effects of all parameters on all metrics")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// From white to dark blue, the same in the light and in the dark.
pub(super) fn colour(share: f64) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let mixed = [0x00, 0x4c, 0x80].map(|end: u8| (255.0 - share * (255.0 - f64::from(end))).round() as u8);
    format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
}

fn csv(subjects: &[Subject<'_>]) -> String {
    let head = ["metric", "parameter", "effect", "low", "high"].map(str::to_owned).to_vec();
    let field = |x: f64| if x.is_finite() { number_text(x) } else { String::new() };
    let lines = subjects.iter().flat_map(|subject| {
        subject.table.lines.iter().map(move |line| {
            let numbers = [line.main.value, line.main.low, line.main.high].map(field);
            [subject.output.name.clone(), line.name.to_owned()].into_iter().chain(numbers).collect()
        })
    });
    csv_lines(std::iter::once(head).chain(lines))
}
