//! Packs in the index: who writes to them, what is in them, and which are in the trash.

use rusqlite::{Row, params};

use super::{Index, unsigned};
use crate::ProductError;
use crate::pack::Extent;
use crate::record::ProductKey;

/// The records of a pack that belong to products.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(crate) blobs: Vec<([u8; 32], Extent)>,
    pub(crate) entries: Vec<(ProductKey, Extent)>,
}

impl Live {
    /// Bytes of the records.
    pub(crate) fn bytes(&self) -> u64 {
        let blobs = self.blobs.iter().map(|(_, extent)| extent.length);
        blobs.chain(self.entries.iter().map(|(_, extent)| extent.length)).sum()
    }
}

impl Index {
    /// Registers a pack under the lease of the process that writes to it.
    pub(crate) fn add_pack(&self, name: &str, lease: &str) -> Result<(), ProductError> {
        let sql = "INSERT OR IGNORE INTO pack (name, lease) VALUES (?, ?)";
        self.change("register", |change| change.execute(sql, [name, lease]).map(drop))
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
        let sql = "UPDATE pack SET lease = NULL WHERE name = ?";
        self.change("close", |change| change.execute(sql, [name]).map(drop))
    }

    /// All packs that the index knows.
    pub(crate) fn packs(&self) -> Result<Vec<String>, ProductError> {
        self.with(|connection| {
            let mut query = connection.prepare("SELECT name FROM pack ORDER BY name")?;
            query.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// The records of a pack that belong to products.
    pub(crate) fn of_pack(&self, name: &str) -> Result<Live, ProductError> {
        self.with(|connection| {
            let sql =
                "SELECT digest, offset, length FROM blob WHERE pack = (SELECT id FROM pack WHERE name = ?)";
            let blob = |row: &Row<'_>| Ok((row.get(0)?, extent(row)?));
            let blobs = connection.prepare(sql)?.query_map([name], blob)?.collect::<Result<_, _>>()?;
            let sql =
                "SELECT key, offset, length FROM product WHERE pack = (SELECT id FROM pack WHERE name = ?)";
            let entry = |row: &Row<'_>| Ok((ProductKey(row.get(0)?), extent(row)?));
            let entries = connection.prepare(sql)?.query_map([name], entry)?.collect::<Result<_, _>>()?;
            Ok(Live { blobs, entries })
        })
    }

    /// Moves records to another pack, and puts the pack they were in to the trash.
    pub(crate) fn move_pack(&self, from: &str, to: &str, moved: &Live) -> Result<(), ProductError> {
        self.change("move", |change| {
            let sql = "UPDATE blob SET pack = (SELECT id FROM pack WHERE name = ?), offset = ?, length = ? \
                       WHERE digest = ? AND pack = (SELECT id FROM pack WHERE name = ?)";
            for (digest, extent) in &moved.blobs {
                let values = params![to, extent.offset as i64, extent.length as i64, digest, from];
                change.prepare_cached(sql)?.execute(values)?;
            }
            let sql = "UPDATE product SET pack = (SELECT id FROM pack WHERE name = ?), offset = ?, length = ? \
                       WHERE key = ? AND pack = (SELECT id FROM pack WHERE name = ?)";
            for (key, extent) in &moved.entries {
                let values = params![to, extent.offset as i64, extent.length as i64, key.0, from];
                change.prepare_cached(sql)?.execute(values)?;
            }
            change.execute("UPDATE pack SET lease = NULL WHERE name = ?", [to])?;
            change.execute("DELETE FROM pack WHERE name = ?", [from])?;
            change.execute("INSERT OR IGNORE INTO trash (name) VALUES (?)", [from]).map(drop)
        })
    }

    /// Packs in the trash, each with the leases that may still read it, once they are known.
    pub(crate) fn trash(&self) -> Result<Vec<(String, Option<String>)>, ProductError> {
        self.with(|connection| {
            // A name that is also that of a pack in use was not put there by us.
            let sql = "SELECT name, leases FROM trash WHERE name NOT IN (SELECT name FROM pack)";
            connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Notes which leases may still read a pack in the trash. That nothing else names the pack survives the loss of power:
    /// it may be removed then.
    pub(crate) fn note_readers(&self, name: &str, leases: &str) -> Result<(), ProductError> {
        let sql = "UPDATE trash SET leases = ? WHERE name = ?";
        self.change_for_good("note readers", |change| change.execute(sql, [leases, name]).map(drop))
    }

    /// Forgets a pack of the trash that was removed.
    pub(crate) fn empty_trash(&self, name: &str) -> Result<(), ProductError> {
        self.change("empty", |change| change.execute("DELETE FROM trash WHERE name = ?", [name]).map(drop))
    }
}

fn extent(row: &Row<'_>) -> rusqlite::Result<Extent> {
    Ok(Extent { offset: unsigned(row, 1)?, length: unsigned(row, 2)? })
}
