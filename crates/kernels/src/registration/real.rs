//! The precision in which voxels are sampled: single where a level runs, double where it is checked.

use std::ops::{Add, AddAssign, Mul, Sub};

/// A number of single or double precision.
pub(crate) trait Real:
    Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + 'static
{
    /// How far outside a volume counts as its border, in voxels: rounding must not lose the border of equal grids.
    const MARGIN: f64;

    fn of(value: f64) -> Self;
    fn of_single(value: f32) -> Self;
    fn of_whole(value: i32) -> Self;
    fn wide(self) -> f64;
    /// The whole part of a number that is not negative.
    fn whole(self) -> i32;
    fn at_least(self, bound: Self) -> Self;
    fn at_most(self, bound: Self) -> Self;
}

macro_rules! real {
    ($type:ty, $margin:expr) => {
        impl Real for $type {
            const MARGIN: f64 = $margin;

            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $type
            }

            #[inline(always)]
            fn of_single(value: f32) -> Self {
                value as $type
            }

            #[inline(always)]
            fn of_whole(value: i32) -> Self {
                value as $type
            }

            #[inline(always)]
            fn wide(self) -> f64 {
                self as f64
            }

            #[inline(always)]
            fn whole(self) -> i32 {
                self as i32
            }

            #[inline(always)]
            fn at_least(self, bound: Self) -> Self {
                if self > bound { self } else { bound }
            }

            #[inline(always)]
            fn at_most(self, bound: Self) -> Self {
                if self < bound { self } else { bound }
            }
        }
    };
}

real!(f32, 1.0 / 8192.0);
real!(f64, 1e-9);
