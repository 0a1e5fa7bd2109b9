//! Graphs for people: boxes with words and arrows, as DOT for Graphviz or as a picture of our own.

mod dot;
mod svg;

/// Boxes and arrows without cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    pub(crate) boxes: Vec<DrawnBox>,
    /// From which box to which, and the words beside the arrow.
    pub(crate) arrows: Vec<(usize, usize, String)>,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DrawnBox {
    /// Its lines; the first stands out.
    pub(crate) lines: Vec<String>,
    pub(crate) kind: BoxKind,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoxKind {
    /// Something that is given.
    Source,
    /// A task.
    Task,
    /// A row, or several.
    Row,
}

impl Drawing {
    /// Adds a box and gives its number.
    pub(crate) fn add(&mut self, kind: BoxKind, lines: Vec<String>) -> usize {
        self.boxes.push(DrawnBox { lines, kind });
        self.boxes.len() - 1
    }

    /// Adds an arrow, unless the same one is there.
    pub(crate) fn arrow(&mut self, from: usize, to: usize, words: impl Into<String>) {
        let arrow = (from, to, words.into());
        if !self.arrows.contains(&arrow) {
            self.arrows.push(arrow);
        }
    }

    /// For Graphviz.
    pub(crate) fn dot(&self) -> String {
        dot::dot(self)
    }

    /// A picture.
    pub(crate) fn svg(&self) -> String {
        svg::svg(self)
    }
}
