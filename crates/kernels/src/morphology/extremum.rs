//! Minimum and maximum.

/// Minimum (erosion) or maximum (dilation) of two values.
pub(super) trait Extremum {
    /// The neutral value.
    const NOTHING: u8;
    /// The minimum, or the maximum.
    fn fold(one: u8, other: u8) -> u8;
}

/// Erosion.
pub(super) struct Least;

/// Dilation.
pub(super) struct Greatest;

impl Extremum for Least {
    const NOTHING: u8 = u8::MAX;

    #[inline(always)]
    fn fold(one: u8, other: u8) -> u8 {
        if one < other { one } else { other }
    }
}

impl Extremum for Greatest {
    const NOTHING: u8 = u8::MIN;

    #[inline(always)]
    fn fold(one: u8, other: u8) -> u8 {
        if one > other { one } else { other }
    }
}
