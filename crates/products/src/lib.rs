//! Results of earlier runs, found by key.
//!
//! A [`ProductStore`] is a folder. The products are in *packs*, files to which one process appends; an index in SQLite says
//! where each product is. The packs are the truth: the index is made again from them when it is lost or damaged. This
//! crate never decides what is equal: equal keys name equal results.
//!
//! ```
//! use onceflow_products::{Maker, NewProduct, ProductKey, ProductStore, StoreOptions};
//!
//! let folder = tempfile::tempdir()?;
//! let key = ProductKey([7; 32]);
//! let product = NewProduct { key, payload: b"dice 0.7".to_vec(), seconds: 1.5 };
//! let store = ProductStore::open(folder.path(), &StoreOptions::default())?;
//! store.publish(&[product], &Maker::new("runs/first"))?;
//!
//! // Another process, another day.
//! let store = ProductStore::open(folder.path(), &StoreOptions::default())?;
//! let found = store.fetch(&[key, ProductKey([8; 32])])?;
//! assert_eq!(found[0].as_ref().map(|product| &product.payload[..]), Some(&b"dice 0.7"[..]));
//! assert!(found[1].is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | is |
//! |---|---|
//! | `disk` | the file layer, in which tests put faults |
//! | `record` | results (*blobs*, by the digest of their bytes) and what keys stand for (*entries*), with checksums |
//! | `pack` | files of records: append, scan |
//! | `index` | the SQLite file: where each product is, use, leases, digests of source files |
//! | `store` | opening, publishing, fetching, pins, statistics |
//! | `migrate` | stores of an older form |
//! | `elsewhere` | packs in another folder than the index |
//! | `collect` | which products go when the store is too large, and how packs shrink |
//! | `verify` | every record read again, damage set aside |
//! | `lease` | who uses the store now |
//! | `place` | where a store may be, and how large it may be |
//! | `source_files` | digests of source files, remembered while the files are provably unchanged |

mod collect;
mod disk;
mod elsewhere;
mod error;
mod index;
mod lease;
mod migrate;
mod pack;
mod place;
mod record;
mod source_files;
mod store;
mod verify;

pub use collect::{Collected, Collection};
pub use error::ProductError;
pub use index::{Listed, StoreStatistics};
pub use place::{default_limit, is_on_network};
pub use record::{Conflict, Maker, ProductKey, ProductRegion};
pub use source_files::{FileStamp, SourceDigest, WatchedFile};
pub use store::{Explained, NewProduct, NewRegion, Product, ProductStore, Published, StoreOptions};
pub use verify::Verified;

#[doc(hidden)]
pub use disk::{Fault, Faults, Operation};
#[doc(hidden)]
pub use pack::scan_bytes;
