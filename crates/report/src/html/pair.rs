//! The two leading parameters against each other: the mean of the first metric for each pair of values.

use onceflow_sensitivity::svg::TextAnchor;
use onceflow_sensitivity::{csv_lines, number_text, short_number};

use super::drawing::{Drawing, FinishedDrawing};
use super::element::section;
use super::figure::figure;
use super::heat::colour;
use crate::subject::Subject;
use crate::words::metric_text;
use crate::{Answer, RowRecord, RowStatus};

/// More different values than this are put together into so many ranges.
const MOST_VALUES: usize = 16;

/// The size of the map.
const SIZE: (f64, f64) = (520.0, 360.0);

/// The map; only where two numbers lead.
pub(super) fn map(answer: &Answer) -> String {
    let Some(pair) = PairMap::of(answer) else { return String::new() };
    let caption = format!(
        "Mean {} by {} and {} over the rows of {}, in which the other parameters vary too; darker is higher, an empty \
         cell has no row. A circle: the best row; a cross: the defaults.",
        pair.metric, pair.names[0], pair.names[1], pair.phase
    );
    let drawn = figure(&pair.draw(), "leading-pair", &caption, Some(&pair.csv()));
    section("pair", &format!("{} against {}", pair.names[0], pair.names[1]), &drawn)
}

struct PairMap<'a> {
    metric: &'a str,
    phase: &'a str,
    names: [&'a str; 2],
    axes: [Axis; 2],
    /// Number of rows and sum of the metric, by the places on both axes.
    cells: Vec<((usize, usize), (usize, f64))>,
    /// Values of the defaults and of the best row.
    marked: [Option<[f64; 2]>; 2],
}

/// Values, or ranges of values, of one parameter.
struct Axis {
    low: f64,
    high: f64,
    /// The different values, when there are few.
    values: Vec<f64>,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut all: Vec<f64> = values.filter(|x| x.is_finite()).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let (low, high) = (*all.first()?, *all.last()?);
        if all.len() > MOST_VALUES {
            all.clear();
        }
        (low < high).then_some(Self { low, high, values: all })
    }

    fn len(&self) -> usize {
        if self.values.is_empty() { MOST_VALUES } else { self.values.len() }
    }

    /// The place of a value; `None` outside.
    fn place(&self, x: f64) -> Option<usize> {
        if !self.values.is_empty() {
            return self.values.iter().position(|value| *value == x);
        }
        let share = (x - self.low) / (self.high - self.low);
        (0.0..=1.0).contains(&share).then(|| ((share * MOST_VALUES as f64) as usize).min(MOST_VALUES - 1))
    }

    fn label(&self, place: usize) -> String {
        let step = (self.high - self.low) / MOST_VALUES as f64;
        let range = || {
            let from = self.low + place as f64 * step;
            format!("{} to {}", short_number(from), short_number(from + step))
        };
        self.values.get(place).map_or_else(range, |value| short_number(*value))
    }
}

impl<'a> PairMap<'a> {
    fn of(answer: &'a Answer) -> Option<Self> {
        let metric = answer.metrics.first()?.name.as_str();
        let subject = Subject::of(answer, metric)?;
        let [first, second, ..] = subject.table.lines.as_slice() else { return None };
        let names = [first.name, second.name];
        let columns = names.map(|name| answer.table.parameters.iter().position(|known| known == name));
        let [Some(x), Some(y)] = columns else { return None };
        let at = |row: &RowRecord| Some([row.values.get(x)?.as_f64()?, row.values.get(y)?.as_f64()?]);
        let value = |row: &RowRecord| row.metrics.first().copied().flatten().filter(|v| v.is_finite());
        let rows = answer.table.rows.get(subject.phase.rows.clone())?;
        let usable = rows.iter().filter(|row| !matches!(row.status, RowStatus::Failed { .. }));
        let points: Vec<([f64; 2], f64)> = usable.filter_map(|row| Some((at(row)?, value(row)?))).collect();
        let axes = [0, 1].map(|axis| Axis::of(points.iter().map(|(at, _)| at[axis])));
        let [Some(across), Some(up)] = axes else { return None };
        let mut cells = std::collections::BTreeMap::new();
        for (at, value) in points {
            if let Some(place) = across.place(at[0]).zip(up.place(at[1])) {
                let (count, sum) = cells.entry(place).or_insert((0, 0.0));
                *count += 1;
                *sum += value;
            }
        }
        let reference = answer.table.rows.iter().find(|row| row.phase.is_none()).and_then(at);
        let best = answer.best.as_ref().and_then(|best| answer.table.rows.get(best.row)).and_then(at);
        let marked = [reference, best];
        let phase = subject.phase.name.as_str();
        Some(Self { metric, phase, names, axes: [across, up], cells: cells.into_iter().collect(), marked })
    }

    fn draw(&self) -> FinishedDrawing {
        let (left, top, right, bottom) = (96.0, 12.0, SIZE.0 - 110.0, SIZE.1 - 44.0);
        let [across, up] = &self.axes;
        let cell = ((right - left) / across.len() as f64, (bottom - top) / up.len() as f64);
        let corner = |(x, y): (usize, usize)| (left + x as f64 * cell.0, bottom - (y + 1) as f64 * cell.1);
        let means = self.cells.iter().map(|(_, (count, sum))| sum / *count as f64);
        let (low, high) =
            means.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        // The lowest mean is not white: white cells have no row.
        let ink = |share: f64| colour(0.12 + 0.88 * share);
        let share = |mean: f64| if high > low { (mean - low) / (high - low) } else { 0.5 };
        let mut drawing = Drawing::new(SIZE.0, SIZE.1);
        for (place, (count, sum)) in &self.cells {
            let mean = sum / *count as f64;
            let said = format!(
                "{} {}, {} {}: mean {} {} of {count} rows",
                self.names[0],
                across.label(place.0),
                self.names[1],
                up.label(place.1),
                self.metric,
                metric_text(mean)
            );
            drawing.rectangle(corner(*place), (cell.0 - 1.0, cell.1 - 1.0), &ink(share(mean)), &said);
        }
        for (mark, at) in self.marked.iter().enumerate() {
            let place = at.and_then(|at| across.place(at[0]).zip(up.place(at[1])));
            let Some((x, y)) = place.map(corner) else { continue };
            let centre = (x + cell.0 / 2.0, y + cell.1 / 2.0);
            mark_at(&mut drawing, centre, cell.0.min(cell.1) * 0.32, mark == 1);
        }
        self.axes_words(&mut drawing, (left, right, bottom), &corner, cell);
        for step in 0..=4 {
            let (at, y) = (f64::from(step) / 4.0, top + 24.0 * f64::from(step));
            drawing.rectangle((right + 16.0, y), (18.0, 20.0), &ink(at), self.metric);
            let words = metric_text(low + at * (high - low));
            drawing.text((right + 40.0, y + 14.0), TextAnchor::Start, "d-quiet", &words);
        }
        drawing.finish(&format!("Mean {} by {} and {}", self.metric, self.names[0], self.names[1]))
    }

    fn axes_words(
        &self,
        drawing: &mut Drawing,
        (left, right, bottom): (f64, f64, f64),
        corner: &dyn Fn((usize, usize)) -> (f64, f64),
        cell: (f64, f64),
    ) {
        let [across, up] = &self.axes;
        for place in [0, across.len() - 1] {
            let x = corner((place, 0)).0 + cell.0 / 2.0;
            drawing.text((x, bottom + 14.0), TextAnchor::Middle, "d-quiet", &across.label(place));
        }
        for place in [0, up.len() - 1] {
            let y = corner((0, place)).1 + cell.1 / 2.0 + 4.0;
            drawing.text((left - 6.0, y), TextAnchor::End, "d-quiet", &up.label(place));
        }
        let middle = (left + right) / 2.0;
        drawing.text((middle, bottom + 32.0), TextAnchor::Middle, "d-strong", self.names[0]);
        drawing.text((left - 6.0, bottom / 2.0), TextAnchor::End, "d-strong", self.names[1]);
    }

    fn csv(&self) -> String {
        let head = [self.names[0], self.names[1], "rows", self.metric].map(str::to_owned).to_vec();
        let line = |((x, y), (count, sum)): &((usize, usize), (usize, f64))| {
            let mean = number_text(sum / *count as f64);
            vec![self.axes[0].label(*x), self.axes[1].label(*y), count.to_string(), mean]
        };
        csv_lines(std::iter::once(head).chain(self.cells.iter().map(line)))
    }
}

/// A circle for the best row, a cross for the defaults; both are seen on light and on dark.
pub(super) fn mark_at(drawing: &mut Drawing, (x, y): (f64, f64), reach: f64, best: bool) {
    let reach = reach.clamp(3.0, 9.0);
    for class in ["d-mark-around", "d-mark-inside"] {
        if best {
            drawing.circle((x, y), reach, class);
        } else {
            drawing.line((x - reach, y - reach), (x + reach, y + reach), class);
            drawing.line((x - reach, y + reach), (x + reach, y - reach), class);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Axis;

    #[test]
    fn few_values_have_places_of_their_own_and_many_share_ranges() {
        let few = Axis::of([4.0, 8.0, 4.0].into_iter()).unwrap();
        assert_eq!((few.len(), few.place(8.0), few.place(6.0)), (2, Some(1), None));
        let many = Axis::of((0..=160).map(f64::from)).unwrap();
        let places = [0.0, 9.9, 10.0, 160.0, 161.0].map(|x| many.place(x));
        assert_eq!(places, [Some(0), Some(0), Some(1), Some(15), None]);
        assert_eq!(many.label(1), "10 to 20");
        assert!(Axis::of([3.0, 3.0].into_iter()).is_none());
    }
}
