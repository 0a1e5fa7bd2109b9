//! Second-order indices as the upper triangle of a table, darker where two factors act together more.

use super::page::{GREY, GRID, INK, MARGIN, PAPER, PlotHeading, QUIET, SIZE, WIDTH, notes};
use super::words::{shortened, width};
use crate::SecondOrder;
use crate::number::fixed;
use crate::svg::{Stroke, Svg, SvgText, TextAnchor};

/// The largest share the legend begins with: noise alone must not look dark.
const LEAST_RANGE: f64 = 0.05;
const LONGEST_NAME: f64 = 190.0;

/// Positions of the cells.
struct HeatLayout {
    left: f64,
    top: f64,
    cell: f64,
    /// Share at which a cell is darkest.
    range: f64,
}

/// The picture of pairs among named factors.
pub(super) fn draw(heading: &PlotHeading, names: &[String], pairs: &[SecondOrder]) -> String {
    let mut svg = Svg::default();
    let top = heading.draw(&mut svg);
    let table = HeatLayout::new(names, pairs, top);
    table.names(&mut svg, names);
    for pair in pairs {
        let place = |name: &String| names.iter().position(|n| n == name);
        if let (Some(i), Some(j)) = (place(&pair.first), place(&pair.second)) {
            table.cell(&mut svg, i.min(j), i.max(j), pair);
        }
    }
    let bottom = table.top + names.len().saturating_sub(1) as f64 * table.cell;
    let end = table.legend(&mut svg, bottom + 18.0);
    let note = "Bold: the interval lies above 0. Small negative values are noise around 0.".to_string();
    let end = notes(&mut svg, end, &[note]);
    heading.finish(&svg, end + MARGIN)
}

impl HeatLayout {
    fn new(names: &[String], pairs: &[SecondOrder], top: f64) -> Self {
        let longest = names.iter().map(|n| width(n, SIZE)).fold(30.0, f64::max).min(LONGEST_NAME);
        let left = MARGIN + longest + 8.0;
        let columns = names.len().saturating_sub(1).max(1) as f64;
        // The last column's slanted name reaches beyond its cell.
        let room = WIDTH - left - MARGIN - longest * 0.72;
        let values = pairs.iter().map(|p| p.s2.value.abs()).filter(|v| v.is_finite());
        Self {
            left,
            top: top + longest * 0.72 + 14.0,
            cell: (room / columns).clamp(20.0, 54.0),
            range: values.fold(LEAST_RANGE, f64::max),
        }
    }

    /// First factors to the left, second ones slanted above.
    fn names(&self, svg: &mut Svg, names: &[String]) {
        for (i, name) in names.iter().enumerate() {
            let short = shortened(name, SIZE, LONGEST_NAME);
            let tooltip = (short != *name).then_some(name.as_str());
            let text = SvgText { tooltip, ..SvgText::new(&short, SIZE, INK) };
            if i + 1 < names.len() {
                let y = self.top + (i as f64 + 0.5) * self.cell + 4.0;
                svg.text((self.left - 8.0, y), &text.clone().at(TextAnchor::End));
            }
            if i > 0 {
                let x = self.left + (i as f64 - 0.5) * self.cell;
                svg.text((x + 2.0, self.top - 7.0), &SvgText { turn: -45.0, ..text });
            }
        }
    }

    fn cell(&self, svg: &mut Svg, row: usize, column: usize, pair: &SecondOrder) {
        let corner = (self.left + (column as f64 - 1.0) * self.cell, self.top + row as f64 * self.cell);
        let value = pair.s2.value;
        svg.rectangle(corner, (self.cell, self.cell), &self.colour(value), Some(Stroke::new(GRID, 1.0)));
        let size = (self.cell * 0.36).clamp(8.0, 12.0);
        let words = if value.is_finite() { fixed(value, 2) } else { "–".into() };
        let dark = value / self.range > 0.7;
        let tooltip = format!(
            "{} and {}: {} ({} to {})",
            pair.first,
            pair.second,
            fixed(value, 3),
            fixed(pair.s2.low, 3),
            fixed(pair.s2.high, 3)
        );
        let text = SvgText {
            bold: pair.s2.low > 0.0,
            tooltip: Some(&tooltip),
            ..SvgText::new(&words, size, if dark { PAPER } else { INK }).at(TextAnchor::Middle)
        };
        svg.text((corner.0 + self.cell / 2.0, corner.1 + self.cell / 2.0 + size * 0.36), &text);
    }

    /// From white to dark blue above 0, towards a pale orange below.
    fn colour(&self, value: f64) -> String {
        if !value.is_finite() {
            return "#f2f2f2".into();
        }
        let share = (value / self.range).clamp(-1.0, 1.0);
        let (end, share) =
            if share < 0.0 { ([0xf5, 0xc2, 0x6b], -share) } else { ([0x00, 0x4c, 0x80], share) };
        let mixed = end.map(|channel: u8| (255.0 - share * (255.0 - f64::from(channel))).round() as u8);
        format!("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2])
    }

    /// A strip of the colours with its ends; says where it ends.
    fn legend(&self, svg: &mut Svg, top: f64) -> f64 {
        const STEPS: usize = 40;
        let (left, wide) = (self.left, 220.0);
        for step in 0..STEPS {
            let share = (step as f64 + 0.5) / STEPS as f64 * 2.0 - 1.0;
            let corner = (left + step as f64 * wide / STEPS as f64, top);
            svg.rectangle(corner, (wide / STEPS as f64 + 0.3, 12.0), &self.colour(share * self.range), None);
        }
        svg.rectangle((left, top), (wide, 12.0), "none", Some(Stroke::new(GREY, 0.8)));
        for (share, value) in [(0.0, -self.range), (0.5, 0.0), (1.0, self.range)] {
            let x = left + share * wide;
            svg.line((x, top + 12.0), (x, top + 16.0), Stroke::new(INK, 0.8));
            svg.text((x, top + 28.0), &SvgText::new(&fixed(value, 2), 11.0, QUIET).at(TextAnchor::Middle));
        }
        svg.text((left + wide + 26.0, top + 10.0), &SvgText::new("share of the variance", 11.0, QUIET));
        top + 36.0
    }
}
