//! An attempt at a bucket: a file that its worker makes once and then adds to, signs of life and results.
//!
//! The file appears under its name with its first line, by a hard link, whose success the number of links tells even where
//! the answer of a server was lost. It is closed after each write, so that others see it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

/// A sign of life.
const BEAT: &str = "beat";
/// The worker gave the bucket back.
const RELEASED: &str = "released";
/// The worker begins this row alone.
const TRIES: &str = "tries ";
/// The most bytes of an attempt that are read.
const MOST_BYTES: u64 = 1 << 30;

/// An attempt of this process.
#[derive(Clone, Debug)]
pub(crate) struct AttemptFile {
    path: PathBuf,
}

impl AttemptFile {
    /// Begins an attempt, if no other worker has begun it.
    pub(crate) fn begin(path: &Path, owner: &str) -> io::Result<Option<Self>> {
        let head = json!({
            "owner": owner, "process": std::process::id(), "program": env!("CARGO_PKG_VERSION"),
        });
        let own = path.with_file_name(format!(".new-{owner}"));
        fs::write(&own, format!("{head}\n"))?;
        let linked = fs::hard_link(&own, path);
        let made = match (&linked, links(&own)) {
            (_, Some(links)) => links > 1,
            (Ok(()), None) => true,
            (Err(_), None) => false,
        };
        let result = match linked {
            _ if made => Ok(true),
            Err(error) if is_unsupported(&error) => make_new(path, &format!("{head}\n")),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
            Ok(()) => Ok(false),
        };
        let _nothing = fs::remove_file(&own);
        Ok(result?.then(|| Self { path: path.to_path_buf() }))
    }

    /// Says that its worker lives.
    pub(crate) fn beat(&self) -> io::Result<()> {
        self.append(&format!("{BEAT}\n"))
    }

    /// Gives the bucket back.
    pub(crate) fn release(&self) -> io::Result<()> {
        self.append(&format!("{RELEASED}\n"))
    }

    /// Says that its worker begins a row alone, so that the row is known that ends it.
    pub(crate) fn try_row(&self, row: usize) -> io::Result<()> {
        self.append(&format!("{TRIES}{row}\n"))
    }

    /// Adds lines. An attempt that was taken away is not made again.
    pub(crate) fn append(&self, text: &str) -> io::Result<()> {
        OpenOptions::new().append(true).open(&self.path)?.write_all(text.as_bytes())
    }
}

/// Where there are no hard links: a name that can be made once.
fn make_new(path: &Path, text: &str) -> io::Result<bool> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
}

#[cfg(unix)]
fn links(path: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    // Opened, so that a network file system asks its server.
    File::open(path).and_then(|file| file.metadata()).ok().map(|metadata| metadata.nlink())
}

#[cfg(not(unix))]
fn links(_path: &Path) -> Option<u64> {
    None
}

/// What the file of an attempt says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttemptLog {
    /// The worker.
    pub(crate) owner: String,
    /// The version of its program.
    pub(crate) program: String,
    /// Lines of results.
    pub(crate) lines: Vec<String>,
    /// The row that it began alone last.
    pub(crate) tried: Option<usize>,
    /// Whether the worker gave the bucket back.
    pub(crate) released: bool,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// When it was written last.
    pub(crate) modified: SystemTime,
}

impl AttemptLog {
    /// Reads an attempt. A line that is not whole was never written.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        let mut log = Self {
            owner: String::new(),
            program: String::new(),
            lines: Vec::new(),
            tried: None,
            released: false,
            bytes: metadata.len(),
            modified: metadata.modified()?,
        };
        let mut reader = BufReader::new(file.take(MOST_BYTES));
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes)? > 0 {
            if let Some(line) = bytes.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok()) {
                log.take(line);
            }
            bytes.clear();
        }
        Ok(log)
    }

    fn take(&mut self, line: &str) {
        match line {
            BEAT => {}
            RELEASED => self.released = true,
            _ if line.starts_with(TRIES) => self.tried = line[TRIES.len()..].parse().ok(),
            _ if self.owner.is_empty() && line.starts_with('{') => {
                let head: Value = serde_json::from_str(line).unwrap_or_default();
                let text = |name: &str| head[name].as_str().unwrap_or_default().to_owned();
                (self.owner, self.program) = (text("owner"), text("program"));
            }
            _ => self.lines.push(line.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_of_many_begins_an_attempt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("000001.1");
        let began = std::thread::scope(|scope| {
            let begin = |worker: usize| {
                let path = &path;
                scope.spawn(move || AttemptFile::begin(path, &format!("w{worker}")).unwrap().is_some())
            };
            let threads: Vec<_> = (0..16).map(begin).collect();
            threads
                .into_iter()
                .filter(|_| true)
                .map(|thread| thread.join().unwrap())
                .filter(|won| *won)
                .count()
        });
        assert_eq!(began, 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn an_attempt_says_who_makes_it_and_torn_lines_never_happened() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("000001.1");
        let attempt = AttemptFile::begin(&path, "w1").unwrap().unwrap();
        attempt.beat().unwrap();
        attempt.append("abc {}\ndef").unwrap();
        let log = AttemptLog::read(&path).unwrap();
        assert_eq!((log.owner.as_str(), log.lines.as_slice()), ("w1", &["abc {}".to_owned()][..]));
        assert!(!log.released && log.program == env!("CARGO_PKG_VERSION"));
        attempt.append("\n").unwrap();
        attempt.release().unwrap();
        let log = AttemptLog::read(&path).unwrap();
        assert!(log.released && log.lines.len() == 2);
        std::fs::remove_file(&path).unwrap();
        assert!(attempt.beat().is_err(), "it was taken away");
    }

    #[test]
    fn bytes_of_any_kind_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for bytes in [&b""[..], b"\xff\xfe\n", b"{\n", b"{}\n{}\n", b"beat", b"\n\n\n"] {
            std::fs::write(&path, bytes).unwrap();
            let log = AttemptLog::read(&path).unwrap();
            assert!(log.owner.is_empty() && !log.released);
        }
    }
}
