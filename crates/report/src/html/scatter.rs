//! One metric against another: what is good by the first may be bad by the second.

use onceflow_sensitivity::svg::TextAnchor;
use onceflow_sensitivity::{csv_lines, number_text};

use super::drawing::{Drawing, FinishedDrawing};
use super::element::section;
use super::figure::figure;
use super::pair::mark_at;
use crate::words::metric_text;
use crate::{Answer, RowRecord, RowStatus};

/// Rows that are drawn at most; of more every second, third and so on.
const MOST_ROWS: usize = 1500;

const SIZE: (f64, f64) = (460.0, 340.0);

/// The first metric against the one that sees most of what the first does not.
pub(super) fn metrics(answer: &Answer) -> String {
    let Some(scatter) = MetricScatter::of(answer) else { return String::new() };
    let caption = format!(
        "A dot for each row: {} against {}. A circle: the best row by {}; a cross: the defaults.",
        scatter.names[0], scatter.names[1], scatter.names[0]
    );
    let drawn = figure(&scatter.draw(), "metric-against-metric", &caption, Some(&scatter.csv()));
    section("scatter", &format!("{} against {}", scatter.names[0], scatter.names[1]), &drawn)
}

struct MetricScatter<'a> {
    names: [&'a str; 2],
    /// Number of the row, and both metrics.
    points: Vec<(u64, [f64; 2])>,
    /// The defaults and the best row.
    marked: [Option<[f64; 2]>; 2],
    low: [f64; 2],
    high: [f64; 2],
}

impl<'a> MetricScatter<'a> {
    fn of(answer: &'a Answer) -> Option<Self> {
        let sees_objects = |place: &usize| {
            let measure = answer.metrics.get(*place).and_then(|metric| metric.measure.as_deref());
            matches!(measure, Some("object_f1" | "panoptic_quality"))
        };
        let others = 1..answer.table.metrics.len();
        others.clone().filter(sees_objects).chain(others).find_map(|other| Self::with(answer, other))
    }

    fn with(answer: &'a Answer, other: usize) -> Option<Self> {
        let names = [answer.table.metrics.first()?.as_str(), answer.table.metrics.get(other)?.as_str()];
        let at = |row: &RowRecord| {
            let metric = |place: usize| row.metrics.get(place).copied().flatten().filter(|x| x.is_finite());
            let usable = !matches!(row.status, RowStatus::Failed { .. });
            usable.then(|| Some([metric(0)?, metric(other)?])).flatten()
        };
        let rows = &answer.table.rows;
        let points: Vec<(u64, [f64; 2])> = rows.iter().filter_map(|row| Some((row.row, at(row)?))).collect();
        let end = |start: f64, of: fn(f64, f64) -> f64| {
            [0, 1].map(|axis| points.iter().map(|(_, at)| at[axis]).fold(start, of))
        };
        let (low, high) = (end(f64::INFINITY, f64::min), end(f64::NEG_INFINITY, f64::max));
        let reference = rows.iter().find(|row| row.phase.is_none()).and_then(at);
        let best = answer.best.as_ref().and_then(|best| rows.get(best.row)).and_then(at);
        let varies = low[0] < high[0] && low[1] < high[1];
        (points.len() > 2 && varies).then_some(Self { names, points, marked: [reference, best], low, high })
    }

    fn draw(&self) -> FinishedDrawing {
        let (left, top, right, bottom) = (74.0, 26.0, SIZE.0 - 12.0, SIZE.1 - 40.0);
        let share =
            |at: &[f64; 2], axis: usize| (at[axis] - self.low[axis]) / (self.high[axis] - self.low[axis]);
        let place = |at: &[f64; 2]| {
            (
                left + 8.0 + share(at, 0) * (right - left - 16.0),
                bottom - 8.0 - share(at, 1) * (bottom - top - 16.0),
            )
        };
        let mut drawing = Drawing::new(SIZE.0, SIZE.1);
        for (x, y) in [(left, top), (right, bottom)] {
            drawing.line((x, top), (x, bottom), "d-grid");
            drawing.line((left, y), (right, y), "d-grid");
        }
        let step = self.points.len().div_ceil(MOST_ROWS).max(1);
        self.points.iter().step_by(step).for_each(|(_, at)| drawing.circle(place(at), 2.2, "d-cloud"));
        for (mark, at) in self.marked.iter().enumerate() {
            if let Some(at) = at {
                mark_at(&mut drawing, place(at), 6.0, mark == 1);
            }
        }
        let quiet = "d-quiet";
        drawing.text((left + 8.0, bottom + 14.0), TextAnchor::Start, quiet, &metric_text(self.low[0]));
        drawing.text((right - 8.0, bottom + 14.0), TextAnchor::End, quiet, &metric_text(self.high[0]));
        drawing.text((left - 6.0, bottom - 4.0), TextAnchor::End, quiet, &metric_text(self.low[1]));
        drawing.text((left - 6.0, top + 12.0), TextAnchor::End, quiet, &metric_text(self.high[1]));
        drawing.text(((left + right) / 2.0, bottom + 30.0), TextAnchor::Middle, "d-strong", self.names[0]);
        drawing.text((left, top - 10.0), TextAnchor::Start, "d-strong", self.names[1]);
        drawing.finish(&format!("{} against {}", self.names[0], self.names[1]))
    }

    fn csv(&self) -> String {
        let head = vec!["row".to_owned(), self.names[0].to_owned(), self.names[1].to_owned()];
        let line =
            |(row, at): &(u64, [f64; 2])| vec![row.to_string(), number_text(at[0]), number_text(at[1])];
        csv_lines(std::iter::once(head).chain(self.points.iter().map(line)))
    }
}
