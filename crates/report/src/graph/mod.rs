//! Graphs for people: boxes with words and arrows, as DOT for Graphviz or as a picture of our own.

mod dot;
mod svg;

/// Boxes and arrows without cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// What stands above it.
    pub title: String,
    /// Its boxes.
    pub boxes: Vec<GraphBox>,
    /// From which box to which, and the words beside the arrow.
    pub arrows: Vec<(usize, usize, String)>,
}

/// A box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphBox {
    /// Its lines; the first stands out.
    pub lines: Vec<String>,
    /// What it stands for.
    pub kind: BoxKind,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxKind {
    /// Something that is given.
    Source,
    /// A task.
    Task,
    /// A row, or several.
    Row,
}

impl Graph {
    /// Adds a box and gives its number.
    pub fn add(&mut self, kind: BoxKind, lines: Vec<String>) -> usize {
        self.boxes.push(GraphBox { lines, kind });
        self.boxes.len() - 1
    }

    /// Adds an arrow, unless the same one is there.
    pub fn arrow(&mut self, from: usize, to: usize, words: impl Into<String>) {
        let arrow = (from, to, words.into());
        if !self.arrows.contains(&arrow) {
            self.arrows.push(arrow);
        }
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        dot::dot(self)
    }

    /// A picture.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }
}
