//! The file of `--events`: an output of the command like any other, though the engine writes it line by line.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onceflow_engine::RunSettings;
use onceflow_terminal::Failure;
use serde_json::Value;

use crate::file::{OutputTarget, mark, refuse_foreign};

/// A file for events that may be replaced. It is marked as Onceflow's own when this is dropped, if the run has written it.
#[derive(Debug)]
pub(super) struct EventsFile {
    path: PathBuf,
    before: Option<SystemTime>,
}

impl EventsFile {
    /// The file that the settings name. Refuses to replace a file of the user, unless that was asked for, and the study.
    pub(super) fn of(settings: &RunSettings, study: &Path) -> Result<Option<Self>, Failure> {
        let Some(path) = &settings.events else { return Ok(None) };
        OutputTarget::File(path.clone()).refuse_inputs(&[study])?;
        if !is_of_a_killed_run(path) {
            refuse_foreign(path, settings.force)?;
        }
        Ok(Some(Self { path: path.clone(), before: modified(path) }))
    }
}

impl Drop for EventsFile {
    fn drop(&mut self) {
        if modified(&self.path) != self.before {
            mark(&self.path);
        }
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|meta| meta.modified()).ok()
}

/// Bytes of the first and of the last lines that are looked at.
const LOOKED_AT: u64 = 1 << 16;

/// Whether a file holds events without an end. A run that was killed could not mark it, and the same command continues it.
fn is_of_a_killed_run(path: &Path) -> bool {
    path.is_file()
        && ends(path).is_ok_and(|(first, last)| is_event(&first) && !last.contains(r#""event":"end""#))
}

fn is_event(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|event| event["event"].is_string())
}

/// The first line of a file, and its last lines.
fn ends(path: &Path) -> io::Result<(String, String)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    BufReader::new(&file).take(LOOKED_AT).read_until(b'\n', &mut first)?;
    file.seek(SeekFrom::Start(length.saturating_sub(LOOKED_AT)))?;
    file.take(LOOKED_AT).read_to_end(&mut last)?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok((text(first), text(last)))
}
