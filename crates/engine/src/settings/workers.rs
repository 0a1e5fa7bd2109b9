//! Workers in other processes: who starts them, and what they get.

use std::path::PathBuf;

use super::resources::available_workers;

/// Where the buckets of a run are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkEngine {
    /// By so many processes of this machine.
    Local(usize),
    /// By whoever calls `onceflow work` with the folder of the run.
    Folder,
}

/// Workers of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkersOn {
    /// Who starts them.
    pub engine: WorkEngine,
    /// The program that they are.
    pub program: PathBuf,
    /// Arguments that all of them get.
    pub arguments: Vec<String>,
    /// Seconds of silence after which a worker is lost.
    pub lease: f64,
}

impl WorkEngine {
    /// Reads `local:4`, `local` or `folder`.
    ///
    /// # Errors
    /// With what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected = || "expected local:N with N from 1 to 1024, or folder".to_owned();
        match text.split_once(':') {
            None if text == "folder" => Ok(Self::Folder),
            None if text == "local" => Ok(Self::Local(available_workers().max(1))),
            Some(("local", count)) => {
                let count = count.parse().ok().filter(|count| (1..=1024).contains(count));
                count.map(Self::Local).ok_or_else(expected)
            }
            _ => Err(expected()),
        }
    }

    /// How many workers it has; none where that is not known.
    pub fn workers(&self) -> Option<usize> {
        match self {
            Self::Local(count) => Some(*count),
            Self::Folder => None,
        }
    }
}
