//! The tables of the index.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

/// How long a process waits for another that writes.
const WAIT: Duration = Duration::from_secs(20);
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Prepares a connection and makes the tables that are missing.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(WAIT)?;
    // What the index forgets with the power is found in the packs, so it need not be on the disk with each change.
    use_log(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.execute_batch(TABLES)
}

/// Switches to a write-ahead log. SQLite does not wait by itself when several processes open a new index at once.
fn use_log(connection: &Connection) -> rusqlite::Result<()> {
    let end = Instant::now() + WAIT;
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

const TABLES: &str = "
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS pack (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, lease TEXT);
CREATE TABLE IF NOT EXISTS maker (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, user TEXT NOT NULL, program TEXT NOT NULL, UNIQUE (run, user, program));
CREATE TABLE IF NOT EXISTS product (
    key BLOB PRIMARY KEY, pack INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL, digest BLOB NOT NULL,
    seconds REAL NOT NULL, created INTEGER NOT NULL, used INTEGER NOT NULL, uses INTEGER NOT NULL,
    pinned INTEGER NOT NULL, maker INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS product_of_pack ON product (pack);
CREATE TABLE IF NOT EXISTS trash (name TEXT PRIMARY KEY, leases TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS source_file (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
COMMIT;
";
