//! What the index says of products: lists and numbers.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::regions::{COLUMNS, region_at};
use super::{Index, unsigned};
use crate::ProductError;
use crate::record::{Maker, ProductKey, ProductRegion};

/// A product as `products ls` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its key.
    pub key: ProductKey,
    /// Bytes of its records, also of a blob that it shares.
    pub bytes: u64,
    /// Bytes of the result.
    pub payload_bytes: u64,
    /// Products with the same bytes, itself among them: these are stored once.
    pub shared: u64,
    /// Seconds that it took to compute.
    pub seconds: f64,
    /// Milliseconds since 1970 at which it was made.
    pub created: u64,
    /// Milliseconds since 1970 at which it was last used.
    pub used: u64,
    /// How often it was used.
    pub uses: u64,
    /// Whether it stays when the store is collected.
    pub pinned: bool,
    /// Who made it.
    pub maker: Maker,
    /// Which region it is, where it is one.
    pub region: Option<ProductRegion>,
    /// The number of its blob.
    pub(crate) blob: i64,
    /// Bytes of its entry.
    pub(crate) entry_bytes: u64,
}

/// A store in numbers. `hits + misses = lookups`, and the bytes of products and of the overhead are those of all packs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreStatistics {
    /// Products.
    pub products: u64,
    /// Different results among them: equal bytes are stored once.
    pub blobs: u64,
    /// Bytes of all results, as if each were stored alone and uncompressed.
    pub payload_bytes: u64,
    /// Products that are pinned.
    pub pinned: u64,
    /// Bytes of the records of all products.
    pub product_bytes: u64,
    /// Bytes of all packs.
    pub pack_bytes: u64,
    /// Files of packs.
    pub packs: u64,
    /// Bytes of the copy that is left of a store of an older form.
    pub former_bytes: u64,
    /// Bytes that the store may take.
    pub limit: u64,
    /// Keys that were looked up.
    pub lookups: u64,
    /// Keys that were found.
    pub hits: u64,
    /// Keys that were not found.
    pub misses: u64,
    /// Seconds that hits saved.
    pub seconds_saved: f64,
    /// Products that were found damaged and set aside.
    pub damaged: u64,
    /// Products that another run computed with other bytes.
    pub conflicts: u64,
}

impl Index {
    /// The products whose keys are between two, the oldest first.
    pub(crate) fn list(&self, keys: [ProductKey; 2]) -> Result<Vec<Listed>, ProductError> {
        let mut listed: Vec<Listed> = self.with(|connection| {
            let sql = format!("{LISTED}, {COLUMNS} {FROM}");
            connection.prepare_cached(&sql)?.query_map([keys[0].0, keys[1].0], listed)?.collect()
        })?;
        self.count_shares(&mut listed)?;
        Ok(listed)
    }

    /// The keys between two, at most so many.
    pub(crate) fn keys(&self, keys: [ProductKey; 2], most: usize) -> Result<Vec<ProductKey>, ProductError> {
        self.with(|connection| {
            let sql = "SELECT key FROM product WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?";
            let key = |row: &Row<'_>| Ok(ProductKey(row.get(0)?));
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            connection.prepare(sql)?.query_map(params![keys[0].0, keys[1].0, most], key)?.collect()
        })
    }

    fn count_shares(&self, listed: &mut [Listed]) -> Result<(), ProductError> {
        let mut shares: HashMap<i64, u64> = listed.iter().map(|product| (product.blob, 0)).collect();
        self.with(|connection| {
            let mut query = connection.prepare_cached("SELECT count(*) FROM product WHERE blob = ?")?;
            for (blob, shared) in &mut shares {
                *shared = query.query_row([blob], |row| unsigned(row, 0))?;
            }
            Ok(())
        })?;
        listed.iter_mut().for_each(|product| product.shared = shares[&product.blob]);
        Ok(())
    }

    /// Bytes of the records of all products.
    pub(crate) fn bytes(&self) -> Result<u64, ProductError> {
        self.with(|connection| connection.query_row(BYTES, [], |row| unsigned(row, 0)))
    }

    /// What the index says in numbers; sizes of files and the limit are the store's.
    pub(crate) fn statistics(&self) -> Result<StoreStatistics, ProductError> {
        self.with(|connection| {
            let number = |sql| connection.query_row(sql, [], |row| unsigned(row, 0));
            let counted = |name| counted(connection, name);
            let (hits, misses) = (counted("hits")?, counted("misses")?);
            let payloads = "SELECT coalesce(sum(bytes), 0) FROM product JOIN blob ON blob.id = blob";
            Ok(StoreStatistics {
                products: number("SELECT count(*) FROM product")?,
                blobs: number("SELECT count(*) FROM blob")?,
                payload_bytes: number(payloads)?,
                pinned: number("SELECT coalesce(sum(pinned), 0) FROM product")?,
                product_bytes: number(BYTES)?,
                lookups: hits + misses,
                hits,
                misses,
                seconds_saved: counted("microseconds_saved")? as f64 / 1e6,
                damaged: counted("damaged")?,
                conflicts: counted("conflicts")?,
                ..StoreStatistics::default()
            })
        })
    }
}

const LISTED: &str = "SELECT product.key, blob, product.length, blob.length, blob.bytes, seconds, created, used, uses, \
                      pinned, run, user, program";

const FROM: &str = "FROM product JOIN blob ON blob.id = blob JOIN maker ON maker.id = maker \
                    LEFT JOIN region ON region.key = product.key \
                    WHERE product.key BETWEEN ? AND ? ORDER BY created, product.key";

const BYTES: &str =
    "SELECT (SELECT coalesce(sum(length), 0) FROM product) + (SELECT coalesce(sum(length), 0) FROM blob)";

fn listed(row: &Row<'_>) -> rusqlite::Result<Listed> {
    let entry_bytes = unsigned(row, 2)?;
    Ok(Listed {
        key: ProductKey(row.get(0)?),
        blob: row.get(1)?,
        entry_bytes,
        bytes: entry_bytes.saturating_add(unsigned(row, 3)?),
        payload_bytes: unsigned(row, 4)?,
        shared: 1,
        seconds: row.get(5)?,
        created: unsigned(row, 6)?,
        used: unsigned(row, 7)?,
        uses: unsigned(row, 8)?,
        pinned: row.get(9)?,
        maker: Maker { run: row.get(10)?, user: row.get(11)?, program: row.get(12)? },
        region: region_at(row, 13)?,
    })
}

fn counted(connection: &Connection, name: &str) -> rusqlite::Result<u64> {
    let sql = "SELECT value FROM counter WHERE name = ?";
    Ok(connection.query_row(sql, [name], |row| unsigned(row, 0)).optional()?.unwrap_or_default())
}
