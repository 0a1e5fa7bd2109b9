//! The cost of each level, iteration by iteration, as lines of an SVG picture.

use std::fmt::Write as _;

use crate::register::LevelReport;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
const MARGIN: f64 = 40.0;

/// Costs of all levels, one after the other, from the greatest at the top to the least at the bottom.
pub(super) fn costs(levels: &[LevelReport]) -> String {
    let all = || levels.iter().flat_map(|level| &level.trace).map(|row| row.cost.total);
    let (least, most) =
        all().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), cost| (a.min(cost), b.max(cost)));
    let count = all().count().max(2);
    let range = (most - least).max(f64::MIN_POSITIVE);
    let x = |at: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * at as f64 / (count - 1) as f64;
    let y = |cost: f64| MARGIN + (HEIGHT - 2.0 * MARGIN) * (most - cost) / range;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" role=\"img\" aria-label=\"cost of each iteration, level by level\">\n"
    );
    let mut at = 0;
    for level in levels.iter().filter(|level| !level.trace.is_empty()) {
        let points: Vec<String> = level
            .trace
            .iter()
            .enumerate()
            .map(|(row, of)| format!("{:.1},{:.1}", x(at + row), y(of.cost.total)))
            .collect();
        // Writing to a text cannot fail.
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"#2166ac\" stroke-width=\"1.5\" points=\"{}\"/><text x=\"{:.1}\" y=\"{}\" font-size=\"11\" fill=\"#444\">level {}</text>",
            points.join(" "),
            x(at),
            HEIGHT - 12.0,
            level.level
        );
        at += level.trace.len();
    }
    if least <= most {
        let _ = writeln!(
            svg,
            "<text x=\"2\" y=\"{:.1}\" font-size=\"11\" fill=\"#444\">{most:.4}</text><text x=\"2\" y=\"{:.1}\" font-size=\"11\" fill=\"#444\">{least:.4}</text>",
            y(most) - 6.0,
            y(least) + 14.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
