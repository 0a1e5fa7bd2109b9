//! Connected components of masks: found as runs of pixels, numbered, filtered by size, filled, selected by seeds, and taken
//! one by one.

mod area;
mod fill;
mod label;
mod objects;
mod runs;
mod select;

pub use area::{filter_area, filter_area_into};
pub(crate) use fill::outside;
pub use fill::{fill_holes, fill_holes_into};
pub use label::{Component, LabelledComponents, label, label_into};
pub(crate) use objects::is_sparse;
pub use objects::{ObjectGroups, Objects, Traces};
pub(crate) use runs::{ComponentRun, RunBand, RunRow, is_within};
pub use runs::{Runs, SizedRuns};
pub use select::{select, select_into};
