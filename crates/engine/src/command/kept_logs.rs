//! Logs in the folder of a run, found by row, image and task.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use onceflow_reuse::Plan;
use onceflow_runtime::Instance;
use onceflow_study::Scope;

use super::workshop::{LOGS, encoded, log_name, part_name};
use crate::collect::Converged;
use crate::inputs::Inputs;

/// Which log is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedLog<'a> {
    /// Number of the row.
    pub row: u64,
    /// Name of the image.
    pub image: &'a str,
    /// Which of the image's parts, from 0; the first that has a log without it.
    pub part: Option<usize>,
    /// The task; all of them without it.
    pub task: Option<&'a str>,
}

/// A log that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundLog {
    /// The task.
    pub task: String,
    /// Which of the image's parts.
    pub part: usize,
    /// The file.
    pub path: PathBuf,
}

/// The list of logs: which row has which, also of rows whose tasks were shared with another.
const LIST: &str = "list.csv";

/// Logs of a row on an image, in the folder of a run.
pub fn find_logs(folder: &Path, asked: &AskedLog<'_>) -> Vec<FoundLog> {
    let logs = folder.join(LOGS);
    let text = fs::read_to_string(logs.join(LIST)).unwrap_or_default();
    let listed = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).into_records();
    let listed = listed.flatten().filter_map(|record| {
        let fits = record.get(0)?.parse() == Ok(asked.row) && record.get(1)? == asked.image;
        let path = logs.join(record.get(4).filter(|file| is_inside(file))?);
        let (part, task) = (record.get(2)?.parse().ok()?, record.get(3)?.to_owned());
        fits.then_some(FoundLog { task, part, path })
    });
    let found: BTreeSet<FoundLog> = listed.chain(by_name(&logs, asked)).collect();
    let wanted = |log: &FoundLog| {
        asked.part.is_none_or(|part| part == log.part) && asked.task.is_none_or(|task| task == log.task)
    };
    found.into_iter().filter(|log| wanted(log) && log.path.is_file()).collect()
}

/// A run that was killed wrote no list; its logs have names.
fn by_name(logs: &Path, asked: &AskedLog<'_>) -> Vec<FoundLog> {
    let mut found = Vec::new();
    for folder in fs::read_dir(logs).into_iter().flatten().flatten() {
        let task = decoded(&folder.file_name().to_string_lossy());
        for part in 0..MOST_PARTS {
            let file = log_name(&task, &part_name(asked.image, part), asked.row as usize);
            let path = logs.join(file);
            if path.is_file() {
                found.push(FoundLog { task: task.clone(), part, path });
            }
        }
        let path = logs.join(log_name(&task, &encoded(asked.image), asked.row as usize));
        if path.is_file() {
            found.push(FoundLog { task, part: 0, path });
        }
    }
    found
}

/// Parts of one image that are looked for by name.
const MOST_PARTS: usize = 4096;

fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

fn decoded(name: &str) -> String {
    let mut text = String::new();
    let mut pieces = name.split('%');
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let code =
            piece.get(..2).and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        match (code, piece.get(2..)) {
            (Some(c), Some(rest)) => text.extend(std::iter::once(c).chain(rest.chars())),
            _ => text.push_str(piece),
        }
    }
    text
}

/// Adds to the list which row of a phase has which log.
pub(crate) fn list_logs(
    folder: &Path,
    (plan, same): (&Plan, &Converged),
    inputs: &Inputs,
    tasks: &[usize],
    first: usize,
) -> io::Result<()> {
    let logs = folder.join(LOGS);
    let there = files(&logs);
    if there.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for row in 0..plan.rows() {
        let mut seen = vec![0; inputs.images.len()];
        for (number, at) in inputs.parts.iter().enumerate() {
            let (image, part) = (&inputs.images[at.image].name, seen[at.image]);
            seen[at.image] += 1;
            for task in tasks {
                let (place, site) = match plan.flow().scope(*task) {
                    Scope::Part => (part_name(image, part), number),
                    Scope::Image => (encoded(image), at.image),
                    Scope::Study => (String::new(), 0),
                };
                let name = &plan.flow().tasks[*task].name;
                let node = plan.node(row, *task);
                let maker = same.get(&Instance { node, site }).copied().unwrap_or(node);
                let made = first + plan.first_row(maker) as usize;
                let file = log_name(name, &place, made);
                if there.contains(&file) {
                    let (row, image, file) =
                        (first + row, quoted(image), quoted(&file.display().to_string()));
                    // Writing to a string cannot fail.
                    let _ = writeln!(text, "{row},{image},{part},{},{file}", quoted(name));
                }
            }
        }
    }
    let mut list = fs::OpenOptions::new().create(true).append(true).open(logs.join(LIST))?;
    io::Write::write_all(&mut list, text.as_bytes())
}

/// Takes away the logs of another run.
pub(crate) fn forget_logs(folder: &Path) {
    // Logs that stay are those of rows that will be run again.
    let _ = fs::remove_dir_all(folder.join(LOGS));
}

fn files(logs: &Path) -> BTreeSet<PathBuf> {
    let folders = fs::read_dir(logs).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
    let inside = |folder: fs::DirEntry| {
        let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
        files.map(move |file| Path::new(&folder.file_name()).join(file.file_name())).collect::<Vec<_>>()
    };
    folders.flat_map(inside).collect()
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
        let found = find_logs(folder.path(), &asked);
        assert_eq!(found, [FoundLog { task: "inner/t".into(), part: 2, path: logs.join(&file) }]);
        assert_eq!(find_logs(folder.path(), &AskedLog { row: 8, ..asked }), []);
        assert_eq!(find_logs(folder.path(), &AskedLog { part: Some(1), ..asked }), []);
        fs::write(logs.join(LIST), format!("8,a/b,2,inner/t,{}\n8,a/b,2,inner/t,../../x\n", file.display()))
            .unwrap();
        assert_eq!(find_logs(folder.path(), &AskedLog { row: 8, ..asked }), found);
    }
}
