//! Where regions and bytes are kept: blobs, atomic publishing, regions as bytes, tiers of storage, Zarr and Parquet.
//!
//! This crate never decides what is equal: equal digests name equal bytes.
//!
//! | module | is |
//! |---|---|
//! | [`publish`] | files and folders that appear whole or not at all |
//! | [`blob`] | bytes under their digests, in memory or on a disk |
//! | [`codec`] | regions as bytes |
//! | [`tier`] | regions in memory, and on slower tiers when they do not fit |
//! | [`staging`] | blobs from computing threads to a disk, in groups or by threads of their own |
//! | `memory`, `zarr_store` | stores of regions: [`MemoryStore`], [`ZarrStore`] |
//! | [`zarr`] | the Zarr format: arrays and their files |
//! | `parquet` | tables as Parquet files: [`ParquetWriter`] |
//!
//! # In memory
//!
//! A store keeps regions under their identifiers. What it can do (read, read a box, write, list, remove) are the traits of
//! [`onceflow_region::store`].
//!
//! ```
//! use onceflow_region::store::{ReadRegion, WriteRegion};
//! use onceflow_region::{Budget, Region, RegionId, RegionKind, RegionQuery, Table};
//! use onceflow_store::MemoryStore;
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
//! use onceflow_region::store::{ReadRegion, ReadRegionPart, WriteRegion};
//! use onceflow_region::{Bounds, Budget, Dense, Pixels, Region, RegionId, RegionKind};
//! use onceflow_store::ZarrStore;
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

pub mod blob;
pub mod codec;
#[cfg(test)]
mod conformance;
mod memory;
mod parquet;
pub mod publish;
pub mod staging;
pub mod tier;
pub mod zarr;
mod zarr_store;

pub use memory::MemoryStore;
pub use parquet::ParquetWriter;
pub use zarr_store::ZarrStore;
