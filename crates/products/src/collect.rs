//! Collection: which products go when a store is too large, and how packs shrink. A reader never loses what it was promised: a
//! pack goes to the trash, and is removed when every process that could have seen it is gone.

use std::fs;
use std::io;
use std::time::Duration;

use crate::lease;
use crate::store::now;
use crate::{Listed, ProductError, ProductKey, ProductStore, pack};

/// What a collection removes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Collection {
    /// Products that were last used longer ago than this.
    pub older_than: Option<Duration>,
    /// The least valuable products, until the rest has at most so many bytes; none: the limit of the store.
    pub size: Option<u64>,
}

/// What a collection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Products that were removed.
    pub removed: u64,
    /// Bytes of their records.
    pub bytes: u64,
    /// Products that stay.
    pub kept: u64,
    /// Bytes of the packs before and after; packs that others may read stay until then.
    pub packs: (u64, u64),
}

/// The value of a product halves in this time without use.
const HALF_LIFE_DAYS: f64 = 30.0;
const DAY_MS: f64 = 86_400_000.0;

/// A pack is written anew when less than this share of it is products.
const SPARSE: f64 = 0.7;

impl ProductStore {
    /// Which products a collection would remove.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn victims(&self, collection: &Collection) -> Result<Vec<Listed>, ProductError> {
        Ok(victims(self.list()?, collection, self.limit(), now()))
    }

    /// Removes products, and the space that they took.
    ///
    /// # Errors
    /// When the index or a pack cannot be written; what was removed until then is removed.
    pub fn collect(&self, collection: &Collection) -> Result<Collected, ProductError> {
        let before = self.statistics()?;
        let victims = self.victims(collection)?;
        let keys: Vec<ProductKey> = victims.iter().map(|victim| victim.key).collect();
        self.step("remove")?;
        self.index().remove(&keys, false)?;
        for name in self.index().packs()? {
            self.compact(&name)?;
        }
        self.empty_trash()?;
        let after = self.statistics()?;
        Ok(Collected {
            removed: keys.len() as u64,
            bytes: victims.iter().map(|victim| victim.bytes).sum(),
            kept: after.products,
            packs: (before.pack_bytes, after.pack_bytes),
        })
    }

    /// Collects when the store is larger than its limit, down to nine tenths of it.
    ///
    /// # Errors
    /// When the index or a pack cannot be written.
    pub fn keep_limit(&self) -> Result<Option<Collected>, ProductError> {
        if self.index().bytes()? <= self.limit() {
            return Ok(None);
        }
        let size = Some(self.limit() / 10 * 9);
        self.collect(&Collection { size, older_than: None }).map(Some)
    }

    /// Writes the products of a sparse pack to a new one, unless a process still writes to it.
    fn compact(&self, name: &str) -> Result<(), ProductError> {
        if self.index().open_packs()?.iter().any(|(open, _)| open == name) {
            return Ok(());
        }
        let path = pack::path(&self.packs(), name);
        let size = path.metadata().map_or(0, |file| file.len());
        let products = self.index().of_pack(name)?;
        let live: u64 = products.iter().map(|(_, extent)| extent.length).sum();
        if live as f64 >= SPARSE * size as f64 && size > 0 {
            return Ok(());
        }
        let mut moved = Vec::new();
        let mut damaged = Vec::new();
        let mut to = None;
        for (key, extent) in products {
            let location = crate::index::Location { pack: name.to_owned(), extent };
            let Some(record) = self.read(&location).filter(|record| record.key == key) else {
                damaged.push((key, location));
                continue;
            };
            let writer = match &mut to {
                Some(writer) => writer,
                none => none.insert(self.new_pack()?),
            };
            self.step("copy")?;
            let bytes = crate::record::encode(&record)?;
            moved.push((key, writer.append(&bytes).map_err(|error| ProductError::disk(&path, &error))?));
        }
        self.set_aside(&damaged)?;
        if let Some(writer) = &to {
            self.step("sync copy")?;
            writer.sync().map_err(|error| ProductError::disk(&path, &error))?;
        }
        self.step("move")?;
        let new_name = to.map(|writer| writer.name).unwrap_or_default();
        self.index().move_pack(name, &new_name, &moved)?;
        self.step("close")?;
        if new_name.is_empty() { Ok(()) } else { self.index().close_pack(&new_name) }
    }

    /// Removes packs of the trash that no process can read any more.
    pub(crate) fn empty_trash(&self) -> Result<(), ProductError> {
        let folder = self.packs();
        let failed = |error: io::Error| ProductError::disk(&folder, &error);
        let trash = self.index().trash()?;
        if trash.is_empty() {
            return Ok(());
        }
        let held = lease::held(&self.leases()).map_err(failed)?;
        for (name, leases) in trash {
            let leases = match leases {
                Some(leases) => leases,
                None => {
                    // Processes that open the store from now on do not see the pack.
                    let leases = held.join(" ");
                    self.index().note_readers(&name, &leases)?;
                    leases
                }
            };
            let others =
                leases.split(' ').any(|lease| lease != self.lease_name() && held.iter().any(|h| h == lease));
            if !others && pack::is_name(&name) {
                self.step("remove pack")?;
                match fs::remove_file(pack::path(&folder, &name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                    _ => self.index().empty_trash(&name)?,
                }
            }
        }
        Ok(())
    }
}

/// The products that go: all that are too old, and the least valuable of the others until the rest fits.
fn victims(mut products: Vec<Listed>, collection: &Collection, limit: u64, now: u64) -> Vec<Listed> {
    products.retain(|product| !product.pinned);
    let old = |product: &Listed| {
        collection.older_than.is_some_and(|age| now.saturating_sub(product.used) as u128 > age.as_millis())
    };
    let size = match (collection.size, collection.older_than) {
        (Some(size), _) => size,
        // With an age alone, products go by their age.
        (None, Some(_)) => u64::MAX,
        (None, None) => limit,
    };
    let mut bytes: u64 = products.iter().filter(|product| !old(product)).map(|product| product.bytes).sum();
    products.sort_by(|a, b| value(a, now).total_cmp(&value(b, now)).then(a.key.cmp(&b.key)));
    let mut goes = |product: &Listed| {
        if old(product) {
            return true;
        }
        let goes = bytes > size;
        if goes {
            bytes -= product.bytes;
        }
        goes
    };
    products.into_iter().filter(|product| goes(product)).collect()
}

/// Seconds that a byte is expected to save: what it took to compute, more if it was used, less the longer ago.
fn value(product: &Listed, now: u64) -> f64 {
    let days = now.saturating_sub(product.used) as f64 / DAY_MS;
    let chance = (1.0 + product.uses as f64) * 0.5f64.powf(days / HALF_LIFE_DAYS);
    product.seconds * chance / product.bytes.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(key: u8, seconds: f64, used: u64) -> Listed {
        Listed {
            key: ProductKey([key; 32]),
            bytes: 100,
            seconds,
            created: 0,
            used,
            uses: 0,
            pinned: false,
            maker: crate::Maker::default(),
        }
    }

    fn keys(products: &[Listed]) -> Vec<u8> {
        products.iter().map(|product| product.key.0[0]).collect()
    }

    #[test]
    fn the_least_valuable_go_first_and_pinned_ones_never() {
        let mut products = vec![product(1, 5.0, 0), product(2, 1.0, 0), product(3, 3.0, 0)];
        let size = |size| Collection { size: Some(size), older_than: None };
        assert_eq!(keys(&victims(products.clone(), &size(100), 0, 0)), [2, 3]);
        assert_eq!(keys(&victims(products.clone(), &size(300), 0, 0)), [] as [u8; 0]);
        products[1].pinned = true;
        assert_eq!(keys(&victims(products, &size(100), 0, 0)), [3]);
    }

    #[test]
    fn age_halves_the_value_and_a_limit_of_age_removes() {
        let day = DAY_MS as u64;
        let products = vec![product(1, 3.0, 0), product(2, 2.0, 60 * day)];
        let size = Collection { size: Some(100), older_than: None };
        assert_eq!(
            keys(&victims(products.clone(), &size, 0, 60 * day)),
            [1],
            "a quarter of 3 is less than 2"
        );
        let old = Collection { size: None, older_than: Some(Duration::from_secs(86_400 * 30)) };
        assert_eq!(keys(&victims(products, &old, 0, 60 * day)), [1]);
    }
}
