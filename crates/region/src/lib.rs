//! Boxes in space and time, the regions that lie in them, and where regions are kept, found, cut and read.
//!
//! This crate knows neither tasks nor parameters: it answers *what lies where*. From the small to the large:
//!
//! # Boxes
//!
//! A [`Span`] is a half-open stretch of one axis, a [`Bounds`] one of each axis of space (`x`, `y`, `z`) and of time, a
//! [`Position`] one place. Their arithmetic cannot overflow: what leaves the numbers is none.
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
//! | `table` | [`Table`] | small tables that lie nowhere |
//! | `image` | [`Source`] | an image that is known but not read |
//! | `nothing` | | an image without truth |
//!
//! Values are of any [`Element`] from `u8` to `f64`. Every kind knows its bytes, its digest (the same on every machine, and
//! between versions), its box, what of it lies in a smaller box, and whether it is the same as another to the last bit.
//!
//! ```
//! use onceflow_region::{Bounds, Dense, ObjectSet, Pixels, Polygons, Region, Sparse};
//!
//! let labels = Dense::new(4, 2, 1, Pixels::U32(vec![0, 7, 7, 0, 0, 7, 0, 3]))?;
//! let objects = ObjectSet::from_labels(&labels)?;
//! let outlines = Polygons::from_objects(&objects)?;
//! assert_eq!(outlines.shapes().map(|shape| shape.area()).collect::<Vec<_>>(), [1.0, 3.0]);
//! let regions = [
//!     Region::Sparse(Sparse::from_dense(&labels)?),
//!     Region::Polygons(outlines),
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
//! Whoever plans the work reads no pixel; the first look reads what is of interest, once:
//!
//! ```
//! use std::sync::Arc;
//! use onceflow_region::{Dense, Metered, Pixels, RegionTemplate, Remainder, Source};
//! use onceflow_region::{open_bytes, partition, png_bytes};
//!
//! let image = Dense::new(6, 4, 1, Pixels::U8((0..24).collect()))?;
//! let meter = Arc::new(Metered::new(open_bytes("slide.png", png_bytes(&image)?)?));
//! let source: Arc<dyn Source> = meter.clone();
//! let slide = RegionTemplate::pyramid("slide", &source)?.remove(0);
//! let whole = slide.bounds().ok_or("no region")?;
//! let mut work = Vec::new();
//! for part in partition(whole, 3, 1, Remainder::Keep)? {
//!     work.push((part, slide.with_interest(&part.read)?));
//! }
//! assert_eq!((work.len(), meter.meter().calls()), (4, 0), "planned, and nothing read");
//!
//! for (part, template) in work {
//!     let (_, region) = template.regions().next().ok_or("no region")?;
//!     let held = region.get()?;
//!     let result = held.as_dense().ok_or("no plane")?;
//!     assert_eq!(part.crop(result)?, image.crop(part.core)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`DataRegion::prefetch`] reads before somebody looks, in a thread of the caller's.
//!
//! # Stores and sources
//!
//! A [`Store`] keeps regions under their identifiers and says what it can do: read, read a box, write, list, remove
//! ([`store`]). A [`Source`] is an image file of which boxes are read at any scale ([`source`]), a [`VolumeSource`] the same
//! for volumes ([`volume`]). [`Budget`] is the one ledger of memory that all of them draw from.
//!
//! ```
//! use onceflow_region::store::{Read, Write};
//! use onceflow_region::{Budget, MemoryStore, Region, RegionId, RegionKind, RegionQuery, Table};
//!
//! let budget = Budget::new(1 << 20);
//! let store = MemoryStore::new(budget.clone());
//! let count = |version| RegionId::new("slide", "count", RegionKind::Table).with_version(version);
//! for version in [1, 2] {
//!     store.write(&count(version), Region::Table(Table::numbers([("nuclei", f64::from(version) * 10.0)])?))?;
//! }
//! let (id, held) = store.latest(&RegionQuery::named("slide", "count"))?;
//! assert_eq!((id.version, held.as_table().and_then(|table| table.number("nuclei"))), (2, Some(20.0)));
//! assert_eq!(budget.used(), store.read(&count(1))?.bytes() + held.bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # On a disk
//!
//! A [`ZarrStore`] keeps arrays as Zarr v3 and tables as Parquet, so that other programs read them too. A region is
//! published whole or not at all ([`publish`]), every chunk has a checksum, and a box is read for about what it holds. What
//! was changed behind its back is said, and never served:
//!
//! ```
//! use onceflow_region::store::{Read, ReadPart, Write};
//! use onceflow_region::{Bounds, Budget, Dense, Pixels, Region, RegionId, RegionKind, ZarrStore};
//!
//! let folder = tempfile::tempdir()?;
//! let id = RegionId::new("slide", "mask", RegionKind::Dense);
//! let mask = Dense::new(300, 200, 1, Pixels::U8((0..60_000).map(|at| (at % 251) as u8).collect()))?;
//! ZarrStore::open(folder.path(), Budget::new(1 << 20))?.write(&id, Region::Dense(mask.clone()))?;
//!
//! // Another process, another day.
//! let store = ZarrStore::open(folder.path(), Budget::new(1 << 20))?;
//! let corner = Bounds::plane(290, 190, 10, 10).ok_or("too large")?;
//! assert_eq!(store.read_part(&id, corner)?, mask.crop(corner)?);
//!
//! let array = std::fs::read_dir(folder.path().join("content"))?.next().ok_or("no region")??;
//! let shard = array.path().join("c.0.0.0");
//! let mut bytes = std::fs::read(&shard)?;
//! bytes[100] ^= 1;
//! std::fs::write(&shard, bytes)?;
//! let error = store.read(&id).err().ok_or("served")?.to_string();
//! assert!(error.contains("checksum"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What does not fit memory goes down [tiers](tier) of disks and comes back when it is asked for; what computing threads
//! make is brought to a disk by [staging]: by themselves, in groups, or by threads of their own.
//!
//! # Images for others
//!
//! [`pyramid::write_pyramid`] reads an image once, in bounded memory, and writes it with all its scales: as OME-Zarr
//! ([`OmeZarrSink`]), as a tiled TIFF ([`TiffScales`]) or as a PNG. Images of others ([`open`]) are PNG, JPEG, TIFF and its
//! kin, OME-Zarr, and with OpenSlide's library the slides of scanners. A [`Meter`] counts what is really read:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//! use onceflow_region::publish::Publisher;
//! use onceflow_region::pyramid::{Pyramid, Wish, Work, write_pyramid};
//! use onceflow_region::source::open_metered;
//! use onceflow_region::zarr::{Compression, OmeZarrSink};
//! use onceflow_region::{Bounds, Budget, Dense, Meter, Pixels, open_bytes, png_bytes};
//!
//! let pixels = (0..1200 * 1100).map(|at| (at / 7 % 251) as u8).collect();
//! let image = open_bytes("image.png", png_bytes(&Dense::new(1200, 1100, 1, Pixels::U8(pixels))?)?)?;
//! let pyramid = Pyramid::plan(image.info(), &Wish { tile: [512, 512], ..Wish::default() })?;
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("image.ome.zarr");
//! let sink = OmeZarrSink::create(&path, &pyramid, Compression::None, &Publisher::new())?;
//! let (budget, stop) = (Budget::new(64 << 20), AtomicBool::new(false));
//! write_pyramid(&*image, &pyramid, &Work { threads: 2, budget, watch: &|_, _| (), stop: &stop }, Box::new(sink))?;
//!
//! let meter = Arc::new(Meter::default());
//! let written = open_metered(&path, meter.clone())?;
//! assert_eq!(written.info().scales.iter().map(|scale| scale.width).collect::<Vec<_>>(), [1200, 600, 300]);
//! let before = meter.bytes();
//! written.read(Bounds::plane(1030, 600, 100, 100).ok_or("too large")?)?;
//! assert!(meter.bytes() - before < 600_000, "one chunk of 512 x 512 and an index, not 1.3 million pixels");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parts
//!
//! [`partition`] cuts a box into squares, [`partition_by_cost`] into halves of equal cost (a k-d tree),
//! [`partition_by_quad_tree`] into quarters where it is dear; [`drop_background`] leaves out what costs nothing. Each
//! [`Part`] has a core that belongs to it alone, and reads a halo around it that is cropped again.
//!
//! ```
//! use onceflow_region::{Bounds, CostMap, Until, partition_by_cost, partition_by_quad_tree};
//!
//! let whole = Bounds::plane(0, 0, 400, 100).ok_or("too large")?;
//! let map = CostMap::new(whole, 100, vec![6.0, 1.0, 1.0, 0.0])?;
//! let halves = partition_by_cost(&map, 2, 8)?;
//! assert_eq!((halves[0].core.width(), halves[0].read.width()), (67, 75));
//! let quarters = partition_by_quad_tree(&map, Until::Cost(2.0), 8)?;
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

mod balanced;
pub mod blob;
mod bounds;
mod budget;
pub mod codec;
mod convert;
mod data;
mod dense;
mod digest;
mod error;
mod identifier;
mod kind;
mod line;
mod objects;
mod outlines;
mod part;
pub mod pieces;
mod pixels;
mod points;
mod polygons;
mod position;
pub mod publish;
pub mod pyramid;
mod quad;
mod region;
mod relation;
mod shelf;
mod sink;
pub mod source;
mod span;
mod sparse;
pub mod staging;
pub mod store;
mod table;
mod template;
pub mod tier;
pub mod volume;
pub mod zarr;

pub use balanced::{CostMap, partition_by_cost};
pub use bounds::Bounds;
pub use budget::{Budget, Lease};
pub use convert::{Labels, into_rgb8, labels, rgb8};
pub use data::{DataRegion, Job, RegionInfo};
pub use dense::Dense;
pub use digest::{Digest, NotADigest};
pub use error::RegionError;
pub use identifier::{RegionId, RegionQuery};
pub use kind::RegionKind;
pub use line::Line;
pub use objects::{Object, ObjectSet, Run};
pub use outlines::{OutlineSource, Outlines};
pub use part::{Part, Remainder, partition};
pub use pieces::{Curve, Hilbert, Piece, Pieces, Placement};
pub use pixels::{Element, Pixels};
pub use points::Points;
pub use polygons::{Corner, Polygon, Polygons, Shape};
pub use position::Position;
pub use quad::{Until, drop_background, partition_by_quad_tree};
pub use region::Region;
pub use relation::{Other, Relation, RelationKind};
pub use sink::{
    PNG_LABELS, ParquetWriter, Picture, PictureKind, PngScales, TakeRows, TiffCompression, TiffForm,
    TiffScales, png_bytes, write_png, write_tiff,
};
pub use source::{
    Access, Details, ImageInfo, Meter, Metered, Placed, READ_LIMIT, Resampled, Scale, Source, SourceError,
    Working, open, open_bytes,
};
pub use span::Span;
pub use sparse::Sparse;
pub use store::{Held, MemoryStore, Store, StoreError};
pub use table::{Column, Table};
pub use template::RegionTemplate;
pub use volume::{Geometry, Volume, VolumeForm, VolumeInfo, VolumeSource, open_volume, open_volume_bytes};
pub use zarr::{OmeZarr, OmeZarrSink, ZarrStore};
