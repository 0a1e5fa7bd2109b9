//! The folders of a store.

use std::fs;
use std::io;
use std::path::Path;

use onceflow_region::{SourceError, StoreError};

use super::{CONTENT, REGIONS, in_store, unwritable};
use crate::publish;
use crate::publish::Publisher;

const STORE: &str = "store.json";
const STORE_BYTES: &[u8] = b"{\"onceflow_store\":\"regions\",\"version\":2}\n";

/// Makes the folders of a new store, or checks that they are those of one.
pub(super) fn prepare(path: &Path, name: &str, publisher: &Publisher) -> Result<(), StoreError> {
    let failed = |error: io::Error| unwritable(name, path, &error);
    let is_store = fs::read(path.join(STORE)).is_ok_and(|bytes| bytes == STORE_BYTES);
    if !is_store {
        let others = fs::read_dir(path).map_or(0, |entries| {
            let seen =
                |name: &std::ffi::OsStr| !publish::is_temporary(name) && name != REGIONS && name != CONTENT;
            entries.flatten().filter(|entry| seen(&entry.file_name())).count()
        });
        if others > 0 {
            let error = SourceError::content(
                name,
                "a store of regions, or nothing",
                "other files",
                "name a new folder",
            );
            return Err(in_store(name, error));
        }
        for folder in [REGIONS, CONTENT] {
            publisher.create_folder(&path.join(folder)).map_err(failed)?;
        }
        publisher.mark(path, STORE, STORE_BYTES).map_err(failed)?;
    }
    for folder in [REGIONS, CONTENT] {
        // A link would lead writers out of the store.
        let real = fs::symlink_metadata(path.join(folder)).is_ok_and(|there| there.is_dir());
        if !real {
            let file = path.join(folder).display().to_string();
            let error = SourceError::content(
                &file,
                "a folder of the store",
                "a link or nothing",
                "name a new folder for the store",
            );
            return Err(in_store(name, error));
        }
    }
    Ok(())
}
