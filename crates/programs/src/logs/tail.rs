//! The log of one instance: kept in the folder of the run, its last line added to a failure.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The most characters of a line that are told.
const MOST: usize = 200;

/// Bytes at the end of a log among which the last line is looked for.
const TAIL: u64 = 8 << 10;

/// The last line with text, from a position in the file on; none when the file has none or cannot be read.
pub(crate) fn last_line(log: &Path, from: u64) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL).max(from))).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    // A log may hold any bytes, including those that move the cursor of a terminal.
    Some(line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect())
}

/// How a log is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogMode {
    /// Whether the program failed: its log is kept even when it is empty.
    pub(crate) failed: bool,
    /// Whether it is appended to the log of an earlier run for the same call.
    pub(crate) append: bool,
}

/// Keeps a log, unless it is empty and the program succeeded.
pub(crate) fn keep(log: &Path, from: u64, to: &Path, mode: LogMode) -> std::io::Result<()> {
    let mut file = File::open(log)?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if bytes.is_empty() && !mode.failed {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut open = File::options();
    open.create(true).write(true).append(mode.append).truncate(!mode.append);
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
