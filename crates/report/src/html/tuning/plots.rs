//! Plots of a search: its history, the gain on both sides, the front, and the rows by their values.

use onceflow_sensitivity::svg::TextAnchor;
use onceflow_sensitivity::{csv_lines, number_text, short_number};

use super::super::drawing::{Drawing, FinishedDrawing};
use super::super::element::paragraph;
use super::super::figure::figure;
use super::super::pair::mark_at;
use super::frame::PlotFrame;
use super::rows::SearchRows;
use crate::{Answer, RowRecord, TuneAnswer};

const WIDE: (f64, f64) = (640.0, 300.0);
const SQUARE: (f64, f64) = (440.0, 340.0);
const SMALL: (f64, f64) = (270.0, 170.0);

/// All of them.
pub(super) fn all(answer: &Answer, tuning: &TuneAnswer) -> String {
    let rows = SearchRows::of(answer, tuning);
    if rows.tried.len() < 2 {
        return String::new();
    }
    let wide = [history(&rows), parallel(&rows)];
    let square = [gains(tuning), front(&rows)];
    format!("<div class=\"plots\">\n{}{}</div>\n{}", wide.concat(), square.concat(), slices(&rows))
}

/// Each row, the best so far, and what random rows would have reached.
fn history(rows: &SearchRows<'_>) -> String {
    let random = &rows.tuning.random;
    let values = rows.tried.iter().map(|(_, given)| given[0]);
    let count = rows.tuning.history.len().max(random.len());
    let frame = PlotFrame::new(WIDE, [1.0, count as f64], values.chain(random.iter().copied()));
    let mut drawing = Drawing::new(WIDE.0, WIDE.1);
    frame.draw(&mut drawing, "rows", rows.objective());
    let best = best_so_far(rows);
    for (place, tried) in rows.tuning.history.iter().enumerate() {
        if let Some(given) = &tried.objectives {
            drawing.circle(frame.place(place as f64 + 1.0, given[0]), 2.6, "d-cloud");
        }
    }
    if let Some(default) = rows.marked()[0].and_then(|row| rows.given(row)) {
        frame.level(&mut drawing, default[0], "d-mark");
    }
    let expected: Vec<(f64, f64)> =
        random.iter().enumerate().map(|(place, value)| frame.place(place as f64 + 1.0, *value)).collect();
    drawing.path(&expected, "d-other");
    let steps = best.windows(2).flat_map(|pair| {
        let (from, to) = (pair[0], pair[1]);
        [frame.place(from.0, from.1), frame.place(to.0, from.1)]
    });
    let last = best.last().map(|(x, y)| frame.place(*x, *y));
    drawing.path(&steps.chain(last).collect::<Vec<_>>(), "d-line");
    let caption = if random.is_empty() {
        "A dot for each row in the order of the proposals; the line: the best so far; dashed: the defaults."
    } else {
        "A dot for each row in the order of the proposals; the line: the best so far; the grey line: the mean of the best of as \
         many random rows; dashed: the defaults."
    };
    let title = format!("{} of each row in the order of the proposals", rows.objective());
    figure(&drawing.finish(&title), "tuning-history", caption, Some(&history_csv(rows, &best)))
}

/// The number of each row from 1 on that has a value, and the best value up to it.
fn best_so_far(rows: &SearchRows<'_>) -> Vec<(f64, f64)> {
    let mut best: Option<f64> = None;
    let mut points = Vec::new();
    for (place, tried) in rows.tuning.history.iter().enumerate() {
        if let Some(value) = tried.objectives.as_ref().and_then(|given| given.first().copied()) {
            let is_better =
                best.is_none_or(|best| if rows.maximizes() { value > best } else { value < best });
            best = if is_better { Some(value) } else { best };
            points.push((place as f64 + 1.0, best.unwrap_or(value)));
        }
    }
    points
}

fn history_csv(rows: &SearchRows<'_>, best: &[(f64, f64)]) -> String {
    let head = ["row", rows.objective(), "best so far", "random"].map(str::to_owned).to_vec();
    let line = |((record, given), (number, best)): (&(&RowRecord, &[f64]), &(f64, f64))| {
        let random = rows.tuning.random.get(*number as usize - 1).map(|value| number_text(*value));
        vec![record.row.to_string(), number_text(given[0]), number_text(*best), random.unwrap_or_default()]
    };
    csv_lines(std::iter::once(head).chain(rows.tried.iter().zip(best).map(line)))
}

/// The gain on the images that took part against that on the others.
fn gains(tuning: &TuneAnswer) -> String {
    let Some(held) = tuning.held_out.as_ref().filter(|held| held.curve.len() > 1) else {
        return String::new();
    };
    let points = &held.curve;
    let both = || points.iter().flat_map(|(_, training, held)| [*training, *held]).chain([0.0]);
    let frame = PlotFrame::new(SQUARE, both(), both());
    let mut drawing = Drawing::new(SQUARE.0, SQUARE.1);
    frame.draw(&mut drawing, "gain on the images that took part", "gain on held-out slides");
    let [x, y] = frame.ends();
    let (low, high) = (x.0.max(y.0), x.1.min(y.1));
    drawing.line(frame.place(low, low), frame.place(high, high), "d-mark");
    let places: Vec<(f64, f64)> =
        points.iter().map(|(_, training, held)| frame.place(*training, *held)).collect();
    drawing.path(&places, "d-other");
    places.iter().for_each(|place| drawing.circle(*place, 3.0, "d-dot"));
    if let Some((_, training, held)) = points.last() {
        mark_at(&mut drawing, frame.place(*training, *held), 6.0, true);
    }
    let head = ["row", "training gain", "held-out gain"].map(str::to_owned).to_vec();
    let line = |(row, training, held): &(u64, f64, f64)| {
        vec![row.to_string(), number_text(*training), number_text(*held)]
    };
    let csv = csv_lines(std::iter::once(head).chain(points.iter().map(line)));
    let caption = "Rows that were the best so far, in their order; the circle: the last of them. On the dashed line the whole gain \
                   survives on other slides; below it a part does.";
    figure(&drawing.finish("Training gain against held-out gain"), "tuning-gains", caption, Some(&csv))
}

/// Two objectives against each other, with the front and the row that is chosen from it.
fn front(rows: &SearchRows<'_>) -> String {
    let [first, second, ..] = rows.tuning.objectives.as_slice() else { return String::new() };
    let at = |given: &[f64]| Some((*given.first()?, *given.get(1)?));
    let points: Vec<(f64, f64)> = rows.tried.iter().filter_map(|(_, given)| at(given)).collect();
    let frame = PlotFrame::new(SQUARE, points.iter().map(|p| p.0), points.iter().map(|p| p.1));
    let mut drawing = Drawing::new(SQUARE.0, SQUARE.1);
    frame.draw(&mut drawing, first, second);
    points.iter().for_each(|(x, y)| drawing.circle(frame.place(*x, *y), 2.2, "d-cloud"));
    let mut ends: Vec<(f64, f64)> = rows.tuning.front.iter().filter_map(|row| at(&row.objectives)).collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends: Vec<(f64, f64)> = ends.into_iter().map(|(x, y)| frame.place(x, y)).collect();
    if rows.tuning.objectives.len() == 2 {
        drawing.path(&ends, "d-line");
    }
    ends.iter().for_each(|place| drawing.circle(*place, 3.0, "d-dot"));
    for (mark, row) in rows.marked().into_iter().enumerate() {
        if let Some((x, y)) = row.and_then(|row| at(rows.given(row)?)) {
            mark_at(&mut drawing, frame.place(x, y), 6.0, mark == 1);
        }
    }
    let head = ["row", first, second].map(str::to_owned).to_vec();
    let line = |row: &crate::TunedRow| {
        std::iter::once(row.row.to_string())
            .chain(row.objectives.iter().take(2).map(|x| number_text(*x)))
            .collect()
    };
    let csv = csv_lines(std::iter::once(head).chain(rows.tuning.front.iter().map(line)));
    let caption = "A dot for each row; the line: rows that no other row beats in both. The circle: the row that is nearest to the \
                   best of both, which is chosen; the cross: the defaults.";
    figure(&drawing.finish(&format!("{first} against {second}")), "tuning-front", caption, Some(&csv))
}

/// Rows as lines over all parameters that vary.
fn parallel(rows: &SearchRows<'_>) -> String {
    if rows.columns.len() < 2 {
        return String::new();
    }
    let (left, right, top, bottom) = (52.0, 640.0 - 52.0, 24.0, 214.0);
    let scales: Vec<_> = rows.columns.iter().map(|column| rows.scale(*column)).collect();
    let step = (right - left) / (scales.len() - 1) as f64;
    let mut drawing = Drawing::new(WIDE.0, WIDE.1);
    let line = |row: &RowRecord| -> Vec<(f64, f64)> {
        let point = |(axis, column): (usize, &usize)| {
            let (scale, value) = (&scales[axis], row.values.get(*column)?);
            let share = (scale.place(value)? - scale.low) / (scale.high - scale.low);
            Some((left + axis as f64 * step, bottom - share * (bottom - top)))
        };
        rows.columns.iter().enumerate().filter_map(point).collect()
    };
    let mut order: Vec<usize> = (0..rows.tried.len()).collect();
    order.sort_by(|a, b| rows.tried[*a].1[0].total_cmp(&rows.tried[*b].1[0]));
    if !rows.maximizes() {
        order.reverse();
    }
    // The best tenth is drawn over the others.
    let good = order.len() - order.len().div_ceil(10);
    for (rank, place) in order.iter().enumerate() {
        drawing.path(&line(rows.tried[*place].0), if rank < good { "d-thread" } else { "d-good" });
    }
    let [default, best] = rows.marked();
    default.iter().for_each(|row| drawing.path(&line(row), "d-dashed"));
    best.iter().for_each(|row| drawing.path(&line(row), "d-mark-inside"));
    for (axis, (scale, column)) in scales.iter().zip(&rows.columns).enumerate() {
        let x = left + axis as f64 * step;
        drawing.line((x, top), (x, bottom), "d-grid");
        let word = |at: f64| scale.words.get(at as usize).cloned().unwrap_or_else(|| short_number(at));
        drawing.text((x, top - 8.0), TextAnchor::Middle, "d-quiet", &word(scale.high));
        drawing.text((x, bottom + 14.0), TextAnchor::Middle, "d-quiet", &word(scale.low));
        drawing.slanted((x + 4.0, bottom + 30.0), "d-quiet", rows.name(*column));
    }
    let title = format!("The values of all rows; strong: the best tenth by {}", rows.objective());
    let caption = "A line for each row over all parameters that vary; blue: the best tenth; red: the best values; dashed: the defaults.";
    figure(&drawing.finish(&title), "tuning-parallel", caption, None)
}

/// The objective by the value of each parameter.
fn slices(rows: &SearchRows<'_>) -> String {
    let drawn: String = rows.columns.iter().map(|column| slice(rows, *column)).collect();
    if drawn.is_empty() {
        return drawn;
    }
    let said = "A dot for each row of the search, in which the other parameters vary too; the circle: the best values; dashed: the \
                default. Rows gather where they are good: a gap is no proof that there is nothing.";
    format!("{}<div class=\"small\">\n{drawn}</div>\n", paragraph(said))
}

fn slice(rows: &SearchRows<'_>, column: usize) -> String {
    let (name, scale) = (rows.name(column), rows.scale(column));
    let at = |row: &RowRecord| scale.place(row.values.get(column)?);
    let points: Vec<(f64, f64)> =
        rows.tried.iter().filter_map(|(row, given)| Some((at(row)?, given[0]))).collect();
    let frame = PlotFrame::new(SMALL, points.iter().map(|p| p.0), points.iter().map(|p| p.1));
    let mut drawing = Drawing::new(SMALL.0, SMALL.1);
    if scale.words.is_empty() {
        frame.draw(&mut drawing, name, rows.objective());
    } else {
        frame.draw_left(&mut drawing, rows.objective());
        frame.label_below(&mut drawing, name);
        scale.words.iter().enumerate().for_each(|(x, word)| frame.word_below(&mut drawing, x as f64, word));
    }
    let [default, best] = rows.marked();
    if let Some(x) = default.and_then(at) {
        frame.upright(&mut drawing, x, "d-mark");
    }
    points.iter().for_each(|(x, y)| drawing.circle(frame.place(*x, *y), 2.2, "d-cloud"));
    if let Some((x, given)) = best.and_then(|row| Some((at(row)?, rows.given(row)?))) {
        mark_at(&mut drawing, frame.place(x, given[0]), 5.0, true);
    }
    let finished: FinishedDrawing = drawing.finish(&format!("{} by {name}", rows.objective()));
    figure(&finished, &format!("tuning-slice-{name}"), &format!("{} by {name}.", rows.objective()), None)
}
