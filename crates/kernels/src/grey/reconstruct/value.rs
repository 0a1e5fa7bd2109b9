//! The values that can be reconstructed, and the functions compiled for each of them.

use super::GreyGrowth;
use crate::Isa;
use crate::cpu::isa::versions;
use crate::grey::extrema::ExtremaSearch;

/// A pixel's value that can be reconstructed: ordered, with a lowest one, and never NaN.
pub trait GreyValue: Copy + Default + PartialOrd + Send + Sync + Sweeps {
    /// Not above any other value.
    const LOWEST: Self;

    /// The mirrored value, which reverses the order. Mirroring twice gives the value itself.
    fn mirrored(self) -> Self;

    /// The value minus `height`, saturating.
    fn lowered(self, height: Self) -> Self;
}

/// Functions of [`GreyValue`]s used inside this crate.
pub trait Sweeps: Sized {
    /// How many ranks there are.
    #[doc(hidden)]
    const RANKS: usize;

    /// A number below `RANKS` that is not smaller for a higher value.
    #[doc(hidden)]
    fn rank(self) -> usize;

    /// Raises all pixels that can rise.
    #[doc(hidden)]
    fn settle(isa: Isa, growth: &mut GreyGrowth<'_, Self>);

    /// Compares pixels with their neighbours.
    #[doc(hidden)]
    fn search(isa: Isa, search: &mut ExtremaSearch<'_, Self>);
}

impl GreyValue for u8 {
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

impl GreyValue for f32 {
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

    fn settle(isa: Isa, growth: &mut GreyGrowth<'_, Self>) {
        settle_u8(isa, growth);
    }

    fn search(isa: Isa, search: &mut ExtremaSearch<'_, Self>) {
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

    fn settle(isa: Isa, growth: &mut GreyGrowth<'_, Self>) {
        settle_f32(isa, growth);
    }

    fn search(isa: Isa, search: &mut ExtremaSearch<'_, Self>) {
        search_f32(isa, search);
    }
}

versions! {
    fn settle_u8(growth: &mut GreyGrowth<'_, u8>) {
        growth.settle();
    }
}

versions! {
    fn search_u8(search: &mut ExtremaSearch<'_, u8>) {
        search.compare();
    }
}

versions! {
    fn settle_f32(growth: &mut GreyGrowth<'_, f32>) {
        growth.settle();
    }
}

versions! {
    fn search_f32(search: &mut ExtremaSearch<'_, f32>) {
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
