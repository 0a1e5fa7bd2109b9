//! The journal of a submission: one line for each step of a job, written before anything else happens.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use onceflow_cluster::{AgainReason, JobChange};
use onceflow_study::Diagnostic;
use serde_json::{Value, json};

use crate::EngineError;

/// Its name in the folder.
const FILE: &str = "journal.jsonl";

/// An open journal, which no other follower writes to.
#[derive(Debug)]
pub(super) struct SubmitJournal {
    file: File,
    path: PathBuf,
}

impl SubmitJournal {
    /// Opens the journal of a folder, with the steps that it has.
    pub(super) fn open(folder: &Path) -> Result<(Self, Vec<JobChange>), EngineError> {
        let path = folder.join(FILE);
        let failed = |error| EngineError::Write { path: path.clone(), error };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(failed)?;
        // A file system without locks does not keep anybody from working.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message = Diagnostic::error(format!("another process follows {}", folder.display()));
            return Err(EngineError::environment(message.with_hint("wait until it is over, or stop it")));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        if !text.is_empty() && !text.ends_with('\n') {
            // The last line was torn by a kill: its step did not happen.
            file.write_all(b"\n").map_err(failed)?;
        }
        let changes = text.lines().filter_map(change).collect();
        Ok((Self { file, path }, changes))
    }

    /// Writes a step.
    pub(super) fn write(&mut self, change: &JobChange) -> Result<(), EngineError> {
        let written = self.file.write_all(format!("{}\n", line(change)).as_bytes());
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|error| EngineError::Write { path: self.path.clone(), error })
    }
}

fn line(change: &JobChange) -> Value {
    match change {
        JobChange::Sent(job) => json!({ "job": job, "is": "sent" }),
        JobChange::Queued(job, number) => json!({ "job": job, "is": "queued", "number": number }),
        JobChange::Running(job) => json!({ "job": job, "is": "running" }),
        JobChange::Done(job) => json!({ "job": job, "is": "ok" }),
        JobChange::Failed(job, why) => json!({ "job": job, "is": "failed", "why": why }),
        JobChange::Skipped(job, failed) => json!({ "job": job, "is": "cancelled", "failed": failed }),
        JobChange::Again(job, limit, reason) => {
            json!({ "job": job, "is": "again", "limit": limit, "why": reason.word() })
        }
    }
}

fn change(line: &str) -> Option<JobChange> {
    let value: Value = serde_json::from_str(line).ok()?;
    let job = value["job"].as_u64()? as usize;
    let text = |key: &str| Some(value[key].as_str()?.to_owned());
    Some(match value["is"].as_str()? {
        "sent" => JobChange::Sent(job),
        "queued" => JobChange::Queued(job, text("number")?),
        "running" => JobChange::Running(job),
        "ok" => JobChange::Done(job),
        "failed" => JobChange::Failed(job, text("why")?),
        "cancelled" => JobChange::Skipped(job, value["failed"].as_u64()? as usize),
        "again" => {
            let word = text("why")?;
            let (_, reason) = AgainReason::WORDS.into_iter().find(|(known, _)| *known == word)?;
            JobChange::Again(job, value["limit"].as_u64()?, reason)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_back_a_torn_line_is_none_and_two_followers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let changes = [
            JobChange::Sent(1),
            JobChange::Queued(1, "12".into()),
            JobChange::Running(1),
            JobChange::Again(1, 120, AgainReason::Limit),
            JobChange::Done(0),
            JobChange::Failed(1, "why".into()),
            JobChange::Skipped(2, 1),
        ];
        let (mut journal, none) = SubmitJournal::open(folder.path()).unwrap();
        assert_eq!(none, []);
        changes.iter().for_each(|change| journal.write(change).unwrap());
        assert!(SubmitJournal::open(folder.path()).unwrap_err().to_string().contains("another process"));
        drop(journal);
        let path = folder.path().join(FILE);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"job\": 3, \"is\": \"se");
        std::fs::write(&path, text).unwrap();
        let (mut journal, found) = SubmitJournal::open(folder.path()).unwrap();
        assert_eq!(found, changes);
        journal.write(&JobChange::Sent(3)).unwrap();
        drop(journal);
        assert_eq!(SubmitJournal::open(folder.path()).unwrap().1.last(), Some(&JobChange::Sent(3)));
    }
}
