//! What identifies a command: its arguments, the content of its program and of the files it reads, and further attributes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use onceflow_products::{FileStamp, ProductKey, ProductStore};
use onceflow_region::Digest;

use super::MemoCommand;
use crate::paths::place;
use crate::{MemoAttribute, MemoAttributeKind, MemoError, MemoKey};

/// Raised when the fields of a key change their meaning.
const KIND: &str = "onceflow memo command v1";

/// What a file is digested as.
const CONTENT: &str = "onceflow memo file v1";

/// The name of standard input among the files that are read.
pub(super) const STANDARD_INPUT: &str = "-";

/// A command that is identified.
pub(super) struct IdentifiedCommand {
    pub(super) key: ProductKey,
    pub(super) title: String,
    pub(super) attributes: Vec<MemoAttribute>,
    /// What standard input held, where it is read.
    pub(super) input: Option<Vec<u8>>,
    /// Files that were digested, as they were then.
    stamps: Vec<(PathBuf, String)>,
}

impl MemoCommand {
    /// The command with its key.
    pub(super) fn identify(&self, store: &ProductStore) -> Result<IdentifiedCommand, MemoError> {
        self.check()?;
        let mut reading = DigestedFiles { store, stamps: Vec::new(), input: None };
        let program = self.command.first().map(String::as_str).unwrap_or_default();
        let mut attributes: Vec<(MemoAttribute, Vec<u8>)> = Vec::new();
        if let Some(path) = in_path(program) {
            let digest = reading.file(&path)?;
            let attribute = MemoAttribute::of_digest(MemoAttributeKind::Program, program, &digest.0);
            attributes.push((attribute, digest.0.to_vec()));
        }
        let argument = |(number, argument): (usize, &String)| {
            let attribute =
                MemoAttribute::new(MemoAttributeKind::Argument, number.to_string(), argument.as_bytes());
            (attribute, argument.as_bytes().to_vec())
        };
        attributes.extend(self.command.iter().enumerate().map(argument));
        attributes.extend(sorted(&self.attributes).into_iter().map(|(name, value)| {
            (MemoAttribute::new(MemoAttributeKind::Value, name, value.as_bytes()), value.as_bytes().to_vec())
        }));
        for path in sorted(&self.reads) {
            let digest = reading.any(path)?;
            let name = path.display().to_string();
            let attribute = MemoAttribute::of_digest(MemoAttributeKind::Read, name, &digest.0);
            attributes.push((attribute, digest.0.to_vec()));
        }
        attributes.extend(sorted(&self.writes).into_iter().map(|path| {
            let bytes = path.as_os_str().as_encoded_bytes();
            (MemoAttribute::new(MemoAttributeKind::Write, path.display().to_string(), b""), bytes.to_vec())
        }));
        let DigestedFiles { stamps, input, .. } = reading;
        let key = key(&attributes);
        let attributes = attributes.into_iter().map(|(attribute, _)| attribute).collect();
        Ok(IdentifiedCommand { key, title: title(&self.command), attributes, input, stamps })
    }

    pub(super) fn check(&self) -> Result<(), MemoError> {
        let mut names = HashSet::new();
        if let Some((name, _)) = self.attributes.iter().find(|(name, _)| !names.insert(name)) {
            return Err(MemoError::Twice { name: name.clone() });
        }
        let mut paths = HashSet::new();
        if let Some(path) = self.writes.iter().find(|path| !paths.insert(place(path))) {
            return Err(MemoError::Twice { name: path.display().to_string() });
        }
        match self.reads.iter().find(|path| paths.contains(&place(path))) {
            Some(path) => Err(MemoError::ReadAndWritten { path: path.clone() }),
            None => Ok(()),
        }
    }
}

impl IdentifiedCommand {
    /// The run that products of it bear: the family is that of commands with the same program and outputs.
    pub(super) fn maker(&self) -> String {
        format!("{}{}", self.family(), self.title)
    }

    /// What runs of like commands begin with.
    pub(super) fn family(&self) -> String {
        let mut key = MemoKey::new("onceflow memo family v1");
        for attribute in &self.attributes {
            let same = match attribute.kind {
                MemoAttributeKind::Write => true,
                MemoAttributeKind::Argument => attribute.name == "0",
                _ => false,
            };
            if same {
                key.field(attribute.name.as_bytes());
                key.field(attribute.value.as_bytes());
            }
        }
        let digits: String = key.finish().to_string().chars().take(12).collect();
        format!("memo {digits} ")
    }

    /// A file that is not any more what was digested.
    pub(super) fn changed(&self) -> Option<PathBuf> {
        self.stamps.iter().find_map(|(path, stamp)| changed(path, stamp))
    }
}

fn key(attributes: &[(MemoAttribute, Vec<u8>)]) -> ProductKey {
    let mut key = MemoKey::new(KIND);
    key.count(attributes.len());
    for (attribute, value) in attributes {
        key.field(&[attribute.kind as u8]);
        key.field(attribute.name.as_bytes());
        key.field(value);
    }
    key.finish()
}

/// Files that are digested.
struct DigestedFiles<'a> {
    store: &'a ProductStore,
    stamps: Vec<(PathBuf, String)>,
    input: Option<Vec<u8>>,
}

impl DigestedFiles<'_> {
    /// The digest of a file, of all files in a folder, or of standard input.
    fn any(&mut self, path: &Path) -> Result<Digest, MemoError> {
        if path.as_os_str() == STANDARD_INPUT {
            let mut bytes = Vec::new();
            io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| MemoError::unreadable(path, &error))?;
            let digest = Digest::of_reader(CONTENT, &bytes[..]);
            self.input = Some(bytes);
            return digest.map_err(|error| MemoError::unreadable(path, &error));
        }
        if path.is_dir() { self.folder(path) } else { self.file(path) }
    }

    fn file(&mut self, path: &Path) -> Result<Digest, MemoError> {
        let (digest, stamp) = digest(self.store, path)?;
        self.stamps.push((path.to_path_buf(), stamp));
        Ok(digest)
    }

    /// A folder is the names and the contents of its files.
    fn folder(&mut self, path: &Path) -> Result<Digest, MemoError> {
        let failed = |error: io::Error| MemoError::unreadable(path, &error);
        let mut names = fs::read_dir(path)
            .and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>())
            .map_err(failed)?;
        names.sort_unstable();
        let mut key = MemoKey::new("onceflow memo folder v1");
        key.count(names.len());
        for name in names {
            let inner = path.join(&name);
            let digest = self.inner(&inner)?;
            key.field(name.as_encoded_bytes());
            key.field(&digest.0);
        }
        Ok(Digest(key.finish().0))
    }

    /// What a folder holds. A link to a folder counts by what it says, since it may lead back up; pipes and devices by their being there.
    fn inner(&mut self, path: &Path) -> Result<Digest, MemoError> {
        let failed = |error: io::Error| MemoError::unreadable(path, &error);
        let itself = path.symlink_metadata().map_err(failed)?;
        if itself.is_dir() {
            return self.folder(path);
        }
        if path.is_file() {
            return self.file(path);
        }
        let says = if itself.is_symlink() { path.read_link().map_err(failed)? } else { PathBuf::new() };
        let mut key = MemoKey::new("onceflow memo link v1");
        key.field(says.as_os_str().as_encoded_bytes());
        Ok(Digest(key.finish().0))
    }
}

/// The digest of a file, which is read once while it stays as it is, and what it was like then.
pub(crate) fn file_digest(store: &ProductStore, path: &Path) -> Result<([u8; 32], String), MemoError> {
    digest(store, path).map(|(digest, stamp)| (digest.0, stamp))
}

/// The path of a file that is not any more what it was.
pub(crate) fn changed(path: &Path, stamp: &str) -> Option<PathBuf> {
    let same = path.metadata().is_ok_and(|file| FileStamp::new(&file).text() == stamp);
    (!same).then(|| path.to_path_buf())
}

fn digest(store: &ProductStore, path: &Path) -> Result<(Digest, String), MemoError> {
    let failed = |error: io::Error| MemoError::unreadable(path, &error);
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(MemoError::NoFile { path: path.to_path_buf() });
    }
    let stamp = || Ok(FileStamp::new(&path.metadata()?).text().to_owned());
    let before: String = stamp().map_err(failed)?;
    let read = || Digest::of_reader(CONTENT, File::open(path)?);
    let digest = match store.remembered_digest(path, CONTENT, read) {
        Ok(digest) => digest,
        // What the index does not remember is read.
        Err(_) => read().map_err(failed)?,
    };
    if stamp().map_err(failed)? != before {
        return Err(MemoError::Changed { path: path.to_path_buf() });
    }
    Ok((digest, before))
}

fn sorted<T: Ord>(items: &[T]) -> Vec<&T> {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The file of a program, as the system finds it.
fn in_path(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|path| path.is_file());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(OsStr::new(&folders))
        .map(|folder| folder.join(program))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// The command line as a shell would take it.
fn title(command: &[String]) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    let quoted = |word: &String| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
