//! The texture of an object.

use super::Logarithms;
use super::glcm::{Cooccurrence, OUTSIDE, level};
use super::runs::ObjectPixels;
use crate::View;

/// Grey levels of an object and their pairs, in reused memory.
#[derive(Clone, Debug)]
pub(crate) struct Weave {
    /// With a frame, as the object's mask has.
    levels: Vec<u8>,
    cooccurrence: Cooccurrence,
}

impl Weave {
    pub(crate) fn new() -> Self {
        Self { levels: Vec::new(), cooccurrence: Cooccurrence::new() }
    }

    /// The texture of the object in an image of its box, over pairs of pixels in the object; NaN when there are no pairs.
    pub(crate) fn texture(
        &mut self,
        picture: View<'_, u8>,
        cut: &ObjectPixels,
        logarithms: &Logarithms,
    ) -> [f64; 8] {
        self.levels.clear();
        self.levels.resize(cut.mask.len(), OUTSIDE);
        self.cooccurrence.clear();
        for run in &cut.runs {
            let start = cut.position(run.start, run.y);
            let pixels = &picture.row(run.y)[run.start..run.end];
            let levels = &mut self.levels[start..start + pixels.len()];
            levels.iter_mut().zip(pixels).for_each(|(target, pixel)| *target = level(*pixel));
        }
        for run in &cut.runs {
            let start = cut.position(run.start, run.y);
            for position in start..start + run.end - run.start {
                self.cooccurrence.add(&self.levels, position, cut.stride());
            }
        }
        self.cooccurrence.texture(logarithms).map_or([f64::NAN; 8], |texture| texture.values())
    }
}
