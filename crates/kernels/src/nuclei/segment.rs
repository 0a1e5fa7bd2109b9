//! All tasks in order.
//!
//! Memory in bytes per pixel: darkness, its reconstruction, their difference, three masks and the result, one each;
//! reconstruction, runs and floods need more, depending on the image.

use super::apart::{PartScratch, part};
use super::{
    BackgroundStatus, MaskScratch, Parameters, ReconstructScratch, candidates_into, clumps_into, finish_into,
    grow_into, reconstruct_into, red_blood_cells_into,
};
use crate::nuclei::background::background_status;
use crate::{Connectivity, Cpu, Plane, View, ViewMut, count_above, filter_area_into};

/// The nuclei of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segmentation {
    /// Where nuclei are.
    pub mask: Plane<u8>,
    /// How the segmentation ended.
    pub status: SegmentationStatus,
    /// Number of 8-connected components of the mask.
    pub objects: usize,
}

/// How a segmentation ended; in all but the first case the mask is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentationStatus {
    /// There are nuclei.
    Ok,
    /// At least 99 % of the image is glass.
    Background,
    /// At least 90 % of the image is glass.
    BackgroundLikely,
    /// No candidate has the size of a nucleus.
    NoCandidates,
}

/// Segments the nuclei of a normalized image.
pub fn segment(normalized: View<'_, [u8; 3]>, parameters: &Parameters) -> Segmentation {
    let mut mask = Plane::filled(0, normalized.width(), normalized.height());
    let (cpu, mut scratch) = (Cpu::default(), SegmentScratch::default());
    let (status, objects) = segment_into(cpu, normalized, parameters, mask.view_mut(), &mut scratch);
    Segmentation { mask, status, objects }
}

/// Reusable memory for [`segment_into`].
#[derive(Clone, Debug, Default)]
pub struct SegmentScratch {
    reconstruct: ReconstructScratch,
    masks: MaskScratch,
    part: PartScratch,
    diff: Plane<u8>,
    /// Each is used by several tasks, one after the other.
    one: Plane<u8>,
    other: Plane<u8>,
    mask: Plane<u8>,
}

/// [`segment`] into a mask of the same size; returns the status and the number of 8-connected components. The result does
/// not depend on `cpu`. With scratch from an image of this size hardly any memory is allocated.
pub fn segment_into(
    cpu: Cpu,
    normalized: View<'_, [u8; 3]>,
    parameters: &Parameters,
    mut target: ViewMut<'_, u8>,
    scratch: &mut SegmentScratch,
) -> (SegmentationStatus, usize) {
    let Parameters { red, green, blue, .. } = *parameters;
    let bright = count_above(cpu, normalized, [red, green, blue]);
    let end = match background_status(bright, normalized.len() as u64) {
        Some(BackgroundStatus::Background) => Some(SegmentationStatus::Background),
        Some(BackgroundStatus::Likely) => Some(SegmentationStatus::BackgroundLikely),
        None if scratch.find_candidates(cpu, normalized, parameters) => None,
        None => Some(SegmentationStatus::NoCandidates),
    };
    if let Some(status) = end {
        (0..target.height()).for_each(|y| target.row_mut(y).fill(0));
        return (status, 0);
    }
    let objects = scratch.finish_candidates(cpu, normalized, parameters, target);
    (if objects > 0 { SegmentationStatus::Ok } else { SegmentationStatus::NoCandidates }, objects)
}

impl SegmentScratch {
    /// Writes the difference to `diff` and the candidates of the right size to `one`; returns whether there is any.
    fn find_candidates(&mut self, cpu: Cpu, normalized: View<'_, [u8; 3]>, p: &Parameters) -> bool {
        let (width, height) = (normalized.width(), normalized.height());
        let targets = (self.one.fit(width, height), self.other.fit(width, height));
        reconstruct_into(cpu, normalized, p.recon_connectivity, targets, &mut self.reconstruct);
        let dark = [self.one.view(), self.other.view()];
        let targets = (self.diff.fit(width, height), self.mask.fit(width, height));
        candidates_into(cpu, dark, p.fill_holes_connectivity, p.g1, targets, &mut self.masks);
        let (bw1, bw1_t, runs) = (self.mask.view(), self.one.view_mut(), &mut self.masks.runs);
        filter_area_into(cpu, bw1, p.min_size, Some(p.max_size), Connectivity::Eight, bw1_t, runs);
        self.one.pixels().iter().any(|pixel| *pixel != 0)
    }

    /// Grows, splits and filters the candidates; returns the number of objects.
    fn finish_candidates(
        &mut self,
        cpu: Cpu,
        normalized: View<'_, [u8; 3]>,
        p: &Parameters,
        target: ViewMut<'_, u8>,
    ) -> usize {
        let Self { masks, part: parting, diff, one, other, mask, .. } = self;
        red_blood_cells_into(cpu, normalized, [p.t1, p.t2], other.view_mut(), masks);
        grow_into(cpu, [diff.view(), one.view(), other.view()], p.g2, mask.view_mut(), masks);
        clumps_into(cpu, mask.view(), p.min_size_pl, one.view_mut(), masks);
        part(cpu, normalized, one.view_mut(), p.watershed_connectivity, parting);
        let (sizes, fill) = (p.min_size_seg..p.max_size_seg, p.fill_holes_connectivity);
        finish_into(cpu, one.view(), sizes, fill, target, masks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_hardly_any_pixels_have_no_nuclei() {
        for (width, height) in [(0, 0), (0, 3), (3, 0), (1, 1), (1, 40), (40, 1)] {
            let image = Plane::filled([100, 50, 120], width, height);
            let found = segment(image.view(), &Parameters::default());
            let mask = Plane::filled(0, width, height);
            let expected = Segmentation { mask, status: SegmentationStatus::NoCandidates, objects: 0 };
            assert_eq!(found, expected);
        }
    }
}
