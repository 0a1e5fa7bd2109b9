//! A Gantt chart as SVG: time to the right, nodes downwards.

use onceflow_sensitivity::svg::{Stroke, Svg, SvgElement, SvgText, TextAnchor};

use super::{BarOwner, GanttBar, GanttChart};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 54.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 34.0;
/// A picture of more bars would be slower to open than to read.
const MOST_BARS: usize = 20_000;

/// Okabe and Ito's colours: jobs one after the other.
const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8b01a"];

/// The chart as a picture of its own.
pub fn gantt_svg(chart: &GanttChart) -> String {
    let mut svg = Svg::default();
    svg.push(&SvgElement::new("title").words(&chart.title));
    svg.rectangle((0.0, 0.0), (WIDTH, HEIGHT), "#ffffff", None);
    svg.text((LEFT, 20.0), &SvgText { bold: true, ..SvgText::new(&chart.title, 13.0, "#1c1f23") });
    let end = axis(&mut svg, chart);
    for (place, bar) in chart.bars.iter().take(MOST_BARS).enumerate() {
        draw(&mut svg, chart, bar, COLOURS[place % COLOURS.len()], end);
    }
    let root = SvgElement::document(WIDTH, HEIGHT).attribute("role", "img");
    format!("{}\n", root.attribute("font-family", "system-ui, Arial, sans-serif").children(&svg))
}

fn column(time: u64, end: f64) -> f64 {
    LEFT + (WIDTH - LEFT - 16.0) * time as f64 / end
}

fn line_of(node: u64, nodes: u64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * node as f64 / nodes.max(1) as f64
}

/// Both axes; the time at the right end.
fn axis(svg: &mut Svg, chart: &GanttChart) -> f64 {
    let end = chart.end().max(1) as f64;
    let bottom = HEIGHT - BOTTOM;
    let step = step(end);
    let mut at = 0.0;
    while at <= end {
        let x = column(at as u64, end);
        svg.line((x, TOP), (x, bottom), Stroke::new("#dfe2e6", 1.0));
        let words = format!("{at} s");
        svg.text((x, bottom + 16.0), &SvgText::new(&words, 11.0, "#5c6570").at(TextAnchor::Middle));
        at += step;
    }
    for (node, y) in [(0, TOP), (chart.nodes, bottom)] {
        svg.line((LEFT, y), (WIDTH - 16.0, y), Stroke::new("#5c6570", 1.0));
        svg.text(
            (LEFT - 6.0, y + 4.0),
            &SvgText::new(&node.to_string(), 11.0, "#5c6570").at(TextAnchor::End),
        );
    }
    let words = SvgText { turn: -90.0, ..SvgText::new("nodes", 11.0, "#5c6570").at(TextAnchor::Middle) };
    svg.text((18.0, f64::midpoint(TOP, bottom)), &words);
    end
}

/// A round step of five to ten marks.
fn step(end: f64) -> f64 {
    let rough = (end / 8.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    factors.into_iter().map(|factor| factor * power).find(|step| *step >= rough).unwrap_or(rough)
}

fn draw(svg: &mut Svg, chart: &GanttChart, bar: &GanttBar, colour: &str, end: f64) {
    let fill = if bar.owner == BarOwner::Others { "#c9ced4" } else { colour };
    let tooltip = format!("{}: {} nodes, {} to {} s", bar.name, bar.width(), bar.start, bar.end);
    let (x, right) = (column(bar.start, end), column(bar.end, end));
    for (first, count) in &bar.nodes {
        let (y, bottom) = (line_of(*first, chart.nodes), line_of(first + count, chart.nodes));
        let size = ((right - x).max(0.5), (bottom - y).max(0.5));
        let block = SvgElement::rectangle((x, y), size).attribute("fill", fill);
        let outline = if bar.owner == BarOwner::Stopped { "#b00020" } else { "#ffffff" };
        svg.push(&block.stroke(Stroke::new(outline, 0.8)).tooltip(&tooltip));
    }
    let Some((first, count)) = bar.nodes.iter().max_by_key(|(_, count)| *count) else { return };
    let (y, bottom) = (line_of(*first, chart.nodes), line_of(first + count, chart.nodes));
    // A name that does not fit its bar is in the tooltip only.
    if right - x > 7.0 * bar.name.chars().count() as f64 && bottom - y > 11.0 {
        let words = SvgText::new(&bar.name, 10.0, if fill == "#c9ced4" { "#1c1f23" } else { "#ffffff" });
        svg.text((f64::midpoint(x, right), f64::midpoint(y, bottom) + 3.5), &words.at(TextAnchor::Middle));
    }
}
