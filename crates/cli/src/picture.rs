//! Pictures that a command writes: checked before the work, written as PNG or TIFF after it.

use std::io::{self, BufWriter, IsTerminal as _};
use std::path::Path;

use onceflow_engine::{EngineError, write_file};
use onceflow_imageio::{Picture, TakeRows, png_bytes, write_png, write_tiff};
use onceflow_region::Dense;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, Terminal, engine_failure, unwritable};

use crate::diagnostics::from_region_error;
use crate::file::{OutputTarget, extension, is_same, mark, unsupported_extension};

/// Refuses outputs that cannot be written or would replace an input or a file of the user, before the work. Inputs may be `synth:` names, which
/// are no files.
pub(crate) fn check(outputs: &[&Path], inputs: &[&Path], (json, force): (bool, bool)) -> Result<(), Failure> {
    for (place, output) in outputs.iter().enumerate() {
        let target = OutputTarget::new(Some(output));
        target.refuse_inputs(inputs)?;
        if outputs[..place].iter().any(|other| *other == *output || is_same(other, output)) {
            return Err(two_outputs(output));
        }
        match target.path() {
            None => check_standard_output(json)?,
            Some(path) => check_folder(path)?,
        }
        target.refuse_foreign(force)?;
    }
    Ok(())
}

/// Writes a picture and prints its path.
pub(crate) fn write(path: &Path, picture: &Dense, terminal: &Terminal) -> Result<(), Failure> {
    let title = format!("cannot write {}", path.display());
    let bytes = png_bytes(picture).map_err(|error| from_region_error(title, &error))?;
    OutputTarget::new(Some(path)).write_bytes(&bytes, terminal)?;
    if path != Path::new("-") {
        terminal.say(&format!("wrote {}", path.display()));
    }
    Ok(())
}

/// The format of a picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureForm {
    Png,
    Tiff,
}

impl PictureForm {
    /// From the extension; standard output and devices get a PNG.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        match extension(path).as_deref() {
            None | Some("png") => Ok(Self::Png),
            Some("tif" | "tiff") => Ok(Self::Tiff),
            Some(_) => {
                Err(unsupported_extension(path, ".png or .tif", "name it .png, or .tif for large images"))
            }
        }
    }
}

/// Writes a picture row by row, and says so.
pub(crate) fn write_rows(
    path: &Path,
    picture: Picture,
    rows: impl FnOnce(&mut TakeRows<'_>) -> io::Result<()>,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let form = PictureForm::of(path)?;
    write_stream(path, terminal, |to| match (form, to) {
        (PictureForm::Tiff, OutputStream::File(file)) => write_tiff(BufWriter::new(file), picture, rows),
        (_, OutputStream::File(file)) => write_png(BufWriter::new(file), picture, rows),
        (_, OutputStream::Standard(out)) => write_png(BufWriter::new(out), picture, rows),
    })
}

/// Where a result is written while it is computed.
pub(crate) enum OutputStream<'a> {
    File(&'a mut std::fs::File),
    Standard(io::Stdout),
}

/// Writes a file, completely or not at all, or standard output, and says so.
pub(crate) fn write_stream(
    path: &Path,
    terminal: &Terminal,
    write: impl FnOnce(OutputStream<'_>) -> io::Result<()>,
) -> Result<(), Failure> {
    let target = OutputTarget::new(Some(path));
    let Some(path) = target.path() else {
        return write(OutputStream::Standard(io::stdout())).map_err(|error| match EngineError::from_writing(
            Path::new("-"),
            error,
        ) {
            EngineError::Write { error, .. } => Failure::standard_output(&error),
            other => engine_failure(other),
        });
    };
    let written = write_file(path, |file| write(OutputStream::File(file)));
    written.map_err(|error| engine_failure(EngineError::from_writing(path, error)))?;
    mark(path);
    terminal.say(&format!("wrote {}", path.display()));
    Ok(())
}

/// Refuses a path at which no file can be written.
pub(crate) fn check_folder(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(unwritable(path, &std::io::ErrorKind::IsADirectory.into()));
    }
    if folder.is_dir() { Ok(()) } else { Err(unwritable(path, &std::io::ErrorKind::NotFound.into())) }
}

fn check_standard_output(json: bool) -> Result<(), Failure> {
    let refused = |message: &str, expected: &str| {
        let message = Diagnostic::error(message).expected_found(expected, "-");
        Failure::bad_input(message.with_hint("name a file"))
    };
    if json {
        return Err(refused("standard output cannot hold both a picture and JSON", "a file with --json"));
    }
    if std::io::stdout().is_terminal() {
        return Err(refused("a terminal cannot show a picture", "a file, or a pipe after the command"));
    }
    Ok(())
}

fn two_outputs(path: &Path) -> Failure {
    let message = Diagnostic::error(format!("two pictures would be written to {}", path.display()));
    Failure::bad_input(
        message
            .expected_found("a different name for each", "the same name twice")
            .with_hint("choose another name"),
    )
}
