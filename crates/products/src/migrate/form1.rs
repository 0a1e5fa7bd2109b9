//! Stores of the first form, read to be migrated: one record held a product with its key, and nothing was shared.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{Anew, Taken, Used};
use crate::ProductError;
use crate::pack::is_digits;
use crate::place::PACKS;
use crate::record::entry::Entry;
use crate::record::{Fields, Maker, ProductKey, digest};

/// The file of the index.
pub(super) const INDEX: &str = "index.sqlite";

const MAGIC: [u8; 4] = *b"OFP1";
const HEAD: usize = 8;
const SUM: usize = 32;
const LONGEST: usize = 16 << 20;

/// No pack was longer than this.
const LONGEST_PACK: u64 = 128 << 20;

/// A product with its key.
struct Record {
    key: ProductKey,
    created: u64,
    seconds: f64,
    maker: Maker,
    payload: Vec<u8>,
}

/// What the index of the first form knew.
#[derive(Default)]
struct Form1Index {
    used: Used,
    /// Packs that got no more records; all records of others count.
    closed: HashSet<String>,
    named: HashSet<(String, u64)>,
}

/// Writes the products of a store to new packs; gives what only its index knows.
pub(super) fn write_packs(folder: &Path, anew: &mut Anew<'_>) -> Result<Taken, ProductError> {
    // An index that cannot be read knew nothing.
    let index = read(&folder.join(INDEX)).unwrap_or_default();
    let packs = folder.join(PACKS);
    let failed = |error: io::Error| ProductError::disk(&packs, &error);
    for name in pack_names(&packs).map_err(failed)? {
        for (offset, record) in scan(&packs.join(&name)).map_err(failed)? {
            if index.counts(&name, offset) {
                record.write(anew)?;
            }
        }
    }
    Ok(Taken { used: index.used, files: Vec::new() })
}

impl Record {
    fn write(self, anew: &mut Anew<'_>) -> Result<(), ProductError> {
        let Self { key, created, seconds, maker, payload } = self;
        let digest = digest(&payload);
        anew.add_blob(digest, &payload)?;
        anew.add_entry(&Entry { key, digest, created, seconds, maker, region: None })
    }
}

impl Form1Index {
    /// Whether the record at this place is a product.
    fn counts(&self, pack: &str, offset: u64) -> bool {
        !self.closed.contains(pack) || self.named.contains(&(pack.to_owned(), offset))
    }
}

fn read(path: &Path) -> rusqlite::Result<Form1Index> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let mut index = Form1Index::default();
    let mut query = connection.prepare("SELECT name FROM pack WHERE lease IS NULL")?;
    index.closed = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let sql = "SELECT name, offset, key, used, uses, pinned FROM product JOIN pack ON pack.id = pack";
    let mut query = connection.prepare(sql)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        index.named.insert((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()));
        index.used.push((ProductKey(row.get(2)?), [row.get(3)?, row.get(4)?, row.get(5)?]));
    }
    Ok(index)
}

/// The names of the packs in a folder, in order.
pub(super) fn pack_names(folder: &Path) -> io::Result<Vec<String>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
    let mut names = names.collect::<io::Result<Vec<String>>>()?;
    names.retain(|name| name.strip_suffix(".pack").is_some_and(is_digits));
    names.sort_unstable();
    Ok(names)
}

/// The sound records of a pack with their places.
fn scan(path: &Path) -> io::Result<Vec<(u64, Record)>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LONGEST_PACK).read_to_end(&mut bytes)?;
    let (mut records, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let length = length(&bytes[at..]).filter(|length| at + length <= bytes.len());
        match length.and_then(|length| Some((length, decode(&bytes[at..at + length])?))) {
            Some((length, record)) => {
                records.push((at as u64, record));
                at += length;
            }
            None => at += 1,
        }
    }
    Ok(records)
}

fn length(head: &[u8]) -> Option<usize> {
    let body = u32::from_le_bytes(head.get(4..HEAD)?.try_into().ok()?) as usize;
    (head[..4] == MAGIC && body <= 2 * LONGEST).then_some(HEAD + body + SUM)
}

fn decode(bytes: &[u8]) -> Option<Record> {
    let (content, sum) = bytes.split_at(bytes.len() - SUM);
    if blake3::hash(content).as_bytes() != sum {
        return None;
    }
    let mut fields = Fields(&content[HEAD..]);
    let key = ProductKey(fields.array()?);
    let created = u64::from_le_bytes(fields.array()?);
    let seconds = f64::from_bits(u64::from_le_bytes(fields.array()?));
    let maker = fields.maker()?;
    let [compressed] = fields.array()?;
    let length = u32::from_le_bytes(fields.array()?) as usize;
    let payload = match compressed {
        0 => fields.0.to_vec(),
        1 if length <= LONGEST => zstd::bulk::decompress(fields.0, length).ok()?,
        _ => return None,
    };
    (payload.len() == length).then_some(Record { key, created, seconds, maker, payload })
}
