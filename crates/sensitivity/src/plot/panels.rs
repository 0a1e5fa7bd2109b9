//! Coefficients around 0 side by side: one panel per coefficient, one line per parameter.

use super::page::{BLUE, GREY, GRID, INK, MARGIN, PAPER, PlotHeading, QUIET, SIZE, WIDTH, notes};
use super::words::{number, shortened, width};
use crate::IndexEstimate;
use crate::svg::{Stroke, Svg, SvgText, TextAnchor};

/// One line of the plot.
#[derive(Clone, Debug)]
pub(super) struct PlotLine {
    pub(super) name: String,
    /// One per panel.
    pub(super) estimates: Vec<IndexEstimate>,
}

/// Position of one panel.
struct Panel {
    left: f64,
    width: f64,
    top: f64,
    bottom: f64,
    /// The coefficient at its right end; its negative is at the left one.
    reach: f64,
}

const LINE: f64 = 22.0;
const GAP: f64 = 36.0;

/// The picture; lines with the largest coefficients first, those without numbers last.
pub(super) fn draw(heading: &PlotHeading, titles: &[&str], mut lines: Vec<PlotLine>) -> String {
    lines.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    let mut svg = Svg::default();
    let top = heading.draw(&mut svg) + 18.0;
    let longest = lines.iter().map(|l| width(&l.name, SIZE)).fold(40.0, f64::max).min(0.28 * WIDTH);
    let bottom = top + lines.len() as f64 * LINE;
    let left = MARGIN + longest + 14.0;
    let gaps = GAP * (titles.len() as f64 - 1.0);
    let wide = (WIDTH - MARGIN - left - gaps) / titles.len() as f64;
    for (place, title) in titles.iter().enumerate() {
        let left = left + place as f64 * (wide + GAP);
        let panel = Panel { left, width: wide, top, bottom, reach: reach(&lines) };
        panel.frame(&mut svg, title);
        for (i, line) in lines.iter().enumerate() {
            panel.point(&mut svg, top + (i as f64 + 0.5) * LINE, &line.estimates[place]);
        }
    }
    names(&mut svg, &lines, top, longest);
    let end = notes(&mut svg, bottom + 22.0, &remarks(&lines));
    heading.finish(&svg, end + MARGIN)
}

fn largest(line: &PlotLine) -> f64 {
    let sizes = line.estimates.iter().map(|e| e.value.abs()).filter(|v| v.is_finite());
    sizes.fold(f64::NEG_INFINITY, f64::max)
}

/// Half of every panel's range: the same for all, and no larger than it must be. Coefficients beyond 1, which
/// regressions on dependent columns have, stand at the ends.
fn reach(lines: &[PlotLine]) -> f64 {
    let ends = lines.iter().flat_map(|l| &l.estimates).flat_map(|e| [e.value, e.low, e.high]);
    let most = ends.map(f64::abs).filter(|v| v.is_finite()).fold(0.0, f64::max);
    [0.1, 0.2, 0.5].into_iter().find(|r| most <= *r).unwrap_or(1.0)
}

fn names(svg: &mut Svg, lines: &[PlotLine], top: f64, longest: f64) {
    for (i, line) in lines.iter().enumerate() {
        let short = shortened(&line.name, SIZE, longest);
        let tooltip = (short != line.name).then_some(line.name.as_str());
        let text = SvgText { tooltip, ..SvgText::new(&short, SIZE, INK).at(TextAnchor::End) };
        svg.text((MARGIN + longest, top + (i as f64 + 0.5) * LINE + 4.0), &text);
    }
}

fn remarks(lines: &[PlotLine]) -> Vec<String> {
    let mut remarks = vec!["Filled: the interval lies on one side of 0.".to_string()];
    if lines.iter().flat_map(|l| &l.estimates).any(|e| !e.value.is_finite()) {
        remarks.push(
            "None: the parameter has words for values, does not vary, or depends on others linearly.".into(),
        );
    }
    remarks
}

impl Panel {
    fn place(&self, value: f64) -> f64 {
        self.left + self.width / 2.0 * (1.0 + (value / self.reach).clamp(-1.0, 1.0))
    }

    fn frame(&self, svg: &mut Svg, title: &str) {
        let heading = SvgText { bold: true, ..SvgText::new(title, SIZE, INK).at(TextAnchor::Middle) };
        svg.text((self.place(0.0), self.top - 8.0), &heading);
        for share in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            let x = self.place(share * self.reach);
            let stroke = if share == 0.0 { Stroke::new(INK, 1.0) } else { Stroke::new(GRID, 1.0) };
            svg.line((x, self.top), (x, self.bottom), stroke);
        }
        for value in [-self.reach, 0.0, self.reach] {
            let words = value.to_string();
            let text = SvgText::new(&words, 11.0, QUIET).at(TextAnchor::Middle);
            svg.text((self.place(value), self.bottom + 15.0), &text);
        }
    }

    fn point(&self, svg: &mut Svg, y: f64, estimate: &IndexEstimate) {
        if !estimate.value.is_finite() {
            let none = number(f64::NAN);
            svg.text((self.place(0.0), y + 4.0), &SvgText::new(&none, 10.5, GREY).at(TextAnchor::Middle));
            return;
        }
        let (low, high) = (self.place(estimate.low), self.place(estimate.high));
        svg.line((low, y), (high, y), Stroke::new(INK, 1.4));
        for x in [low, high] {
            svg.line((x, y - 3.5), (x, y + 3.5), Stroke::new(INK, 1.4));
        }
        let clear = estimate.low > 0.0 || estimate.high < 0.0;
        let fill = if clear { BLUE } else { PAPER };
        svg.circle((self.place(estimate.value), y), 3.0, fill, Stroke::new(BLUE, 1.4));
    }
}
