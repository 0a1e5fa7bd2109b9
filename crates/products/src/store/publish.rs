//! Products that are kept.

use std::collections::HashSet;
use std::sync::Arc;

use super::{ProductStore, lock, now};
use crate::ProductError;
use crate::index::{Added, Addition, NewBlob, NewEntry};
use crate::lease::unique_name;
use crate::pack::{self, Extent, PackWriter};
use crate::record::blob::{self, Blob};
use crate::record::entry::Entry;
use crate::record::{Conflict, Maker, ProductKey, ProductRegion, digest};

/// A result to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct NewProduct {
    /// Its key.
    pub key: ProductKey,
    /// Its bytes.
    pub payload: Vec<u8>,
    /// Seconds that it took to compute.
    pub seconds: f64,
}

/// A result to be kept, and which region it is.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRegion {
    /// The result.
    pub product: NewProduct,
    /// The region; none for what is no region.
    pub region: Option<ProductRegion>,
}

/// What publishing did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Published {
    /// Products that are new.
    pub stored: u64,
    /// Bytes of their records.
    pub bytes: u64,
    /// Products that were there with other bytes: their computation does not repeat.
    pub conflicts: Vec<Conflict>,
}

/// A product with its entry.
struct Ready<'a> {
    payload: &'a [u8],
    entry: Entry,
}

/// Where the records of a batch were written.
#[derive(Default)]
struct Written {
    blobs: Vec<([u8; 32], u32, Arc<str>, Extent)>,
    entries: Vec<(Arc<str>, Extent)>,
    /// Packs of one large blob each.
    large: Vec<PackWriter>,
}

impl ProductStore {
    /// Keeps products. They are on the disk before the index names them; of equal keys the first product stays, and equal
    /// bytes are stored once.
    ///
    /// # Errors
    /// When a product is too long or cannot be written: then the index names none that was not written.
    pub fn publish(&self, products: &[NewProduct], maker: &Maker) -> Result<Published, ProductError> {
        self.publish_all(products.iter().map(|product| (product, None)), maker)
    }

    /// The same of products that are regions: [`ProductStore::regions`] finds them by what they are.
    ///
    /// # Errors
    /// The same.
    pub fn publish_regions(&self, regions: &[NewRegion], maker: &Maker) -> Result<Published, ProductError> {
        self.publish_all(regions.iter().map(|region| (&region.product, region.region.as_ref())), maker)
    }

    fn publish_all<'a>(
        &self,
        mut products: impl Iterator<Item = (&'a NewProduct, Option<&'a ProductRegion>)> + Clone,
        maker: &Maker,
    ) -> Result<Published, ProductError> {
        products.clone().try_for_each(|(product, _)| blob::check_length(&product.payload))?;
        if self.index.follow()? {
            self.take_over()?;
        }
        self.flush_uses()?;
        let created = now();
        let ready = |(product, region)| Ready::new(product, region, maker, created);
        let mut left: Vec<Ready<'_>> = products.by_ref().map(ready).collect();
        let mut published = Published::default();
        // What is left after a round has a key twice, or a blob that was collected meanwhile.
        while !left.is_empty() {
            left = self.publish_round(left, &mut published)?;
        }
        Ok(published)
    }

    fn publish_round<'a>(
        &self,
        products: Vec<Ready<'a>>,
        published: &mut Published,
    ) -> Result<Vec<Ready<'a>>, ProductError> {
        let (new, mut left) = self.new_ones(products, published)?;
        if new.is_empty() {
            return Ok(left);
        }
        let mut writer = lock(&self.writer);
        let start = writer.as_ref().map(|pack| (pack.name.clone(), pack.end()));
        let mut written = Written::default();
        match self.write_and_add(&mut writer, &new, &mut written) {
            Ok(added) => {
                published.stored += added.products;
                published.bytes += written.bytes();
                published.conflicts.extend(added.conflicts);
                let without: HashSet<usize> = added.without_blob.into_iter().collect();
                left.extend(new.into_iter().enumerate().filter(|(n, _)| without.contains(n)).map(|(_, r)| r));
                Ok(left)
            }
            Err(error) => {
                take_back(&mut writer, start, written);
                Err(error)
            }
        }
    }

    /// The products whose keys are not there, each key once, and what is left for another round.
    fn new_ones<'a>(
        &self,
        products: Vec<Ready<'a>>,
        published: &mut Published,
    ) -> Result<(Vec<Ready<'a>>, Vec<Ready<'a>>), ProductError> {
        let keys: Vec<ProductKey> = products.iter().map(|product| product.entry.key).collect();
        let (mut new, mut left, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        let before = published.conflicts.len();
        for (product, known) in products.into_iter().zip(self.index.known(&keys)?) {
            match known {
                None if seen.insert(product.entry.key) => new.push(product),
                None => left.push(product),
                Some((digest, _)) if digest == product.entry.digest => {}
                Some((_, first)) => {
                    let Entry { key, maker: second, .. } = product.entry;
                    published.conflicts.push(Conflict { key, first, second });
                }
            }
        }
        self.index.count_conflicts(published.conflicts.len() - before)?;
        Ok((new, left))
    }

    fn write_and_add(
        &self,
        writer: &mut Option<PackWriter>,
        new: &[Ready<'_>],
        written: &mut Written,
    ) -> Result<Added, ProductError> {
        let digests: Vec<[u8; 32]> = new.iter().map(|product| product.entry.digest).collect();
        let mut there: HashSet<[u8; 32]> = HashSet::new();
        there
            .extend(digests.iter().zip(self.index.has_blobs(&digests)?).filter(|(_, t)| *t).map(|(d, _)| *d));
        let pack = self.writer_of(writer)?;
        let name: Arc<str> = pack.name.as_str().into();
        for product in new {
            if there.insert(product.entry.digest) {
                self.write_blob(pack, &name, product, written)?;
            }
            written.entries.push((Arc::clone(&name), pack.add_entry(&product.entry)?));
        }
        // An entry is never on the disk without its blob.
        written.large.iter_mut().try_for_each(PackWriter::sync)?;
        pack.sync()?;
        self.index.add(&written.addition(new), now())
    }

    fn write_blob(
        &self,
        pack: &mut PackWriter,
        name: &Arc<str>,
        product: &Ready<'_>,
        written: &mut Written,
    ) -> Result<(), ProductError> {
        let blob = Blob::new(product.entry.digest, product.payload);
        let (name, extent) = if blob.head.length() > pack::LARGE {
            let mut large = self.new_pack()?;
            let extent = large.add_blob(&blob)?;
            let name = large.name.as_str().into();
            written.large.push(large);
            (name, extent)
        } else {
            (Arc::clone(name), pack.add_blob(&blob)?)
        };
        written.blobs.push((blob.head.digest, blob.head.bytes, name, extent));
        Ok(())
    }

    /// The pack of this process; a new one after a long one.
    fn writer_of<'w>(&self, writer: &'w mut Option<PackWriter>) -> Result<&'w mut PackWriter, ProductError> {
        if let Some(long) = writer.as_ref().filter(|pack| pack.is_long()) {
            self.index.close_pack(&long.name)?;
            *writer = None;
        }
        match writer {
            Some(pack) => Ok(pack),
            none => Ok(none.insert(self.new_pack()?)),
        }
    }

    /// A new pack of this process, known to the index before anything is in it.
    pub(crate) fn new_pack(&self) -> Result<PackWriter, ProductError> {
        let name = pack::name_of(&unique_name());
        self.index.add_pack(&name, &self.lease.name)?;
        PackWriter::create(self.packs(), &name, &self.disk)
    }
}

impl<'a> Ready<'a> {
    fn new(product: &'a NewProduct, region: Option<&ProductRegion>, maker: &Maker, created: u64) -> Self {
        let NewProduct { key, payload, seconds } = product;
        let (digest, maker, region) = (digest(payload), maker.clone(), region.cloned());
        Self { payload, entry: Entry { key: *key, digest, created, seconds: *seconds, maker, region } }
    }
}

impl Written {
    fn bytes(&self) -> u64 {
        let blobs = self.blobs.iter().map(|(.., extent)| extent.length);
        blobs.chain(self.entries.iter().map(|(_, extent)| extent.length)).sum()
    }

    fn addition<'a>(&'a self, new: &'a [Ready<'_>]) -> Addition<'a> {
        let blob = |(digest, bytes, pack, extent): &'a ([u8; 32], u32, Arc<str>, Extent)| NewBlob {
            digest: *digest,
            bytes: *bytes,
            pack,
            extent: *extent,
        };
        let entry = |(product, (pack, extent)): (&'a Ready<'_>, &'a (Arc<str>, Extent))| NewEntry {
            entry: &product.entry,
            pack,
            extent: *extent,
        };
        Addition {
            blobs: self.blobs.iter().map(blob).collect(),
            entries: new.iter().zip(&self.entries).map(entry).collect(),
            closed: self.large.iter().map(|pack| pack.name.as_str()).collect(),
            oldest_stays: false,
            is_whole: true,
        }
    }
}

/// Takes back what a batch has written that could not be published.
fn take_back(writer: &mut Option<PackWriter>, start: Option<(String, u64)>, written: Written) {
    for mut large in written.large {
        large.take_back(0);
    }
    if let Some(mut pack) = writer.take() {
        let end = start.filter(|(name, _)| *name == pack.name).map_or(0, |(_, end)| end);
        *writer = pack.take_back(end).then_some(pack);
    }
}
