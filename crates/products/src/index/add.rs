//! Products that are added.

use rusqlite::{OptionalExtension as _, Row, Transaction, params};

use super::regions::put;
use super::{Index, count};
use crate::ProductError;
use crate::pack::Extent;
use crate::record::entry::Entry;
use crate::record::{Conflict, Maker, ProductKey};

/// Records that are on the disk and not in the index.
#[derive(Debug, Default)]
pub(crate) struct Addition<'a> {
    pub(crate) blobs: Vec<NewBlob<'a>>,
    pub(crate) entries: Vec<NewEntry<'a>>,
    /// Packs that get no more records.
    pub(crate) closed: Vec<&'a str>,
    /// Whether the older of two products stays, and not the one that is there: the index is made again.
    pub(crate) oldest_stays: bool,
    /// Whether a blob goes again that no product has, because its key was there with other bytes. Of packs that are taken over,
    /// products may follow.
    pub(crate) is_whole: bool,
}

/// A blob that is on the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewBlob<'a> {
    pub(crate) digest: [u8; 32],
    pub(crate) bytes: u32,
    pub(crate) pack: &'a str,
    pub(crate) extent: Extent,
}

/// An entry that is on the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewEntry<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) pack: &'a str,
    pub(crate) extent: Extent,
}

/// What was added.
#[derive(Debug, Default)]
pub(crate) struct Added {
    /// Products that are new.
    pub(crate) products: u64,
    /// Products that were there with other bytes.
    pub(crate) conflicts: Vec<Conflict>,
    /// The entries, by their place in the addition, whose blobs the index does not have.
    pub(crate) without_blob: Vec<usize>,
}

impl Index {
    /// Adds records. A key that is there already stays as it is; one with other bytes is a conflict.
    pub(crate) fn add(&self, addition: &Addition<'_>, now: u64) -> Result<Added, ProductError> {
        self.change("add", |change| {
            let mut added = Added::default();
            for blob in &addition.blobs {
                insert_blob(change, blob)?;
            }
            for (number, new) in addition.entries.iter().enumerate() {
                let Some(blob) = blob_number(change, &new.entry.digest)? else {
                    added.without_blob.push(number);
                    continue;
                };
                if insert_entry(change, new, blob, addition.oldest_stays, now)? {
                    added.products += 1;
                } else if !addition.oldest_stays {
                    added.conflicts.extend(conflict(change, new.entry)?);
                }
            }
            if addition.is_whole && added.products < addition.entries.len() as u64 {
                addition.blobs.iter().try_for_each(|blob| remove_if_unused(change, blob))?;
            }
            for pack in &addition.closed {
                change.execute("UPDATE pack SET lease = NULL WHERE name = ?", [pack])?;
            }
            count(change, "conflicts", added.conflicts.len() as u64)?;
            Ok(added)
        })
    }

    /// What these keys stand for: the digest of each result, and its maker.
    pub(crate) fn known(&self, keys: &[ProductKey]) -> Result<Vec<Option<KnownContent>>, ProductError> {
        self.with(|connection| {
            let read = connection.unchecked_transaction()?;
            let mut query = read.prepare_cached(KNOWN)?;
            keys.iter().map(|key| query.query_row([key.0], known).optional()).collect()
        })
    }

    /// Which of these blobs there are.
    pub(crate) fn has_blobs(&self, digests: &[[u8; 32]]) -> Result<Vec<bool>, ProductError> {
        self.with(|connection| {
            let read = connection.unchecked_transaction()?;
            let mut query = read.prepare_cached("SELECT 1 FROM blob WHERE digest = ?")?;
            digests.iter().map(|digest| query.exists([digest])).collect()
        })
    }

    /// Counts products that were there with other bytes.
    pub(crate) fn count_conflicts(&self, conflicts: usize) -> Result<(), ProductError> {
        if conflicts == 0 {
            return Ok(());
        }
        self.change("count conflicts", |change| count(change, "conflicts", conflicts as u64))
    }
}

/// The digest of a result, and its maker.
pub(crate) type KnownContent = ([u8; 32], Maker);

const KNOWN: &str = "SELECT digest, run, user, program FROM product JOIN blob ON blob.id = blob \
                     JOIN maker ON maker.id = maker WHERE key = ?";

fn known(row: &Row<'_>) -> rusqlite::Result<KnownContent> {
    Ok((row.get(0)?, Maker { run: row.get(1)?, user: row.get(2)?, program: row.get(3)? }))
}

fn insert_blob(change: &Transaction<'_>, blob: &NewBlob<'_>) -> rusqlite::Result<()> {
    let sql = "INSERT OR IGNORE INTO blob (digest, pack, offset, length, bytes) \
               VALUES (?, (SELECT id FROM pack WHERE name = ?), ?, ?, ?)";
    let Extent { offset, length } = blob.extent;
    let values = params![blob.digest, blob.pack, offset as i64, length as i64, blob.bytes];
    change.prepare_cached(sql)?.execute(values).map(drop)
}

fn remove_if_unused(change: &Transaction<'_>, blob: &NewBlob<'_>) -> rusqlite::Result<()> {
    let sql = "DELETE FROM blob WHERE digest = ? AND NOT EXISTS (SELECT 1 FROM product WHERE product.blob = blob.id)";
    change.prepare_cached(sql)?.execute([blob.digest]).map(drop)
}

fn blob_number(change: &Transaction<'_>, digest: &[u8; 32]) -> rusqlite::Result<Option<i64>> {
    let mut query = change.prepare_cached("SELECT id FROM blob WHERE digest = ?")?;
    query.query_row([digest], |row| row.get(0)).optional()
}

/// Inserts an entry; false when its key is there.
fn insert_entry(
    change: &Transaction<'_>,
    new: &NewEntry<'_>,
    blob: i64,
    oldest_stays: bool,
    now: u64,
) -> rusqlite::Result<bool> {
    let Entry { key, created, seconds, maker: Maker { run, user, program }, region, .. } = new.entry;
    let sql = "INSERT OR IGNORE INTO maker (run, user, program) VALUES (?, ?, ?)";
    change.prepare_cached(sql)?.execute([run, user, program])?;
    let seconds = if seconds.is_finite() { *seconds } else { 0.0 };
    let inserted = change.prepare_cached(INSERT)?.execute(params![
        key.0,
        blob,
        new.pack,
        new.extent.offset as i64,
        new.extent.length as i64,
        seconds,
        *created as i64,
        now as i64,
        run,
        user,
        program,
        oldest_stays
    ])?;
    if inserted == 1 {
        put(change, key, region.as_ref())?;
    }
    Ok(inserted == 1)
}

/// A row without a blob, which no process of ours leaves, stands for nothing.
const INSERT: &str = "INSERT INTO product \
    (key, blob, pack, offset, length, seconds, created, used, uses, pinned, maker) \
    VALUES (?1, ?2, (SELECT id FROM pack WHERE name = ?3), ?4, ?5, ?6, ?7, ?8, 0, 0, \
    (SELECT id FROM maker WHERE run = ?9 AND user = ?10 AND program = ?11)) \
    ON CONFLICT (key) DO UPDATE SET blob = excluded.blob, pack = excluded.pack, offset = excluded.offset, \
    length = excluded.length, seconds = excluded.seconds, created = excluded.created, maker = excluded.maker \
    WHERE (?12 AND excluded.created < product.created) OR NOT EXISTS (SELECT 1 FROM blob WHERE id = product.blob)";

/// The conflict of an entry with the one under its key, when their bytes differ.
fn conflict(change: &Transaction<'_>, entry: &Entry) -> rusqlite::Result<Option<Conflict>> {
    // A product that was collected meanwhile conflicts with nothing.
    let there = change.prepare_cached(KNOWN)?.query_row([entry.key.0], known).optional()?;
    let differs = there.filter(|(digest, _)| *digest != entry.digest);
    Ok(differs.map(|(_, first)| Conflict { key: entry.key, first, second: entry.maker.clone() }))
}
