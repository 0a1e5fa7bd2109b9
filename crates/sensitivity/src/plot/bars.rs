//! Horizontal bars with intervals: one block per parameter, one bar per index.

use super::axis::PlotAxis;
use super::page::{BLUE, GREY, INK, MARGIN, ORANGE, PAPER, PlotHeading, QUIET, SIZE, WIDTH, axis_below};
use super::words::{shortened, width};
use crate::IndexEstimate;
use crate::svg::{Stroke, Svg, SvgText, TextAnchor};

/// Bars of several parameters on one axis.
#[derive(Clone, Debug)]
pub(super) struct BarPlot {
    pub(super) heading: PlotHeading,
    /// What the axis measures.
    pub(super) axis: String,
    /// Names of the indices, one bar each.
    pub(super) indices: Vec<&'static str>,
    pub(super) blocks: Vec<BarGroup>,
    /// What separates influential parameters from others, with words for it.
    pub(super) threshold: Option<(f64, String)>,
    /// Words for the mark of parameters without effect; `None` when blocks have none.
    pub(super) mark: Option<&'static str>,
}

/// The bars of one parameter.
#[derive(Clone, Debug)]
pub(super) struct BarGroup {
    pub(super) name: String,
    /// One per index.
    pub(super) estimates: Vec<IndexEstimate>,
    /// Upper bound of the index of a parameter without effect; NaN for none.
    pub(super) mark: f64,
}

/// Positions of the elements.
struct BarLayout {
    axis: PlotAxis,
    top: f64,
    bar: f64,
    block: f64,
    /// Right end of the names.
    names: f64,
    /// Left end of the numbers.
    numbers: f64,
}

const GAP: f64 = 10.0;
const LEGEND: f64 = 22.0;

impl BarPlot {
    /// The picture: largest first, parameters without a number last.
    pub(super) fn draw(mut self) -> String {
        let key = |block: &BarGroup| block.estimates.last().map_or(f64::NAN, |e| e.value.abs());
        let key = |block: &BarGroup| if key(block).is_nan() { f64::NEG_INFINITY } else { key(block) };
        self.blocks.sort_by(|a, b| key(b).total_cmp(&key(a)));
        let mut svg = Svg::default();
        let top = self.heading.draw(&mut svg);
        let top = self.legend(&mut svg, top);
        let layout = self.layout(top);
        let bottom = layout.top + self.blocks.len() as f64 * layout.block;
        axis_below(&mut svg, &layout.axis, layout.top, bottom, &self.axis);
        for (place, block) in self.blocks.iter().enumerate() {
            self.block(&mut svg, &layout, layout.top + place as f64 * layout.block, block);
        }
        self.lines(&mut svg, &layout, bottom);
        self.heading.finish(&svg, bottom + 40.0 + MARGIN)
    }

    fn layout(&self, top: f64) -> BarLayout {
        let most = self.blocks.iter().map(|b| width(&b.name, SIZE)).fold(0.0, f64::max);
        let names = MARGIN + most.clamp(40.0, 0.34 * WIDTH);
        let ends = |e: &IndexEstimate| [e.value, e.low, e.high];
        let values = self.blocks.iter().flat_map(|b| b.estimates.iter().flat_map(ends).chain([b.mark]));
        let threshold = self.threshold.as_ref().map(|(value, _)| *value);
        let mut axis = PlotAxis::over(values.chain([0.0]).chain(threshold), 5, (names + GAP, WIDTH));
        let written = self.blocks.iter().flat_map(|b| &b.estimates).map(|e| width(&words(&axis, e), 11.0));
        let numbers = WIDTH - MARGIN - written.fold(40.0, f64::max);
        axis.places.1 = numbers - GAP;
        let bar = if self.indices.len() > 1 { 11.0 } else { 14.0 };
        BarLayout { axis, top, bar, block: self.indices.len() as f64 * (bar + 2.0) + 9.0, names, numbers }
    }

    fn block(&self, svg: &mut Svg, layout: &BarLayout, top: f64, block: &BarGroup) {
        let middle = top + layout.block / 2.0;
        let name = shortened(&block.name, SIZE, layout.names - MARGIN);
        let tooltip = (name != block.name).then_some(block.name.as_str());
        let label = SvgText { tooltip, ..SvgText::new(&name, SIZE, INK).at(TextAnchor::End) };
        svg.text((layout.names, middle + 4.0), &label);
        for (place, estimate) in block.estimates.iter().enumerate() {
            let middle = top + 4.5 + (place as f64 + 0.5) * (layout.bar + 2.0);
            bar(svg, layout, middle, estimate, fill(place));
        }
        // The mark belongs to the last index.
        let (x, bottom) = (layout.axis.place(block.mark), top + layout.block - 2.0);
        svg.line((x, bottom - layout.bar - 5.0), (x, bottom), Stroke::new(INK, 2.4));
    }

    fn lines(&self, svg: &mut Svg, layout: &BarLayout, bottom: f64) {
        let zero = layout.axis.place(0.0);
        svg.line((zero, layout.top), (zero, bottom), Stroke::new(INK, 1.0));
        if let Some((value, _)) = &self.threshold {
            let x = layout.axis.place(*value);
            svg.line((x, layout.top), (x, bottom), Stroke::new(INK, 1.0).dashed("5 3"));
        }
    }

    /// Says where the bars may begin.
    fn legend(&self, svg: &mut Svg, top: f64) -> f64 {
        let mut entries: Vec<(LegendKey, &str)> = Vec::new();
        if self.indices.len() > 1 {
            let bars = self.indices.iter().enumerate();
            entries.extend(bars.map(|(i, name)| (LegendKey::Bar(fill(i)), *name)));
        }
        entries.extend(self.threshold.as_ref().map(|(_, words)| (LegendKey::Dashes, words.as_str())));
        entries.extend(self.mark.map(|words| (LegendKey::Mark, words)));
        let (mut x, mut y) = (MARGIN, top + 8.0);
        for (key, words) in &entries {
            let wide = 28.0 + width(words, 11.0) + 18.0;
            if x > MARGIN && x + wide > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + 17.0);
            }
            key.draw(svg, x, y);
            svg.text((x + 28.0, y + 4.0), &SvgText::new(words, 11.0, QUIET));
            x += wide;
        }
        if entries.is_empty() { top } else { y + LEGEND }
    }
}

/// Signs of the legend.
enum LegendKey {
    Bar(&'static str),
    Dashes,
    Mark,
}

impl LegendKey {
    fn draw(&self, svg: &mut Svg, x: f64, y: f64) {
        match self {
            Self::Bar(fill) => svg.rectangle((x, y - 5.0), (22.0, 10.0), fill, Some(Stroke::new(INK, 0.8))),
            Self::Dashes => svg.line((x, y), (x + 22.0, y), Stroke::new(INK, 1.0).dashed("5 3")),
            Self::Mark => svg.line((x + 11.0, y - 7.0), (x + 11.0, y + 7.0), Stroke::new(INK, 2.0)),
        }
    }
}

fn bar(svg: &mut Svg, layout: &BarLayout, middle: f64, estimate: &IndexEstimate, fill: &'static str) {
    let (zero, end) = (layout.axis.place(0.0), layout.axis.place(estimate.value));
    let corner = (zero.min(end), middle - layout.bar / 2.0);
    let size = ((end - zero).abs(), layout.bar);
    svg.rectangle(corner, size, fill, Some(Stroke::new(INK, 0.8)));
    let (low, high) = (layout.axis.place(estimate.low), layout.axis.place(estimate.high));
    // A white edge keeps the interval visible on a dark bar.
    svg.line((low, middle), (high, middle), Stroke::new(PAPER, 3.4));
    svg.line((low, middle), (high, middle), Stroke::new(INK, 1.4));
    for x in [low, high] {
        svg.line((x, middle - 3.5), (x, middle + 3.5), Stroke::new(PAPER, 3.0));
        svg.line((x, middle - 3.5), (x, middle + 3.5), Stroke::new(INK, 1.4));
    }
    let colour = if estimate.value.is_finite() { INK } else { GREY };
    svg.text((layout.numbers, middle + 4.0), &SvgText::new(&words(&layout.axis, estimate), 11.0, colour));
}

/// `0.31 (0.28 to 0.35)`.
fn words(axis: &PlotAxis, estimate: &IndexEstimate) -> String {
    let value = axis.finer(estimate.value);
    let has_interval = estimate.low.is_finite() && estimate.high.is_finite();
    if has_interval {
        format!("{value} ({} to {})", axis.finer(estimate.low), axis.finer(estimate.high))
    } else {
        value
    }
}

/// Dark, then pale: told apart in print too.
fn fill(index: usize) -> &'static str {
    match index {
        0 => BLUE,
        1 => ORANGE,
        _ => PAPER,
    }
}
