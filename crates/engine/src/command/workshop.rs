//! Where programs run: a folder for theirs, a watcher beside them, and a place for their logs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use onceflow_study::{Diagnostic, Scope};
use tempfile::TempDir;

use super::watch::Watcher;
use crate::inputs::Inputs;
use crate::{EngineError, RunFolder};

/// Where programs run.
#[derive(Debug)]
pub(crate) struct Workshop {
    temporary: TempDir,
    pub(super) watcher: Arc<Watcher>,
    parts: Vec<Place>,
    images: Vec<Place>,
    logs: Option<Logs>,
    /// Where folders of tasks stay to be looked at.
    pub(super) kept: Option<PathBuf>,
    /// Whether the first instance of an exact task is run twice and compared.
    pub(super) twice: bool,
    count: AtomicU64,
}

/// A part or an image.
#[derive(Clone, Debug)]
struct Place {
    name: String,
    size: (u64, u64),
}

/// Where what programs print is kept.
#[derive(Clone, Debug)]
struct Logs {
    folder: PathBuf,
    /// Number of the first row of the plan.
    first: usize,
}

/// Folders of tasks that stay, by task and row of the plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept<'a>(pub(crate) &'a Path);

/// What the folders of runs begin with; one that a killed run left goes with the next.
const PREFIX: &str = "commands-";

/// The folder of logs in the folder of a run.
pub(crate) const LOGS: &str = "logs";

impl Workshop {
    /// In the folder of a run, whose rows have numbers from `first` on.
    pub(crate) fn of_run(folder: &RunFolder, inputs: &Inputs, first: usize) -> Result<Self, EngineError> {
        remove_left_over(folder.path());
        let mut workshop = Self::within(folder.path(), inputs)?;
        workshop.logs = Some(Logs { folder: folder.path().join(LOGS), first });
        workshop.twice = true;
        Ok(workshop)
    }

    /// Where nothing stays.
    pub(crate) fn passing(inputs: &Inputs) -> Result<Self, EngineError> {
        Self::within(&std::env::temp_dir(), inputs)
    }

    /// Where the folders of tasks stay, under `kept`.
    pub(crate) fn keeping(inputs: &Inputs, kept: &Path) -> Result<Self, EngineError> {
        let unwritable = |error| EngineError::Write { path: kept.into(), error };
        let absolute = fs::create_dir_all(kept).and_then(|()| kept.canonicalize()).map_err(unwritable)?;
        Ok(Self { kept: Some(absolute), ..Self::passing(inputs)? })
    }

    fn within(folder: &Path, inputs: &Inputs) -> Result<Self, EngineError> {
        let unwritable = |error| EngineError::Write { path: folder.into(), error };
        let absolute = folder.canonicalize().map_err(unwritable)?;
        let temporary = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&absolute).map_err(unwritable)?;
        let token = temporary.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let watcher = Watcher::start(format!("{token}-{}", std::process::id())).map_err(no_shell)?;
        let (parts, images) = places(inputs);
        let (logs, kept, twice, count) = (None, None, false, AtomicU64::new(0));
        Ok(Self { temporary, watcher: Arc::new(watcher), parts, images, logs, kept, twice, count })
    }

    /// A folder that does not exist yet, for one task or server.
    pub(super) fn next(&self, what: &str) -> PathBuf {
        self.temporary.path().join(format!("{what}-{}", self.count.fetch_add(1, Ordering::Relaxed)))
    }

    /// Columns and rows that a task of a scope sees at a site.
    pub(super) fn size(&self, scope: Scope, site: usize) -> (u64, u64) {
        self.place(scope, site).map_or((0, 0), |place| place.size)
    }

    /// Where the log of an instance is kept; nowhere outside a run.
    pub(super) fn log(&self, task: &str, scope: Scope, site: usize, row: u32) -> Option<PathBuf> {
        let Logs { folder, first } = self.logs.as_ref()?;
        let place = self.place(scope, site).map_or("", |place| place.name.as_str());
        Some(folder.join(log_name(task, place, first + row as usize)))
    }

    fn place(&self, scope: Scope, site: usize) -> Option<&Place> {
        match scope {
            Scope::Part => self.parts.get(site),
            Scope::Image => self.images.get(site),
            Scope::Study => None,
        }
    }
}

impl Kept<'_> {
    /// The folder of a task's instance that a row asked for first.
    pub(super) fn of(self, task: &str, row: u32) -> PathBuf {
        self.0.join(format!("{}.row-{row}", encoded(task)))
    }

    /// Gives the folder of the instance that is looked at the name of its task, and takes the others away.
    pub(crate) fn choose(self, task: &str, row: u32, rows: u32) -> io::Result<Option<PathBuf>> {
        let (from, to) = (self.of(task, row), self.0.join(encoded(task)));
        for other in (0..rows)
            .filter(|other| *other != row)
            .map(|other| self.of(task, other))
            .filter(|path| path.is_dir())
        {
            fs::remove_dir_all(other)?;
        }
        if !from.is_dir() {
            return Ok(None);
        }
        if to.is_dir() {
            fs::remove_dir_all(&to)?;
        }
        fs::rename(&from, &to)?;
        // What was written before names the folder by its former name.
        for name in ["task.json", "command.sh"] {
            let path = to.join(name);
            if let Ok(text) = fs::read_to_string(&path) {
                let [from, to] = [&from, &to].map(|path| path.display().to_string());
                fs::write(&path, text.replace(&from, &to))?;
            }
        }
        Ok(Some(to))
    }
}

/// The file of a log under the folder of logs: `t6_flood/kidney-04-0-row-17.log`.
pub(crate) fn log_name(task: &str, place: &str, row: usize) -> PathBuf {
    let place = if place.is_empty() { String::new() } else { format!("{place}-") };
    Path::new(&encoded(task)).join(format!("{place}row-{row}.log"))
}

/// The name of a part in names of logs: its image, and which of the image's parts it is.
pub(crate) fn part_name(image: &str, part: usize) -> String {
    format!("{}-{part}", encoded(image))
}

/// A name as the name of a file, and no two names as one.
pub(crate) fn encoded(name: &str) -> String {
    // Only what is ASCII has a meaning to a file system.
    let plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let character = |c: char| if plain(c) { c.to_string() } else { format!("%{:02x}", u32::from(c)) };
    name.chars().map(character).collect()
}

fn no_shell(error: io::Error) -> EngineError {
    let message = Diagnostic::error("programs of a study need a shell that watches over them");
    let message = message.expected_found("/bin/sh", error.to_string());
    EngineError::Environment(Box::new(message.with_hint("commands are run on Linux and other Unix systems")))
}

fn places(inputs: &Inputs) -> (Vec<Place>, Vec<Place>) {
    let mut seen = vec![0; inputs.images.len()];
    let parts = inputs.parts.iter().map(|at| {
        let name = part_name(&inputs.images[at.image].name, seen[at.image]);
        seen[at.image] += 1;
        Place { name, size: (at.part.read.width(), at.part.read.height()) }
    });
    let parts = parts.collect();
    let image = |image: &crate::inputs::OpenedImage| {
        let info = image.source.info();
        Place { name: encoded(&image.name), size: (info.width, info.height) }
    };
    (parts, inputs.images.iter().map(image).collect())
}

/// What a killed run left; a folder of a run has one run at a time.
fn remove_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            // What cannot be removed takes room, and does no other harm.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
