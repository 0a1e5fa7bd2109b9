//! Operations that reach across a whole image, done tile by tile: the result is the one of the untiled operation, exactly.
//!
//! An image is cut by a [`SeamGrid`]. Operations on components take two passes over all tiles: in the first, [`Areas`],
//! [`Holes`], [`Selection`] and [`Numbering`] collect the facts about each tile's components that the operation needs, and
//! join components that touch across a seam; in the second, each tile is painted by itself. Between the passes only the
//! components and one row of the image are in memory; a tile must show the same mask both times. [`Reconstruction`] visits
//! tiles as long as values continue from one to the next. Operations with a bounded reach need no merging: a tile is read
//! with a halo ([`SeamGrid::around`]). [`Numbering::cut`] lists the objects that a seam cuts, to be worked on once and
//! whole; [`uncut_objects`] gives the others.
//!
//! ```
//! use onceflow_kernels::seams::{Areas, SeamGrid};
//! use onceflow_kernels::{Connectivity, ON, Plane, filter_area};
//!
//! let mask = Plane::from_vec(vec![ON, ON, ON, 0, ON], 5, 1).ok_or("size")?;
//! let grid = SeamGrid::new(5, 1, 2);
//! let tile = |tile: usize| grid.window(tile).of(mask.view());
//! let mut areas = Areas::new(&grid, Connectivity::Four);
//! (0..grid.len()).for_each(|at| areas.visit(tile(at)));
//! let merged = areas.merged();
//! let kept = (0..grid.len()).flat_map(|at| merged.filter(at, tile(at), 2, None).into_vec());
//! let whole = filter_area(mask.view(), 2, None, Connectivity::Four);
//! assert_eq!(kept.collect::<Vec<u8>>(), whole.into_vec());
//! # Ok::<(), &str>(())
//! ```

mod areas;
mod grid;
mod holes;
mod merge;
mod numbering;
mod objects;
mod reconstruction;
mod selection;

pub use areas::{Areas, MergedAreas};
pub use grid::SeamGrid;
pub use holes::{Holes, MergedHoles};
pub use numbering::{MergedNumbering, Numbering};
pub use objects::uncut_objects;
pub use reconstruction::Reconstruction;
pub use selection::{MergedSelection, Selection};
