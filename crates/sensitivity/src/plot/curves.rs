//! How indices settle as rows are added: lines with bands over a doubling axis.

use onceflow_study::with_commas;

use super::axis::PlotAxis;
use super::page::{GREY, INK, MARGIN, PAPER, PlotHeading, QUIET, WIDTH, axis_left, notes};
use super::progress::{IndexProgress, ProgressCurve};
use super::words::{shortened, width};
use crate::svg::{Stroke, Svg, SvgText, TextAnchor};

/// Okabe and Ito's colours without yellow, which paper swallows; dashes tell them apart in print.
const LOOKS: [(&str, &str); 8] = [
    ("#0072b2", ""),
    ("#d55e00", "7 3"),
    ("#009e73", "2 3"),
    ("#cc79a7", "9 3 2 3"),
    ("#e69f00", "4 2"),
    ("#56b4e9", "12 3"),
    ("#222222", "1 2"),
    ("#8c510a", "6 2 1 2 1 2"),
];
const HEIGHT: f64 = 380.0;
const LABEL: f64 = 11.5;

/// The picture: the largest indices in colour with their bands, the others pale.
pub fn convergence_plot(progress: &IndexProgress) -> String {
    let heading = PlotHeading::new(
        &format!("Convergence of the {} over {}", progress.index, progress.unit),
        &progress.output,
        progress.rows,
        &progress.interval,
    );
    let mut svg = Svg::default();
    let top = heading.draw(&mut svg) + 4.0;
    let order = by_last_value(progress);
    let named = &order[..order.len().min(LOOKS.len())];
    let (left, right) = (MARGIN + 62.0, WIDTH - MARGIN - label_width(progress, named) - 14.0);
    let y = value_axis(progress, named, top);
    let x = Doubling::new(&progress.sizes, (left + 8.0, right - 4.0));
    axis_left(&mut svg, &y, left, right, &progress.index);
    x.draw(&mut svg, &progress.sizes, (left, right), top + HEIGHT, &progress.unit);
    for place in order.iter().skip(LOOKS.len()).rev() {
        curve(&mut svg, progress, &progress.lines[*place], (&x, &y), None);
    }
    for (look, place) in named.iter().enumerate().rev() {
        curve(&mut svg, progress, &progress.lines[*place], (&x, &y), Some(LOOKS[look]));
    }
    end_labels(&mut svg, progress, named, &y, right, top);
    let others = order.len() - named.len();
    let note = match others {
        0 => None,
        1 => Some("One other, with smaller values, is pale and has no band.".to_string()),
        more => Some(format!("{more} others, with smaller values, are pale and have no band.")),
    };
    let end = notes(&mut svg, top + HEIGHT + 42.0, note.as_slice());
    heading.finish(&svg, end + MARGIN)
}

fn last_value(line: &ProgressCurve) -> f64 {
    line.estimates.iter().rev().map(|e| e.value).find(|v| v.is_finite()).unwrap_or(f64::NEG_INFINITY)
}

fn by_last_value(progress: &IndexProgress) -> Vec<usize> {
    let mut order: Vec<usize> = (0..progress.lines.len()).collect();
    order.sort_by(|a, b| last_value(&progress.lines[*b]).total_cmp(&last_value(&progress.lines[*a])));
    order
}

fn label_width(progress: &IndexProgress, named: &[usize]) -> f64 {
    named.iter().map(|i| width(&progress.lines[*i].name, LABEL)).fold(30.0, f64::max).min(190.0)
}

/// Bands of few rows may be very wide: the axis follows the values and, of the bands, the narrower half.
fn value_axis(progress: &IndexProgress, named: &[usize], top: f64) -> PlotAxis {
    let values = progress.lines.iter().flat_map(|l| l.estimates.iter().map(|e| e.value));
    let half = progress.sizes.len() / 2;
    let bands = named
        .iter()
        .flat_map(|i| progress.lines[*i].estimates.iter().skip(half))
        .flat_map(|e| [e.low, e.high]);
    PlotAxis::over(values.chain(bands).chain([0.0]), 6, (top + HEIGHT, top))
}

/// A horizontal axis on which each doubling takes the same way.
struct Doubling {
    ends: (f64, f64),
    places: (f64, f64),
}

impl Doubling {
    fn new(sizes: &[usize], places: (f64, f64)) -> Self {
        let power = |size: Option<&usize>| (size.copied().unwrap_or(1).max(1) as f64).log2();
        Self { ends: (power(sizes.first()), power(sizes.last())), places }
    }

    fn place(&self, size: usize) -> f64 {
        let (low, high) = self.ends;
        if high <= low {
            return (self.places.0 + self.places.1) / 2.0;
        }
        let share = ((size.max(1) as f64).log2() - low) / (high - low);
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    fn draw(&self, svg: &mut Svg, sizes: &[usize], ends: (f64, f64), y: f64, unit: &str) {
        svg.line((ends.0, y), (ends.1, y), Stroke::new(INK, 1.0));
        let mut free = f64::NEG_INFINITY;
        // From the largest back, so that the last part always has its number.
        let mut words: Vec<(f64, String)> =
            sizes.iter().map(|s| (self.place(*s), with_commas(*s as u128))).collect();
        words.reverse();
        for (x, word) in words {
            svg.line((x, y), (x, y + 5.0), Stroke::new(INK, 1.0));
            let half = width(&word, 11.0) / 2.0;
            if free == f64::NEG_INFINITY || x + half < free {
                svg.text((x, y + 18.0), &SvgText::new(&word, 11.0, QUIET).at(TextAnchor::Middle));
                free = x - half - 6.0;
            }
        }
        let label = format!("{unit} (each step doubles)");
        svg.text(
            ((ends.0 + ends.1) / 2.0, y + 36.0),
            &SvgText::new(&label, 12.0, INK).at(TextAnchor::Middle),
        );
    }
}

fn curve(
    svg: &mut Svg,
    progress: &IndexProgress,
    line: &ProgressCurve,
    (x, y): (&Doubling, &PlotAxis),
    look: Option<(&'static str, &'static str)>,
) {
    let (low, high) = (y.ends.0, y.ends.1);
    let at = |size: &usize, value: f64| (x.place(*size), y.place(value.clamp(low, high)));
    let points = || progress.sizes.iter().zip(&line.estimates).filter(|(_, e)| e.value.is_finite());
    let (colour, dashes) = look.unwrap_or((GREY, ""));
    if look.is_some() {
        let banded = || points().filter(|(_, e)| e.low.is_finite() && e.high.is_finite());
        let upper = banded().map(|(s, e)| at(s, e.high));
        let lower = banded().map(|(s, e)| at(s, e.low)).collect::<Vec<_>>().into_iter().rev();
        // Many bands over each other would hide the lines.
        let opacity = if progress.lines.len() > 4 { 0.08 } else { 0.16 };
        svg.area(&upper.chain(lower).collect::<Vec<_>>(), colour, opacity);
    }
    let middle: Vec<(f64, f64)> = points().map(|(s, e)| at(s, e.value)).collect();
    let stroke = Stroke { colour, width: if look.is_some() { 2.0 } else { 0.8 }, dashes };
    svg.polyline(&middle, stroke);
    if look.is_some() {
        middle.iter().for_each(|place| svg.circle(*place, 2.6, colour, Stroke::new(PAPER, 0.6)));
    }
}

/// Names beside the ends of the lines, moved apart where they would touch.
fn end_labels(svg: &mut Svg, progress: &IndexProgress, named: &[usize], y: &PlotAxis, right: f64, top: f64) {
    const APART: f64 = 15.0;
    let mut places: Vec<f64> = Vec::new();
    for i in named {
        let wanted = y.place(last_value(&progress.lines[*i]));
        let wanted = if wanted.is_finite() { wanted } else { top + HEIGHT };
        // The lines descend, so each label stands below the one before.
        places.push(places.last().map_or(wanted, |above: &f64| wanted.max(above + APART)));
    }
    let over = places.last().map_or(0.0, |last| (last - (top + HEIGHT)).max(0.0));
    for (place, up) in places.iter_mut().rev().zip(0..) {
        *place = place.min(top + HEIGHT - f64::from(up) * APART).max(top - over);
    }
    for ((i, place), (colour, dashes)) in named.iter().zip(places).zip(LOOKS) {
        let line = &progress.lines[*i];
        let end = y.place(last_value(line));
        svg.line((right - 4.0, end), (right + 8.0, place), Stroke::new(GREY, 0.6));
        svg.line((right + 8.0, place), (right + 24.0, place), Stroke { colour, width: 2.0, dashes });
        let short = shortened(&line.name, LABEL, 170.0);
        let tooltip = (short != line.name).then_some(line.name.as_str());
        svg.text((right + 28.0, place + 4.0), &SvgText { tooltip, ..SvgText::new(&short, LABEL, INK) });
    }
}
