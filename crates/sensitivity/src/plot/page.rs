//! Common parts of plots: colours, a heading, axes and legends.

use onceflow_study::with_commas;

use super::axis::PlotAxis;
use super::words::wrapped;
use crate::IntervalMethod;
use crate::svg::{Stroke, Svg, SvgElement, SvgText, TextAnchor};

/// Black on paper, not on screen.
pub(super) const INK: &str = "#222222";
/// Less important words.
pub(super) const QUIET: &str = "#5a5a5a";
/// Lines behind the data.
pub(super) const GRID: &str = "#dddddd";
/// Okabe and Ito's blue: dark in print.
pub(super) const BLUE: &str = "#0072b2";
/// Their orange, lightened: pale in print.
pub(super) const ORANGE: &str = "#f5c26b";
/// For elements of less importance.
pub(super) const GREY: &str = "#9a9a9a";
/// The paper.
pub(super) const PAPER: &str = "#ffffff";

const FONTS: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/// Width of every plot.
pub(super) const WIDTH: f64 = 780.0;
/// Space around it.
pub(super) const MARGIN: f64 = 16.0;
/// Size of most words.
pub(super) const SIZE: f64 = 12.0;

/// The heading above a plot.
#[derive(Clone, Debug)]
pub(super) struct PlotHeading {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// For readers who cannot see the picture, and for papers.
    pub(super) description: String,
}

impl PlotHeading {
    /// What is shown of which output, from how many rows, with which intervals.
    pub(super) fn new(what: &str, output: &str, rows: usize, interval: &IntervalMethod) -> Self {
        let mut subtitle = format!("output {output} · {} rows", with_commas(rows as u128));
        let mut description = format!("{what} of the output {output} from {rows} rows.");
        if interval.name != "none" {
            let percent = interval.confidence * 100.0;
            let decimals = usize::from((percent - percent.round()).abs() > 1e-9);
            subtitle.push_str(&format!(" · {percent:.decimals$} % intervals: {}", interval.name));
            description.push_str(&format!(" Intervals: {}.", interval.citation));
        }
        Self { title: what.into(), subtitle, description }
    }

    /// Writes it and says where the plot may begin.
    pub(super) fn draw(&self, svg: &mut Svg) -> f64 {
        let mut y = MARGIN;
        for line in wrapped(&self.title, 17.0, WIDTH - 2.0 * MARGIN) {
            y += 20.0;
            svg.text((MARGIN, y), &SvgText { bold: true, ..SvgText::new(&line, 17.0, INK) });
        }
        for line in wrapped(&self.subtitle, SIZE, WIDTH - 2.0 * MARGIN) {
            y += 17.0;
            svg.text((MARGIN, y), &SvgText::new(&line, SIZE, QUIET));
        }
        y + 14.0
    }

    /// The document.
    pub(super) fn finish(&self, svg: &Svg, height: f64) -> String {
        let (title, height) = (format!("{}: {}", self.title, self.subtitle), height.ceil());
        let mut content = Svg::default();
        content.push(&SvgElement::new("title").words(&title));
        content.push(&SvgElement::new("desc").words(&self.description));
        content.push(
            &SvgElement::new("rect").number("width", WIDTH).number("height", height).attribute("fill", PAPER),
        );
        content.extend(svg);
        let root =
            SvgElement::document(WIDTH, height).attribute("role", "img").attribute("font-family", FONTS);
        format!("{}\n", root.children(&content))
    }
}

/// An axis below a plot that reaches from `top` to `bottom`: ticks, light lines, and what it measures.
pub(super) fn axis_below(svg: &mut Svg, axis: &PlotAxis, top: f64, bottom: f64, label: &str) {
    for (value, word) in axis.ticks() {
        let x = axis.place(value);
        svg.line((x, top), (x, bottom), Stroke::new(GRID, 1.0));
        svg.text((x, bottom + 16.0), &SvgText::new(&word, 11.0, QUIET).at(TextAnchor::Middle));
    }
    svg.line((axis.places.0, bottom), (axis.places.1, bottom), Stroke::new(INK, 1.0));
    let middle = (axis.places.0 + axis.places.1) / 2.0;
    svg.text((middle, bottom + 34.0), &SvgText::new(label, SIZE, INK).at(TextAnchor::Middle));
}

/// An axis to the left of a plot that reaches from `left` to `right`.
pub(super) fn axis_left(svg: &mut Svg, axis: &PlotAxis, left: f64, right: f64, label: &str) {
    for (value, word) in axis.ticks() {
        let y = axis.place(value);
        svg.line((left, y), (right, y), Stroke::new(GRID, 1.0));
        svg.text((left - 6.0, y + 4.0), &SvgText::new(&word, 11.0, QUIET).at(TextAnchor::End));
    }
    svg.line((left, axis.places.0), (left, axis.places.1), Stroke::new(INK, 1.0));
    let middle = (axis.places.0 + axis.places.1) / 2.0;
    let label = SvgText { turn: -90.0, ..SvgText::new(label, SIZE, INK).at(TextAnchor::Middle) };
    svg.text((MARGIN + 8.0, middle), &label);
}

/// Lines of small print below a plot; says where they end.
pub(super) fn notes(svg: &mut Svg, mut y: f64, notes: &[String]) -> f64 {
    for line in notes.iter().flat_map(|note| wrapped(note, 11.0, WIDTH - 2.0 * MARGIN)) {
        y += 15.0;
        svg.text((MARGIN, y), &SvgText::new(&line, 11.0, QUIET));
    }
    y
}
