//! Operations that reach across a whole image, done tile by tile: the result is the one of the untiled operation, exactly.
//!
//! An image is cut by a [`Grid`]. What reaches as far as a component does comes in two visits of all tiles: on the first,
//! [`Areas`], [`Holes`], [`Selection`] and [`Numbering`] learn of each tile's components what the operation asks, and
//! join those that touch across a seam; then what is known of a component is known of all its pieces, and on the second
//! visit each tile is painted by itself. Between the visits only the components and one row of the image are in memory;
//! a tile shows the same mask both times, wherever it comes from. [`Reconstruction`] visits tiles as long as values go on
//! from one to the next. What looks a bounded way around a pixel needs no merging: a tile is read with a halo
//! ([`Grid::around`]). Objects that a seam cuts are named by [`Numbering::cut`], to be worked on once and whole; the
//! others are those of [`uncut_objects`].
//!
//! ```
//! use onceflow_kernels::seams::{Areas, Grid};
//! use onceflow_kernels::{Connectivity, ON, Plane, filter_area};
//!
//! let mask = Plane::from_vec(vec![ON, ON, ON, 0, ON], 5, 1).ok_or("size")?;
//! let grid = Grid::new(5, 1, 2);
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
pub use grid::Grid;
pub use holes::{Holes, MergedHoles};
pub use numbering::{Numbered, Numbering};
pub use objects::uncut_objects;
pub use reconstruction::Reconstruction;
pub use selection::{MergedSelection, Selection};
