//! What the store can do: read, read parts, write, list and remove.

use std::fs;
use std::io;

use onceflow_region::store::{
    HeldRegion, ListRegions, ReadRegion, ReadRegionPart, RemoveRegion, Store, WriteRegion,
};
use onceflow_region::{Bounds, Dense, Region, RegionId, RegionKind, RegionQuery, StoreError};

use super::{CONTENT, REGIONS, ZarrStore, content, in_store, name};

impl ReadRegion for ZarrStore {
    fn latest(&self, query: &RegionQuery) -> Result<(RegionId, HeldRegion), StoreError> {
        let fitting = self.markers(&name::beginning_of(query))?.into_iter();
        let fitting = fitting.filter(|marker| query.fits(&marker.id));
        let latest = fitting.max_by_key(|marker| (marker.staged, marker.id.clone()));
        let missing = || StoreError::Missing { store: self.name.clone(), region: query.to_string() };
        let id = latest.ok_or_else(missing)?.id;
        let held = self.read(&id)?;
        Ok((id, held))
    }

    fn read(&self, id: &RegionId) -> Result<HeldRegion, StoreError> {
        self.with_files(id, |marker| self.content(marker))
    }
}

impl ReadRegionPart for ZarrStore {
    fn read_part(&self, id: &RegionId, bounds: Bounds) -> Result<Dense, StoreError> {
        if id.kind != RegionKind::Dense {
            self.with_files(id, |_| Ok(()))?;
            return Err(self.wrong_kind(id, "dense", id.kind));
        }
        self.with_files(id, |marker| {
            let path = format!("{CONTENT}/{}", marker.folder);
            content::read_part(&self.folder, &path, marker, bounds)
                .map_err(|error| in_store(&self.name, error))
        })
    }
}

impl WriteRegion for ZarrStore {
    fn write(&self, id: &RegionId, region: Region) -> Result<(), StoreError> {
        match id.kind == region.kind() {
            true => self.publish(id, &region),
            false => Err(self.wrong_kind(id, id.kind.word(), region.kind())),
        }
    }
}

impl ListRegions for ZarrStore {
    fn list(&self) -> Result<Vec<RegionId>, StoreError> {
        let mut ids: Vec<RegionId> = self.markers("")?.into_iter().map(|marker| marker.id).collect();
        ids.sort_unstable();
        Ok(ids)
    }
}

impl RemoveRegion for ZarrStore {
    fn remove(&self, id: &RegionId) -> Result<(), StoreError> {
        let name = name::name(id);
        let path = self.root.join(REGIONS).join(format!("{name}.json"));
        // A marker that is broken can be removed too: that is what its error says to do.
        let folder = self.marker(&name).ok().flatten().map(|marker| marker.folder);
        match self.publisher.remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Missing { store: self.name.clone(), region: id.to_string() });
            }
            result => result.map_err(|error| self.unwritable(&path, &error))?,
        }
        if let Some(folder) = folder {
            let _ = fs::remove_dir_all(self.root.join(CONTENT).join(folder));
        }
        Ok(())
    }
}

impl Store for ZarrStore {
    fn name(&self) -> &str {
        &self.name
    }

    fn reader(&self) -> Option<&dyn ReadRegion> {
        Some(self)
    }

    fn part_reader(&self) -> Option<&dyn ReadRegionPart> {
        Some(self)
    }

    fn writer(&self) -> Option<&dyn WriteRegion> {
        Some(self)
    }

    fn lister(&self) -> Option<&dyn ListRegions> {
        Some(self)
    }

    fn remover(&self) -> Option<&dyn RemoveRegion> {
        Some(self)
    }
}
