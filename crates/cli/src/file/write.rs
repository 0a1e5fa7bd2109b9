//! Outputs of commands: files or standard output.

use std::path::{Path, PathBuf};

use onceflow_engine::write_whole;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, Terminal, unwritable};

/// The output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputTarget {
    /// Standard output.
    Standard,
    /// A file.
    File(PathBuf),
}

/// What happens to an existing file.
///
/// Files that a command computes from its inputs (samples, indices, plots) are replaced if Onceflow wrote them, since the
/// same command makes them again ([`refuse_foreign`](super::refuse_foreign) is asked before); files that a person edits (a
/// study) are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// It is replaced.
    Replace,
    /// The command refuses.
    Refuse,
}

impl OutputTarget {
    /// From `-o`: nothing and `-` are standard output.
    pub(crate) fn new(path: Option<&Path>) -> Self {
        match path {
            Some(path) if path != Path::new("-") => Self::File(path.to_path_buf()),
            _ => Self::Standard,
        }
    }

    /// The file, unless it is standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard => None,
            Self::File(path) => Some(path),
        }
    }

    /// Refuses to replace a file the command reads.
    pub(crate) fn refuse_inputs(&self, inputs: &[&Path]) -> Result<(), Failure> {
        let Some(path) = self.path() else { return Ok(()) };
        let same = |input: &&&Path| is_same(path, input);
        let Some(input) = inputs.iter().find(same) else { return Ok(()) };
        Err(Failure::bad_input(
            Diagnostic::error(format!("the output would replace the input {}", input.display()))
                .expected_found("another file after -o", path.display().to_string())
                .with_hint("choose another name for the output"),
        ))
    }

    /// Refuses to replace a file of the user, unless that was asked for.
    pub(crate) fn refuse_foreign(&self, force: bool) -> Result<(), Failure> {
        self.path().map_or(Ok(()), |path| super::refuse_foreign(path, force))
    }

    /// Writes all bytes, and replaces an existing file.
    pub(crate) fn write_bytes(&self, bytes: &[u8], terminal: &Terminal) -> Result<(), Failure> {
        match self {
            Self::Standard => terminal.bytes(bytes),
            Self::File(path) => write_bytes(path, bytes),
        }
    }

    /// Writes a text.
    pub(crate) fn write(&self, text: &str, overwrite: Overwrite, terminal: &Terminal) -> Result<(), Failure> {
        match self {
            Self::Standard => terminal.result(text),
            Self::File(path) if overwrite == Overwrite::Refuse && path.exists() => Err(exists(path)),
            Self::File(path) => write_bytes(path, text.as_bytes()),
        }
    }
}

/// Writes a file, completely or not at all.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(|error| unwritable(path, &error))?;
    super::mark(path);
    Ok(())
}

/// Makes a folder and its parents, unless it exists.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| unwritable(path, &error))
}

/// Whether two paths lead to the same existing file.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn exists(path: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} exists already", path.display()))
            .expected_found("the name of a new file", "an existing file")
            .with_hint("choose another name after -o, or add --force to replace it"),
    )
}
