//! The list of logs in the folder of a run: which row, image, part and task has which log.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use onceflow_study::Scope;

use super::names::{LOGS, decoded, encoded, log_name, part_name};
use crate::error::ProgramError;

/// Which log is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedLog<'a> {
    /// Number of the row.
    pub row: u64,
    /// Name of the image.
    pub image: &'a str,
    /// Number of the part among the image's parts, from 0; all of them without it.
    pub part: Option<usize>,
    /// The task; all of them without it.
    pub task: Option<&'a str>,
}

/// A log that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundLog {
    /// The task.
    pub task: String,
    /// Number of the part among the image's parts.
    pub part: usize,
    /// The file.
    pub path: PathBuf,
}

/// A task of one row on one part, and the row whose instance of it was run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry<'a> {
    /// Number of the row.
    pub row: usize,
    /// Name of the image.
    pub image: &'a str,
    /// Number of the part among the image's parts.
    pub part: usize,
    /// The task.
    pub task: &'a str,
    /// The task's scope.
    pub scope: Scope,
    /// The row for which the task was run; another one when equal work was done once.
    pub made_for: usize,
}

/// The list of logs: which row has which log, including rows whose tasks were run for another row.
const LIST: &str = "list.csv";

/// Parts of one image that are looked for by name.
const MOST_PARTS: usize = 4096;

/// Logs of a row on an image, in the folder of a run.
///
/// # Errors
/// When the folder of logs or its list exists and cannot be read.
pub fn find_logs(folder: &Path, asked: &AskedLog<'_>) -> Result<Vec<FoundLog>, ProgramError> {
    let logs = folder.join(LOGS);
    let mut found: BTreeSet<FoundLog> = by_list(&logs, asked).map_err(ProgramError::read(&logs))?;
    found.extend(by_name(&logs, asked).map_err(ProgramError::read(&logs))?);
    let wanted = |log: &FoundLog| {
        asked.part.is_none_or(|part| part == log.part) && asked.task.is_none_or(|task| task == log.task)
    };
    Ok(found.into_iter().filter(|log| wanted(log) && log.path.is_file()).collect())
}

/// Logs that the list names. A line that a killed run left unfinished is passed over: its log is found by name.
fn by_list(logs: &Path, asked: &AskedLog<'_>) -> io::Result<BTreeSet<FoundLog>> {
    let bytes = if_found(fs::read(logs.join(LIST)))?.unwrap_or_default();
    let records = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice()).into_records();
    let found = records.flatten().filter_map(|record| {
        let fits = record.get(0)?.parse() == Ok(asked.row) && record.get(1)? == asked.image;
        let path = logs.join(record.get(4).filter(|file| is_inside(file))?);
        let (part, task) = (record.get(2)?.parse().ok()?, record.get(3)?.to_owned());
        fits.then_some(FoundLog { task, part, path })
    });
    Ok(found.collect())
}

/// Logs found by the names of their files: a run that was killed wrote no list.
fn by_name(logs: &Path, asked: &AskedLog<'_>) -> io::Result<Vec<FoundLog>> {
    let mut found = Vec::new();
    for folder in entries(logs)? {
        let task = decoded(&folder.file_name().to_string_lossy());
        let parts = (0..MOST_PARTS).map(|part| (part, part_name(asked.image, part)));
        for (part, site) in parts.chain([(0, encoded(asked.image))]) {
            let path = logs.join(log_name(&task, &site, asked.row as usize));
            if path.is_file() {
                found.push(FoundLog { task: task.clone(), part, path });
            }
        }
    }
    Ok(found)
}

/// Adds to the list of a run's logs which of these tasks have one.
///
/// # Errors
/// When the folder of logs cannot be read, or the list cannot be written.
pub fn list_logs<'a>(
    folder: &Path,
    tasks: impl IntoIterator<Item = LogEntry<'a>>,
) -> Result<(), ProgramError> {
    let logs = folder.join(LOGS);
    let files = files(&logs).map_err(ProgramError::read(&logs))?;
    if files.is_empty() {
        return Ok(());
    }
    let lines: String = tasks.into_iter().filter_map(|entry| entry.line(&files)).collect();
    let list = fs::OpenOptions::new().create(true).append(true).open(logs.join(LIST));
    list.and_then(|mut list| io::Write::write_all(&mut list, lines.as_bytes()))
        .map_err(ProgramError::write(&logs.join(LIST)))
}

impl LogEntry<'_> {
    /// The line of the list, when there is a log among these files.
    fn line(&self, files: &BTreeSet<PathBuf>) -> Option<String> {
        let site = match self.scope {
            Scope::Part => part_name(self.image, self.part),
            Scope::Image => encoded(self.image),
            Scope::Study => String::new(),
        };
        let file = files.get(&log_name(self.task, &site, self.made_for))?;
        let (row, image, part, task) = (self.row, quoted(self.image), self.part, quoted(self.task));
        Some(format!("{row},{image},{part},{task},{}\n", quoted(&file.display().to_string())))
    }
}

/// Removes the logs of an earlier run, which would be taken for those of the next one.
///
/// # Errors
/// When they cannot be removed.
pub fn forget_logs(folder: &Path) -> Result<(), ProgramError> {
    let logs = folder.join(LOGS);
    if_found(fs::remove_dir_all(&logs)).map_err(ProgramError::write(&logs))?;
    Ok(())
}

/// All logs, seen from their folder.
fn files(logs: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let mut files = BTreeSet::new();
    for folder in entries(logs)?.into_iter().filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name();
        files.extend(entries(&folder.path())?.iter().map(|file| Path::new(&name).join(file.file_name())));
    }
    Ok(files)
}

/// What lies in a folder; nothing when there is no such folder.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match if_found(fs::read_dir(folder))? {
        Some(entries) => entries.collect(),
        None => Ok(Vec::new()),
    }
}

/// Nothing when the file or folder does not exist.
fn if_found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["t6_flood", "inner/t", "a b%c", "ü..", "%41"] {
            assert_eq!(decoded(&encoded(name)), name);
            assert!(is_inside(&encoded(name)));
        }
        assert!(!is_inside("../x") && !is_inside("/x"));
    }

    #[test]
    fn a_log_is_found_by_its_name_and_by_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join(LOGS);
        let file = log_name("inner/t", &part_name("a/b", 2), 7);
        fs::create_dir_all(logs.join(&file).parent().unwrap()).unwrap();
        fs::write(logs.join(&file), "x").unwrap();
        let asked = AskedLog { row: 7, image: "a/b", part: None, task: None };
        let found = find_logs(folder.path(), &asked).unwrap();
        assert_eq!(found, [FoundLog { task: "inner/t".into(), part: 2, path: logs.join(&file) }]);
        assert_eq!(find_logs(folder.path(), &AskedLog { row: 8, ..asked }).unwrap(), []);
        assert_eq!(find_logs(folder.path(), &AskedLog { part: Some(1), ..asked }).unwrap(), []);
        fs::write(logs.join(LIST), format!("8,a/b,2,inner/t,{}\n8,a/b,2,inner/t,../../x\n", file.display()))
            .unwrap();
        assert_eq!(find_logs(folder.path(), &AskedLog { row: 8, ..asked }).unwrap(), found);
    }
}
