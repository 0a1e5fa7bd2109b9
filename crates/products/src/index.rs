//! The index: where each product is, who made it, how often it was used. It can be made again from the packs.

mod add;
mod packs;
mod regions;
mod remove;
mod report;
mod schema;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use onceflow_region::Digest;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, ffi, params};

use crate::ProductError;
use crate::disk::{Disk, Fault, WAIT};
use crate::pack::Extent;
use crate::record::ProductKey;

pub(crate) use add::{Added, Addition, NewBlob, NewEntry};
pub(crate) use packs::Live;
pub use report::{Listed, StoreStatistics};

/// The SQLite file, open.
pub(crate) struct Index {
    path: PathBuf,
    disk: Disk,
    state: Mutex<State>,
}

struct State {
    connection: Connection,
    /// Its log.
    log: PathBuf,
    /// Which file it is: another process may put a new index in its place.
    file: Option<(u64, u64)>,
    /// The names of packs; a number is never given to another pack.
    packs: HashMap<i64, Arc<str>>,
}

/// Where a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) pack: Arc<str>,
    pub(crate) extent: Extent,
}

/// Where the two records of a product are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) entry: Location,
    pub(crate) blob: Location,
}

impl Index {
    /// Opens the index, or makes an empty one; whether it is new.
    pub(crate) fn open(path: &Path, disk: &Disk) -> Result<(Self, bool), ProductError> {
        let path = path.to_path_buf();
        fault(disk, "open index", &path)?;
        share(&path, disk)?;
        let failed = |source| ProductError::Index { path: path.clone(), source };
        let (state, is_new) = State::open(&path, disk.wait()).map_err(failed)?;
        Ok((Self { path, disk: disk.clone(), state: Mutex::new(state) }, is_new))
    }

    /// From now on waits for other processes as long as it takes them to write.
    pub(crate) fn be_patient(&self) -> Result<(), ProductError> {
        self.with(|connection| connection.busy_timeout(WAIT))
    }

    /// Opens the index again if another is in its place; whether that was so.
    pub(crate) fn follow(&self) -> Result<bool, ProductError> {
        let mut state = self.lock();
        if state.file == file_id(&self.path) {
            return Ok(false);
        }
        *state = State::open(&self.path, WAIT).map_err(|source| self.failed(source))?.0;
        Ok(true)
    }

    /// Whether all parts of the index fit together; slow.
    pub(crate) fn check(&self) -> Result<(), ProductError> {
        self.with(|connection| {
            let sql = "PRAGMA integrity_check(1)";
            match connection.query_row(sql, [], |row| row.get::<_, String>(0))?.as_str() {
                "ok" => Ok(()),
                words => Err(schema::damaged(words)),
            }
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, source: rusqlite::Error) -> ProductError {
        let error = ProductError::Index { path: self.path.clone(), source };
        if error.is_damaged_index() {
            // The next process that opens the store makes the index again; without the mark it might not see the damage.
            let _ = fs::write(mark(&self.path), b"");
        }
        error
    }

    /// Reads with the connection.
    fn with<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, ProductError> {
        let done = work(&self.lock().connection);
        done.map_err(|source| self.failed(source))
    }

    /// Does something that other processes see whole or not at all.
    pub(crate) fn change<T>(
        &self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, ProductError> {
        fault(&self.disk, step, &self.path)?;
        let mut state = self.lock();
        let changed = || {
            let change = state.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let made = work(&change)?;
            change.commit()?;
            Ok(made)
        };
        let changed = changed();
        drop(state);
        changed.map_err(|source| self.failed(source))
    }

    /// Like `change`, and all changes until then survive the loss of power.
    pub(crate) fn change_for_good<T>(
        &self,
        step: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, ProductError> {
        self.with(|connection| connection.pragma_update(None, "synchronous", "FULL"))?;
        let changed = self.change(step, work);
        self.with(|connection| connection.pragma_update(None, "synchronous", "NORMAL"))?;
        changed
    }

    /// Where the products with these keys are, in their order.
    pub(crate) fn find(&self, keys: &[ProductKey]) -> Result<Vec<Option<Found>>, ProductError> {
        let mut state = self.lock();
        let State { connection, packs, .. } = &mut *state;
        let found = find(connection, packs, keys);
        drop(state);
        found.map_err(|source| self.failed(source))
    }

    /// Which of these keys there are.
    pub(crate) fn has(&self, keys: &[ProductKey]) -> Result<Vec<bool>, ProductError> {
        self.with(|connection| {
            let read = connection.unchecked_transaction()?;
            let mut query = read.prepare_cached("SELECT 1 FROM product WHERE key = ?")?;
            keys.iter().map(|key| query.exists([key.0])).collect()
        })
    }

    /// Notes the use of products that were found, and how many were not.
    pub(crate) fn note_uses(&self, hits: &[ProductKey], misses: u64, now: u64) -> Result<(), ProductError> {
        self.change("note uses", |change| {
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

    /// The digest of a source file with this stamp, when it is remembered.
    pub(crate) fn source_file(&self, path: &str, stamp: &str) -> Result<Option<Digest>, ProductError> {
        let sql = "SELECT digest FROM source_file WHERE path = ? AND stamp = ?";
        let digest = |row: &Row<'_>| row.get(0).map(Digest);
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
        self.change("remember", |change| change.execute(sql, params![path, stamp, digest.0]).map(drop))
    }
}

impl State {
    fn open(path: &Path, wait: Duration) -> rusqlite::Result<(Self, bool)> {
        let mut connection = Connection::open(path)?;
        let is_new = schema::prepare(&mut connection, wait)?;
        Ok((Self { connection, log: log(path), file: file_id(path), packs: HashMap::new() }, is_new))
    }
}

impl Drop for State {
    /// To bring the log into the index takes three waits for the disk, to read a short log a thousandth of a second: the process
    /// that closes the store last leaves a short one as it is.
    fn drop(&mut self) {
        let is_short = self.log.metadata().is_ok_and(|log| log.len() < SHORT_LOG);
        let _ = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_short);
    }
}

/// An index that a group shares is made before SQLite does so: the files beside it get its permissions.
fn share(path: &Path, disk: &Disk) -> Result<(), ProductError> {
    if !disk.is_shared() || path.exists() {
        return Ok(());
    }
    let made = fs::OpenOptions::new().create(true).append(true).open(path).and_then(|_| disk.share(path));
    made.map_err(|error| ProductError::disk(path, &error))
}

/// The log that SQLite keeps beside an index.
fn log(index: &Path) -> PathBuf {
    let mut name = index.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// A log of fewer bytes is short.
const SHORT_LOG: u64 = 1 << 20;

/// The file that says that an index is damaged.
pub(crate) fn mark(index: &Path) -> PathBuf {
    index.with_extension("damaged")
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    path.metadata().ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
fn file_id(_: &Path) -> Option<(u64, u64)> {
    None
}

/// Meets the fault that a test has put before a call of the index.
fn fault(disk: &Disk, step: &'static str, path: &Path) -> Result<(), ProductError> {
    match disk.fault(step, path) {
        None => Ok(()),
        Some(Fault::Stop) => Err(ProductError::Stopped(step)),
        Some(Fault::Full | Fault::Quota) => {
            let source = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
            Err(ProductError::Index { path: path.to_path_buf(), source })
        }
    }
}

fn find(
    connection: &Connection,
    packs: &mut HashMap<i64, Arc<str>>,
    keys: &[ProductKey],
) -> rusqlite::Result<Vec<Option<Found>>> {
    let read = connection.unchecked_transaction()?;
    let sql = "SELECT product.pack, product.offset, product.length, blob.pack, blob.offset, blob.length \
               FROM product JOIN blob ON blob.id = blob WHERE key = ?";
    let mut query = read.prepare_cached(sql)?;
    let mut find = |key: &ProductKey| {
        let extents = |row: &Row<'_>| Ok([placed(row, 0)?, placed(row, 3)?]);
        let Some([entry, blob]) = query.query_row([key.0], extents).optional()? else { return Ok(None) };
        let mut name = |pack| pack_name(&read, packs, pack);
        let entry = Location { pack: name(entry.0)?, extent: entry.1 };
        Ok(Some(Found { entry, blob: Location { pack: name(blob.0)?, extent: blob.1 } }))
    };
    keys.iter().map(&mut find).collect()
}

/// The number of a pack and a place in it, from three columns.
fn placed(row: &Row<'_>, column: usize) -> rusqlite::Result<(i64, Extent)> {
    let extent = Extent { offset: unsigned(row, column + 1)?, length: unsigned(row, column + 2)? };
    Ok((row.get(column)?, extent))
}

/// The name of a pack; an empty one for a pack that is not there.
fn pack_name(
    connection: &Connection,
    packs: &mut HashMap<i64, Arc<str>>,
    pack: i64,
) -> rusqlite::Result<Arc<str>> {
    if let Some(name) = packs.get(&pack) {
        return Ok(Arc::clone(name));
    }
    let mut query = connection.prepare_cached("SELECT name FROM pack WHERE id = ?")?;
    let Some(name) = query.query_row([pack], |row| row.get::<_, String>(0)).optional()? else {
        return Ok("".into());
    };
    let name: Arc<str> = name.into();
    packs.insert(pack, Arc::clone(&name));
    Ok(name)
}

pub(crate) fn count(change: &Transaction<'_>, name: &str, more: u64) -> rusqlite::Result<()> {
    if more == 0 {
        return Ok(());
    }
    let sql = "INSERT INTO counter (name, value) VALUES (?, ?) \
               ON CONFLICT (name) DO UPDATE SET value = value + excluded.value";
    change.prepare_cached(sql)?.execute(params![name, more as i64]).map(drop)
}

/// A number of a column; one below zero was not written by us.
fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}
