//! The index: where each product is, who made it, how often it was used. It can be made again from the packs.

mod schema;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use onceflow_region::Digest;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use crate::ProductError;
use crate::pack::Extent;
use crate::record::{Conflict, Maker, ProductKey, ProductRecord};

/// The SQLite file, open.
#[derive(Debug)]
pub(crate) struct Index {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// Where a product is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) pack: String,
    pub(crate) extent: Extent,
}

/// A product as `products ls` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// Its key.
    pub key: ProductKey,
    /// Bytes of its record.
    pub bytes: u64,
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
}

/// A store in numbers. `hits + misses = lookups`, and the bytes of products and of the overhead are those of all packs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoreStatistics {
    /// Products.
    pub products: u64,
    /// Those that are pinned.
    pub pinned: u64,
    /// Bytes of the records of all products.
    pub product_bytes: u64,
    /// Bytes of all packs.
    pub pack_bytes: u64,
    /// Files of packs.
    pub packs: u64,
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
    /// Opens the index, or makes an empty one.
    pub(crate) fn open(path: &Path) -> Result<Self, ProductError> {
        let failed = |source| ProductError::Index { path: path.to_path_buf(), source };
        let connection = Connection::open(path).map_err(failed)?;
        let index = Self { path: path.to_path_buf(), connection: Mutex::new(connection) };
        schema::prepare(&index.lock()).map_err(failed)?;
        Ok(index)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the connection.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, ProductError> {
        work(&self.lock()).map_err(|source| ProductError::Index { path: self.path.clone(), source })
    }

    /// Does something that other processes see whole or not at all.
    pub(crate) fn change<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, ProductError> {
        let mut connection = self.lock();
        let changed = || {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let made = work(&change)?;
            change.commit()?;
            Ok(made)
        };
        changed().map_err(|source| ProductError::Index { path: self.path.clone(), source })
    }

    /// Where the products with these keys are, in their order.
    pub(crate) fn find(&self, keys: &[ProductKey]) -> Result<Vec<Option<Location>>, ProductError> {
        self.with(|connection| {
            let read = connection.unchecked_transaction()?;
            let found = {
                let sql =
                    "SELECT pack.name, offset, length FROM product JOIN pack ON pack.id = pack WHERE key = ?";
                let mut query = read.prepare_cached(sql)?;
                let location = |row: &rusqlite::Row<'_>| {
                    let extent = Extent { offset: unsigned(row, 1)?, length: unsigned(row, 2)? };
                    Ok(Location { pack: row.get(0)?, extent })
                };
                let find = |key: &ProductKey| query.query_row([key.0], location).optional();
                keys.iter().map(find).collect::<rusqlite::Result<_>>()?
            };
            read.commit()?;
            Ok(found)
        })
    }

    /// Notes the use of products that were found, and how many were not.
    pub(crate) fn note_uses(&self, hits: &[ProductKey], misses: u64, now: u64) -> Result<(), ProductError> {
        self.change(|change| {
            let mut saved = 0.0;
            for key in hits {
                let sql = "UPDATE product SET used = ?, uses = uses + 1 WHERE key = ? RETURNING seconds";
                let seconds: Option<f64> = change
                    .prepare_cached(sql)?
                    .query_row(params![now as i64, key.0], |row| row.get(0))
                    .optional()?;
                saved += seconds.unwrap_or_default();
            }
            count(change, "hits", hits.len() as u64)?;
            count(change, "misses", misses)?;
            count(change, "microseconds_saved", (saved * 1e6) as u64)
        })
    }

    /// Registers a pack under the lease of the process that writes to it.
    pub(crate) fn add_pack(&self, name: &str, lease: &str) -> Result<(), ProductError> {
        let sql = "INSERT OR IGNORE INTO pack (name, lease) VALUES (?, ?)";
        self.change(|change| change.execute(sql, [name, lease]).map(drop))
    }

    /// Adds records of a pack. A key that is there already stays as it is; one with other bytes is a conflict.
    pub(crate) fn add(
        &self,
        pack: &str,
        records: &[(Extent, ProductRecord)],
        now: u64,
    ) -> Result<Vec<Conflict>, ProductError> {
        self.change(|change| {
            let mut conflicts = Vec::new();
            for (extent, record) in records {
                if !insert(change, pack, *extent, record, now)? {
                    conflicts.extend(conflict(change, record)?);
                }
            }
            count(change, "conflicts", conflicts.len() as u64)?;
            Ok(conflicts)
        })
    }

    /// The packs whose writer has not finished, with the leases of the writers.
    pub(crate) fn open_packs(&self) -> Result<Vec<(String, String)>, ProductError> {
        self.with(|connection| {
            let mut query = connection.prepare("SELECT name, lease FROM pack WHERE lease IS NOT NULL")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Notes that a pack gets no more records.
    pub(crate) fn close_pack(&self, name: &str) -> Result<(), ProductError> {
        self.change(|change| change.execute("UPDATE pack SET lease = NULL WHERE name = ?", [name]).map(drop))
    }

    /// All packs that the index knows.
    pub(crate) fn packs(&self) -> Result<Vec<String>, ProductError> {
        self.with(|connection| {
            let mut query = connection.prepare("SELECT name FROM pack ORDER BY name")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Removes products.
    pub(crate) fn remove(&self, keys: &[ProductKey], damaged: bool) -> Result<(), ProductError> {
        self.change(|change| {
            for key in keys {
                change.prepare_cached("DELETE FROM product WHERE key = ?")?.execute([key.0])?;
            }
            if damaged { count(change, "damaged", keys.len() as u64) } else { Ok(()) }
        })
    }

    /// The keys and places of the products in a pack.
    pub(crate) fn of_pack(&self, name: &str) -> Result<Vec<(ProductKey, Extent)>, ProductError> {
        self.with(|connection| {
            let sql =
                "SELECT key, offset, length FROM product WHERE pack = (SELECT id FROM pack WHERE name = ?)";
            let product = |row: &rusqlite::Row<'_>| {
                Ok((ProductKey(row.get(0)?), Extent { offset: unsigned(row, 1)?, length: unsigned(row, 2)? }))
            };
            connection.prepare(sql)?.query_map([name], product)?.collect()
        })
    }

    /// Moves products to another pack, and puts the pack they were in to the trash.
    pub(crate) fn move_pack(
        &self,
        from: &str,
        to: &str,
        moved: &[(ProductKey, Extent)],
    ) -> Result<(), ProductError> {
        self.change(|change| {
            let sql = "UPDATE product SET pack = (SELECT id FROM pack WHERE name = ?), offset = ?, length = ? \
                       WHERE key = ? AND pack = (SELECT id FROM pack WHERE name = ?)";
            for (key, extent) in moved {
                let values = params![to, extent.offset as i64, extent.length as i64, key.0, from];
                change.prepare_cached(sql)?.execute(values)?;
            }
            change.execute("DELETE FROM pack WHERE name = ?", [from])?;
            change.execute("INSERT OR IGNORE INTO trash (name) VALUES (?)", [from]).map(drop)
        })
    }

    /// Packs in the trash, each with the leases that may still read it, once they are known.
    pub(crate) fn trash(&self) -> Result<Vec<(String, Option<String>)>, ProductError> {
        self.with(|connection| {
            let mut query = connection.prepare("SELECT name, leases FROM trash")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Notes which leases may still read a pack in the trash.
    pub(crate) fn note_readers(&self, name: &str, leases: &str) -> Result<(), ProductError> {
        let sql = "UPDATE trash SET leases = ? WHERE name = ?";
        self.change(|change| change.execute(sql, [leases, name]).map(drop))
    }

    /// Forgets a pack of the trash that was removed.
    pub(crate) fn empty_trash(&self, name: &str) -> Result<(), ProductError> {
        self.change(|change| change.execute("DELETE FROM trash WHERE name = ?", [name]).map(drop))
    }

    /// Pins products whose keys begin with these digits, or lets them go; how many there were.
    pub(crate) fn pin(&self, digits: &str, pinned: bool) -> Result<usize, ProductError> {
        let sql = "UPDATE product SET pinned = ? WHERE lower(hex(key)) LIKE ? || '%'";
        self.change(|change| change.execute(sql, params![pinned, digits]))
    }

    /// All products, the oldest first.
    pub(crate) fn list(&self) -> Result<Vec<Listed>, ProductError> {
        let sql = "SELECT key, length, seconds, created, used, uses, pinned, run, user, program FROM product \
                   JOIN maker ON maker.id = maker ORDER BY created, key";
        let listed = |row: &rusqlite::Row<'_>| {
            Ok(Listed {
                key: ProductKey(row.get(0)?),
                bytes: unsigned(row, 1)?,
                seconds: row.get(2)?,
                created: unsigned(row, 3)?,
                used: unsigned(row, 4)?,
                uses: unsigned(row, 5)?,
                pinned: row.get(6)?,
                maker: Maker { run: row.get(7)?, user: row.get(8)?, program: row.get(9)? },
            })
        };
        self.with(|connection| connection.prepare(sql)?.query_map([], listed)?.collect())
    }

    /// Bytes of all products.
    pub(crate) fn bytes(&self) -> Result<u64, ProductError> {
        let sql = "SELECT coalesce(sum(length), 0) FROM product";
        self.with(|connection| connection.query_row(sql, [], |row| unsigned(row, 0)))
    }

    /// What the index says in numbers; sizes of files and the limit are the store's.
    pub(crate) fn statistics(&self) -> Result<StoreStatistics, ProductError> {
        self.with(|connection| {
            let sql = "SELECT count(*), coalesce(sum(pinned), 0), coalesce(sum(length), 0) FROM product";
            let [products, pinned, product_bytes] = connection
                .query_row(sql, [], |row| Ok([unsigned(row, 0)?, unsigned(row, 1)?, unsigned(row, 2)?]))?;
            let [hits, misses, saved, damaged, conflicts] =
                ["hits", "misses", "microseconds_saved", "damaged", "conflicts"]
                    .map(|n| counted(connection, n));
            let (hits, misses, seconds_saved) = (hits?, misses?, saved? as f64 / 1e6);
            let lookups = hits + misses;
            let (damaged, conflicts) = (damaged?, conflicts?);
            Ok(StoreStatistics {
                products,
                pinned,
                product_bytes,
                lookups,
                hits,
                misses,
                seconds_saved,
                damaged,
                conflicts,
                ..StoreStatistics::default()
            })
        })
    }

    /// The digest of a source file with this stamp, when it is remembered.
    pub(crate) fn source_file(&self, path: &str, stamp: &str) -> Result<Option<Digest>, ProductError> {
        let sql = "SELECT digest FROM source_file WHERE path = ? AND stamp = ?";
        let digest = |row: &rusqlite::Row<'_>| row.get(0).map(Digest);
        self.with(|connection| connection.query_row(sql, [path, stamp], digest).optional())
    }

    /// Remembers the digest of a source file.
    pub(crate) fn remember_source_file(
        &self,
        path: &str,
        stamp: &str,
        digest: &Digest,
    ) -> Result<(), ProductError> {
        let sql = "INSERT OR REPLACE INTO source_file (path, stamp, digest) VALUES (?, ?, ?)";
        self.change(|change| change.execute(sql, params![path, stamp, digest.0]).map(drop))
    }
}

/// Inserts a record; false when its key is there.
fn insert(
    change: &Transaction<'_>,
    pack: &str,
    extent: Extent,
    record: &ProductRecord,
    now: u64,
) -> rusqlite::Result<bool> {
    let Maker { run, user, program } = &record.maker;
    let sql = "INSERT OR IGNORE INTO maker (run, user, program) VALUES (?, ?, ?)";
    change.prepare_cached(sql)?.execute([run, user, program])?;
    let sql = "INSERT OR IGNORE INTO product \
               (key, pack, offset, length, digest, seconds, created, used, uses, pinned, maker) \
               VALUES (?, (SELECT id FROM pack WHERE name = ?), ?, ?, ?, ?, ?, ?, 0, 0, \
               (SELECT id FROM maker WHERE run = ? AND user = ? AND program = ?))";
    let seconds = if record.seconds.is_finite() { record.seconds } else { 0.0 };
    let inserted = change.prepare_cached(sql)?.execute(params![
        record.key.0,
        pack,
        extent.offset as i64,
        extent.length as i64,
        payload_digest(&record.payload),
        seconds,
        record.created as i64,
        now as i64,
        run,
        user,
        program
    ])?;
    Ok(inserted == 1)
}

/// The conflict of a record with the one under its key, when their bytes differ.
fn conflict(change: &Transaction<'_>, record: &ProductRecord) -> rusqlite::Result<Option<Conflict>> {
    let sql = "SELECT digest, run, user, program FROM product JOIN maker ON maker.id = maker WHERE key = ?";
    let first = |row: &rusqlite::Row<'_>| {
        let digest: [u8; 32] = row.get(0)?;
        Ok((digest, Maker { run: row.get(1)?, user: row.get(2)?, program: row.get(3)? }))
    };
    // A product that was collected meanwhile conflicts with nothing.
    let there = change.prepare_cached(sql)?.query_row([record.key.0], first).optional()?;
    let differs = there.filter(|(digest, _)| *digest != payload_digest(&record.payload));
    Ok(differs.map(|(_, first)| Conflict { key: record.key, first, second: record.maker.clone() }))
}

fn payload_digest(payload: &[u8]) -> [u8; 32] {
    *blake3::hash(payload).as_bytes()
}

fn count(change: &Transaction<'_>, name: &str, more: u64) -> rusqlite::Result<()> {
    let sql = "INSERT INTO counter (name, value) VALUES (?, ?) \
               ON CONFLICT (name) DO UPDATE SET value = value + excluded.value";
    change.prepare_cached(sql)?.execute(params![name, more as i64]).map(drop)
}

fn counted(connection: &Connection, name: &str) -> rusqlite::Result<u64> {
    let sql = "SELECT value FROM counter WHERE name = ?";
    Ok(connection.query_row(sql, [name], |row| unsigned(row, 0)).optional()?.unwrap_or_default())
}

/// A number of a column; one below zero was not written by us.
fn unsigned(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}
