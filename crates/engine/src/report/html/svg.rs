//! Drawings of the page: classes in place of colours, so that they follow the page into the dark, and a form that stands
//! alone with colours of its own.

use std::fmt::Write as _;

use super::element::escaped;

/// A drawing under construction.
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

/// A finished drawing in its two forms.
pub(super) struct Drawing {
    /// For the page.
    pub(super) inline: String,
    /// For a file.
    pub(super) alone: String,
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// An empty drawing.
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Words in one of the classes of the style sheet.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>",
            escaped(words)
        ));
    }

    /// A straight line.
    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.push(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        ));
    }

    /// A line, or an area, through several places.
    pub(super) fn path(&mut self, places: &[(f64, f64)], class: &str) {
        let mut data = String::new();
        for (place, (x, y)) in places.iter().enumerate() {
            let _infallible = write!(data, "{}{x:.1} {y:.1}", if place == 0 { 'M' } else { 'L' });
        }
        self.push(format_args!("<path d=\"{data}\" class=\"{class}\"/>"));
    }

    /// A circle.
    pub(super) fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        self.push(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" class=\"{class}\"/>"));
    }

    /// A rectangle with a colour of its own, and what is said under the mouse.
    pub(super) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        fill: &str,
        said: &str,
    ) {
        let said = if said.is_empty() { String::new() } else { format!("<title>{}</title>", escaped(said)) };
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\">{said}</rect>",
            width.max(0.0),
            height.max(0.0)
        ));
    }

    /// Both forms, with what a screen reader says of it.
    pub(super) fn finish(self, title: &str) -> Drawing {
        let Self { width, height, body } = self;
        let head = |style: &str| {
            format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
                 viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" class=\"ours\">\n<title>{}</title>\n{style}{body}</svg>\n",
                escaped(title)
            )
        };
        Drawing { inline: head(""), alone: head(ALONE) }
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        let _infallible = writeln!(self.body, "{element}");
    }
}

impl From<String> for Drawing {
    /// A drawing that has its colours.
    fn from(svg: String) -> Self {
        Self { inline: svg.clone(), alone: svg }
    }
}

/// What the style sheet of the page says of drawings, in the colours of paper.
const ALONE: &str = "<style>text{font:12px system-ui,Arial,sans-serif;fill:#1c1f23}.d-quiet{fill:#5c6570;font-size:11px}\
.d-strong{font-weight:600}.d-on-dark{fill:#fff}.d-grid{stroke:#dfe2e6}.d-line{stroke:#0072b2;stroke-width:2;fill:none}\
.d-band{fill:#0072b2;opacity:.18}.d-dot{fill:#0072b2}.d-mark{stroke:#8a4b00;stroke-dasharray:3 3}</style>\n";
