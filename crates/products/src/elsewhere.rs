//! Packs in another folder than the index: on a network file system, which SQLite cannot use, or on another disk. The folder belongs
//! to one index: a file in it says to which, and a file beside the index says where the packs are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::ProductError;
use crate::disk::Disk;
use crate::lease::unique_name;
use crate::pack;
use crate::place::{BLOBS, OWNER, PACKS};

/// What both files say.
#[derive(Debug, PartialEq, Eq)]
struct Tie {
    /// A name that no other pair of folders has.
    name: String,
    /// The other folder.
    path: String,
}

impl Tie {
    /// What a file says; none where there is no such file.
    fn read(file: &Path) -> Result<Option<Self>, ProductError> {
        let text = match fs::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ProductError::disk(file, &error)),
        };
        let mut lines = text.lines();
        let tie = lines.next().zip(lines.next()).filter(|(name, _)| pack::is_digits(name));
        let tie = tie.map(|(name, path)| Self { name: name.into(), path: path.into() });
        let expected = || "32 hexadecimal digits and a folder".to_owned();
        tie.map(Some).ok_or_else(|| elsewhere(file, expected(), format!("{text:.60?}")))
    }

    fn write(&self, file: &Path, disk: &Disk) -> Result<(), ProductError> {
        disk.write_whole(file, format!("{}\n{}\n", self.name, self.path).as_bytes())
    }
}

/// The folder that has the folder of packs: the one that is noted, the one that is asked for, or that of the index.
pub(crate) fn place_of_packs(
    folder: &Path,
    asked: Option<&Path>,
    disk: &Disk,
) -> Result<PathBuf, ProductError> {
    let note = folder.join(BLOBS);
    match (Tie::read(&note)?, asked) {
        (None, None) => Ok(folder.to_path_buf()),
        (None, Some(asked)) => tie(folder, asked, disk),
        (Some(noted), asked) => {
            if let Some(asked) = asked.filter(|asked| whole(asked).as_ref().ok() != Some(&noted.path)) {
                let found = asked.display().to_string();
                return Err(elsewhere(&note, format!("its results to stay in {}", noted.path), found));
            }
            check_owner(Path::new(&noted.path), &noted.name)?;
            Ok(PathBuf::from(noted.path))
        }
    }
}

/// Where results are is not there, or belongs to another store: then none of them is lost.
fn check_owner(blobs: &Path, name: &str) -> Result<(), ProductError> {
    let owner = blobs.join(OWNER);
    let expected = || "the results of this store".to_owned();
    match Tie::read(&owner)? {
        Some(tie) if tie.name == name => Ok(()),
        Some(tie) => Err(elsewhere(&owner, expected(), format!("those of the store {}", tie.path))),
        None => Err(elsewhere(&owner, expected(), "no such file; is the file system mounted?".into())),
    }
}

/// Ties a new store to a folder for its packs. A store that has results keeps them where they are.
fn tie(folder: &Path, asked: &Path, disk: &Disk) -> Result<PathBuf, ProductError> {
    let own = folder.join(PACKS);
    if own.is_dir() && !pack::names(&own).map_err(|error| ProductError::disk(&own, &error))?.is_empty() {
        let found = asked.display().to_string();
        return Err(elsewhere(&own, "the results of this store to stay here".into(), found));
    }
    disk.make_folder(asked)?;
    let here = format!("{}:{}", host(), whole(folder)?);
    let owner = asked.join(OWNER);
    let name = match Tie::read(&owner)? {
        // The index was lost, or the store was stopped before it had noted the folder.
        Some(tie) if tie.path == here => tie.name,
        Some(tie) => {
            let expected = "a folder that is no other store's".to_owned();
            return Err(elsewhere(&owner, expected, format!("that of the store {}", tie.path)));
        }
        None => {
            refuse_others(asked)?;
            let name = unique_name();
            Tie { name: name.clone(), path: here }.write(&owner, disk)?;
            name
        }
    };
    Tie { name, path: whole(asked)? }.write(&folder.join(BLOBS), disk)?;
    Ok(asked.to_path_buf())
}

/// Refuses a folder that holds something else.
fn refuse_others(asked: &Path) -> Result<(), ProductError> {
    let failed = |error: io::Error| ProductError::disk(asked, &error);
    for entry in fs::read_dir(asked).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name != PACKS && !name.starts_with(".onceflow-") {
            return Err(elsewhere(asked, "an empty folder".into(), name));
        }
    }
    Ok(())
}

/// The whole path of a folder, as a text.
fn whole(folder: &Path) -> Result<String, ProductError> {
    let whole = folder.canonicalize().map_err(|error| ProductError::disk(folder, &error))?;
    let lines = whole.to_str().filter(|text| !text.contains(['\n', '\r']));
    let refused = || elsewhere(folder, "a path of one line of UTF-8".into(), whole.display().to_string());
    lines.map(str::to_owned).ok_or_else(refused)
}

fn host() -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    host.trim().to_owned()
}

fn elsewhere(path: &Path, expected: String, found: String) -> ProductError {
    ProductError::Elsewhere { path: path.to_path_buf(), expected, found }
}
