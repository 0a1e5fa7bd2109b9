//! Collection: which products go when a store is too large, and how packs shrink. A reader never loses what it was promised: a
//! pack goes to the trash, and is removed when every process that could have seen it is gone.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use crate::index::{Found, Live, Location};
use crate::lease;
use crate::pack::{self, Extent, PackWriter};
use crate::record::blob::BlobHead;
use crate::store::now;
use crate::{Listed, ProductError, ProductKey, ProductStore};

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

    /// Removes products, and the space that they took. What was left of an older form of the store goes too.
    ///
    /// # Errors
    /// When the index or a pack cannot be written; what was removed until then is removed.
    pub fn collect(&self, collection: &Collection) -> Result<Collected, ProductError> {
        let before = self.statistics()?;
        let victims = self.victims(collection)?;
        let keys: Vec<ProductKey> = victims.iter().map(|victim| victim.key).collect();
        self.index().remove(&keys)?;
        self.remove_former()?;
        for name in self.index().packs()? {
            self.compact(&name)?;
        }
        self.empty_trash()?;
        let after = self.statistics()?;
        Ok(Collected {
            removed: keys.len() as u64,
            bytes: before.product_bytes.saturating_sub(after.product_bytes),
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

    fn remove_former(&self) -> Result<(), ProductError> {
        for former in crate::migrate::former(self.folder()) {
            let Ok(files) = fs::read_dir(&former) else { continue };
            files.flatten().try_for_each(|file| self.disk().remove(&file.path()))?;
            fs::remove_dir(&former).map_err(|error| ProductError::disk(&former, &error))?;
        }
        Ok(())
    }

    /// Writes the products of a sparse pack to a new one, unless a process still writes to it.
    fn compact(&self, name: &str) -> Result<(), ProductError> {
        if self.index().open_packs()?.iter().any(|(open, _)| open == name) {
            return Ok(());
        }
        let size = pack::path(self.packs(), name).metadata().map_or(0, |file| file.len());
        let live = self.index().of_pack(name)?;
        if live.bytes() as f64 >= SPARSE * size as f64 && size > 0 {
            return Ok(());
        }
        if live.bytes() == 0 {
            return self.index().move_pack(name, "", &live);
        }
        let mut to = self.new_pack()?;
        let copied = self.copy(name, &live, &mut to).and_then(|moved| {
            to.sync()?;
            Ok(moved)
        });
        match copied {
            Ok(moved) => self.index().move_pack(name, &to.name, &moved),
            Err(error) => {
                to.take_back(0);
                Err(error)
            }
        }
    }

    /// Copies records to another pack; damaged ones are set aside.
    fn copy(&self, name: &str, live: &Live, to: &mut PackWriter) -> Result<Live, ProductError> {
        let (name, mut moved): (Arc<str>, Live) = (name.into(), Live::default());
        let at = |extent: &Extent| Location { pack: Arc::clone(&name), extent: *extent };
        for (digest, extent) in &live.blobs {
            let sound = |(head, stored): &(BlobHead, Vec<u8>)| {
                head.digest == *digest && head.payload(stored.clone()).is_some()
            };
            if let Some((head, stored)) = self.blob_at(&at(extent)).filter(sound) {
                moved.blobs.push((*digest, to.add_stored(&head, &stored)?));
            }
        }
        for (key, extent) in &live.entries {
            if let Some(entry) = self.entry_at(&at(extent)).filter(|entry| entry.key == *key) {
                moved.entries.push((*key, to.add_entry(&entry)?));
            }
        }
        self.set_aside_of(&name, live, &moved)?;
        Ok(moved)
    }

    /// Sets aside what was to be copied and could not be read.
    fn set_aside_of(&self, name: &Arc<str>, live: &Live, moved: &Live) -> Result<(), ProductError> {
        if live.blobs.len() == moved.blobs.len() && live.entries.len() == moved.entries.len() {
            return Ok(());
        }
        let is_here = |listed: &Listed, found: &Found| {
            let is_here = found.entry.pack == *name || found.blob.pack == *name;
            if is_here { self.read(&listed.key, found).err() } else { None }
        };
        let listed = self.list()?;
        let keys: Vec<ProductKey> = listed.iter().map(|listed| listed.key).collect();
        let found = listed.iter().zip(self.index().find(&keys)?);
        let damaged = found.filter_map(|(listed, found)| {
            let found = found?;
            is_here(listed, &found).map(|wrong| (listed.key, found, wrong))
        });
        self.set_aside(&damaged.collect::<Vec<_>>())
    }

    /// Removes packs of the trash that no process can read any more.
    pub(crate) fn empty_trash(&self) -> Result<(), ProductError> {
        let folder = self.packs();
        let trash = self.index().trash()?;
        if trash.is_empty() {
            return Ok(());
        }
        let held = lease::held(&self.leases()).map_err(|error| ProductError::disk(&folder, &error))?;
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
            if !others {
                self.remove_pack(&name)?;
            }
        }
        Ok(())
    }

    fn remove_pack(&self, name: &str) -> Result<(), ProductError> {
        if pack::is_name(name) {
            let _no_reader = self.no_reader();
            self.forget_file(name);
            self.disk().remove(&pack::path(self.packs(), name))?;
        }
        self.index().empty_trash(name)
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
    let mut kept = Kept::new(products.iter().filter(|product| !old(product)));
    products.sort_by(|a, b| value(a, now).total_cmp(&value(b, now)).then(a.key.cmp(&b.key)));
    let mut goes = |product: &Listed| {
        if old(product) {
            return true;
        }
        let goes = kept.bytes > size;
        if goes {
            kept.remove(product);
        }
        goes
    };
    products.into_iter().filter(|product| goes(product)).collect()
}

/// Bytes that products take together: those of a blob count once.
struct Kept {
    bytes: u64,
    /// How many products have each blob.
    blobs: HashMap<i64, u64>,
}

impl Kept {
    fn new<'a>(products: impl Iterator<Item = &'a Listed>) -> Self {
        let mut kept = Self { bytes: 0, blobs: HashMap::new() };
        for product in products {
            let with_blob = kept.blobs.entry(product.blob).or_default();
            *with_blob += 1;
            kept.bytes += if *with_blob == 1 { product.bytes } else { product.entry_bytes };
        }
        kept
    }

    fn remove(&mut self, product: &Listed) {
        let with_blob = self.blobs.entry(product.blob).or_insert(1);
        *with_blob -= 1;
        self.bytes -= if *with_blob == 0 { product.bytes } else { product.entry_bytes };
    }
}

/// Seconds that a byte is expected to save: what it took to compute, more if it was used, less the longer ago.
fn value(product: &Listed, now: u64) -> f64 {
    let days = now.saturating_sub(product.used) as f64 / DAY_MS;
    let chance = (1.0 + product.uses as f64) * 0.5f64.powf(days / HALF_LIFE_DAYS);
    let blob_bytes = product.bytes.saturating_sub(product.entry_bytes) / product.shared.max(1);
    product.seconds * chance / (product.entry_bytes + blob_bytes).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(key: u8, seconds: f64, used: u64) -> Listed {
        Listed {
            key: ProductKey([key; 32]),
            bytes: 100,
            payload_bytes: 90,
            shared: 1,
            seconds,
            created: 0,
            used,
            uses: 0,
            pinned: false,
            maker: crate::Maker::default(),
            region: None,
            blob: i64::from(key),
            entry_bytes: 20,
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
    fn bytes_that_products_share_count_once() {
        let mut products = vec![product(1, 1.0, 0), product(2, 2.0, 0), product(3, 9.0, 0)];
        for shared in &mut products[..2] {
            (shared.blob, shared.shared) = (7, 2);
        }
        let size = |size| Collection { size: Some(size), older_than: None };
        // All take 20 + 20 + 80 + 100 bytes: without the first 20 less, without both shared ones 100 are left.
        assert_eq!(keys(&victims(products.clone(), &size(220), 0, 0)), [] as [u8; 0]);
        assert_eq!(keys(&victims(products.clone(), &size(200), 0, 0)), [1]);
        assert_eq!(keys(&victims(products, &size(199), 0, 0)), [1, 2]);
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
