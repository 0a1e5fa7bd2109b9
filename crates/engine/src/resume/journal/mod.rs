//! The journal of a run: what is known line by line, so that after whatever ends a run the same command goes on.
//!
//! Lines are appended and never changed. A line that is torn, and all after it, never happened. The file is locked while
//! a run writes to it; the operating system releases the lock when the process ends.

mod identity;
mod line;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use onceflow_study::Diagnostic;

use crate::{EngineError, RunFolder};

use identity::PartPlaces;
pub(crate) use identity::{ImageIdentity, RowsIdentity, RunIdentity, identity};
use line::begun_by;
pub(crate) use line::{JournalLine, tables};

/// A journal that is open for more.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// What earlier runs left, in order.
    past: Vec<PastPhase>,
    synced: Instant,
}

/// Takes the lines of rows that are over: the journal, or the results of a bucket.
pub(crate) trait RowLines: Send {
    /// Takes a line.
    fn write(&mut self, line: &JournalLine) -> Result<(), EngineError>;
}

impl RowLines for Vec<JournalLine> {
    fn write(&mut self, line: &JournalLine) -> Result<(), EngineError> {
        self.push(line.clone());
        Ok(())
    }
}

/// What earlier runs left of a phase.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PastPhase {
    name: String,
    rows: usize,
    digest: String,
    /// What happened in it.
    pub(crate) lines: Vec<JournalLine>,
}

/// The file, in the folder of a run.
const FILE: &str = "journal.jsonl";

/// What the system has is safe from the end of the process, and this often also from the end of the machine.
const SYNC: Duration = Duration::from_secs(2);

/// A line of a journal is no longer than this; one that is was not written by us.
const LONGEST: usize = 1 << 20;

impl Journal {
    /// Opens the journal of a run of something; that of a run of something else begins anew. Of images that are still there
    /// all is known that was known before.
    pub(crate) fn open(folder: &RunFolder, identity: &RunIdentity) -> Result<Self, EngineError> {
        let path = folder.path().join(FILE);
        let written = |error| EngineError::Write { path: path.clone(), error };
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(written)?;
        lock(&file).map_err(|_| taken(folder.path()))?;
        let PastRun { phases, images, end } = read(&mut file, identity).map_err(written)?;
        file.set_len(end).map_err(written)?;
        file.seek(SeekFrom::End(0)).map_err(written)?;
        let mut journal = Self { path: path.clone(), file, past: phases, synced: Instant::now() };
        if end == 0 {
            let program = Some(PROGRAM_VERSION.into());
            journal.write(&JournalLine::Head { identity: identity.head.clone(), program })?;
        }
        if end == 0 || images != identity.images {
            journal.write(&JournalLine::Images { images: identity.images.clone() })?;
        }
        Ok(journal)
    }

    /// Whether no earlier run left anything.
    pub(crate) fn is_new(&self) -> bool {
        self.past.is_empty()
    }

    /// What the journal of a folder knows of a run, without beginning one; nothing where there is none.
    pub(crate) fn peek(folder: &Path, identity: &RunIdentity) -> Vec<PastPhase> {
        let read = |mut file: File| read(&mut file, identity).ok();
        File::open(folder.join(FILE)).ok().and_then(read).map(|past| past.phases).unwrap_or_default()
    }

    /// Refuses a folder into which another run writes.
    pub(crate) fn check_free(folder: &RunFolder) -> Result<(), EngineError> {
        match File::open(folder.path().join(FILE)) {
            Ok(file) => lock(&file).map_err(|_| taken(folder.path())),
            Err(_) => Ok(()),
        }
    }

    /// Begins a phase, or goes on with it: what is known of its rows, which must begin with those that were known.
    pub(crate) fn phase(&mut self, name: &str, rows: &RowsIdentity) -> Result<PastPhase, EngineError> {
        let same = |phase: &PastPhase| phase.is_of(name, rows);
        let digest = rows.digest(rows.len());
        let mut known = PastPhase { name: name.into(), rows: rows.len(), digest, lines: Vec::new() };
        // An interrupted run may have gone on with a phase several times.
        for phase in self.past.extract_if(.., |phase| same(phase)) {
            known.lines.extend(phase.lines);
        }
        self.write(&JournalLine::Phase {
            name: name.into(),
            rows: known.rows,
            digest: known.digest.clone(),
        })?;
        Ok(known)
    }

    /// What is known of the rows of a phase that has not begun.
    pub(crate) fn known(&self, name: &str, rows: &RowsIdentity) -> Vec<&JournalLine> {
        known(&self.past, name, rows)
    }

    /// Makes sure that all lines outlive the machine.
    pub(crate) fn sync(&mut self) -> Result<(), EngineError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(|error| EngineError::Write { path: self.path.clone(), error })
    }
}

impl PastPhase {
    /// Whether these rows of a phase begin with its own.
    fn is_of(&self, name: &str, rows: &RowsIdentity) -> bool {
        self.name == name && self.rows <= rows.len() && self.digest == rows.digest(self.rows)
    }
}

/// Appends lines.
impl RowLines for Journal {
    fn write(&mut self, line: &JournalLine) -> Result<(), EngineError> {
        let synced = self.synced.elapsed() >= SYNC;
        let text = line.to_text().map_err(|error| EngineError::Internal(error.to_string()))?;
        let written = self.file.write_all(text.as_bytes());
        written.map_err(|error| EngineError::Write { path: self.path.clone(), error })?;
        if synced { self.sync() } else { Ok(()) }
    }
}

/// Whether a run of this machine, or of one that shares its locks, is writing to a folder now.
pub(crate) fn is_locked(folder: &Path) -> bool {
    File::open(folder.join(FILE)).is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// A file system without locks does not stop a run.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
            _ => return Ok(()),
        }
    }
    Err(TryLockError::WouldBlock)
}

/// `onceflow status` holds the lock for a moment.
const TRIES: usize = 5;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

fn taken(folder: &Path) -> EngineError {
    let error = Diagnostic::error(format!("another run is writing to {}", folder.display()));
    let error = error.expected_found("a folder that no other run uses", "one that is in use");
    EngineError::Environment(Box::new(
        error.with_hint("wait until it is over, stop it, or choose another folder after -o"),
    ))
}

/// The version of this program.
const PROGRAM_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Refuses to continue a run that another version of this program began: its rows may have other identities.
pub(crate) fn check_version(folder: &Path) -> Result<(), EngineError> {
    let Some(found) = version(folder).filter(|version| version != PROGRAM_VERSION) else { return Ok(()) };
    let error = Diagnostic::error(format!("the run in {} was begun by another version", folder.display()));
    let error = error.expected_found(format!("onceflow {PROGRAM_VERSION}"), format!("onceflow {found}"));
    let hint = format!(
        "finish it with onceflow {found}, choose another folder after -o, or add --force to begin anew"
    );
    Err(error.with_hint(hint).into())
}

/// The version that began a journal; `None` where there is no journal, or not one line of it.
fn version(folder: &Path) -> Option<String> {
    let mut first = String::new();
    let file = File::open(folder.join(FILE)).ok()?;
    BufReader::new(io::Read::take(file, LONGEST as u64)).read_line(&mut first).ok()?;
    begun_by(first.strip_suffix('\n')?)
}

/// What is known of the rows of a phase.
pub(crate) fn known<'p>(past: &'p [PastPhase], name: &str, rows: &RowsIdentity) -> Vec<&'p JournalLine> {
    past.iter().filter(|phase| phase.is_of(name, rows)).flat_map(|phase| &phase.lines).collect()
}

/// What a journal says, with parts counted as now, and where what can be trusted ends.
struct PastRun {
    phases: Vec<PastPhase>,
    /// The images whose parts its last lines count.
    images: Vec<ImageIdentity>,
    end: u64,
}

impl PastRun {
    /// Lines count the parts of other images from here on: files whose names have other numbers now are not known any more.
    fn count_images(&mut self, images: &[ImageIdentity]) {
        if !images.starts_with(&self.images) {
            self.phases.iter_mut().for_each(|phase| phase.lines.retain(|line| !line.names_file()));
        }
        self.images = images.to_vec();
    }
}

fn read(file: &mut File, identity: &RunIdentity) -> io::Result<PastRun> {
    file.seek(SeekFrom::Start(0))?;
    let mut past = PastRun { phases: Vec::new(), images: Vec::new(), end: 0 };
    let (mut reader, mut places) = (BufReader::new(file), PartPlaces::new(&[], &[]));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let length = io::Read::take(&mut reader, LONGEST as u64).read_until(b'\n', &mut bytes)?;
        let text = bytes.strip_suffix(b"\n").and_then(|text| std::str::from_utf8(text).ok());
        match (text.and_then(JournalLine::parse), past.phases.last_mut()) {
            (Some(JournalLine::Head { identity: other, .. }), None)
                if past.end == 0 && other == identity.head => {}
            (Some(JournalLine::Images { images }), _) if past.end > 0 => {
                places = PartPlaces::new(&images, &identity.images);
                past.count_images(&images);
            }
            (Some(JournalLine::Phase { name, rows, digest }), _) if past.end > 0 => {
                past.phases.push(PastPhase { name, rows, digest, lines: Vec::new() });
            }
            (Some(JournalLine::Head { .. }), _) | (None, _) | (_, None) => break,
            (Some(line), Some(phase)) => phase.lines.extend(line.moved(&places)),
        }
        past.end += length as u64;
    }
    let images = past.images.clone();
    past.count_images(&identity.images);
    Ok(PastRun { images, ..past })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(row: usize) -> JournalLine {
        JournalLine::Done { row, part: 0, status: None, results: Vec::new() }
    }

    fn image(digest: &str, parts: usize) -> ImageIdentity {
        ImageIdentity { digest: digest.into(), parts }
    }

    fn id(head: &str) -> RunIdentity {
        RunIdentity { head: head.into(), images: vec![image("one", 2)] }
    }

    fn rows(count: usize) -> RowsIdentity {
        RowsIdentity::made_up("true 0", (0..count).map(|row| format!(" {row}")).collect())
    }

    fn others() -> RowsIdentity {
        RowsIdentity::made_up("true 0", (0..5).map(|row| format!(" {}", row + 1)).collect())
    }

    fn folder() -> (tempfile::TempDir, RunFolder) {
        let temporary = tempfile::tempdir().unwrap();
        let folder = RunFolder::create(temporary.path()).unwrap();
        (temporary, folder)
    }

    fn write(folder: &RunFolder, done_rows: std::ops::Range<usize>) {
        let mut journal = Journal::open(folder, &id("id")).unwrap();
        journal.phase("screen", &rows(5)).unwrap();
        done_rows.for_each(|row| journal.write(&done(row)).unwrap());
    }

    #[test]
    fn what_was_written_is_known_again_over_several_runs() {
        let (_temporary, folder) = folder();
        write(&folder, 0..3);
        write(&folder, 3..5);
        let mut journal = Journal::open(&folder, &id("id")).unwrap();
        let lines: Vec<JournalLine> = (0..5).map(done).collect();
        assert_eq!(journal.phase("screen", &rows(5)).unwrap().lines, lines);
        assert_eq!(journal.phase("screen", &others()).unwrap().lines, []);
    }

    #[test]
    fn more_rows_that_begin_with_the_known_ones_know_them() {
        let (_temporary, folder) = folder();
        write(&folder, 0..5);
        let lines: Vec<JournalLine> = (0..5).map(done).collect();
        assert_eq!(
            Journal::open(&folder, &id("id")).unwrap().phase("screen", &rows(8)).unwrap().lines,
            lines
        );
        assert_eq!(Journal::open(&folder, &id("id")).unwrap().phase("screen", &rows(4)).unwrap().lines, []);
        let elsewhere = RowsIdentity::made_up("true 9", (0..8).map(|row| format!(" {row}")).collect());
        assert_eq!(Journal::open(&folder, &id("id")).unwrap().phase("screen", &elsewhere).unwrap().lines, []);
    }

    #[test]
    fn other_rows_and_other_runs_are_not_taken_for_these() {
        let (_temporary, folder) = folder();
        write(&folder, 0..3);
        assert_eq!(Journal::open(&folder, &id("id")).unwrap().phase("screen", &others()).unwrap().lines, []);
        assert_eq!(Journal::open(&folder, &id("another")).unwrap().past, []);
        assert_eq!(Journal::open(&folder, &id("id")).unwrap().past, [], "it has begun anew");
    }

    #[test]
    fn wherever_it_is_cut_the_lines_before_are_known() {
        let (_temporary, folder) = folder();
        write(&folder, 0..4);
        let path = folder.path().join(FILE);
        let whole = std::fs::read(&path).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let complete = whole[..end].iter().filter(|byte| **byte == b'\n').count();
            let known = Journal::open(&folder, &id("id")).unwrap().phase("screen", &rows(5)).unwrap();
            assert_eq!(known.lines.len(), complete.saturating_sub(3), "cut at {end}");
            write(&folder, 10..11);
            let known = Journal::open(&folder, &id("id")).unwrap().phase("screen", &rows(5)).unwrap();
            assert_eq!(known.lines.last(), Some(&done(10)));
        }
    }

    #[test]
    fn images_that_stay_keep_their_rows_wherever_others_come() {
        let (_temporary, folder) = folder();
        let saved = JournalLine::Saved { name: "nuclei".into(), part: 1, file: Some("a.png".into()) };
        let mut journal = Journal::open(&folder, &id("id")).unwrap();
        journal.phase("screen", &rows(5)).unwrap();
        [done(3), saved.clone()].iter().for_each(|line| journal.write(line).unwrap());
        drop(journal);
        let known = |images: &[ImageIdentity]| {
            let identity = RunIdentity { images: images.to_vec(), ..id("id") };
            let peeked: Vec<JournalLine> =
                Journal::peek(folder.path(), &identity).into_iter().flat_map(|phase| phase.lines).collect();
            let lines = Journal::open(&folder, &identity).unwrap().phase("screen", &rows(5)).unwrap().lines;
            assert_eq!(lines, peeked);
            lines
        };
        let (one, two) = (image("one", 2), image("two", 3));
        assert_eq!(known(&[one.clone(), two.clone()]), [done(3), saved], "added after it");
        let moved = JournalLine::Done { row: 3, part: 3, status: None, results: Vec::new() };
        assert_eq!(
            known(&[two.clone(), one.clone()]),
            [moved],
            "the numbers of files are those of others now"
        );
        assert_eq!(known(&[two]), [], "it is gone");
        assert_eq!(known(&[one]), [done(3)], "it is there again, and its files may have been written over");
    }

    #[test]
    fn a_run_of_another_version_is_named_and_not_continued() {
        let (_temporary, folder) = folder();
        assert!(check_version(folder.path()).is_ok(), "there is no journal");
        write(&folder, 0..1);
        assert!(check_version(folder.path()).is_ok());
        for (program, named) in [(None, "onceflow 0.1.0"), (Some("9.8.7".to_owned()), "onceflow 9.8.7")] {
            let head = JournalLine::Head { identity: "id".into(), program }.to_text().unwrap();
            std::fs::write(folder.path().join(FILE), head).unwrap();
            let error = check_version(folder.path()).unwrap_err().to_string();
            assert!(error.contains(named) && error.contains(PROGRAM_VERSION), "{error}");
        }
    }

    #[test]
    fn two_runs_in_one_folder_are_told_apart() {
        let (_temporary, folder) = folder();
        let first = Journal::open(&folder, &id("id")).unwrap();
        if cfg!(unix) {
            let error = Journal::open(&folder, &id("id")).unwrap_err().to_string();
            assert!(error.contains("another run is writing to"), "{error}");
        }
        drop(first);
        Journal::open(&folder, &id("id")).unwrap();
    }
}
