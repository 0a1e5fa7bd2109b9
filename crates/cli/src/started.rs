//! How the command was started: its words, and the program that starts it again for workers.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The one of this process.
static STARTED: OnceLock<Started> = OnceLock::new();

/// How the command was started.
#[derive(Clone, Debug)]
pub struct Started {
    words: Vec<OsString>,
    program: Option<PathBuf>,
}

impl Started {
    /// As the system started this process.
    pub fn by_system() -> Self {
        Self { words: std::env::args_os().collect(), program: None }
    }

    /// By another program: the words after its name, and the file that starts the command in a process of its own.
    pub fn by_program(words: impl IntoIterator<Item = OsString>, program: PathBuf) -> Self {
        let words = std::iter::once("onceflow".into()).chain(words).collect();
        Self { words, program: Some(program) }
    }

    /// The words, the first of which is a name.
    pub(crate) fn words(&self) -> &[OsString] {
        &self.words
    }

    /// Keeps it for [`words`] and [`program`]; the first command of a process stays.
    pub(crate) fn keep(self) {
        // A process has one command; a second one has the same program.
        let _ = STARTED.set(self);
    }
}

/// Whether commands of this process are carried out within another program, whose signals are its own.
static WITHIN: AtomicBool = AtomicBool::new(false);

/// From now on commands leave the signals of this process alone.
pub(crate) fn within_program() {
    WITHIN.store(true, Ordering::Relaxed);
}

/// Whether this process is that of the command, so that a signal may end it.
pub(crate) fn is_own_process() -> bool {
    !WITHIN.load(Ordering::Relaxed)
}

/// The words after the name of the command.
pub(crate) fn words() -> Vec<OsString> {
    STARTED.get_or_init(Started::by_system).words.iter().skip(1).cloned().collect()
}

/// The file that starts this command in a process of its own.
///
/// # Errors
/// When the system does not say where it is.
pub(crate) fn program() -> std::io::Result<PathBuf> {
    STARTED.get().and_then(|started| started.program.clone()).map_or_else(std::env::current_exe, Ok)
}
