//! Blobs on a disk: a file for each, spread over folders by the first digits of its digest.

mod file;

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use onceflow_region::Digest;

use super::{BlobContent, BlobError, BlobStore, Opened, checked_range};
use crate::publish::{Publisher, Temporary, remove_abandoned};
use file::BlobFile;

/// What the file in the folder says that tells what the folder is.
const FORMAT: &str = "onceflow blobs 1\n";
/// Its name.
const FORMAT_FILE: &str = "format";
/// How a blob's name goes on when it is found damaged.
const DAMAGED: &str = "damaged";

/// A folder of blobs that several processes may use at the same time.
#[derive(Debug)]
pub struct DiskBlobs {
    root: PathBuf,
    publisher: Publisher,
    /// Removes the folder, when it is for this process alone.
    _scratch: Option<Temporary>,
}

impl DiskBlobs {
    /// The blobs of a folder, which is made when it is not there. What writers that were killed have left is removed.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or holds something else.
    pub fn open(root: impl Into<PathBuf>) -> Result<DiskBlobs, BlobError> {
        DiskBlobs::open_with(root, Publisher::new())
    }

    /// The same with a protocol of your own: [`Publisher::hasty`] for what may be lost with the power.
    ///
    /// # Errors
    /// When the folder cannot be made or read, or holds something else.
    pub fn open_with(root: impl Into<PathBuf>, publisher: Publisher) -> Result<DiskBlobs, BlobError> {
        let blobs = DiskBlobs { root: root.into(), publisher, _scratch: None };
        blobs.publisher.create_folder(&blobs.root).map_err(|error| BlobError::at(&blobs.root, error))?;
        blobs.check_format()?;
        blobs.tidy()?;
        Ok(blobs)
    }

    /// Blobs for this process alone, in a new folder within the given one. They go when this does; those of processes
    /// that were killed are removed now.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn scratch(within: impl AsRef<Path>) -> Result<DiskBlobs, BlobError> {
        let at = |error| BlobError::at(within.as_ref(), error);
        Publisher::hasty().create_folder(within.as_ref()).map_err(at)?;
        remove_abandoned(within.as_ref()).map_err(at)?;
        let scratch = Temporary::folder(within.as_ref()).map_err(at)?;
        let blobs = DiskBlobs::open_with(scratch.path(), Publisher::hasty())?;
        Ok(DiskBlobs { _scratch: Some(scratch), ..blobs })
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes all blobs.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn clear(&self) -> Result<(), BlobError> {
        self.list()?.iter().try_for_each(|digest| match self.remove(digest) {
            Err(BlobError::Missing { .. }) => Ok(()),
            result => result,
        })
    }

    fn check_format(&self) -> Result<(), BlobError> {
        let path = self.root.join(FORMAT_FILE);
        match fs::read(&path) {
            Ok(found) if found == FORMAT.as_bytes() => Ok(()),
            Ok(found) => Err(BlobError::Format {
                path,
                expected: FORMAT.trim_end(),
                found: String::from_utf8_lossy(&found[..found.len().min(32)]).into_owned(),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.write_format(&path),
            Err(error) => Err(BlobError::at(&path, error)),
        }
    }

    /// A folder with other things in it is not made into one of blobs.
    fn write_format(&self, path: &Path) -> Result<(), BlobError> {
        let at_root = |error| BlobError::at(&self.root, error);
        remove_abandoned(&self.root).map_err(at_root)?;
        let names =
            fs::read_dir(&self.root).map_err(at_root)?.map_while(Result::ok).map(|entry| entry.file_name());
        let others = names.filter(|name| name != FORMAT_FILE && !crate::publish::is_temporary(name));
        // Another process may have created the store since the check, and put blobs into it.
        let is_one = || fs::read(path).is_ok_and(|found| found == FORMAT.as_bytes());
        if let Some(other) = others.into_iter().next() {
            if is_one() {
                return Ok(());
            }
            let found = other.to_string_lossy().into_owned();
            return Err(BlobError::Format { path: path.to_path_buf(), expected: FORMAT.trim_end(), found });
        }
        let write = |file: &mut fs::File| io::Write::write_all(file, FORMAT.as_bytes());
        self.publisher.write_file(path, write).map_err(|error| BlobError::at(path, error))
    }

    fn tidy(&self) -> Result<(), BlobError> {
        for folder in self.folders()? {
            remove_abandoned(&folder).map_err(|error| BlobError::at(&folder, error))?;
        }
        Ok(())
    }

    /// The folders of blobs: two hexadecimal digits each.
    fn folders(&self) -> Result<Vec<PathBuf>, BlobError> {
        let at_root = |error| BlobError::at(&self.root, error);
        let mut folders = Vec::new();
        for entry in fs::read_dir(&self.root).map_err(at_root)? {
            let entry = entry.map_err(at_root)?;
            if entry.file_name().len() == 2 && entry.file_type().map_err(at_root)?.is_dir() {
                folders.push(entry.path());
            }
        }
        Ok(folders)
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        let (folder, _) = name.split_at(2);
        self.root.join(folder).join(&name)
    }

    /// The path of a blob that is there as a plain file.
    fn existing(&self, digest: &Digest) -> Result<PathBuf, BlobError> {
        let path = self.path(digest);
        match is_plain(&path)? {
            true => Ok(path),
            false => Err(BlobError::Missing { store: self.name(), digest: *digest }),
        }
    }
}

impl BlobStore for DiskBlobs {
    fn name(&self) -> String {
        self.root.display().to_string()
    }

    fn write(&self, digest: &Digest, content: &dyn BlobContent) -> Result<(), BlobError> {
        let path = self.path(digest);
        if is_plain(&path)? {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(&self.root);
        self.publisher.create_folder(folder).map_err(|error| BlobError::at(folder, error))?;
        let written = self.publisher.write_file(&path, |to| file::write(to, digest, content));
        written.map_err(|error: BlobError| error.placed(&path))
    }

    fn open(&self, digest: &Digest) -> Result<Opened, BlobError> {
        let file = BlobFile::open(self.existing(digest)?, digest)?;
        Ok(Opened { length: file.length(), stream: Box::new(file.stream()) })
    }

    fn get_range(&self, digest: &Digest, range: Range<u64>) -> Result<Vec<u8>, BlobError> {
        let mut file = BlobFile::open(self.existing(digest)?, digest)?;
        checked_range(digest, &range, file.length())?;
        file.read_range(range)
    }

    fn length(&self, digest: &Digest) -> Result<Option<u64>, BlobError> {
        let path = self.path(digest);
        match is_plain(&path)? {
            true => file::stored_length(&path).map(Some),
            false => Ok(None),
        }
    }

    fn remove(&self, digest: &Digest) -> Result<(), BlobError> {
        let path = self.existing(digest)?;
        fs::remove_file(&path).map_err(|error| BlobError::at(&path, error))
    }

    fn list(&self) -> Result<Vec<Digest>, BlobError> {
        let mut digests = Vec::new();
        for folder in self.folders()? {
            let at = |error| BlobError::at(&folder, error);
            for entry in fs::read_dir(&folder).map_err(at)? {
                // Temporary and damaged files have no such name.
                digests.extend(
                    entry.map_err(at)?.file_name().to_str().and_then(|name| name.parse::<Digest>().ok()),
                );
            }
        }
        digests.sort_unstable();
        Ok(digests)
    }
}

/// Whether a plain file is there; something else is an error, and is not opened, since a pipe would never answer.
fn is_plain(path: &Path) -> Result<bool, BlobError> {
    let kind = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        other => other.map_err(|error| BlobError::at(path, error))?.file_type(),
    };
    let found = match (kind.is_file(), kind.is_symlink(), kind.is_dir()) {
        (true, ..) => return Ok(true),
        (_, true, _) => "a link",
        (.., true) => "a folder",
        _ => "neither file nor folder",
    };
    Err(BlobError::Foreign { path: path.to_path_buf(), found })
}
