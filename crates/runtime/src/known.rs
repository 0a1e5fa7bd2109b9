//! Rows whose results are known from before, part by part.

use onceflow_study::Scope;

use crate::PartLayout;

/// What need not be run: rows that are through at a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRows {
    /// Per part, per row.
    parts: Vec<Vec<bool>>,
}

impl KnownRows {
    /// Nothing is known.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Notes that a row is known at a part.
    pub fn note(&mut self, row: usize, part: usize) {
        if self.parts.len() <= part {
            self.parts.resize(part + 1, Vec::new());
        }
        let rows = &mut self.parts[part];
        if rows.len() <= row {
            rows.resize(row + 1, false);
        }
        rows[row] = true;
    }

    /// Whether a row is known at a part.
    pub fn knows(&self, row: usize, part: usize) -> bool {
        self.parts.get(part).and_then(|rows| rows.get(row)).copied().unwrap_or(false)
    }

    /// How many rows are known, part by part.
    pub fn len(&self) -> usize {
        self.parts.iter().flatten().filter(|known| **known).count()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows that have nothing to do at a site: those that are known at all its parts.
    pub(crate) fn at(&self, layout: &PartLayout, scope: Scope, index: usize, rows: usize) -> Vec<usize> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        if scope == Scope::Part {
            return (0..rows).filter(|row| self.knows(*row, index)).collect();
        }
        let within = |part: &usize| layout.site(scope, *part) == index;
        let parts: Vec<usize> = (0..layout.parts.len()).filter(within).collect();
        (0..rows).filter(|row| parts.iter().all(|part| self.knows(*row, *part))).collect()
    }
}
