//! Where results go, and what is said when they cannot be written.

use std::io;
use std::path::{Path, PathBuf};

use onceflow_engine::write_whole;
use onceflow_study::Diagnostic;

use crate::failure::Failure;
use crate::terminal::Terminal;

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard output.
    Standard,
    /// A file.
    File(PathBuf),
}

/// What happens to a file that is already there.
///
/// What a command makes from its inputs (samples, indices, plots) is replaced, since the same command makes it again;
/// what a person goes on to edit (a study) is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overwrite {
    /// It is replaced.
    Replace,
    /// The command refuses.
    Refuse,
}

impl Target {
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

    /// Writes all bytes, in place of what is there.
    pub(crate) fn write_bytes(&self, bytes: &[u8], terminal: &Terminal) -> Result<(), Failure> {
        match self {
            Self::Standard => terminal.bytes(bytes),
            Self::File(path) => write_bytes(path, bytes),
        }
    }

    /// Writes all of it.
    pub(crate) fn write(&self, text: &str, overwrite: Overwrite, terminal: &Terminal) -> Result<(), Failure> {
        match self {
            Self::Standard => terminal.result(text),
            Self::File(path) if overwrite == Overwrite::Refuse && path.exists() => Err(exists(path)),
            Self::File(path) => write_bytes(path, text.as_bytes()),
        }
    }
}

/// Writes a file whole or not at all.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(|error| unwritable(path, &error))
}

/// Makes a folder, and those above it, unless it is there.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| unwritable(path, &error))
}

/// Whether two paths lead to one file that is there.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn exists(path: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} exists", path.display()))
            .expected_found("a new file", "one that is already there")
            .with_hint("choose another name after -o, or add --force to replace it"),
    )
}

/// Why a file cannot be written, and what to do.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let message = Diagnostic::error(format!("cannot write {}", path.display()));
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).display();
    let (expected, found, hint) = match error.kind() {
        io::ErrorKind::NotFound => ("a folder", "nothing of that name".into(), format!("mkdir -p {folder}")),
        io::ErrorKind::IsADirectory => ("a file", "a folder".into(), "name a file inside it after -o".into()),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            let hint = format!("choose another folder after -o; ls -ld {folder} shows who may write here");
            ("a folder you may write to", "permission denied".into(), hint)
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            let hint = format!("free some space (df -h {folder}), or choose another disk");
            ("space on the disk", "none left".into(), hint)
        }
        _ => ("a place to write", error.to_string(), "choose another place after -o".into()),
    };
    Failure::environment(message.expected_found(expected, found).with_hint(hint))
}
