//! A small writer of SVG: escapes what it is given and leaves out what has no finite place.

mod element;

use std::fmt::Write as _;

pub use element::{SvgElement, escaped};

/// A drawing under construction: elements, each on a line.
#[derive(Clone, Debug, Default)]
pub struct Svg {
    body: String,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Its colour.
    pub colour: &'static str,
    /// Its width, in pixels.
    pub width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dashes: &'static str,
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextAnchor {
    /// Its first letter.
    #[default]
    Start,
    /// Its middle.
    Middle,
    /// Its last letter.
    End,
}

/// A line of text.
#[derive(Clone, Debug)]
pub struct SvgText<'a> {
    /// What it says.
    pub words: &'a str,
    /// Size of its letters, in pixels.
    pub size: f64,
    /// Its colour.
    pub colour: &'static str,
    /// Which end stands at its place.
    pub anchor: TextAnchor,
    /// Whether it is bold.
    pub bold: bool,
    /// Degrees around its place.
    pub turn: f64,
    /// What to show under the mouse, when it is more than the words.
    pub tooltip: Option<&'a str>,
}

impl Stroke {
    /// A solid line.
    pub const fn new(colour: &'static str, width: f64) -> Self {
        Self { colour, width, dashes: "" }
    }

    /// The same line with dashes.
    #[must_use]
    pub const fn dashed(self, dashes: &'static str) -> Self {
        Self { dashes, ..self }
    }
}

impl TextAnchor {
    /// The word for it in SVG.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl<'a> SvgText<'a> {
    /// Plain words that start at their place.
    pub fn new(words: &'a str, size: f64, colour: &'static str) -> Self {
        Self { words, size, colour, anchor: TextAnchor::Start, bold: false, turn: 0.0, tooltip: None }
    }

    /// The same with another end at its place.
    #[must_use]
    pub fn at(self, anchor: TextAnchor) -> Self {
        Self { anchor, ..self }
    }
}

impl Svg {
    /// Adds an element, unless one of its numbers is not finite.
    pub fn push(&mut self, element: &SvgElement) {
        if element.is_finite() {
            // Writing to a string does not fail.
            let _ = writeln!(self.body, "{element}");
        }
    }

    /// Adds the elements of another drawing.
    pub fn extend(&mut self, other: &Self) {
        self.body.push_str(&other.body);
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        self.push(&SvgElement::line(from, to).stroke(stroke));
    }

    /// A line through several points.
    pub fn polyline(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        self.push(&SvgElement::polyline(points).attribute("fill", "none").stroke(stroke));
    }

    /// A filled area between points, transparent as `opacity` says.
    pub fn area(&mut self, points: &[(f64, f64)], fill: &str, opacity: f64) {
        let area = SvgElement::polygon(points).attribute("fill", fill);
        self.push(&area.attribute("fill-opacity", &opacity.to_string()));
    }

    /// A rectangle; one without extent is left out.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), fill: &str, outline: Option<Stroke>) {
        if size.0 > 0.0 && size.1 > 0.0 {
            let rectangle = SvgElement::rectangle(corner, size).attribute("fill", fill);
            self.push(&match outline {
                Some(outline) => rectangle.stroke(outline),
                None => rectangle,
            });
        }
    }

    /// A circle.
    pub fn circle(&mut self, centre: (f64, f64), radius: f64, fill: &str, outline: Stroke) {
        self.push(&SvgElement::circle(centre, radius).attribute("fill", fill).stroke(outline));
    }

    /// Words, with the base line at `place`.
    pub fn text(&mut self, place: (f64, f64), text: &SvgText<'_>) {
        let mut element =
            SvgElement::text(place).number("font-size", text.size).attribute("fill", text.colour);
        if text.anchor != TextAnchor::Start {
            element = element.attribute("text-anchor", text.anchor.word());
        }
        if text.bold {
            element = element.attribute("font-weight", "600");
        }
        if text.turn != 0.0 {
            let [turn, x, y] = [text.turn, place.0, place.1].map(element::number);
            element = element.attribute("transform", &format!("rotate({turn} {x} {y})"));
        }
        self.push(&element.tooltip(text.tooltip.unwrap_or_default()).words(text.words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_is_left_out() {
        let mut svg = Svg::default();
        let stroke = Stroke::new("#000", 1.0);
        svg.line((f64::NAN, 0.0), (1.0, 1.0), stroke);
        svg.circle((f64::INFINITY, 0.0), 1.0, "#000", stroke);
        svg.rectangle((0.0, 0.0), (-1.0, 1.0), "#000", None);
        svg.text((0.0, f64::NAN), &SvgText::new("x", 10.0, "#000"));
        assert_eq!(svg.body, "");
        svg.polyline(&[(0.0, 1.0), (f64::NAN, 2.0), (1.005, -0.001)], stroke);
        assert!(svg.body.contains(r#"points="0,1 1,0""#), "{}", svg.body);
    }
}
