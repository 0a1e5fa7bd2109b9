//! One SVG element: escapes its texts, and is left out when a number in it is not finite.

use std::fmt::Write;

use super::Stroke;

/// An element with its attributes and its content.
#[derive(Clone, Debug)]
pub struct SvgElement {
    name: &'static str,
    attributes: String,
    content: String,
    /// Whether all its numbers are finite.
    is_finite: bool,
}

impl SvgElement {
    /// An empty element.
    pub fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new(), content: String::new(), is_finite: true }
    }

    /// The root of a document of this size, in pixels.
    pub fn document(width: f64, height: f64) -> Self {
        let view_box = format!("0 0 {} {}", number(width), number(height));
        let root = Self::new("svg").attribute("xmlns", "http://www.w3.org/2000/svg");
        root.number("width", width).number("height", height).attribute("viewBox", &view_box)
    }

    /// A straight line.
    pub fn line(from: (f64, f64), to: (f64, f64)) -> Self {
        let line = Self::new("line").number("x1", from.0).number("y1", from.1);
        line.number("x2", to.0).number("y2", to.1)
    }

    /// A rectangle.
    pub fn rectangle(corner: (f64, f64), size: (f64, f64)) -> Self {
        let rectangle = Self::new("rect").number("x", corner.0).number("y", corner.1);
        rectangle.number("width", size.0).number("height", size.1)
    }

    /// A circle.
    pub fn circle(centre: (f64, f64), radius: f64) -> Self {
        Self::new("circle").number("cx", centre.0).number("cy", centre.1).number("r", radius)
    }

    /// A line through several points; points that are not finite are left out.
    pub fn polyline(points: &[(f64, f64)]) -> Self {
        Self::new("polyline").attribute("points", &joined(points))
    }

    /// An area between several points; points that are not finite are left out.
    pub fn polygon(points: &[(f64, f64)]) -> Self {
        Self::new("polygon").attribute("points", &joined(points))
    }

    /// Words with their base line at a point; the caller adds them with [`SvgElement::words`].
    pub fn text(point: (f64, f64)) -> Self {
        Self::new("text").number("x", point.0).number("y", point.1)
    }

    /// Adds an attribute.
    #[must_use]
    pub fn attribute(mut self, name: &str, value: &str) -> Self {
        if is_plain(value) {
            self.attributes.reserve(name.len() + value.len() + 4);
            for text in [" ", name, "=\"", value, "\""] {
                self.attributes.push_str(text);
            }
            return self;
        }
        // Between double quotes an apostrophe is no markup.
        let value = escaped(&on_one_line(value)).replace("&#39;", "'");
        // Writing to a string does not fail.
        let _ = write!(self.attributes, " {name}=\"{value}\"");
        self
    }

    /// Adds an attribute that is a number, in hundredths at most.
    #[must_use]
    pub fn number(mut self, name: &str, value: f64) -> Self {
        self.is_finite &= value.is_finite();
        let _ = write!(self.attributes, " {name}=\"{}\"", number(value));
        self
    }

    /// Adds a stroke.
    #[must_use]
    pub fn stroke(self, stroke: Stroke) -> Self {
        let Stroke { colour, width, dashes } = stroke;
        let stroked = self.attribute("stroke", colour).attribute("stroke-width", &width.to_string());
        if dashes.is_empty() { stroked } else { stroked.attribute("stroke-dasharray", dashes) }
    }

    /// Adds a tooltip, which browsers show under the mouse; an empty text adds none.
    #[must_use]
    pub fn tooltip(mut self, words: &str) -> Self {
        if !words.is_empty() {
            self.content.push_str(&Self::new("title").words(words).to_string());
        }
        self
    }

    /// Adds words to the content.
    #[must_use]
    pub fn words(mut self, words: &str) -> Self {
        self.content.push_str(&escaped(&on_one_line(words)));
        self
    }

    /// Adds elements to the content, each on a line of its own.
    #[must_use]
    pub fn children(mut self, children: &super::Svg) -> Self {
        self.content.push('\n');
        self.content.push_str(&children.body);
        self
    }

    pub(super) fn is_finite(&self) -> bool {
        self.is_finite
    }
}

impl std::fmt::Display for SvgElement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, attributes, content, .. } = self;
        match content.is_empty() {
            true => write!(f, "<{name}{attributes}/>"),
            false => write!(f, "<{name}{attributes}>{content}</{name}>"),
        }
    }
}

fn joined(points: &[(f64, f64)]) -> String {
    let finite = points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
    let points: Vec<String> = finite.map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
    points.join(" ")
}

/// A number for a drawing: hundredths of a pixel are enough.
pub(super) fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Adding zero makes -0 and 0 one number.
    (rounded + 0.0).to_string()
}

/// Whether nothing of a text is to be escaped, as in the bytes of a picture.
fn is_plain(text: &str) -> bool {
    let is_plain =
        |byte: u8| byte >= b' ' && byte < 0x7f && !matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\'');
    text.bytes().all(is_plain)
}

fn on_one_line(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

/// Text for XML and HTML, between tags or in quotes: escapes the characters that are markup, and replaces those that XML
/// does not allow.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\t' | '\n' => safe.push(character),
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
        assert_eq!(escaped("a<b & \"c\"\u{1}'\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd}&#39;\n");
        let text = SvgElement::new("text").attribute("class", "\"x\"\r").words("a<b & \"c\"\u{1}'\n");
        let expected = "<text class=\"&quot;x&quot; \">a&lt;b &amp; &quot;c&quot;\u{fffd}&#39; </text>";
        assert_eq!(text.to_string(), expected);
    }
}
