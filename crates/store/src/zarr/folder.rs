//! The files under one folder: names never lead outside, and the bytes read are counted.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use onceflow_region::{ReadMeter, SourceError, two_sizes};

use super::root::Root;

/// A folder of which only what lies in it is read.
#[derive(Debug)]
pub struct ZarrFolder {
    name: String,
    place: FolderPlace,
    meter: Arc<ReadMeter>,
}

#[derive(Debug)]
enum FolderPlace {
    Disk(Root),
    Memory(BTreeMap<String, Arc<[u8]>>),
}

impl ZarrFolder {
    /// A folder on a disk. It may itself be reached through links.
    ///
    /// # Errors
    /// When there is no such folder, or it cannot be read.
    pub fn open(path: &Path, meter: Arc<ReadMeter>) -> Result<ZarrFolder, SourceError> {
        let name = path.display().to_string();
        let root = Root::open(path).map_err(|error| SourceError::unreadable(&name, &error))?;
        Ok(ZarrFolder { name, place: FolderPlace::Disk(root), meter })
    }

    /// Files in memory, under their names as seen from the folder.
    pub fn memory(name: &str, files: BTreeMap<String, Arc<[u8]>>, meter: Arc<ReadMeter>) -> ZarrFolder {
        ZarrFolder { name: name.to_owned(), place: FolderPlace::Memory(files), meter }
    }

    /// What errors call the folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What errors call a file in it.
    pub fn file_name(&self, relative: &str) -> String {
        if relative.is_empty() { self.name.clone() } else { format!("{}/{relative}", self.name) }
    }

    /// A file in the folder; `None` when there is no such file.
    ///
    /// # Errors
    /// When it cannot be opened, or its name leads outside the folder.
    pub fn file(&self, relative: &str) -> Result<Option<ArrayFile>, SourceError> {
        let name = self.file_name(relative);
        let (bytes, length) = match &self.place {
            FolderPlace::Memory(files) => match files.get(relative) {
                None => return Ok(None),
                Some(bytes) => (FileBytes::Memory(Cursor::new(Arc::clone(bytes))), bytes.len() as u64),
            },
            FolderPlace::Disk(root) => match root.file(relative, &name)? {
                None => return Ok(None),
                Some((file, length)) => (FileBytes::File(file), length),
            },
        };
        Ok(Some(ArrayFile { name, length, bytes, at: 0, meter: Arc::clone(&self.meter) }))
    }

    /// All of a small file; `None` when there is no such file.
    ///
    /// # Errors
    /// As [`ZarrFolder::file`], and when the file is longer than the limit or cannot be read.
    pub fn small(&self, relative: &str, limit: u64) -> Result<Option<Vec<u8>>, SourceError> {
        let Some(mut file) = self.file(relative)? else { return Ok(None) };
        if file.length > limit {
            let (most, found) = two_sizes(limit, file.length);
            let (expected, found) = (format!("a file of at most {most}"), format!("one of {found}"));
            return Err(SourceError::content(&file.name, &expected, found, "check what wrote it"));
        }
        let mut bytes = vec![0; file.length as usize];
        file.read_at(0, &mut bytes)?;
        Ok(Some(bytes))
    }

    /// The names of all files below a folder, as seen from here, in ascending order. Links are left out.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub fn files_below(&self, relative: &str) -> Result<Vec<String>, SourceError> {
        let mut names = Vec::new();
        match &self.place {
            FolderPlace::Memory(files) => {
                let below = |name: &&String| relative.is_empty() || name.starts_with(&format!("{relative}/"));
                names.extend(files.keys().filter(below).cloned());
            }
            FolderPlace::Disk(root) => {
                let listed = list(&root.path, Path::new(relative), DEEPEST, &mut names);
                listed.map_err(|error| SourceError::unreadable(&self.file_name(relative), &error))?;
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// Folders within folders that are looked into.
const DEEPEST: usize = 16;

fn list(root: &Path, folder: &Path, depth: usize, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let (path, kind) = (folder.join(entry.file_name()), entry.file_type()?);
        if kind.is_dir() && depth > 0 {
            list(root, &path, depth - 1, names)?;
        } else if kind.is_file()
            && let Some(name) = path.to_str()
        {
            names.push(name.replace('\\', "/"));
        }
    }
    Ok(())
}

/// An open file.
#[derive(Debug)]
pub struct ArrayFile {
    /// What errors call it.
    pub name: String,
    /// Bytes that it has.
    pub length: u64,
    bytes: FileBytes,
    /// Position of the next sequential read.
    at: u64,
    meter: Arc<ReadMeter>,
}

#[derive(Debug)]
enum FileBytes {
    File(File),
    Memory(Cursor<Arc<[u8]>>),
}

impl ArrayFile {
    /// Fills a buffer with the bytes from a place on.
    ///
    /// # Errors
    /// When they cannot be read, or the file ends before.
    pub fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        #[cfg(unix)]
        if let FileBytes::File(file) = &self.bytes {
            use std::os::unix::fs::FileExt as _;
            let read = file.read_exact_at(buffer, offset);
            read.map_err(|error| SourceError::unreadable(&self.name, &error))?;
            self.meter.count(buffer.len() as u64);
            return Ok(());
        }
        self.read_with(offset, buffer.len() as u64, |from| from.read_exact(buffer)).map(drop)
    }

    /// Appends `length` bytes from an offset on, into memory that is not zeroed first; returns how many.
    pub(crate) fn append_at(
        &mut self,
        offset: u64,
        length: usize,
        to: &mut Vec<u8>,
    ) -> Result<u64, SourceError> {
        #[cfg(unix)]
        if let FileBytes::File(file) = &self.bytes {
            let read = super::uncleared::append(file, offset, length, to);
            read.map_err(|error| SourceError::unreadable(&self.name, &error))?;
            self.meter.count(length as u64);
            return Ok(length as u64);
        }
        self.read_with(offset, length as u64, |from| {
            let read = from.take(length as u64).read_to_end(to)?;
            if read == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        })
    }

    /// Reads so many bytes from a place on; tells how many.
    fn read_with(
        &mut self,
        offset: u64,
        length: u64,
        read: impl FnOnce(&mut dyn Read) -> io::Result<()>,
    ) -> Result<u64, SourceError> {
        let there = match &mut self.bytes {
            _ if self.at == offset => Ok(offset),
            FileBytes::File(file) => file.seek(SeekFrom::Start(offset)),
            FileBytes::Memory(bytes) => bytes.seek(SeekFrom::Start(offset)),
        };
        // After a failure the position of the file is unknown.
        self.at = u64::MAX;
        let from: &mut dyn Read = match &mut self.bytes {
            FileBytes::File(file) => file,
            FileBytes::Memory(bytes) => bytes,
        };
        there.and_then(|_| read(from)).map_err(|error| SourceError::unreadable(&self.name, &error))?;
        self.at = offset + length;
        self.meter.count(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &Path) -> ZarrFolder {
        ZarrFolder::open(path, Arc::default()).unwrap()
    }

    #[test]
    fn names_lead_nowhere_else() {
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        fs::create_dir_all(inside.join("c/0")).unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        fs::write(inside.join("c/0/0"), "pixels").unwrap();
        let folder = folder(&inside);
        assert_eq!(folder.small("c/0/0", 99).unwrap().unwrap(), b"pixels");
        assert!(folder.file("c/0/1").unwrap().is_none());
        assert!(folder.file("c/0/0/0").unwrap().is_none(), "a file is no folder");
        for name in ["../secret", "c/../../secret", "/etc/passwd", "c"] {
            assert!(folder.file(name).is_err(), "{name}");
        }
        assert!(
            folder.small("c/0/0", 5).unwrap_err().to_string().contains("at most 5 bytes, found one of 6")
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_within() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        let inside = place.path().join("inside");
        fs::create_dir_all(inside.join("a")).unwrap();
        fs::write(place.path().join("secret"), "secret").unwrap();
        fs::write(inside.join("a/0"), "pixels").unwrap();
        symlink(inside.join("a"), inside.join("b")).unwrap();
        symlink(place.path(), inside.join("out")).unwrap();
        symlink("../secret", inside.join("file")).unwrap();
        let folder = folder(&inside);
        assert_eq!(folder.small("b/0", 99).unwrap().unwrap(), b"pixels");
        for name in ["out/secret", "file"] {
            let error = folder.file(name).unwrap_err().to_string();
            assert!(error.contains("expected a name within the folder, found a link to"), "{error}");
        }
        assert_eq!(folder.files_below("").unwrap(), ["a/0"]);
        let linked = place.path().join("linked");
        symlink(&inside, &linked).unwrap();
        assert_eq!(ZarrFolder::open(&linked, Arc::default()).unwrap().files_below("").unwrap(), ["a/0"]);
    }
}
