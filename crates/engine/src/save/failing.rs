//! Tasks that failed, each with where it did so first: what the user needs to find the cause.

use crate::open::command::LOG_MARK;
use crate::{Answer, RowStatus};

/// A task that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// Its name.
    pub task: String,
    /// Rows in which it failed.
    pub rows: u64,
    /// The first of them.
    pub row: u64,
    /// Its phase; none for the reference row.
    pub phase: Option<String>,
    /// The first image on which it failed there.
    pub image: String,
    /// What it said.
    pub message: String,
    /// The last line of what it printed, when it is a program that printed something.
    pub last_line: Option<String>,
}

/// The tasks that failed, in the order of their first rows.
pub fn failing(answer: &Answer) -> Vec<Failing> {
    let mut found: Vec<Failing> = Vec::new();
    for row in &answer.table.rows {
        let mut counted: Vec<&str> = Vec::new();
        for (record, image) in row.images.iter().zip(&answer.table.images) {
            let RowStatus::Failed { task, message } = &record.status else { continue };
            if counted.contains(&task.as_str()) {
                continue;
            }
            counted.push(task);
            if let Some(known) = found.iter_mut().find(|known| known.task == *task) {
                known.rows += 1;
                continue;
            }
            let (message, last_line) = match message.split_once(LOG_MARK) {
                Some((message, line)) => (message.to_owned(), Some(line.to_owned())),
                None => (message.clone(), None),
            };
            let (phase, image) = (row.phase.clone(), image.clone());
            found.push(Failing {
                task: task.clone(),
                rows: 1,
                row: row.row,
                phase,
                image,
                message,
                last_line,
            });
        }
    }
    found
}
