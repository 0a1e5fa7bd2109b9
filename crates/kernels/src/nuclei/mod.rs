//! The tasks of the nuclei workflow, from a normalized image to a mask of nuclei, one function each; [`segment`] runs them
//! in order.

mod apart;
mod background;
mod candidates;
mod clumps;
mod finish;
mod grow;
mod parameters;
mod reconstructed;
mod red_blood_cells;
mod scratch;
mod segment;
mod split;
pub mod tiled;

pub use background::{BackgroundStatus, background};
pub use candidates::{Candidates, candidates, candidates_into, sized_candidates};
pub use clumps::{clumps, clumps_bits, clumps_into};
pub use finish::{NucleiMask, finish, finish_bits, finish_into, finish_mask, finish_with};
pub use grow::{grow, grow_bits, grow_into};
pub use parameters::Parameters;
pub use reconstructed::{ReconstructScratch, Reconstructed, reconstruct, reconstruct_into};
pub use red_blood_cells::{red_blood_cells, red_blood_cells_into, red_over_green_into};
pub use scratch::MaskScratch;
pub use segment::{SegmentScratch, Segmentation, SegmentationStatus, segment, segment_into};
pub use split::{SplitScratch, markers, split, split_groups, split_object, split_with, without_lines};
