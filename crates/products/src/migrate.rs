//! Forms of a store. One of an older form is written anew beside the old files; a name that is changed in one step says which
//! count, and the old files stay as a copy until the store is collected.

mod form1;
mod form2;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::ProductError;
use crate::disk::Disk;
use crate::lease::{self, unique_name};
use crate::pack::{self, PackWriter};
use crate::place::{BLOBS, INDEX, LEASES, LOCK, PACKS, QUARANTINE};
use crate::record::ProductKey;
use crate::record::blob::{Blob, BlobHead};
use crate::record::entry::Entry;

/// The form of the stores that this version makes.
const FORM: u32 = 3;

/// The file that says what the folder is, and what stands in it before the number of the form.
const FORMAT_FILE: &str = "format";
const FORMAT: &str = "onceflow products ";

/// Tells programs that make backups to leave the folder out.
const CACHE_TAG: &str =
    "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of Onceflow.\n";

/// Which form a store has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Current,
    Older(OlderForm),
}

/// The forms of stores that older versions made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OlderForm {
    First,
    Second,
}

/// What only the index of an older store knows.
#[derive(Default)]
pub(crate) struct Taken {
    pub(crate) used: Used,
    pub(crate) files: Vec<SourceFile>,
}

/// How often products were used, when, and whether they are pinned.
pub(crate) type Used = Vec<(ProductKey, [i64; 3])>;

/// The digest of a source file, remembered for its stamp.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) stamp: String,
    pub(crate) digest: [u8; 32],
}

impl OlderForm {
    const ALL: [Self; 2] = [Self::First, Self::Second];

    fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }

    /// The file of its index.
    fn index(self) -> &'static str {
        match self {
            Self::First => form1::INDEX,
            Self::Second => form2::INDEX,
        }
    }

    fn pack_names(self, packs: &Path) -> io::Result<Vec<String>> {
        match self {
            Self::First => form1::pack_names(packs),
            Self::Second => form2::pack_names(packs),
        }
    }

    /// The folder of what is left of it.
    fn former(self, folder: &Path) -> PathBuf {
        folder.join(format!("form-{}", self.number()))
    }
}

/// The form of a store; a folder that is empty becomes one.
pub(crate) fn form(folder: &Path, disk: &Disk) -> Result<Form, ProductError> {
    let path = folder.join(FORMAT_FILE);
    match fs::read(&path) {
        Ok(found) => form_of(&path, &found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => new_store(folder, disk),
        Err(error) => Err(ProductError::disk(&path, &error)),
    }
}

fn form_of(path: &Path, found: &[u8]) -> Result<Form, ProductError> {
    let text = String::from_utf8_lossy(&found[..found.len().min(40)]).trim_end().to_owned();
    match text.strip_prefix(FORMAT).and_then(|number| number.parse().ok()) {
        Some(FORM) => Ok(Form::Current),
        Some(1) => Ok(Form::Older(OlderForm::First)),
        Some(2) => Ok(Form::Older(OlderForm::Second)),
        Some(theirs) if theirs > FORM => {
            Err(ProductError::Newer { path: path.to_path_buf(), ours: FORM, theirs })
        }
        _ => Err(foreign(path, text)),
    }
}

fn foreign(path: &Path, found: String) -> ProductError {
    ProductError::Format { path: path.to_path_buf(), expected: format!("{FORMAT}{FORM}"), found }
}

fn new_store(folder: &Path, disk: &Disk) -> Result<Form, ProductError> {
    let failed = |error: io::Error| ProductError::disk(folder, &error);
    if let Some(found) = first_of_others(folder).map_err(failed)? {
        return Err(foreign(&folder.join(FORMAT_FILE), found));
    }
    disk.write_whole(&folder.join("CACHEDIR.TAG"), CACHE_TAG.as_bytes())?;
    write_form(folder, disk)?;
    Ok(Form::Current)
}

fn write_form(folder: &Path, disk: &Disk) -> Result<(), ProductError> {
    disk.write_whole(&folder.join(FORMAT_FILE), format!("{FORMAT}{FORM}\n").as_bytes())
}

/// Whether a store has a file or folder of this name.
pub(crate) fn is_ours(name: &str) -> bool {
    let former = |form: OlderForm| form.former(Path::new("")) == Path::new(name);
    [FORMAT_FILE, "CACHEDIR.TAG", LOCK, PACKS, LEASES, QUARANTINE, BLOBS].contains(&name)
        || OlderForm::ALL.into_iter().any(former)
}

/// The folders of what is left of older forms.
pub(crate) fn former(folder: &Path) -> [PathBuf; 2] {
    OlderForm::ALL.map(|form| form.former(folder))
}

/// Writes the products of an older store to new packs beside the old ones; gives what only its index knows.
pub(crate) fn write_packs(folder: &Path, form: OlderForm, disk: &Disk) -> Result<Taken, ProductError> {
    let failed = |error: io::Error| ProductError::disk(folder, &error);
    let users = lease::held(&folder.join(LEASES)).map_err(failed)?.len();
    if users > 0 {
        let (path, found) = (folder.to_path_buf(), form.number());
        return Err(ProductError::InUse { path, found, ours: FORM, users });
    }
    remove_unfinished(folder, disk)?;
    let mut anew = Anew { folder: folder.join(PACKS), disk, pack: None, blobs: HashSet::new() };
    let taken = match form {
        OlderForm::First => form1::write_packs(folder, &mut anew)?,
        OlderForm::Second => form2::write_packs(folder, &mut anew)?,
    };
    anew.finish()?;
    Ok(taken)
}

/// Removes what a migration that was stopped has left.
fn remove_unfinished(folder: &Path, disk: &Disk) -> Result<(), ProductError> {
    let packs = folder.join(PACKS);
    for name in pack::names(&packs).map_err(|error| ProductError::disk(&packs, &error))? {
        disk.remove(&pack::path(&packs, &name))?;
    }
    ["", "-wal", "-shm"].iter().try_for_each(|ending| disk.remove(&folder.join(format!("{INDEX}{ending}"))))
}

/// From here on the new files count. The old ones become the copy.
pub(crate) fn finish(folder: &Path, disk: &Disk) -> Result<(), ProductError> {
    write_form(folder, disk)?;
    put_away(folder, disk)
}

/// Puts files of older forms away.
pub(crate) fn put_away(folder: &Path, disk: &Disk) -> Result<(), ProductError> {
    OlderForm::ALL.into_iter().try_for_each(|form| put_away_of(form, folder, disk))
}

fn put_away_of(form: OlderForm, folder: &Path, disk: &Disk) -> Result<(), ProductError> {
    let (packs, former) = (folder.join(PACKS), form.former(folder));
    // Packs that are elsewhere are of this form.
    let names = if packs.is_dir() { form.pack_names(&packs) } else { Ok(Vec::new()) };
    let names = names.map_err(|error| ProductError::disk(&packs, &error))?;
    let indexes = ["", "-wal", "-shm"].map(|ending| format!("{}{ending}", form.index()));
    let indexes = indexes.into_iter().map(|name| (folder.join(&name), name));
    let old = names.into_iter().map(|name| (packs.join(&name), name)).chain(indexes);
    for (path, name) in old.filter(|(path, _)| path.exists()) {
        disk.make_folder(&former)?;
        disk.rename(&path, &former.join(name))?;
    }
    Ok(())
}

/// Packs that are written anew.
struct Anew<'a> {
    folder: PathBuf,
    disk: &'a Disk,
    pack: Option<PackWriter>,
    blobs: HashSet<[u8; 32]>,
}

impl Anew<'_> {
    /// Adds the bytes of a result, unless they are there.
    fn add_blob(&mut self, digest: [u8; 32], payload: &[u8]) -> Result<(), ProductError> {
        match self.blobs.insert(digest) {
            true => self.pack()?.add_blob(&Blob::new(digest, payload)).map(drop),
            false => Ok(()),
        }
    }

    /// The same of bytes as they are stored.
    fn add_stored(&mut self, head: &BlobHead, stored: &[u8]) -> Result<(), ProductError> {
        match self.blobs.insert(head.digest) {
            true => self.pack()?.add_stored(head, stored).map(drop),
            false => Ok(()),
        }
    }

    fn add_entry(&mut self, entry: &Entry) -> Result<(), ProductError> {
        self.pack()?.add_entry(entry).map(drop)
    }

    fn pack(&mut self) -> Result<&mut PackWriter, ProductError> {
        if self.pack.as_ref().is_some_and(PackWriter::is_long) {
            self.finish()?;
        }
        match &mut self.pack {
            Some(pack) => Ok(pack),
            none => {
                let name = pack::name_of(&unique_name());
                Ok(none.insert(PackWriter::create(&self.folder, &name, self.disk)?))
            }
        }
    }

    fn finish(&mut self) -> Result<(), ProductError> {
        self.pack.take().map_or(Ok(()), |mut pack| pack.sync())
    }
}

/// A file in the folder that a store does not have.
fn first_of_others(folder: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !is_ours(&name) && !name.starts_with("index3.") && !name.starts_with(".onceflow-") {
            return Ok(Some(name));
        }
    }
    Ok(None)
}
