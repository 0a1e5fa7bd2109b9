//! Products that are removed, and pins.

use rusqlite::{OptionalExtension as _, Transaction, params};

use super::{Index, count};
use crate::ProductError;
use crate::migrate::{SourceFile, Taken};
use crate::record::ProductKey;

impl Index {
    /// Removes products, and blobs that belong to no other.
    pub(crate) fn remove(&self, keys: &[ProductKey]) -> Result<(), ProductError> {
        self.change("remove", |change| {
            keys.iter().try_for_each(|key| remove(change, key))?;
            change.execute(UNUSED, []).map(drop)
        })
    }

    /// Removes blobs that belong to no product, as a process leaves them that is killed between the two.
    pub(crate) fn remove_unused(&self) -> Result<(), ProductError> {
        self.change("remove unused", |change| change.execute(UNUSED, []).map(drop))
    }

    /// Removes products that are damaged. Where the blob is (`true`), all products with it are.
    pub(crate) fn remove_damaged(&self, damaged: &[(ProductKey, bool)]) -> Result<(), ProductError> {
        self.change("set aside", |change| {
            for (key, blob_is_damaged) in damaged {
                if *blob_is_damaged {
                    remove_blob_of(change, key)?
                } else {
                    remove(change, key)?
                };
            }
            count(change, "damaged", damaged.len() as u64)
        })
    }

    /// Removes all that the index says of packs whose files are not there.
    pub(crate) fn forget_packs(&self, names: &[String]) -> Result<(), ProductError> {
        if names.is_empty() {
            return Ok(());
        }
        self.change("forget", |change| {
            for name in names {
                let pack = "(SELECT id FROM pack WHERE name = ?)";
                let blobs = format!("(SELECT id FROM blob WHERE pack = {pack})");
                change.execute(&format!("DELETE FROM product WHERE blob IN {blobs}"), [name])?;
                change.execute(&format!("DELETE FROM blob WHERE pack = {pack}"), [name])?;
                change.execute(&format!("DELETE FROM product WHERE pack = {pack}"), [name])?;
                change.execute("DELETE FROM pack WHERE name = ?", [name])?;
            }
            change.execute(UNUSED, []).map(drop)
        })
    }

    /// Pins products whose keys are between two, or lets them go; how many there were.
    pub(crate) fn pin(&self, keys: [ProductKey; 2], pinned: bool) -> Result<usize, ProductError> {
        let sql = "UPDATE product SET pinned = ? WHERE key BETWEEN ? AND ?";
        // What users ask for survives the loss of power.
        self.change_for_good("pin", |change| change.execute(sql, params![pinned, keys[0].0, keys[1].0]))
    }

    /// Takes over from an older index how often products were used, when, and which are pinned, and digests of source files.
    pub(crate) fn take_over(&self, taken: &Taken) -> Result<(), ProductError> {
        let sql = "UPDATE product SET used = ?, uses = ?, pinned = ? WHERE key = ?";
        self.change("take over", |change| {
            for (key, [used, uses, pinned]) in &taken.used {
                let values = params![(*used).max(0), (*uses).max(0), *pinned != 0, key.0];
                change.prepare_cached(sql)?.execute(values)?;
            }
            let sql = "INSERT OR REPLACE INTO source_file (path, stamp, digest) VALUES (?, ?, ?)";
            for SourceFile { path, stamp, digest } in &taken.files {
                change.prepare_cached(sql)?.execute(params![path, stamp, digest])?;
            }
            Ok(())
        })
    }
}

const UNUSED: &str = "DELETE FROM blob WHERE NOT EXISTS (SELECT 1 FROM product WHERE product.blob = blob.id)";

fn blob_of(change: &Transaction<'_>, key: &ProductKey) -> rusqlite::Result<Option<i64>> {
    let mut query = change.prepare_cached("SELECT blob FROM product WHERE key = ?")?;
    query.query_row([key.0], |row| row.get(0)).optional()
}

fn remove(change: &Transaction<'_>, key: &ProductKey) -> rusqlite::Result<()> {
    let Some(blob) = blob_of(change, key)? else { return Ok(()) };
    change.prepare_cached("DELETE FROM product WHERE key = ?")?.execute([key.0])?;
    let sql = "DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM product WHERE blob = ?1)";
    change.prepare_cached(sql)?.execute([blob]).map(drop)
}

fn remove_blob_of(change: &Transaction<'_>, key: &ProductKey) -> rusqlite::Result<()> {
    let Some(blob) = blob_of(change, key)? else { return Ok(()) };
    change.prepare_cached("DELETE FROM product WHERE blob = ?")?.execute([blob])?;
    change.prepare_cached("DELETE FROM blob WHERE id = ?")?.execute([blob]).map(drop)
}
