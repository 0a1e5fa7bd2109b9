//! A small writer of SVG: escapes what it is given and leaves out what has no finite place.

use std::fmt::Write;

/// A picture under construction.
#[derive(Clone, Debug)]
pub(super) struct Svg {
    width: f64,
    body: String,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) colour: &'static str,
    pub(super) width: f64,
    /// Lengths of dashes and gaps; empty for a whole line.
    pub(super) dashes: &'static str,
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Anchor {
    #[default]
    Start,
    Middle,
    End,
}

/// A line of text.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    pub(super) words: &'a str,
    pub(super) size: f64,
    pub(super) colour: &'static str,
    pub(super) anchor: Anchor,
    pub(super) bold: bool,
    /// Degrees around its place.
    pub(super) turn: f64,
    /// What to show under the mouse, when it is more than the words.
    pub(super) tooltip: Option<&'a str>,
}

impl Stroke {
    /// A whole line.
    pub(super) const fn new(colour: &'static str, width: f64) -> Self {
        Self { colour, width, dashes: "" }
    }

    /// The same line with dashes.
    pub(super) const fn dashed(self, dashes: &'static str) -> Self {
        Self { dashes, ..self }
    }
}

impl<'a> Text<'a> {
    /// Plain words that start at their place.
    pub(super) fn new(words: &'a str, size: f64, colour: &'static str) -> Self {
        Self { words, size, colour, anchor: Anchor::Start, bold: false, turn: 0.0, tooltip: None }
    }

    /// The same with another end at its place.
    pub(super) fn at(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }
}

impl Svg {
    /// An empty picture.
    pub(super) fn new(width: f64) -> Self {
        Self { width, body: String::new() }
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: Stroke) {
        if let Some([x1, y1, x2, y2]) = numbers([from.0, from.1, to.0, to.1]) {
            let stroke = stroke_attributes(stroke);
            self.push(&format!(r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{stroke}/>"#));
        }
    }

    /// A line through several places.
    pub(super) fn polyline(&mut self, places: &[(f64, f64)], stroke: Stroke) {
        let places = joined(places);
        let stroke = stroke_attributes(stroke);
        self.push(&format!(r#"<polyline points="{places}" fill="none"{stroke}/>"#));
    }

    /// A filled area between places, see-through as `opacity` says.
    pub(super) fn area(&mut self, places: &[(f64, f64)], fill: &'static str, opacity: f64) {
        let places = joined(places);
        self.push(&format!(r#"<polygon points="{places}" fill="{fill}" fill-opacity="{opacity}"/>"#));
    }

    /// A rectangle; one without extent is left out.
    pub(super) fn rectangle(
        &mut self,
        corner: (f64, f64),
        size: (f64, f64),
        fill: &str,
        outline: Option<Stroke>,
    ) {
        let Some([x, y, width, height]) = numbers([corner.0, corner.1, size.0, size.1]) else { return };
        if size.0 > 0.0 && size.1 > 0.0 {
            let outline = outline.map(stroke_attributes).unwrap_or_default();
            let fill = escaped(fill);
            self.push(&format!(
                r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"{outline}/>"#
            ));
        }
    }

    /// A circle.
    pub(super) fn circle(&mut self, centre: (f64, f64), radius: f64, fill: &'static str, outline: Stroke) {
        if let Some([x, y, radius]) = numbers([centre.0, centre.1, radius]) {
            let outline = stroke_attributes(outline);
            self.push(&format!(r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}"{outline}/>"#));
        }
    }

    /// Words, with the base line at `place`.
    pub(super) fn text(&mut self, place: (f64, f64), text: &Text<'_>) {
        let Some([x, y, size, turn]) = numbers([place.0, place.1, text.size, text.turn]) else { return };
        let anchor = match text.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = if text.bold { r#" font-weight="600""# } else { "" };
        let turned =
            if text.turn == 0.0 { String::new() } else { format!(r#" transform="rotate({turn} {x} {y})""#) };
        let tooltip = text.tooltip.map(|t| format!("<title>{}</title>", escaped(t))).unwrap_or_default();
        self.push(&format!(
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{}"{anchor}{weight}{turned}>{tooltip}{}</text>"#,
            text.colour,
            escaped(text.words)
        ));
    }

    /// The whole document, with what a screen reader says of it.
    pub(super) fn finish(self, height: f64, title: &str, description: &str) -> String {
        let (width, height) = (number(self.width), number(height.ceil()));
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" font-family="{FONTS}">
<title>{}</title>
<desc>{}</desc>
<rect width="{width}" height="{height}" fill="#ffffff"/>
{}</svg>
"##,
            escaped(title),
            escaped(description),
            self.body
        )
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

const FONTS: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

fn stroke_attributes(stroke: Stroke) -> String {
    let Stroke { colour, width, dashes } = stroke;
    let dashes = if dashes.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dashes}""#) };
    format!(r#" stroke="{colour}" stroke-width="{width}"{dashes}"#)
}

fn joined(places: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for place in places {
        if let Some([x, y]) = numbers([place.0, place.1]) {
            let gap = if text.is_empty() { "" } else { " " };
            // Writing to a string does not fail.
            let _ = write!(text, "{gap}{x},{y}");
        }
    }
    text
}

/// All of them in writing, or nothing when one is not finite.
fn numbers<const N: usize>(values: [f64; N]) -> Option<[String; N]> {
    values.iter().all(|v| v.is_finite()).then(|| values.map(number))
}

/// Hundredths of a pixel are enough.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Adding zero makes -0 and 0 one number.
    (rounded + 0.0).to_string()
}

/// Text with the characters that mean something in XML written out, and without those it does not allow.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            control if control.is_control() => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_escaped() {
        assert_eq!(escaped("a<b & \"c\"\u{1}'\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd}&#39; ");
    }

    #[test]
    fn what_has_no_place_is_left_out() {
        let mut svg = Svg::new(10.0);
        let stroke = Stroke::new("#000", 1.0);
        svg.line((f64::NAN, 0.0), (1.0, 1.0), stroke);
        svg.circle((f64::INFINITY, 0.0), 1.0, "#000", stroke);
        svg.rectangle((0.0, 0.0), (-1.0, 1.0), "#000", None);
        svg.text((0.0, f64::NAN), &Text::new("x", 10.0, "#000"));
        assert_eq!(svg.body, "");
        svg.polyline(&[(0.0, 1.0), (f64::NAN, 2.0), (1.005, -0.001)], stroke);
        assert!(svg.body.contains(r#"points="0,1 1,0""#), "{}", svg.body);
    }
}
