//! What can be wrong with a region.

use thiserror::Error;

use super::{SourceError, StoreError};
use crate::{Bounds, Element, Position, RegionId};

/// A region that cannot be made, cut or turned into another.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RegionError {
    /// The number of values is not the one that the size asks for.
    #[error(
        "expected {expected} values for {width} x {height} pixels of {channels} channels, found {found}; give one value per pixel and channel"
    )]
    Length {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
        /// Channels.
        channels: usize,
        /// Values asked for.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// A size whose product is not a number we can hold.
    #[error(
        "expected a size that fits in memory, found {width} x {height} pixels of {channels} channels; cut the image into parts"
    )]
    Size {
        /// Columns.
        width: u64,
        /// Rows.
        height: u64,
        /// Channels.
        channels: usize,
    },
    /// A real number that is no brightness.
    #[error("expected numbers from 0 to 1, found {found}; divide by the largest")]
    Range {
        /// The first that is not.
        found: f64,
    },
    /// The number of values is not that of the places of a box.
    #[error("expected {} values for {bounds}, found {found}; give one value per place", expected.map_or("more".to_owned(), |expected| expected.to_string()))]
    Volume {
        /// The box.
        bounds: Box<Bounds>,
        /// Values asked for, when that is a number we can hold.
        expected: Option<u64>,
        /// Values given.
        found: usize,
    },
    /// A position that lies outside.
    #[error(
        "expected positions within {bounds}, found {} {} (depth {}, time {}); leave out those outside",
        found.x, found.y, found.z, found.time
    )]
    Position {
        /// The box.
        bounds: Box<Bounds>,
        /// The first that is outside.
        found: Box<Position>,
    },
    /// A position with two values.
    #[error(
        "expected one value per position, found two at {} {} (depth {}, time {}); add or drop one",
        found.x, found.y, found.z, found.time
    )]
    Twice {
        /// The position.
        found: Box<Position>,
    },
    /// A coordinate that is NaN or beyond 2^53.
    #[error("expected coordinates within 2^53 pixels, found {found}; leave the point out")]
    Nowhere {
        /// The first that does not.
        found: f64,
    },
    /// A ring that encloses nothing.
    #[error("expected rings of at least 3 corners, found {found}; leave it out")]
    Ring {
        /// Corners found.
        found: usize,
    },
    /// The image of a region cannot be read.
    #[error("{error}")]
    Source {
        /// Why.
        error: Box<SourceError>,
    },
    /// The store of a region cannot give it.
    #[error("{error}")]
    Store {
        /// Why.
        error: Box<StoreError>,
    },
    /// A number of channels that is neither 1 nor 3.
    #[error("expected 1 channel (grey) or 3 (colour), found {found}; drop or split the others")]
    Channels {
        /// Channels given.
        found: usize,
    },
    /// A box that reaches outside.
    #[error("expected a box within {outer}, found {inner}; intersect it with the region first")]
    Outside {
        /// The box of the region.
        outer: Box<Bounds>,
        /// The box asked for.
        inner: Box<Bounds>,
    },
    /// An element type or a number of channels that cannot be used here.
    #[error("expected {expected}, found {channels} channel(s) of {element}; {todo}")]
    Kind {
        /// What is wanted.
        expected: &'static str,
        /// Channels found.
        channels: usize,
        /// Element found.
        element: Element,
        /// What to do.
        todo: &'static str,
    },
    /// A colour image where a mask or labels are wanted.
    #[error(
        "expected labels as grey values or in red alone, found {red} {green} {blue} at column {x}, row {y}; save the labels as an 8- or 16-bit grey image"
    )]
    Coloured {
        /// Column.
        x: usize,
        /// Row.
        y: usize,
        /// Red.
        red: u8,
        /// Green.
        green: u8,
        /// Blue.
        blue: u8,
    },
    /// A label that does not fit where it is to be written.
    #[error(
        "expected labels up to {limit}, found {found}; number the objects anew from 1, or write them in parts"
    )]
    Label {
        /// The largest label that fits.
        limit: u32,
        /// The label found.
        found: u32,
    },
    /// Columns of a table that do not have the same length.
    #[error(
        "expected {expected} values in column {name}, found {found}; give every column one value per row"
    )]
    Rows {
        /// The column.
        name: String,
        /// Rows of the table.
        expected: usize,
        /// Values of the column.
        found: usize,
    },
    /// Two columns with one name.
    #[error("expected columns with different names, found {name} twice; rename one")]
    Column {
        /// The name.
        name: String,
    },
    /// A partition that cannot be made.
    #[error("expected {expected}, found {found}; {todo}")]
    Partition {
        /// What is wanted.
        expected: &'static str,
        /// What was given.
        found: String,
        /// What to do.
        todo: &'static str,
    },
    /// An identifier that a template holds already.
    #[error(
        "expected a new identifier, found {0} (timestamp {1}, version {2}) staged before; raise the version",
        id,
        id.timestamp,
        id.version
    )]
    Staged {
        /// The identifier.
        id: Box<RegionId>,
    },
    /// A file that could not be written in memory.
    #[error("the {format} encoder failed: {reason}")]
    Encode {
        /// The format.
        format: &'static str,
        /// What it said.
        reason: String,
    },
}
