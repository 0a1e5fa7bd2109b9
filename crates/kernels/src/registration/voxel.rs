//! The types of values that files have.

/// A type of values.
pub(crate) trait Voxel: Copy + Sync {
    fn wide(self) -> f64;
    /// As a label: the whole part.
    fn label(self) -> i64;
    /// Rounded half to even where the type is of whole numbers, and within its range.
    fn rounded(value: f64) -> Self;
}

macro_rules! voxel {
    ($($type:ty),*) => {
        $(impl Voxel for $type {
            #[inline(always)]
            #[allow(clippy::unnecessary_cast, reason = "necessary for the other types")]
            fn wide(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            #[allow(clippy::unnecessary_cast, reason = "necessary for the other types")]
            fn label(self) -> i64 {
                self as i64
            }

            #[inline(always)]
            #[allow(clippy::unnecessary_cast, reason = "necessary for the other types")]
            fn rounded(value: f64) -> Self {
                value.round_ties_even() as $type
            }
        })*
    };
}

voxel!(u8, i8, u16, i16, i32, u32, i64, u64, f32, f64);
