//! Reading a text: not more than a limit, and with a clear word when it cannot be read.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use onceflow_region::io_words;
use onceflow_study::{Diagnostic, SourceText, nearest};

use super::pipe;
use crate::EngineError;

/// The most bytes a kind of file may have.
#[derive(Clone, Copy, Debug)]
pub enum TextLimit {
    /// Studies, workflows, problems, indices: written by people or short.
    Description,
    /// Samples and results: one line per row.
    Table,
}

impl TextLimit {
    fn bytes(self) -> u64 {
        match self {
            Self::Description => 16 << 20,
            Self::Table => 4 << 30,
        }
    }
}

/// Reads the text of a file, or of standard input for `-`.
///
/// # Errors
/// When the file cannot be read, is larger than the limit, or is not UTF-8.
pub fn read_text(path: &Path, limit: TextLimit) -> Result<Arc<SourceText>, EngineError> {
    let name = path.display().to_string();
    let bytes = if name == "-" { take(io::stdin().lock(), limit) } else { read_file(path, limit) };
    let bytes = bytes.map_err(|error| unreadable(path, &error, limit))?;
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(&name, &error))?;
    let shown = if name == "-" { "<standard input>".into() } else { name };
    Ok(SourceText::new(shown, text))
}

fn read_file(path: &Path, limit: TextLimit) -> io::Result<Vec<u8>> {
    let metadata = path.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if pipe::is_one(&metadata) {
        return take(pipe::open(path)?, limit);
    }
    let file = File::open(path)?;
    if metadata.len() > limit.bytes() {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    take(file, limit)
}

/// One byte more than allowed tells that there are too many where the system reports no size.
fn take(from: impl io::Read, limit: TextLimit) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit.bytes() + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit.bytes() { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

fn unreadable(path: &Path, error: &io::Error, limit: TextLimit) -> EngineError {
    let message = Diagnostic::error(format!("cannot read {}", path.display()));
    match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => EngineError::bad_input(broken_link(message, path)),
        io::ErrorKind::NotFound => EngineError::bad_input(
            message.expected_found("a file", "nothing of that name").with_hint(hint_for_missing(path)),
        ),
        io::ErrorKind::TimedOut => EngineError::bad_input(
            message
                .expected_found("a file, or a pipe that something writes to", "a pipe that gives nothing")
                .with_hint("write to the pipe first, or name a file"),
        ),
        io::ErrorKind::IsADirectory => EngineError::bad_input(
            message.expected_found("a file", "a folder").with_hint("name the file inside it"),
        ),
        io::ErrorKind::FileTooLarge => too_large(&path.display().to_string(), limit),
        io::ErrorKind::PermissionDenied => EngineError::environment(
            message
                .expected_found("a file you may read", "permission denied")
                .with_hint(format!("ls -l {} shows who may", path.display())),
        ),
        _ => EngineError::environment(message.expected_found("a readable file", io_words(error))),
    }
}

/// The message of a link whose file is gone.
pub(crate) fn broken_link(message: Diagnostic, path: &Path) -> Diagnostic {
    let to = path.read_link().map_or_else(|_| "nowhere".into(), |to| to.display().to_string());
    let message = message.expected_found("a file", format!("a link to {to}, which is not there"));
    message.with_hint("bring the file back, or make the link anew")
}

fn hint_for_missing(path: &Path) -> String {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let wanted = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("the folder {} does not exist either", folder.display());
    };
    // The order of a folder differs between machines; the answer must not.
    let mut names: Vec<String> =
        entries.filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned())).collect();
    names.sort();
    // Two names of one letter are not alike because their endings are.
    let alike = |name: &&str| stem(name).chars().count() > 2 && stem(&wanted).chars().count() > 2;
    match nearest(&wanted, names.iter().map(String::as_str).filter(alike)) {
        Some(name) => format!("did you mean {}?", path.with_file_name(name).display()),
        None => "check the name, and the folder you are in".into(),
    }
}

fn stem(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}

fn too_large(name: &str, limit: TextLimit) -> EngineError {
    let most = limit.bytes() >> 20;
    EngineError::bad_input(
        Diagnostic::error(format!("{name} is too large"))
            .expected_found(format!("at most {most} MiB"), "more")
            .with_hint("check that it is the file you mean"),
    )
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> EngineError {
    let at = error.utf8_error().valid_up_to();
    let byte = error.as_bytes().get(at).copied().unwrap_or_default();
    EngineError::bad_input(
        Diagnostic::error(format!("{name} is not a text"))
            .expected_found("UTF-8", format!("byte 0x{byte:02x} at offset {at}"))
            .with_hint("save it as UTF-8, or check that it is the file you mean"),
    )
}
