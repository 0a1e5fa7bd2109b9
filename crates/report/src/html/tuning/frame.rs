//! The frame of a plot: two straight axes with round ticks.

use onceflow_sensitivity::PlotAxis;
use onceflow_sensitivity::svg::TextAnchor;

use super::super::drawing::Drawing;

/// Two axes.
pub(super) struct PlotFrame {
    x: PlotAxis,
    y: PlotAxis,
}

/// Room for the words of the axes.
const LEFT: f64 = 58.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 42.0;

impl PlotFrame {
    /// Axes that hold these values, in a drawing of this size.
    pub(super) fn new(
        (width, height): (f64, f64),
        x: impl IntoIterator<Item = f64>,
        y: impl IntoIterator<Item = f64>,
    ) -> Self {
        Self {
            x: PlotAxis::over(x, (width / 80.0) as usize, (LEFT, width - RIGHT)),
            y: PlotAxis::over(y, (height / 50.0) as usize, (height - BOTTOM, TOP)),
        }
    }

    /// Where a point stands.
    pub(super) fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }

    /// A line at a height, over the whole width.
    pub(super) fn level(&self, drawing: &mut Drawing, y: f64, class: &str) {
        drawing.line((self.x.places.0, self.y.place(y)), (self.x.places.1, self.y.place(y)), class);
    }

    /// A line at a place, over the whole height.
    pub(super) fn upright(&self, drawing: &mut Drawing, x: f64, class: &str) {
        drawing.line((self.x.place(x), self.y.places.0), (self.x.place(x), self.y.places.1), class);
    }

    /// The lower and the upper end of both axes.
    pub(super) fn ends(&self) -> [(f64, f64); 2] {
        [self.x.ends, self.y.ends]
    }

    /// Lines and words of the axis to the left.
    pub(super) fn draw_left(&self, drawing: &mut Drawing, label: &str) {
        for (value, word) in self.y.ticks() {
            self.level(drawing, value, "d-grid");
            let y = self.y.place(value) + 4.0;
            drawing.text((self.x.places.0 - 6.0, y), TextAnchor::End, "d-quiet", &word);
        }
        drawing.turned((14.0, (self.y.places.0 + self.y.places.1) / 2.0), "d-quiet", label);
    }

    /// Lines and words of both axes.
    pub(super) fn draw(&self, drawing: &mut Drawing, below: &str, left: &str) {
        for (value, word) in self.x.ticks() {
            self.upright(drawing, value, "d-grid");
            self.word_below(drawing, value, &word);
        }
        self.draw_left(drawing, left);
        self.label_below(drawing, below);
    }

    /// A word below a place.
    pub(super) fn word_below(&self, drawing: &mut Drawing, x: f64, word: &str) {
        drawing.text((self.x.place(x), self.y.places.0 + 15.0), TextAnchor::Middle, "d-quiet", word);
    }

    /// What the axis below measures.
    pub(super) fn label_below(&self, drawing: &mut Drawing, label: &str) {
        let middle = (self.x.places.0 + self.x.places.1) / 2.0;
        drawing.text((middle, self.y.places.0 + 33.0), TextAnchor::Middle, "d-quiet", label);
    }
}
