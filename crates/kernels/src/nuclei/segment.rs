//! All tasks in order.
//!
//! What is kept in memory, in bytes per pixel of the image: darkness, what it is reconstructed to, their difference, three
//! masks and the result, one each; reconstruction, runs and floods keep more, which depends on the image.

use super::apart::{PartScratch, part};
use super::{
    BackgroundStatus, MaskScratch, Parameters, ReconstructScratch, candidates_into, clumps_into, finish_into,
    grow_into, reconstruct_into, red_blood_cells_into,
};
use crate::nuclei::background::background_status;
use crate::{Connectivity, Machine, Plane, View, ViewMut, count_above, filter_area_into};

/// The nuclei of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segmentation {
    /// Where nuclei are.
    pub mask: Plane<u8>,
    /// Whether the tasks went through.
    pub status: Status,
    /// Number of 8-connected components of the mask.
    pub objects: usize,
}

/// How a segmentation ended; in all but the first case the mask is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// There are nuclei.
    Ok,
    /// The image shows glass.
    Background,
    /// The image shows glass almost everywhere.
    BackgroundLikely,
    /// Nothing is of a nucleus's size.
    NoCandidates,
}

/// Segments the nuclei of a normalized image.
pub fn segment(normalized: View<'_, [u8; 3]>, parameters: &Parameters) -> Segmentation {
    let mut mask = Plane::filled(0, normalized.width(), normalized.height());
    let (machine, mut scratch) = (Machine::default(), SegmentScratch::default());
    let (status, objects) = segment_into(machine, normalized, parameters, mask.view_mut(), &mut scratch);
    Segmentation { mask, status, objects }
}

/// Memory for [`segment_into`], to be used again.
#[derive(Clone, Debug, Default)]
pub struct SegmentScratch {
    reconstruct: ReconstructScratch,
    masks: MaskScratch,
    part: PartScratch,
    diff: Plane<u8>,
    /// Each holds the results of several tasks, one after the other.
    one: Plane<u8>,
    other: Plane<u8>,
    mask: Plane<u8>,
}

/// [`segment`] into a mask of the same size; gives the status and the number of 8-connected components. The result does not
/// depend on the machine, and once the scratch has seen an image of this size hardly any memory is taken anew.
pub fn segment_into(
    machine: Machine,
    normalized: View<'_, [u8; 3]>,
    parameters: &Parameters,
    mut target: ViewMut<'_, u8>,
    scratch: &mut SegmentScratch,
) -> (Status, usize) {
    let Parameters { red, green, blue, .. } = *parameters;
    let bright = count_above(machine, normalized, [red, green, blue]);
    let end = match background_status(bright, normalized.len() as u64) {
        Some(BackgroundStatus::Background) => Some(Status::Background),
        Some(BackgroundStatus::Likely) => Some(Status::BackgroundLikely),
        None if scratch.find_candidates(machine, normalized, parameters) => None,
        None => Some(Status::NoCandidates),
    };
    if let Some(status) = end {
        (0..target.height()).for_each(|y| target.row_mut(y).fill(0));
        return (status, 0);
    }
    let objects = scratch.finish_candidates(machine, normalized, parameters, target);
    (if objects > 0 { Status::Ok } else { Status::NoCandidates }, objects)
}

impl SegmentScratch {
    /// Leaves the difference in `diff` and the candidates of the right size in `one`; says whether there is any.
    fn find_candidates(&mut self, machine: Machine, normalized: View<'_, [u8; 3]>, p: &Parameters) -> bool {
        let (width, height) = (normalized.width(), normalized.height());
        let targets = (self.one.fit(width, height), self.other.fit(width, height));
        reconstruct_into(machine, normalized, p.recon_connectivity, targets, &mut self.reconstruct);
        let dark = [self.one.view(), self.other.view()];
        let targets = (self.diff.fit(width, height), self.mask.fit(width, height));
        candidates_into(machine, dark, p.fill_holes_connectivity, p.g1, targets, &mut self.masks);
        let (bw1, bw1_t, runs) = (self.mask.view(), self.one.view_mut(), &mut self.masks.runs);
        filter_area_into(machine, bw1, p.min_size, Some(p.max_size), Connectivity::Eight, bw1_t, runs);
        self.one.pixels().iter().any(|pixel| *pixel != 0)
    }

    /// Goes on from there; says how many objects there are in the end.
    fn finish_candidates(
        &mut self,
        machine: Machine,
        normalized: View<'_, [u8; 3]>,
        p: &Parameters,
        target: ViewMut<'_, u8>,
    ) -> usize {
        let Self { masks, part: parting, diff, one, other, mask, .. } = self;
        red_blood_cells_into(machine, normalized, [p.t1, p.t2], other.view_mut(), masks);
        grow_into(machine, [diff.view(), one.view(), other.view()], p.g2, mask.view_mut(), masks);
        clumps_into(machine, mask.view(), p.min_size_pl, one.view_mut(), masks);
        part(machine, normalized, one.view_mut(), p.watershed_connectivity, parting);
        let (sizes, fill) = (p.min_size_seg..p.max_size_seg, p.fill_holes_connectivity);
        finish_into(machine, one.view(), sizes, fill, target, masks)
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
            let expected = Segmentation { mask, status: Status::NoCandidates, objects: 0 };
            assert_eq!(found, expected);
        }
    }
}
