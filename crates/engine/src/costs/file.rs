//! What tasks cost, remembered from run to run in a file of JSON lines that is only ever added to.
//!
//! Nothing here can fail a run: what cannot be read or written is said in a sentence.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use onceflow_costs::{CostLine, Costs, Finding, Record, chosen};
use onceflow_study::with_commas;

/// A file of records, which need not be there yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostsFile {
    path: PathBuf,
}

/// What a file of records holds.
#[derive(Debug, Default)]
pub struct LoadedCosts {
    /// The records that could be read.
    pub costs: Costs,
    /// What is to be said about the others.
    pub warning: Option<String>,
}

/// Only so many bytes are read, the newest ones.
const MOST_READ: u64 = 16 << 20;
/// A longer line is no record.
const MOST_LINE: usize = 4096;
/// Records that one run adds of each operation and size.
const MOST_ADDED: usize = 20;

impl CostsFile {
    /// The file at a path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The user's own: `onceflow/costs.jsonl` in `$XDG_STATE_HOME`, else in `~/.local/state`. `None` where there is
    /// no home folder.
    pub fn of_user() -> Option<Self> {
        let set = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::home_dir().filter(|home| home.is_absolute());
        let folder = set.or_else(|| Some(home()?.join(".local/state")))?;
        Some(Self::new(folder.join("onceflow/costs.jsonl")))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its records, of a large file the newest 16 MiB. A file that is not there holds none.
    pub fn load(&self) -> LoadedCosts {
        match newest(&self.path) {
            Ok(bytes) => self.read(&bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => LoadedCosts::default(),
            Err(error) => {
                let warning = Some(self.said("costs of earlier runs cannot be read from", &error));
                LoadedCosts { warning, ..LoadedCosts::default() }
            }
        }
    }

    /// Adds some records of a run, which stand for all of them, and what it found out; says why when it cannot.
    #[must_use]
    pub fn add(&self, records: &[Record], findings: &[Finding]) -> Option<String> {
        let records = chosen(records, MOST_ADDED);
        let lines =
            records.iter().map(|record| record.to_line()).chain(findings.iter().map(Finding::to_line));
        let lines: String = lines.map(|line| line + "\n").collect();
        if lines.is_empty() {
            return None;
        }
        let added = append(&self.path, &lines);
        added.err().map(|error| self.said("the costs of this run cannot be remembered in", &error))
    }

    fn read(&self, bytes: &[u8]) -> LoadedCosts {
        let mut costs = Costs::default();
        let lines =
            bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let (mut found, mut foreign) = (0u64, 0u64);
        for line in lines {
            found += 1;
            let added = parsed(line).is_some_and(|line| match line {
                CostLine::Record(record) => costs.add(&record).is_ok(),
                CostLine::Finding(finding) => costs.add_finding(&finding).is_ok(),
            });
            foreign += u64::from(!added);
        }
        let warning = (foreign > 0).then(|| {
            let (foreign, found) = (with_commas(u128::from(foreign)), with_commas(u128::from(found)));
            format!(
                "{foreign} of {found} lines of {} are no costs of tasks, and were left out",
                self.path.display()
            )
        });
        LoadedCosts { costs, warning }
    }

    fn said(&self, what: &str, error: &io::Error) -> String {
        format!("{what} {}: {error}; --costs names another file, or none", self.path.display())
    }
}

fn parsed(line: &[u8]) -> Option<CostLine> {
    let line = std::str::from_utf8(line).ok().filter(|line| line.len() <= MOST_LINE)?;
    CostLine::parse(line).ok()
}

/// The end of a file from the beginning of a line on, [`MOST_READ`] bytes at most.
fn newest(path: &Path) -> io::Result<Vec<u8>> {
    must_be_a_file(path)?;
    let mut file = File::open(path)?;
    let left_out = file.metadata()?.len().saturating_sub(MOST_READ);
    file.seek(SeekFrom::Start(left_out))?;
    let mut bytes = Vec::new();
    file.take(MOST_READ).read_to_end(&mut bytes)?;
    if left_out > 0 {
        let first = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.drain(..first);
    }
    Ok(bytes)
}

/// Adds whole lines with a single call, between which other processes may add theirs.
fn append(path: &Path, lines: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match must_be_a_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().append(true).read(true).create(true).open(path)?;
    let torn = !ends_a_line(&mut file)?;
    let text = if torn { format!("\n{lines}") } else { lines.to_owned() };
    if file.write(text.as_bytes())? < text.len() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    Ok(())
}

/// Whether the next line may follow: a process that was killed may have left half of one.
fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Opening a pipe would wait for its other end.
fn must_be_a_file(path: &Path) -> io::Result<()> {
    let is_file = fs::metadata(path)?.is_file();
    if is_file { Ok(()) } else { Err(io::Error::other("it is not a file")) }
}

#[cfg(test)]
#[path = "file/tests.rs"]
mod tests;
