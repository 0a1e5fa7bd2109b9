//! Regions in a folder: arrays as Zarr, tables as Parquet, each region published whole and checked when it is read.
//!
//! ```text
//! store.json              says that this is a store
//! content/NAME.STAGED/    the files of a region: zarr.json, and c.0.0.0 of an array, table.parquet, ...
//! regions/NAME.json       its marker: the same zarr.json, under this name last
//! ```
//!
//! A region without a marker does not exist. Chunks and indices of arrays have checksums; all other files have their
//! digests in the marker, and the marker has its own. A region that is written again gets new files before the marker
//! changes, so that readers see the old one or the new one. To make a file takes a disk longer than to fill it: that is
//! why metadata and marker are one.

mod capabilities;
mod content;
mod marker;
mod name;
mod pieces;
mod prepare;
mod table;
#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use onceflow_region::store::HeldRegion;
use onceflow_region::{Budget, Lease, Region, RegionId, RegionKind, SourceError, StoreError};

use self::content::METADATA;
use crate::publish;
use crate::publish::Publisher;
use crate::zarr::Compression;
use crate::zarr::ZarrFolder;
use crate::zarr::json::METADATA_LIMIT;
use marker::Marker;

/// A store of regions in a folder.
#[derive(Debug)]
pub struct ZarrStore {
    name: String,
    root: PathBuf,
    folder: ZarrFolder,
    budget: Budget,
    publisher: Publisher,
    compression: Compression,
    /// When the last region was staged.
    staged: AtomicU64,
    /// Held while a marker is written.
    marking: Mutex<()>,
}

const REGIONS: &str = "regions";
const CONTENT: &str = "content";

impl ZarrStore {
    /// Opens a store, or makes one where there is nothing yet. What is read draws from the budget; what writers that no longer
    /// live have left is removed.
    ///
    /// # Errors
    /// When the folder holds something else, or cannot be made.
    pub fn open(path: &Path, budget: Budget) -> Result<ZarrStore, StoreError> {
        ZarrStore::with(path, budget, Compression::default(), Publisher::new())
    }

    /// As [`ZarrStore::open`], with another compression of new arrays and another way of publishing.
    ///
    /// # Errors
    /// As [`ZarrStore::open`].
    pub fn with(
        path: &Path,
        budget: Budget,
        compression: Compression,
        publisher: Publisher,
    ) -> Result<ZarrStore, StoreError> {
        let name = path.display().to_string();
        prepare::prepare(path, &name, &publisher)?;
        let folder = ZarrFolder::open(path, Arc::default()).map_err(|error| in_store(&name, error))?;
        let root = path.to_owned();
        for folder in [&root, &root.join(REGIONS), &root.join(CONTENT)] {
            // A read-only store is not cleaned up.
            let _ = publish::remove_abandoned(folder);
        }
        Ok(ZarrStore {
            name,
            root,
            folder,
            budget,
            publisher,
            compression,
            staged: AtomicU64::new(0),
            marking: Mutex::new(()),
        })
    }

    /// Removes the files of regions that were never finished or are no longer there, and tells how many folders that were.
    /// There must be no writer meanwhile.
    ///
    /// # Errors
    /// When the store cannot be read, or files cannot be removed.
    pub fn remove_unmarked(&self) -> Result<usize, StoreError> {
        let kept: Vec<String> = self.markers("")?.into_iter().map(|marker| marker.folder).collect();
        let mut removed = 0;
        for name in self.names(CONTENT)? {
            if !kept.contains(&name) {
                let path = self.root.join(CONTENT).join(&name);
                fs::remove_dir_all(&path).map_err(|error| self.unwritable(&path, &error))?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// The marker of a region; `None` when there is no such region.
    fn marker(&self, name: &str) -> Result<Option<Marker>, StoreError> {
        let relative = format!("{REGIONS}/{name}.json");
        let bytes =
            self.folder.small(&relative, METADATA_LIMIT).map_err(|error| in_store(&self.name, error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let wrong = |wrong: crate::zarr::json::BadMetadata| {
            in_store(&self.name, wrong.in_file(&self.folder.file_name(&relative)))
        };
        let marker = Marker::parse(&bytes).map_err(wrong)?;
        let fits = name::name(&marker.id) == name && marker.folder.starts_with(&format!("{name}."));
        if !fits || marker.folder.contains(['/', '\\']) {
            let found = format!("that of {}", marker.id);
            let error = SourceError::content(
                &self.folder.file_name(&relative),
                "the marker of its name",
                found,
                TODO,
            );
            return Err(in_store(&self.name, error));
        }
        Ok(Some(marker))
    }

    /// The markers whose names begin so.
    fn markers(&self, beginning: &str) -> Result<Vec<Marker>, StoreError> {
        let names = self.names(REGIONS)?;
        let names = names.iter().filter_map(|name| name.strip_suffix(".json"));
        let markers = names.filter(|name| name.starts_with(beginning)).map(|name| self.marker(name));
        // A region may be removed while we look.
        markers.filter_map(Result::transpose).collect()
    }

    /// What lies in a folder of the store, without what is being written.
    fn names(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        let path = self.root.join(folder);
        let unreadable = |error: io::Error| {
            let file = path.display().to_string();
            in_store(&self.name, SourceError::unreadable(&file, &error))
        };
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            if !publish::is_temporary(&name) {
                names.extend(name.into_string());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// A number larger than that of everything staged before, here or by others on this machine.
    fn next_staged(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
        let next = |before: u64| Some(now.max(before + 1));
        let before = self.staged.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        now.max(before.unwrap_or_default() + 1)
    }

    /// Publishes the files of a region, then its marker.
    fn publish(&self, id: &RegionId, region: &Region) -> Result<(), StoreError> {
        let (name, staged) = (name::name(id), self.next_staged());
        let folder = format!("{name}.{staged}");
        let path = self.root.join(CONTENT).join(&folder);
        let pieces = pieces::apart(region).map_err(|error| self.region(error))?;
        let pieces = pieces.ok_or_else(|| self.wrong_kind(id, "a region with content", region.kind()))?;
        let fill = |to: &Path| {
            let (metadata, files) = content::write(to, region.kind(), &pieces, self.compression)?;
            let (id, bytes, header) = (id.clone(), region.bytes(), pieces.header.clone());
            let marker = Marker { id, staged, folder, bytes, header, files, metadata };
            fs::write(to.join(METADATA), marker.to_bytes())
        };
        self.publisher.publish_folder(&path, fill).map_err(|error| self.unwritable(&path, &error))?;
        self.mark(&name, &path.join(METADATA))
    }

    /// Marks a region by its metadata, and removes the files of the region that it replaces.
    fn mark(&self, name: &str, metadata: &Path) -> Result<(), StoreError> {
        // One after the other, so that each sees the marker that it replaces.
        let marking = self.marking.lock().map_err(|_| StoreError::Broken { store: self.name.clone() })?;
        let before = self.marker(name).ok().flatten();
        let path = self.root.join(REGIONS).join(format!("{name}.json"));
        let marked = self.publisher.mark_with(&path, metadata);
        marked.map_err(|error| self.unwritable(&path, &error))?;
        drop(marking);
        if let Some(before) = before {
            // No marker leads to it any more; files that cannot be removed now are removed as unmarked later.
            let _ = fs::remove_dir_all(self.root.join(CONTENT).join(before.folder));
        }
        Ok(())
    }

    /// Does something with a region's files. When another writer replaces them meanwhile, it is done with the new ones.
    fn with_files<T>(
        &self,
        id: &RegionId,
        read: impl Fn(&Marker) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let name = name::name(id);
        let missing = || StoreError::Missing { store: self.name.clone(), region: id.to_string() };
        let mut marker = self.marker(&name)?.ok_or_else(missing)?;
        loop {
            let result = read(&marker);
            let now = if result.is_err() { self.marker(&name)?.ok_or_else(missing)? } else { return result };
            if now == marker {
                return result;
            }
            marker = now;
        }
    }

    fn content(&self, marker: &Marker) -> Result<HeldRegion, StoreError> {
        let lease = self.reserve(marker)?;
        let path = format!("{CONTENT}/{}", marker.folder);
        let region =
            content::read(&self.folder, &path, marker).map_err(|error| in_store(&self.name, error))?;
        Ok(HeldRegion::new(region, Some(lease)))
    }

    fn reserve(&self, marker: &Marker) -> Result<Lease, StoreError> {
        let full = || {
            let free = self.budget.limit().saturating_sub(self.budget.used());
            let (store, region) = (self.name.clone(), marker.id.to_string());
            StoreError::Full { store, region, bytes: marker.bytes, free }
        };
        self.budget.try_reserve(marker.bytes).ok_or_else(full)
    }

    fn wrong_kind(&self, id: &RegionId, expected: &str, found: RegionKind) -> StoreError {
        let (store, region) = (self.name.clone(), id.to_string());
        StoreError::Kind { store, region, expected: expected.to_owned(), found: found.to_string() }
    }

    fn region(&self, error: onceflow_region::RegionError) -> StoreError {
        StoreError::Region { store: self.name.clone(), error: Box::new(error) }
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> StoreError {
        unwritable(&self.name, path, error)
    }
}

/// What to do about a file that is not as it was written.
const TODO: &str = "remove the region and compute it again";

fn in_store(store: &str, error: SourceError) -> StoreError {
    StoreError::Source { store: store.to_owned(), error: Box::new(error) }
}

fn unwritable(store: &str, path: &Path, error: &io::Error) -> StoreError {
    let todo = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::PermissionDenied => "ask for the right to write there",
        io::ErrorKind::ReadOnlyFilesystem => "name a folder on a disk that may be written",
        _ => "check the disk",
    };
    let (store, file, reason) = (store.to_owned(), path.display().to_string(), error.to_string());
    StoreError::Write { store, file, reason, todo }
}
