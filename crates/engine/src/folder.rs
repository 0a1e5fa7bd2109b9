//! The folder of a run: what was asked, what was found, and regions that were kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use onceflow_imageio::png_bytes;
use onceflow_region::Region;
use onceflow_store::codec;
use onceflow_store::publish::write_files;
use onceflow_study::{Diagnostic, counted};

use crate::{EngineError, write_whole};

/// A folder that a run may write into.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

/// Where regions are kept.
const REGIONS: &str = "regions";

/// The extension of regions that no picture holds.
pub(crate) const ENCODED: &str = "region";

/// Files that only a run writes, from its first moments on.
const OF_A_RUN: [&str; 3] = ["journal.jsonl", "status.json", "run.json"];

impl RunFolder {
    /// The folder at a path, which is made when a run begins.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Makes the folder, unless it is there.
    pub fn create(path: &Path) -> Result<Self, EngineError> {
        let folder = Self::new(path);
        folder.make()?;
        Ok(folder)
    }

    pub(crate) fn make(&self) -> Result<(), EngineError> {
        let path = &self.path;
        fs::create_dir_all(path).map_err(|error| EngineError::Write { path: path.clone(), error })
    }

    /// Refuses a folder with files that are not of a run: they could have the names of results.
    ///
    /// A run that was stopped at once has left copies of the study and its workflow only.
    ///
    /// # Errors
    /// When there are other files, none of which only a run writes.
    pub(crate) fn refuse_foreign(&self, study: &Path) -> Result<(), EngineError> {
        let is_of_run = |name: &&str| self.path.join(name).is_file();
        if OF_A_RUN.iter().any(is_of_run) {
            return Ok(());
        }
        let copies =
            if self.holds(study) { &[][..] } else { &["study.toml", "workflow.json", "commands.json"] };
        let others: Vec<String> = names(&self.path)
            .into_iter()
            .filter(|name| !name.starts_with('.') && !copies.contains(&name.as_str()))
            .collect();
        if others.is_empty() { Ok(()) } else { Err(foreign(&self.path, &others).into()) }
    }

    /// Whether a file is in the folder itself.
    fn holds(&self, file: &Path) -> bool {
        let folder = file.canonicalize().ok().and_then(|file| file.parent().map(Path::to_path_buf));
        folder.is_some_and(|folder| self.path.canonicalize().is_ok_and(|path| path == folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file in it, whole or not at all.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, EngineError> {
        let path = self.path.join(name);
        let written =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| write_whole(&path, bytes));
        written.map_err(|error| EngineError::Write { path: path.clone(), error })?;
        Ok(path)
    }

    /// Writes files in it, each whole or not at all. The disk is waited for once.
    pub(crate) fn write_several(&self, files: Vec<(&str, Vec<u8>)>) -> Result<(), EngineError> {
        let files: Vec<(PathBuf, Vec<u8>)> =
            files.into_iter().map(|(name, bytes)| (self.path.join(name), bytes)).collect();
        write_files(&files).map_err(|(path, error)| EngineError::Write { path, error })
    }

    /// Takes a file away, unless it is not there.
    pub(crate) fn remove(&self, name: &str) -> Result<(), EngineError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(EngineError::Write { path, error }),
            _ => Ok(()),
        }
    }

    /// Keeps a region of the reference row for later phases; says where, seen from the folder and from outside.
    pub(crate) fn save_reference(
        &self,
        name: &str,
        part: usize,
        region: &Region,
    ) -> Result<(String, PathBuf), EngineError> {
        let file = |extension: &str| format!("{REGIONS}/reference/{name}-{part}.{extension}");
        let dense = region.as_dense().ok_or_else(|| {
            let error = io::Error::other("only images can be kept so far");
            EngineError::Write { path: self.path.join(file("png")), error }
        })?;
        // Pictures hold no labels of 32 bits.
        let (file, bytes) = match dense.as_u32() {
            Some(_) => (file(ENCODED), encoded(region)?),
            None => (file("png"), png_bytes(dense).map_err(internal)?),
        };
        let path = self.write(&file, &bytes)?;
        Ok((file, path))
    }
}

fn encoded(region: &Region) -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    codec::encode(region, &mut bytes).map_err(internal)?;
    Ok(bytes)
}

/// Reads a region that [`RunFolder::save_reference`] wrote with the extension [`ENCODED`].
pub(crate) fn read_encoded(path: &Path) -> Result<Region, String> {
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    codec::decode(&mut io::BufReader::new(file), length).map_err(|error| error.to_string())
}

fn internal(error: impl std::fmt::Display) -> EngineError {
    EngineError::Internal(error.to_string())
}

/// The names in a folder, sorted; none where there is no folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn foreign(path: &Path, others: &[String]) -> Diagnostic {
    let found = match others {
        [one] => format!("{one}, which no run wrote"),
        [first, rest @ ..] => format!("{first} and {}, which no run wrote", counted(rest.len(), "other")),
        [] => "none".into(),
    };
    let inside = path.join("run");
    Diagnostic::error(format!("{} is not the folder of a run", path.display()))
        .expected_found("a new or empty folder, or that of an earlier run", found)
        .with_hint(format!(
            "choose another folder, such as {}; --force writes into this one",
            inside.display()
        ))
}
