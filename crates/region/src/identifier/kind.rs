//! The kinds of regions and their words.

use std::fmt;

/// The kind of a region, as its identifier says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// A rectangle full of values.
    Dense,
    /// A row full of values.
    Line,
    /// A box full of values.
    Volume,
    /// A box of which most values are zero.
    Sparse,
    /// Points with columns.
    Points,
    /// Polygons with columns.
    Polygons,
    /// Objects with masks and features.
    Objects,
    /// A table.
    Table,
    /// An image that is not read.
    Image,
    /// No content.
    Nothing,
}

impl RegionKind {
    /// Every kind.
    pub const ALL: [RegionKind; 10] = [
        RegionKind::Dense,
        RegionKind::Line,
        RegionKind::Volume,
        RegionKind::Sparse,
        RegionKind::Points,
        RegionKind::Polygons,
        RegionKind::Objects,
        RegionKind::Table,
        RegionKind::Image,
        RegionKind::Nothing,
    ];

    /// The word for it, as files and identifiers have it.
    pub fn word(self) -> &'static str {
        match self {
            RegionKind::Dense => "dense",
            RegionKind::Line => "line",
            RegionKind::Volume => "volume",
            RegionKind::Sparse => "sparse",
            RegionKind::Points => "points",
            RegionKind::Polygons => "polygons",
            RegionKind::Objects => "objects",
            RegionKind::Table => "table",
            RegionKind::Image => "image",
            RegionKind::Nothing => "nothing",
        }
    }

    /// The kind that a word stands for.
    pub fn from_word(word: &str) -> Option<RegionKind> {
        RegionKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl fmt::Display for RegionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_there_and_back() {
        for kind in RegionKind::ALL {
            assert_eq!(RegionKind::from_word(&kind.to_string()), Some(kind));
        }
        assert_eq!(RegionKind::from_word("Dense"), None);
    }
}
