//! Drawings of the page: classes in place of colours, so that they follow the page into dark mode, and a standalone form
//! with colours of its own.

use onceflow_sensitivity::svg::{Svg, SvgElement, TextAnchor};

/// A drawing under construction.
pub(super) struct Drawing {
    size: (f64, f64),
    svg: Svg,
}

/// A finished drawing in its two forms.
pub(super) struct FinishedDrawing {
    /// For the page.
    pub(super) inline: String,
    /// For a file.
    pub(super) standalone: String,
}

impl Drawing {
    /// An empty drawing.
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { size: (width.round(), height.round()), svg: Svg::default() }
    }

    /// Words in one of the classes of the style sheet.
    pub(super) fn text(&mut self, point: (f64, f64), anchor: TextAnchor, class: &str, words: &str) {
        let text = SvgElement::text(point).attribute("text-anchor", anchor.word());
        self.svg.push(&text.attribute("class", class).words(words));
    }

    /// Words that are read from below to above, with their middle at a point.
    pub(super) fn turned(&mut self, point: (f64, f64), class: &str, words: &str) {
        self.rotated(point, -90, TextAnchor::Middle, class, words);
    }

    /// Words that descend from their end at a point.
    pub(super) fn slanted(&mut self, point: (f64, f64), class: &str, words: &str) {
        self.rotated(point, -40, TextAnchor::End, class, words);
    }

    fn rotated(&mut self, (x, y): (f64, f64), degrees: i32, anchor: TextAnchor, class: &str, words: &str) {
        let text = SvgElement::text((x, y)).attribute("text-anchor", anchor.word()).attribute("class", class);
        let turn = format!("rotate({degrees} {x:.1} {y:.1})");
        self.svg.push(&text.attribute("transform", &turn).words(words));
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.svg.push(&SvgElement::line(from, to).attribute("class", class));
    }

    /// A line, or an area, through several points.
    pub(super) fn path(&mut self, points: &[(f64, f64)], class: &str) {
        self.svg.push(&SvgElement::polyline(points).attribute("class", class));
    }

    /// A circle.
    pub(super) fn circle(&mut self, centre: (f64, f64), radius: f64, class: &str) {
        self.svg.push(&SvgElement::circle(centre, radius).attribute("class", class));
    }

    /// A rectangle with a colour of its own and a tooltip.
    pub(super) fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), fill: &str, tooltip: &str) {
        let size = (size.0.max(0.0), size.1.max(0.0));
        self.svg.push(&SvgElement::rectangle(corner, size).attribute("fill", fill).tooltip(tooltip));
    }

    /// Both forms, with the title that a screen reader reads.
    pub(super) fn finish(self, title: &str) -> FinishedDrawing {
        let form = |style: Option<&str>| {
            let mut content = Svg::default();
            content.push(&SvgElement::new("title").words(title));
            style.iter().for_each(|style| content.push(&SvgElement::new("style").words(style)));
            content.extend(&self.svg);
            let root = SvgElement::document(self.size.0, self.size.1);
            format!("{}\n", root.attribute("role", "img").attribute("class", "ours").children(&content))
        };
        FinishedDrawing { inline: form(None), standalone: form(Some(STYLE)) }
    }
}

impl From<String> for FinishedDrawing {
    /// A drawing that has its colours.
    fn from(svg: String) -> Self {
        Self { inline: svg.clone(), standalone: svg }
    }
}

/// The rules of the page's style sheet for drawings, in the colours of paper.
const STYLE: &str = "text{font:12px system-ui,Arial,sans-serif;fill:#1c1f23}.d-quiet{fill:#5c6570;font-size:11px}\
.d-strong{font-weight:600}.d-on-dark{fill:#fff}.d-grid{stroke:#dfe2e6}.d-line{stroke:#0072b2;stroke-width:2;fill:none}\
.d-band{fill:#0072b2;opacity:.18}.d-dot{fill:#0072b2}.d-mark{stroke:#8a4b00;stroke-dasharray:3 3}\
.d-cloud{fill:#0072b2;opacity:.35}.d-mark-around{stroke:#fff;stroke-width:5;fill:none}\
.d-mark-inside{stroke:#d55e00;stroke-width:2.4;fill:none}.d-other{stroke:#5c6570;stroke-width:1.4;fill:none}\
.d-thread{stroke:#5c6570;stroke-width:1;fill:none;opacity:.22}.d-good{stroke:#0072b2;stroke-width:1.4;fill:none;opacity:.7}\
.d-dashed{stroke:#8a4b00;stroke-width:1.6;stroke-dasharray:5 4;fill:none}";
