//! Where programs run: a temporary folder for their tasks, a watcher beside them, and a place for their logs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use onceflow_study::{Diagnostic, Scope};
use tempfile::TempDir;

use crate::error::ProgramError;
use crate::failure::ProgramFailure;
use crate::logs::{LOGS, encoded, log_name, part_name};
use crate::process::Watcher;
use crate::python::CallPlace;

/// Where the programs of a study run.
#[derive(Debug)]
pub struct ProgramWorkspace {
    temporary: TempDir,
    pub(crate) watcher: Arc<Watcher>,
    parts: Vec<ProgramSite>,
    images: Vec<ProgramSite>,
    logs: Option<LogFolder>,
    /// The folder in which folders of tasks remain after the run.
    pub(crate) kept: Option<PathBuf>,
    /// Whether the first instance of an exact task is run twice and compared.
    pub(crate) twice: bool,
    count: AtomicU64,
}

/// An image that programs work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageExtent<'a> {
    /// Its name in the study.
    pub name: &'a str,
    /// Columns and rows.
    pub size: (u64, u64),
}

/// A part of an image, with the halo around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartExtent {
    /// The image's number in the study.
    pub image: usize,
    /// Its left upper corner in the image; none where it reaches beyond.
    pub corner: Option<(u64, u64)>,
    /// Columns and rows.
    pub size: (u64, u64),
}

/// A part or an image, as logs name it.
#[derive(Clone, Debug)]
struct ProgramSite {
    name: String,
    /// The image as the study names it.
    image: String,
    corner: Option<(u64, u64)>,
    size: (u64, u64),
}

/// Where the logs of programs are kept.
#[derive(Clone, Debug)]
struct LogFolder {
    path: PathBuf,
    /// Numbers of the plan's rows in the table of the run.
    rows: Vec<usize>,
}

/// Folders of tasks that remain after a run, by task and row of the plan.
#[derive(Clone, Copy, Debug)]
pub struct KeptFolders<'a>(pub &'a Path);

/// The first letters of temporary folders; one that a killed run left is removed by the next run.
const PREFIX: &str = "commands-";

impl ProgramWorkspace {
    /// A workspace for work on these images and parts, of which nothing remains.
    ///
    /// # Errors
    /// When no temporary folder can be made, or the watcher cannot be started.
    pub fn temporary(images: &[ImageExtent<'_>], parts: &[PartExtent]) -> Result<Self, ProgramError> {
        Self::within(&std::env::temp_dir(), images, parts)
    }

    /// A workspace in the folder of a run, in whose table the rows of the plan have these numbers; logs are kept there.
    ///
    /// # Errors
    /// As [`ProgramWorkspace::temporary`].
    pub fn of_run(
        folder: &Path,
        rows: Vec<usize>,
        images: &[ImageExtent<'_>],
        parts: &[PartExtent],
    ) -> Result<Self, ProgramError> {
        remove_left_over(folder);
        let logs = Some(LogFolder { path: folder.join(LOGS), rows });
        Ok(Self { logs, twice: true, ..Self::within(folder, images, parts)? })
    }

    /// The same for one of several processes that work for the run: programs run in a folder of its own, which no other one
    /// clears.
    ///
    /// # Errors
    /// As [`ProgramWorkspace::temporary`], or when the folder cannot be made.
    pub fn of_worker(
        folder: &Path,
        own: &Path,
        rows: Vec<usize>,
        images: &[ImageExtent<'_>],
        parts: &[PartExtent],
    ) -> Result<Self, ProgramError> {
        fs::create_dir_all(own).map_err(ProgramError::write(own))?;
        let logs = Some(LogFolder { path: folder.join(LOGS), rows });
        Ok(Self { logs, ..Self::of_run(own, Vec::new(), images, parts)? })
    }

    /// A workspace that leaves the folders of its tasks under `kept`, to be inspected.
    ///
    /// # Errors
    /// As [`ProgramWorkspace::temporary`], or when the folder cannot be made.
    pub fn keeping(
        kept: &Path,
        images: &[ImageExtent<'_>],
        parts: &[PartExtent],
    ) -> Result<Self, ProgramError> {
        let absolute = fs::create_dir_all(kept).and_then(|()| kept.canonicalize());
        let kept = Some(absolute.map_err(ProgramError::write(kept))?);
        Ok(Self { kept, ..Self::temporary(images, parts)? })
    }

    fn within(folder: &Path, images: &[ImageExtent<'_>], parts: &[PartExtent]) -> Result<Self, ProgramError> {
        let temporary = temporary_folder(folder).map_err(ProgramError::write(folder))?;
        let name =
            temporary.path().file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let watcher = Watcher::start(format!("{name}-{}", std::process::id())).map_err(no_shell)?;
        Ok(Self {
            temporary,
            watcher: Arc::new(watcher),
            parts: part_sites(images, parts),
            images: images.iter().map(image_site).collect(),
            logs: None,
            kept: None,
            twice: false,
            count: AtomicU64::new(0),
        })
    }

    /// A folder that does not exist yet, for one task or server.
    pub(crate) fn new_folder(&self, what: &str) -> PathBuf {
        self.temporary.path().join(format!("{what}-{}", self.count.fetch_add(1, Ordering::Relaxed)))
    }

    /// Columns and rows that a task of a scope sees at a site; 0 for a task of the whole study.
    pub(crate) fn size(&self, scope: Scope, site: usize) -> Result<(u64, u64), ProgramFailure> {
        Ok(self.site(scope, site)?.map_or((0, 0), |site| site.size))
    }

    /// The file that keeps the log of an instance; none outside a run.
    pub(crate) fn log(
        &self,
        task: &str,
        scope: Scope,
        site: usize,
        row: u32,
    ) -> Result<Option<PathBuf>, ProgramFailure> {
        let Some(LogFolder { path, rows }) = &self.logs else { return Ok(None) };
        let site = self.site(scope, site)?.map_or("", |site| site.name.as_str());
        let row = number_of(rows, row);
        Ok(Some(path.join(log_name(task, site, row))))
    }

    /// Where a call is that sees so many columns and rows.
    pub(crate) fn place(
        &self,
        scope: Scope,
        site: usize,
        row: u32,
        (width, height): (u64, u64),
    ) -> Result<CallPlace, ProgramFailure> {
        let site = self.site(scope, site)?;
        let rows = self.logs.as_ref().map_or(&[][..], |logs| &logs.rows);
        // A call for some objects or tiles sees a piece of the part.
        let corner = site.filter(|site| site.size == (width, height)).and_then(|site| site.corner);
        Ok(CallPlace {
            row: number_of(rows, row),
            image: site.map(|site| site.image.clone()),
            part: corner.map(|(left, top)| [left, top, width, height]),
        })
    }

    fn site(&self, scope: Scope, site: usize) -> Result<Option<&ProgramSite>, ProgramFailure> {
        let found = match scope {
            Scope::Part => self.parts.get(site),
            Scope::Image => self.images.get(site),
            Scope::Study => return Ok(None),
        };
        found.map(Some).ok_or_else(|| ProgramFailure::new(format!("was asked for the unknown site {site}")))
    }
}

impl KeptFolders<'_> {
    /// The folder of a task's instance that a row asked for first.
    pub(crate) fn of(self, task: &str, row: u32) -> PathBuf {
        self.0.join(format!("{}.row-{row}", encoded(task)))
    }

    /// Renames the folder of one row's instance after its task, and removes those of the other rows. Returns the folder, if
    /// the task left one.
    ///
    /// # Errors
    /// When a folder cannot be renamed or removed.
    pub fn choose(self, task: &str, row: u32, rows: u32) -> io::Result<Option<PathBuf>> {
        let (from, to) = (self.of(task, row), self.0.join(encoded(task)));
        let others = (0..rows).filter(|other| *other != row).map(|other| self.of(task, other));
        others.filter(|path| path.is_dir()).try_for_each(fs::remove_dir_all)?;
        if !from.is_dir() {
            return Ok(None);
        }
        if to.is_dir() {
            fs::remove_dir_all(&to)?;
        }
        fs::rename(&from, &to)?;
        // Both files name the folder by its former name.
        for name in ["task.json", "command.sh"] {
            replace_path(&to.join(name), &from, &to)?;
        }
        Ok(Some(to))
    }
}

/// Replaces a path in a text file, if the file exists.
fn replace_path(file: &Path, from: &Path, to: &Path) -> io::Result<()> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let [from, to] = [from, to].map(|path| path.display().to_string());
    fs::write(file, text.replace(&from, &to))
}

fn temporary_folder(folder: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder.canonicalize()?)
}

fn no_shell(error: io::Error) -> ProgramError {
    let message = Diagnostic::error("programs of a study need a shell that ends them when the run is killed");
    let message = message.expected_found("/bin/sh", error.to_string());
    ProgramError::Environment(Box::new(message.with_hint("commands are run on Linux and other Unix systems")))
}

/// The number of a plan's row in the table of the run.
fn number_of(rows: &[usize], row: u32) -> usize {
    rows.get(row as usize).copied().unwrap_or(row as usize)
}

fn image_site(image: &ImageExtent<'_>) -> ProgramSite {
    let name = encoded(image.name);
    ProgramSite { name, image: image.name.to_owned(), corner: Some((0, 0)), size: image.size }
}

/// Parts are numbered within their image.
fn part_sites(images: &[ImageExtent<'_>], parts: &[PartExtent]) -> Vec<ProgramSite> {
    let mut counts = vec![0; images.len()];
    let site = |part: &PartExtent| {
        let image = images[part.image].name;
        let name = part_name(image, counts[part.image]);
        counts[part.image] += 1;
        ProgramSite { name, image: image.to_owned(), corner: part.corner, size: part.size }
    };
    parts.iter().map(site).collect()
}

/// Removes what a killed run left; the folder of a run has one run at a time.
fn remove_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            // A folder that cannot be removed takes disk space and does no other harm.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
