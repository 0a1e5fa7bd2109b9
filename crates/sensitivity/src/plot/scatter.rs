//! Elementary effects: their size against their spread, with lines that tell additive effects from others.

use super::axis::PlotAxis;
use super::labels::{Area, place_labels};
use super::page::{BLUE, GREY, INK, MARGIN, PAPER, PlotHeading, QUIET, WIDTH, axis_below, axis_left, notes};
use super::words::{number, shortened, width};
use crate::svg::{Stroke, Svg, SvgText, TextAnchor};
use crate::{MorrisIndex, Verdict};

const LABEL: f64 = 11.5;
const PLOT_HEIGHT: f64 = 420.0;

/// The two axes.
struct Axes {
    x: PlotAxis,
    y: PlotAxis,
}

/// The picture of factors and, where there are any, their verdicts.
pub(super) fn draw(heading: &PlotHeading, factors: &[MorrisIndex], verdicts: &[Verdict]) -> String {
    let mut svg = Svg::default();
    let top = heading.draw(&mut svg);
    let top = legend(&mut svg, top, !verdicts.is_empty());
    let axes = Axes::new(factors, top);
    axis_below(&mut svg, &axes.x, axes.y.places.1, axes.y.places.0, "mu* (mean absolute effect)");
    axis_left(&mut svg, &axes.y, axes.x.places.0, axes.x.places.1, "sigma (spread of the effects)");
    let taken = guides(&mut svg, &axes);
    let (shown, without): (Vec<usize>, Vec<usize>) = (0..factors.len())
        .partition(|i| factors[*i].mu_star.value.is_finite() && factors[*i].sigma.is_finite());
    points(&mut svg, &axes, factors, verdicts, &shown);
    let unplaced = labels(&mut svg, &axes, factors, &shown, taken);
    let lines = remarks(factors, &without, &unplaced);
    let end = notes(&mut svg, axes.y.places.0 + 42.0, &lines);
    heading.finish(&svg, end + MARGIN)
}

impl Axes {
    fn new(factors: &[MorrisIndex], top: f64) -> Self {
        let mu_star = factors.iter().flat_map(|f| [f.mu_star.value, f.mu_star.high, f.mu_star.low]);
        let x = PlotAxis::over(mu_star.chain([0.0]), 6, (MARGIN + 62.0, WIDTH - MARGIN - 84.0));
        let sigma = factors.iter().map(|f| f.sigma);
        Self { x, y: PlotAxis::over(sigma.chain([0.0]), 6, (top + PLOT_HEIGHT, top)) }
    }

    fn place(&self, factor: &MorrisIndex) -> (f64, f64) {
        (self.x.place(factor.mu_star.value), self.y.place(factor.sigma))
    }

    fn frame(&self) -> Area {
        Area { left: self.x.places.0, top: self.y.places.1, right: WIDTH - 2.0, bottom: self.y.places.0 }
    }
}

/// Says where the plot may begin.
fn legend(svg: &mut Svg, top: f64, verdicts: bool) -> f64 {
    if !verdicts {
        return top + 6.0;
    }
    let mut x = MARGIN + 8.0;
    let kinds = [Verdict::Influential, Verdict::Undecided { more_rows: None }, Verdict::NotInfluential];
    for kind in kinds {
        marker(svg, (x, top + 6.0), Some(kind));
        svg.text((x + 12.0, top + 10.0), &SvgText::new(kind.word(), 11.0, QUIET));
        x += 40.0 + width(kind.word(), 11.0);
    }
    top + 28.0
}

/// Lines of constant sigma / mu*, after Garcia Sanchez et al. (2014): the first almost linear, up to the last almost
/// monotone. Says which areas their words take.
fn guides(svg: &mut Svg, axes: &Axes) -> Vec<Area> {
    let mut taken = Vec::new();
    for (slope, words) in [(1.0, "sigma = mu*"), (0.5, "sigma = mu*/2"), (0.1, "sigma = mu*/10")] {
        let (right, top) = (axes.x.ends.1, axes.y.ends.1);
        let end = if slope * right <= top { (right, slope * right) } else { (top / slope, top) };
        let from = (axes.x.place(0.0), axes.y.place(0.0));
        let to = (axes.x.place(end.0), axes.y.place(end.1));
        svg.line(from, to, Stroke::new(GREY, 1.0).dashed("4 4"));
        let at_top = slope * right > top;
        let (place, anchor) = if at_top {
            ((to.0, to.1 - 5.0), TextAnchor::Middle)
        } else {
            ((to.0 + 4.0, to.1 + 4.0), TextAnchor::Start)
        };
        svg.text(place, &SvgText::new(words, 10.5, QUIET).at(anchor));
        let wide = width(words, 10.5);
        let left = if at_top { place.0 - wide / 2.0 } else { place.0 };
        taken.push(Area { left, top: place.1 - 10.0, right: left + wide, bottom: place.1 + 3.0 });
    }
    taken
}

fn points(svg: &mut Svg, axes: &Axes, factors: &[MorrisIndex], verdicts: &[Verdict], shown: &[usize]) {
    for i in shown {
        let (factor, place) = (&factors[*i], axes.place(&factors[*i]));
        let (low, high) = (axes.x.place(factor.mu_star.low), axes.x.place(factor.mu_star.high));
        svg.line((low, place.1), (high, place.1), Stroke::new(INK, 1.0));
        for x in [low, high] {
            svg.line((x, place.1 - 3.0), (x, place.1 + 3.0), Stroke::new(INK, 1.0));
        }
    }
    shown.iter().for_each(|i| marker(svg, axes.place(&factors[*i]), verdicts.get(*i).copied()));
}

/// Filled, open or pale: told apart without colour.
fn marker(svg: &mut Svg, place: (f64, f64), verdict: Option<Verdict>) {
    match verdict {
        Some(Verdict::Undecided { .. }) => svg.circle(place, 4.5, PAPER, Stroke::new(BLUE, 2.0)),
        Some(Verdict::NotInfluential) => svg.circle(place, 3.2, GREY, Stroke::new(PAPER, 0.8)),
        Some(Verdict::Influential) | None => svg.circle(place, 5.0, BLUE, Stroke::new(PAPER, 0.8)),
    }
}

/// Writes the labels, those of large effects first, and says which found no place.
fn labels(
    svg: &mut Svg,
    axes: &Axes,
    factors: &[MorrisIndex],
    shown: &[usize],
    mut taken: Vec<Area>,
) -> Vec<String> {
    let mut order = shown.to_vec();
    order.sort_by(|a, b| factors[*b].mu_star.value.total_cmp(&factors[*a].mu_star.value));
    taken.extend(order.iter().map(|i| whisker(axes, &factors[*i])));
    let named: Vec<(String, (f64, f64))> = order
        .iter()
        .map(|i| (shortened(&factors[*i].name, LABEL, 170.0), axes.place(&factors[*i])))
        .collect();
    let places = place_labels(&named, LABEL, axes.frame(), taken);
    let mut unplaced = Vec::new();
    for ((i, (words, _)), placed) in order.iter().zip(&named).zip(places) {
        let Some(placed) = placed else {
            unplaced.push(factors[*i].name.clone());
            continue;
        };
        if let Some((from, to)) = placed.leader {
            svg.line(from, to, Stroke::new(GREY, 0.8));
        }
        let tooltip = (*words != factors[*i].name).then_some(factors[*i].name.as_str());
        svg.text(placed.base, &SvgText { tooltip, ..SvgText::new(words, LABEL, INK) });
    }
    unplaced
}

fn whisker(axes: &Axes, factor: &MorrisIndex) -> Area {
    let (x, y) = axes.place(factor);
    let end = |value: f64| if value.is_finite() { axes.x.place(value) } else { x };
    Area { left: end(factor.mu_star.low), top: y - 2.0, right: end(factor.mu_star.high), bottom: y + 2.0 }
}

fn remarks(factors: &[MorrisIndex], without: &[usize], unplaced: &[String]) -> Vec<String> {
    let mut lines = vec![
        "Below sigma = mu*/10 effects are almost linear, below mu*/2 monotone, below mu* almost monotone; above, they \
         change sign or depend on other parameters."
            .to_string(),
    ];
    if !without.is_empty() {
        let each =
            without.iter().map(|i| format!("{} mu* {}", factors[*i].name, number(factors[*i].mu_star.value)));
        lines.push(format!("Without sigma (words or groups): {}", each.collect::<Vec<_>>().join("; ")));
    }
    if !unplaced.is_empty() {
        lines.push(format!("Without a label for lack of space: {}", unplaced.join(", ")));
    }
    lines
}
