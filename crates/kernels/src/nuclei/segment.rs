//! All tasks in order.
//!
//! What each task allocates, in bytes per pixel of the image, and how often it passes over an image in memory; what it keeps
//! for each run, object or window is left out, being small beside that:
//!
//! | task | bytes | passes |
//! |---|---|---|
//! | t5 | mask above G2, selected, filled, eroded, dilated: 5 | 2 for each of them |
//! | t6, thicker | large objects, result: 2 | read and write, each |
//! | t6, parted | result: 1 | runs of the mask; the result; each object's window in the cache, colours read once |
//! | t7 | kept, result: 2 | runs, kept, runs of its background, result, its runs |

use super::{
    BackgroundStatus, Candidates, Finished, Parameters, Reconstructed, background, candidates, clumps,
    finish, grow, reconstruct, red_blood_cells, sized_candidates, split,
};
use crate::{Plane, View};

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
    match background(normalized, parameters.blue, parameters.green, parameters.red) {
        Some(BackgroundStatus::Background) => nothing(normalized, Status::Background),
        Some(BackgroundStatus::Likely) => nothing(normalized, Status::BackgroundLikely),
        None => segment_tissue(normalized, parameters),
    }
}

fn segment_tissue(normalized: View<'_, [u8; 3]>, parameters: &Parameters) -> Segmentation {
    let Reconstructed { rc, rc_recon } = reconstruct(normalized, parameters.recon_connectivity);
    let fill = parameters.fill_holes_connectivity;
    let Candidates { diff, bw1 } = candidates(rc.view(), rc_recon.view(), fill, parameters.g1);
    let bw1_t = sized_candidates(bw1.view(), parameters.min_size, parameters.max_size);
    if bw1_t.pixels().iter().all(|pixel| *pixel == 0) {
        return nothing(normalized, Status::NoCandidates);
    }
    let rbc = red_blood_cells(normalized, parameters.t1, parameters.t2);
    let seg_open = grow(diff.view(), bw1_t.view(), rbc.view(), parameters.g2);
    let big = clumps(seg_open.view(), parameters.min_size_pl);
    let apart = split(normalized, big.view(), parameters.watershed_connectivity);
    finished(finish(apart.view(), parameters.min_size_seg, parameters.max_size_seg, fill))
}

fn finished(Finished { mask, objects }: Finished) -> Segmentation {
    let status = if objects > 0 { Status::Ok } else { Status::NoCandidates };
    Segmentation { mask, status, objects }
}

fn nothing(normalized: View<'_, [u8; 3]>, status: Status) -> Segmentation {
    Segmentation { mask: Plane::filled(0, normalized.width(), normalized.height()), status, objects: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_of_hardly_any_pixels_have_no_nuclei() {
        for (width, height) in [(0, 0), (0, 3), (3, 0), (1, 1), (1, 40), (40, 1)] {
            let image = Plane::filled([100, 50, 120], width, height);
            let found = segment(image.view(), &Parameters::default());
            let expected = nothing(image.view(), Status::NoCandidates);
            assert_eq!(found, expected);
        }
    }
}
