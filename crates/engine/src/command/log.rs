//! What programs print: kept in the folder of the run, its last line told with a failure.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The most characters of a line that are told.
const MOST: usize = 200;

/// Bytes at the end of a log among which the last line is looked for.
const TAIL: u64 = 8 << 10;

/// The last line that says something, from a place in the file on.
pub(super) fn last_line(log: &Path, from: u64) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL).max(from))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    // A log may hold anything, also what moves the cursor of a terminal.
    Some(line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect())
}

/// How a log is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeping {
    /// Whether somebody will look for it.
    pub(super) failed: bool,
    /// Whether it goes after what is there already.
    pub(super) again: bool,
}

/// Keeps a log, unless it says nothing and nobody will look for it.
pub(super) fn keep(log: &Path, from: u64, to: &Path, keeping: Keeping) -> std::io::Result<()> {
    let mut file = File::open(log)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.is_empty() && !keeping.failed {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut open = File::options();
    open.create(true).write(true).append(keeping.again).truncate(!keeping.again);
    open.open(to)?.write_all(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_says_something_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let last = |bytes: &[u8], from| {
            fs::write(&log, bytes).unwrap();
            last_line(&log, from)
        };
        assert_eq!(last(b"a\nb\n\n  \n", 0), Some("b".into()));
        assert_eq!(last(b"a\nb", 3), None);
        assert_eq!(last(b"", 0), None);
        assert_eq!(last(b"\x1b[31mred\xff", 0), Some(" [31mred\u{fffd}".into()));
        assert_eq!(last("x".repeat(100_000).as_bytes(), 0).map(|line| line.len()), Some(MOST));
    }
}
