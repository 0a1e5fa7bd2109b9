//! The tables of the index. An index whose tables are others is damaged, or was made by someone else.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior, ffi};

use crate::disk::BETWEEN_TRIES;

/// Kibibytes of the index that a process keeps in memory, written as SQLite takes them.
const CACHE: i64 = -16_384;

/// Prepares a connection, and makes the tables of a new index; whether it is new. The connection waits for other processes no
/// longer than this.
pub(super) fn prepare(connection: &mut Connection, wait: Duration) -> rusqlite::Result<bool> {
    connection.busy_timeout(wait)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // What the index forgets with the power is found in the packs, so it need not be on the disk with each change.
    use_log(connection, wait)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", CACHE)?;
    if is_ours(&found(connection)?) {
        return Ok(false);
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let is_new = make_tables(&change)?;
    change.commit()?;
    Ok(is_new)
}

/// Switches to a write-ahead log. SQLite does not wait by itself when several processes open a new index at once.
fn use_log(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    let end = Instant::now() + wait;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < end =>
            {
                std::thread::sleep(BETWEEN_TRIES);
            }
            switched => return switched,
        }
    }
}

fn make_tables(change: &Transaction<'_>) -> rusqlite::Result<bool> {
    let found = found(change)?;
    if found.is_empty() {
        TABLES.iter().try_for_each(|table| change.execute_batch(table))?;
        return Ok(true);
    }
    if is_ours(&found) {
        return Ok(false);
    }
    Err(damaged("its tables are not those of an index"))
}

/// The error of an index that is damaged.
pub(super) fn damaged(words: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(words.to_owned()))
}

/// How the tables were made.
fn found(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT coalesce(sql, type) FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid";
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn is_ours(found: &[String]) -> bool {
    found.iter().eq(TABLES.iter())
}

const TABLES: [&str; 13] = [
    "CREATE TABLE pack (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, lease TEXT)",
    "CREATE TABLE maker (id INTEGER PRIMARY KEY, run TEXT NOT NULL, user TEXT NOT NULL, program TEXT NOT NULL, \
     UNIQUE (run, user, program))",
    "CREATE TABLE blob (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, pack INTEGER NOT NULL, \
     offset INTEGER NOT NULL, length INTEGER NOT NULL, bytes INTEGER NOT NULL)",
    "CREATE INDEX blob_of_pack ON blob (pack)",
    "CREATE TABLE product (key BLOB PRIMARY KEY, blob INTEGER NOT NULL, pack INTEGER NOT NULL, \
     offset INTEGER NOT NULL, length INTEGER NOT NULL, seconds REAL NOT NULL, created INTEGER NOT NULL, \
     used INTEGER NOT NULL, uses INTEGER NOT NULL, pinned INTEGER NOT NULL, maker INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX product_of_pack ON product (pack)",
    "CREATE INDEX product_of_blob ON product (blob)",
    "CREATE TABLE region (key BLOB PRIMARY KEY, namespace TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, \
     timestamp INTEGER NOT NULL, version INTEGER NOT NULL, x INTEGER NOT NULL, width INTEGER NOT NULL, \
     y INTEGER NOT NULL, height INTEGER NOT NULL, z INTEGER NOT NULL, depth INTEGER NOT NULL, \
     time INTEGER NOT NULL, duration INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX region_by_name ON region (namespace, name)",
    "CREATE TRIGGER region_goes AFTER DELETE ON product BEGIN DELETE FROM region WHERE key = OLD.key; END",
    "CREATE TABLE trash (name TEXT PRIMARY KEY, leases TEXT) WITHOUT ROWID",
    "CREATE TABLE source_file (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
];
