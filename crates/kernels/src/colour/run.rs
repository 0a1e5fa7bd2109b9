//! Pixels of a row that are worked on at a time, one step after the other.
//!
//! Steps are short, so that a processor has many pixels under way while it waits for the result of an instruction.

use super::space::{cones, is_tissue};

/// Most pixels of a run: intermediate values stay in the first-level cache.
pub(super) const RUN: usize = 256;

/// Intermediate values of the pixels of a run. Entries beyond the length of a shorter run are undefined.
#[repr(align(64))]
pub(super) struct ColourRun<T> {
    /// Logarithms of the cones' responses to each pixel, replaced by later values.
    pub(super) cones: [[T; RUN]; 3],
    /// All bits where a pixel is tissue, none where it is not.
    pub(super) tissue: [i32; RUN],
}

impl<T: Copy + Default> ColourRun<T> {
    pub(super) fn new() -> Self {
        Self { cones: [[T::default(); RUN]; 3], tissue: [0; RUN] }
    }

    /// Finds which pixels are tissue, and a logarithm for each cone (undefined for black); returns the number of tissue
    /// pixels.
    #[inline(always)]
    pub(super) fn look(&mut self, pixels: &[[u8; 3]], logarithms: impl Fn([f32; 3]) -> [T; 3]) -> u32 {
        let Self { cones: [long, middle, short], tissue } = self;
        let seen = tissue.iter_mut().zip(long).zip(middle).zip(short);
        let mut count = 0;
        for (pixel, (((tissue, long), middle), short)) in pixels.iter().zip(seen) {
            let colour = [f32::from(pixel[0]), f32::from(pixel[1]), f32::from(pixel[2])];
            [*long, *middle, *short] = logarithms(cones(colour));
            *tissue = -i32::from(is_tissue(colour));
            count -= *tissue;
        }
        count as u32
    }

    /// Applies a function to the values of each cone.
    #[inline(always)]
    pub(super) fn each(&mut self, len: usize, function: impl Fn(T) -> T) {
        for plane in &mut self.cones {
            plane.iter_mut().take(len).for_each(|value| *value = function(*value));
        }
    }
}
