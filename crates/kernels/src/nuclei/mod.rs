//! The tasks of the nuclei workflow, from a normalized image to a mask of nuclei, one function each; [`segment`] runs them
//! in order.

mod background;
mod candidates;
mod clumps;
mod finish;
mod grow;
mod parameters;
mod reconstructed;
mod red_blood_cells;
mod segment;
mod split;
pub mod tiled;

pub use background::{BackgroundStatus, background};
pub use candidates::{Candidates, candidates, sized_candidates};
pub use clumps::clumps;
pub use finish::{FinishScratch, Finished, finish, finish_with};
pub use grow::grow;
pub use parameters::Parameters;
pub use reconstructed::{Reconstructed, reconstruct};
pub use red_blood_cells::{red_blood_cells, red_over_green_into};
pub use segment::{Segmentation, Status, segment};
pub use split::{SplitScratch, markers, split, split_groups, split_object, split_with, without_lines};
