//! Which pixels are neighbours.

/// The neighbours of a pixel that count as connected to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connectivity {
    /// Left, right, above and below.
    Four,
    /// These four and the diagonal ones.
    Eight,
}

impl Connectivity {
    /// As a workflow's parameter says it: 8 is [`Connectivity::Eight`], any other value [`Connectivity::Four`].
    pub fn from_parameter(value: i64) -> Self {
        if value == 8 { Self::Eight } else { Self::Four }
    }

    /// How many columns to the side a neighbour in the next row may lie.
    pub(crate) fn reach(self) -> usize {
        match self {
            Self::Four => 0,
            Self::Eight => 1,
        }
    }
}
