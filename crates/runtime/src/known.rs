//! Rows whose results are known from before, part by part.

use onceflow_study::Scope;

use crate::PartLayout;

/// What need not be run: rows that are through at a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownRows {
    /// Per part, per row.
    parts: Vec<Vec<Option<KnownFrom>>>,
}

/// Where the results of a row are known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownFrom {
    /// The journal of the run.
    Journal,
    /// The store of results of earlier runs.
    Products,
}

impl KnownRows {
    /// Nothing is known.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Notes that a row is known at a part.
    pub fn note(&mut self, row: usize, part: usize, from: KnownFrom) {
        if self.parts.len() <= part {
            self.parts.resize(part + 1, Vec::new());
        }
        let rows = &mut self.parts[part];
        if rows.len() <= row {
            rows.resize(row + 1, None);
        }
        rows[row] = Some(from);
    }

    /// Whether a row is known at a part.
    pub fn knows(&self, row: usize, part: usize) -> bool {
        self.from(row, part).is_some()
    }

    fn from(&self, row: usize, part: usize) -> Option<KnownFrom> {
        self.parts.get(part).and_then(|rows| rows.get(row)).copied().flatten()
    }

    /// How many rows are known, part by part.
    pub fn len(&self) -> usize {
        self.parts.iter().flatten().filter(|known| known.is_some()).count()
    }

    /// How many rows but one are known from the store of results, part by part.
    pub fn taken(&self, but: Option<usize>) -> usize {
        let of_part = |rows: &Vec<Option<KnownFrom>>| {
            let taken = rows
                .iter()
                .enumerate()
                .filter(|(row, from)| Some(*row) != but && **from == Some(KnownFrom::Products));
            taken.count()
        };
        self.parts.iter().map(of_part).sum()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The rows that have nothing to do at a site: those that are known at all its parts. What the journal knows of a part
    /// was done by this run.
    pub(crate) fn at(
        &self,
        layout: &PartLayout,
        scope: Scope,
        index: usize,
        rows: usize,
    ) -> Vec<(usize, KnownFrom)> {
        if self.parts.is_empty() {
            return Vec::new();
        }
        if scope == Scope::Part {
            return (0..rows).filter_map(|row| Some((row, self.from(row, index)?))).collect();
        }
        let within = |part: &usize| layout.site(scope, *part) == index;
        let parts: Vec<usize> = (0..layout.parts.len()).filter(within).collect();
        let of_all = |row: usize| {
            let from = parts.iter().map(|part| self.from(row, *part)).collect::<Option<Vec<KnownFrom>>>()?;
            let journal = from.is_empty() || from.contains(&KnownFrom::Journal);
            Some((row, if journal { KnownFrom::Journal } else { KnownFrom::Products }))
        };
        (0..rows).filter_map(of_all).collect()
    }
}
