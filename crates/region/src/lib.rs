//! Boxes in space and time, regions, templates, parts, the memory budget, stores and image files.
//!
//! A [`Bounds`] says where something lies, a [`Region`] is what lies there, a [`RegionTemplate`] holds regions under
//! their identifiers, and [`partition`] cuts a box into [`Part`]s with halos. [`Budget`] is the one ledger of memory.
//! This crate knows neither tasks nor parameters.
//!
//! ```
//! use onceflow_region::{Bounds, Dense, Pixels, Remainder, partition};
//!
//! let image = Dense::new(4, 2, 1, Pixels::U8(vec![0, 1, 2, 3, 4, 5, 6, 7]))?;
//! let parts = partition(image.bounds(), 2, 1, Remainder::Keep)?;
//! let with_halo = image.crop(parts[1].read)?;
//! assert_eq!(with_halo.as_u8(), Some(&[1, 2, 3, 5, 6, 7][..]));
//! assert_eq!(parts[1].crop(&with_halo)?.as_u8(), Some(&[2, 3, 6, 7][..]));
//! # Ok::<(), onceflow_region::RegionError>(())
//! ```

mod balanced;
pub mod blob;
mod bounds;
mod budget;
pub mod codec;
mod convert;
mod dense;
mod digest;
mod error;
mod identifier;
mod kind;
mod line;
mod objects;
mod part;
mod pixels;
mod points;
mod polygons;
mod position;
pub mod publish;
mod region;
mod shelf;
mod sink;
pub mod source;
mod span;
mod sparse;
pub mod store;
mod table;
mod template;
pub mod volume;

pub use balanced::{CostMap, partition_by_cost};
pub use bounds::Bounds;
pub use budget::{Budget, Lease};
pub use convert::{Labels, labels, rgb8};
pub use dense::Dense;
pub use digest::{Digest, NotADigest};
pub use error::RegionError;
pub use identifier::{RegionId, RegionQuery};
pub use kind::RegionKind;
pub use line::Line;
pub use objects::{Object, ObjectSet, Run};
pub use part::{Part, Remainder, partition};
pub use pixels::{Element, Pixels};
pub use points::Points;
pub use polygons::{Corner, Polygon, Polygons, Shape};
pub use position::Position;
pub use region::Region;
pub use sink::{PNG_LABELS, ParquetWriter, Picture, PictureKind, TakeRows, png_bytes, write_png, write_tiff};
pub use source::{
    Details, ImageInfo, Meter, Metered, READ_LIMIT, Scale, Source, SourceError, open, open_bytes,
};
pub use span::Span;
pub use sparse::Sparse;
pub use store::{Held, MemoryStore, Store, StoreError};
pub use table::{Column, Table};
pub use template::{RegionTemplate, Staged};
pub use volume::{Geometry, Volume, VolumeForm, VolumeInfo, VolumeSource, open_volume, open_volume_bytes};
