//! Boxes in space and time, the regions that lie in them, and how regions are named, cut and read on demand.
//!
//! This crate knows neither files nor tasks nor parameters: it answers *what lies where*. Image files are opened and written by
//! `onceflow-imageio`, regions are kept by `onceflow-store`.
//!
//! | module | is |
//! |---|---|
//! | `geometry` | spans, boxes and positions |
//! | `pixels`, `digest`, `budget` | values of one type, content digests, the ledger of memory |
//! | `identifier` | names of regions and queries over them |
//! | `kinds`, `region` | the kinds of regions, and a region of any kind |
//! | [`source`], [`store`] | traits of images, volumes and stores that regions are read from |
//! | `template` | regions with metadata, read on demand, in named containers |
//! | `part`, [`pieces`] | cutting boxes into parts; finding stored pieces by place |
//!
//! # Boxes
//!
//! A [`Span`] is a half-open stretch of one axis, a [`Bounds`] one of each axis of space (`x`, `y`, `z`) and of time, a
//! [`Position`] one place. Their arithmetic cannot overflow: a result that does not fit is `None`.
//!
//! ```
//! use onceflow_region::{Bounds, Position};
//!
//! let tile = Bounds::plane(100, 50, 20, 10).ok_or("too large")?;
//! let with_halo = tile.grow(4).ok_or("too large")?;
//! assert_eq!(with_halo.to_string(), "[96 46 28 x 18]");
//! assert_eq!(tile.relative_to(&with_halo), Bounds::plane(4, 4, 20, 10));
//! assert!(tile.has(&Position::plane(119, 59)) && !tile.has(&Position::plane(120, 59)));
//! # Ok::<(), &str>(())
//! ```
//!
//! # Regions
//!
//! A [`Region`] is what lies in a box, of one of these kinds ([`RegionKind`]):
//!
//! | kind | type | for |
//! |---|---|---|
//! | `dense` | [`Dense`] | planes of 1 or 3 channels: images, masks, labels |
//! | `line` | [`Line`] | one dimension: profiles, histograms, signals |
//! | `volume` | [`Volume`] | up to three dimensions and time, placed in the world |
//! | `sparse` | [`Sparse`] | large boxes that are mostly zero: seeds, counts |
//! | `points` | [`Points`] | places with columns: centres, annotations |
//! | `polygons` | [`Polygons`] | outlines with holes and columns |
//! | `objects` | [`ObjectSet`] | run-length masks with columns of features |
//! | `table` | [`Table`] | small tables without a box |
//! | `image` | [`Source`] | an image that is known but not read |
//! | `nothing` | | no content, such as the truth of an image without truth |
//!
//! Values are of any [`Element`] from `u8` to `f64`. Every kind knows its bytes, its digest (the same on every machine, and
//! between versions), its box, what of it lies in a smaller box, and whether it is the same as another to the last bit.
//!
//! ```
//! use onceflow_region::{Bounds, Dense, ObjectSet, Pixels, Region, Sparse};
//!
//! let labels = Dense::new(4, 2, 1, Pixels::U32(vec![0, 7, 7, 0, 0, 7, 0, 3]))?;
//! let objects = ObjectSet::from_labels(&labels)?;
//! let regions = [
//!     Region::Sparse(Sparse::from_dense(&labels)?),
//!     Region::Objects(objects),
//!     Region::Dense(labels),
//! ];
//! let left = Bounds::plane(0, 0, 2, 2).ok_or("too large")?;
//! for region in regions {
//!     let crop = region.crop(left)?;
//!     assert!(crop.kind() == region.kind() && !crop.is_same(&region) && crop.bytes() < region.bytes());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Identifiers, templates, relations
//!
//! A [`RegionId`] is a name (`namespace::key`), a kind, a time and a version; a [`RegionQuery`] leaves some of them open and
//! means the latest staged one that fits. A [`DataRegion`] is a region of which first only the metadata are known: element,
//! box, resolution, the part of interest, where it lies. A [`RegionTemplate`] holds such regions; its box is always the
//! smallest around theirs. A [`Relation`] leads to others that cover the same space: another scale, another time, what it
//! was made of.
//!
//! [`DataRegion::get`] reads the part of interest once and keeps it; [`DataRegion::prefetch`] reads it earlier, in a thread of
//! the caller's.
//!
//! # Sources, stores and memory
//!
//! A [`Source`] is an image of which boxes are read at any scale, a [`ReadVolume`] the same for volumes, and a [`Store`] keeps
//! regions under their identifiers. [`Budget`] is the one ledger of memory that all of them draw from:
//!
//! ```
//! use onceflow_region::Budget;
//!
//! let budget = Budget::new(100);
//! let lease = budget.try_reserve(60);
//! assert!(lease.is_some() && budget.try_reserve(60).is_none());
//! drop(lease);
//! assert_eq!((budget.used(), budget.peak()), (0, 60));
//! ```
//!
//! # Parts
//!
//! [`partition`] cuts a box into squares, [`partition_by_cost`] into halves of equal cost (a k-d tree),
//! [`partition_by_quad_tree`] into quarters where it is dear; [`drop_background`] leaves out what costs nothing. Each
//! [`Part`] has a core that belongs to it alone, and reads a halo around it that is cropped again.
//!
//! ```
//! use onceflow_region::{Bounds, CostMap, QuadLimit, partition_by_cost, partition_by_quad_tree};
//!
//! let whole = Bounds::plane(0, 0, 400, 100).ok_or("too large")?;
//! let map = CostMap::new(whole, 100, vec![6.0, 1.0, 1.0, 0.0])?;
//! let halves = partition_by_cost(&map, 2, 8)?;
//! assert_eq!((halves[0].core.width(), halves[0].read.width()), (67, 75));
//! let quarters = partition_by_quad_tree(&map, QuadLimit::Cost(2.0), 8)?;
//! assert!(quarters.iter().all(|part| map.cost(&part.core) <= 2.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Pieces
//!
//! A region may be split over files or nodes. [`Pieces`] finds what holds a box among millions of them in microseconds, by
//! keys along a [`Hilbert`] curve: a box is a few ranges of keys, and a node holds one ([`Placement`]). [`DataRegion::of_pieces`]
//! puts a plane together from those that are of interest.
//!
//! ```
//! use onceflow_region::{Bounds, Piece, Pieces};
//!
//! let tile = |x: i64, y: i64| Bounds::plane(x * 256, y * 256, 256, 256).map(|bounds| Piece { bounds, id: (x, y) });
//! let tiles = (0..64).flat_map(|y| (0..64).filter_map(move |x| tile(x, y))).collect();
//! let pieces = Pieces::new(tiles)?;
//! let query = Bounds::plane(1000, 1000, 600, 30).ok_or("too large")?;
//! assert_eq!(pieces.query(&query).count(), 8);
//! assert!(pieces.ranges(&query, Some(2)).len() <= 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod digest;
mod error;
mod geometry;
mod identifier;
mod kinds;
mod part;
pub mod pieces;
mod pixels;
mod region;
mod size_words;
pub mod source;
pub mod store;
mod template;

pub use budget::{Budget, Lease, READ_LIMIT};
pub use digest::{Digest, Digester, NotADigest};
pub use error::{RegionError, SourceError, StoreError, io_words};
pub use geometry::{Bounds, Position, Span};
pub use identifier::{RegionId, RegionKind, RegionQuery, Shelf};
pub use kinds::{
    Column, Dense, LabelPlane, Line, ObjectRef, ObjectSet, PixelRun, Points, Polygon, PolygonCorner,
    PolygonRef, Polygons, Sparse, Table, Volume, VolumeGeometry, into_rgb8, labels, rgb8,
};
pub use part::{
    CostMap, Part, QuadLimit, Remainder, drop_background, partition, partition_by_cost,
    partition_by_quad_tree,
};
pub use pieces::{Hilbert, HilbertCurve, Piece, Pieces, Placement};
pub use pixels::{ByteOrder, Element, Pixels};
pub use region::Region;
pub use size_words::{size_words, two_sizes};
pub use source::{
    Access, Details, ImageInfo, ImageScale, MeteredSource, ReadMeter, ReadVolume, Source, VolumeInfo,
};
pub use store::{HeldRegion, Store};
pub use template::{DataRegion, ReadJob, RegionInfo, RegionTemplate, RelatedTo, Relation, RelationKind};
