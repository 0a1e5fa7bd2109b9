//! Which of two values counts.

/// The lesser or the greater.
pub(super) trait Fold {
    /// What counts less than any other value.
    const NOTHING: u8;
    /// The value that counts.
    fn fold(one: u8, other: u8) -> u8;
}

/// Erosion.
pub(super) struct Least;

/// Dilation.
pub(super) struct Greatest;

impl Fold for Least {
    const NOTHING: u8 = u8::MAX;

    #[inline(always)]
    fn fold(one: u8, other: u8) -> u8 {
        if one < other { one } else { other }
    }
}

impl Fold for Greatest {
    const NOTHING: u8 = u8::MIN;

    #[inline(always)]
    fn fold(one: u8, other: u8) -> u8 {
        if one > other { one } else { other }
    }
}
