//! The values that can be reconstructed, and the versions of what is compiled for each of them.

use super::Growth;
use crate::Isa;
use crate::extrema::Search;
use crate::isa::versions;

/// What a pixel can hold to be reconstructed: an ordered value with a lowest one. None may be NaN.
pub trait Level: Copy + Default + PartialOrd + Send + Sync + Sweeps {
    /// Not above any other value.
    const LOWEST: Self;

    /// The value at the other side of the middle: what was higher is lower. Twice, it is the value itself.
    fn mirrored(self) -> Self;

    /// The value lowered by `height`, as far as values go.
    fn lowered(self, height: Self) -> Self;
}

/// What [`Level`]s do inside this crate.
pub trait Sweeps: Sized {
    /// How many ranks there are.
    #[doc(hidden)]
    const RANKS: usize;

    /// A number below `RANKS` that is not smaller for a higher value.
    #[doc(hidden)]
    fn rank(self) -> usize;

    /// Raises all that can rise.
    #[doc(hidden)]
    fn settle(isa: Isa, growth: &mut Growth<'_, Self>);

    /// Compares pixels with their neighbours.
    #[doc(hidden)]
    fn search(isa: Isa, search: &mut Search<'_, Self>);
}

impl Level for u8 {
    const LOWEST: Self = 0;

    #[inline(always)]
    fn mirrored(self) -> Self {
        !self
    }

    #[inline(always)]
    fn lowered(self, height: Self) -> Self {
        self.saturating_sub(height)
    }
}

impl Level for f32 {
    const LOWEST: Self = Self::NEG_INFINITY;

    #[inline(always)]
    fn mirrored(self) -> Self {
        -self
    }

    #[inline(always)]
    fn lowered(self, height: Self) -> Self {
        self - height
    }
}

impl Sweeps for u8 {
    const RANKS: usize = 256;

    #[inline(always)]
    fn rank(self) -> usize {
        usize::from(self)
    }

    fn settle(isa: Isa, growth: &mut Growth<'_, Self>) {
        settle_u8(isa, growth);
    }

    fn search(isa: Isa, search: &mut Search<'_, Self>) {
        search_u8(isa, search);
    }
}

impl Sweeps for f32 {
    const RANKS: usize = 4096;

    /// The sign, the exponent and three more bits, in the order of the values.
    #[inline(always)]
    fn rank(self) -> usize {
        let bits = self.to_bits();
        let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
        (ordered >> 20) as usize
    }

    fn settle(isa: Isa, growth: &mut Growth<'_, Self>) {
        settle_f32(isa, growth);
    }

    fn search(isa: Isa, search: &mut Search<'_, Self>) {
        search_f32(isa, search);
    }
}

versions! {
    fn settle_u8(growth: &mut Growth<'_, u8>) {
        growth.settle();
    }
}

versions! {
    fn search_u8(search: &mut Search<'_, u8>) {
        search.compare();
    }
}

versions! {
    fn settle_f32(growth: &mut Growth<'_, f32>) {
        growth.settle();
    }
}

versions! {
    fn search_f32(search: &mut Search<'_, f32>) {
        search.compare();
    }
}

#[inline(always)]
pub(crate) fn lesser<T: PartialOrd>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

#[inline(always)]
pub(crate) fn greater<T: PartialOrd>(one: T, other: T) -> T {
    if one > other { one } else { other }
}
