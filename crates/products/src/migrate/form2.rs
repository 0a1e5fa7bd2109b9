//! Stores of the second form, read to be migrated: their packs have the same records, but an entry says nothing of a region.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{Anew, SourceFile, Taken};
use crate::ProductError;
use crate::disk::read_at;
use crate::pack::{self, Extent, Scanned};
use crate::record::ProductKey;
use crate::record::blob::{self, BlobHead};

/// The file of the index.
pub(super) const INDEX: &str = "index2.sqlite";

/// What the names of packs end with.
const ENDING: &str = ".pack2";

/// What the index of the second form knew.
#[derive(Default)]
struct Form2Index {
    taken: Taken,
    /// Packs that got no more records; all records of others count.
    closed: HashSet<String>,
    blobs: HashSet<(String, u64)>,
    entries: HashSet<(String, u64)>,
}

/// Writes the products of a store to new packs; gives what only its index knows.
pub(super) fn write_packs(folder: &Path, anew: &mut Anew<'_>) -> Result<Taken, ProductError> {
    // An index that cannot be read knew nothing.
    let index = read(&folder.join(INDEX)).unwrap_or_default();
    let packs = folder.join(crate::place::PACKS);
    for name in pack_names(&packs).map_err(|error| ProductError::disk(&packs, &error))? {
        copy(&packs.join(&name), &name, &index, anew)?;
    }
    Ok(index.taken)
}

/// Copies the records of a pack that count.
fn copy(path: &Path, name: &str, index: &Form2Index, anew: &mut Anew<'_>) -> Result<(), ProductError> {
    let failed = |error: io::Error| ProductError::disk(path, &error);
    let file = File::open(path).map_err(failed)?;
    let mut records = Vec::new();
    pack::scan_file(path, name, |extent, record| records.push((extent, record))).map_err(failed)?;
    let counts = |named: &HashSet<(String, u64)>, extent: &Extent| {
        !index.closed.contains(name) || named.contains(&(name.to_owned(), extent.offset))
    };
    for (extent, record) in records {
        match record {
            Scanned::Blob(head) if counts(&index.blobs, &extent) => {
                anew.add_stored(&head, &stored(&file, &extent, &head).map_err(failed)?)?;
            }
            Scanned::Entry(entry) if counts(&index.entries, &extent) => anew.add_entry(&entry)?,
            _ => {}
        }
    }
    Ok(())
}

/// The bytes of a blob that was found sound.
fn stored(file: &File, extent: &Extent, head: &BlobHead) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; head.stored as usize];
    read_at(file, &mut bytes, extent.offset + blob::HEAD as u64)?;
    Ok(bytes)
}

fn read(path: &Path) -> rusqlite::Result<Form2Index> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let mut index = Form2Index::default();
    let mut query = connection.prepare("SELECT name FROM pack WHERE lease IS NULL")?;
    index.closed = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let places = |table| -> rusqlite::Result<HashSet<(String, u64)>> {
        let sql = format!("SELECT name, offset FROM {table} JOIN pack ON pack.id = {table}.pack");
        let mut query = connection.prepare(&sql)?;
        query.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned())))?.collect()
    };
    (index.blobs, index.entries) = (places("blob")?, places("product")?);
    let mut query = connection.prepare("SELECT key, used, uses, pinned FROM product")?;
    let used =
        query.query_map([], |row| Ok((ProductKey(row.get(0)?), [row.get(1)?, row.get(2)?, row.get(3)?])))?;
    index.taken.used = used.collect::<rusqlite::Result<_>>()?;
    let mut query = connection.prepare("SELECT path, stamp, digest FROM source_file")?;
    let file = |row: &rusqlite::Row<'_>| {
        Ok(SourceFile { path: row.get(0)?, stamp: row.get(1)?, digest: row.get(2)? })
    };
    index.taken.files = query.query_map([], file)?.collect::<rusqlite::Result<_>>()?;
    Ok(index)
}

/// The names of the packs in a folder, in order.
pub(super) fn pack_names(folder: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
    let mut names = names.collect::<io::Result<Vec<String>>>()?;
    names.retain(|name| name.strip_suffix(ENDING).is_some_and(pack::is_digits));
    names.sort_unstable();
    Ok(names)
}
