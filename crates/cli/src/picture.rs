//! Pictures that a command writes: checked before the work, written as PNG or TIFF after it.

use std::io::{self, BufWriter, IsTerminal as _};
use std::path::Path;

use onceflow_engine::{EngineError, write_file};
use onceflow_region::{Dense, Picture, TakeRows, png_bytes, write_png, write_tiff};
use onceflow_study::Diagnostic;

use crate::diagnostics::from_region_error;
use crate::engine::engine_failure;
use crate::failure::Failure;
use crate::file::{Target, is_same, unwritable};
use crate::terminal::Terminal;

/// Refuses what could not be written, or would replace something, before hours are spent on it. Inputs that are no
/// files, such as `synth:` names, are no paths of anything.
pub(crate) fn check(outputs: &[&Path], inputs: &[&Path], json: bool) -> Result<(), Failure> {
    for (place, output) in outputs.iter().enumerate() {
        let target = Target::new(Some(output));
        target.refuse_inputs(inputs)?;
        if outputs[..place].iter().any(|other| *other == *output || is_same(other, output)) {
            return Err(two_outputs(output));
        }
        match target.path() {
            None => check_standard_output(json)?,
            Some(path) => check_folder(path)?,
        }
    }
    Ok(())
}

/// Writes a picture and says so.
pub(crate) fn write(path: &Path, picture: &Dense, terminal: &Terminal) -> Result<(), Failure> {
    let title = format!("cannot write {}", path.display());
    let bytes = png_bytes(picture).map_err(|error| from_region_error(title, &error))?;
    Target::new(Some(path)).write_bytes(&bytes, terminal)?;
    if path != Path::new("-") {
        terminal.say(&format!("wrote {}", path.display()));
    }
    Ok(())
}

/// The form of a file of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PictureForm {
    Png,
    Tiff,
}

impl PictureForm {
    /// From the ending; standard output and devices get a PNG.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            None | Some("png") => Ok(Self::Png),
            Some("tif" | "tiff") => Ok(Self::Tiff),
            Some(_) => {
                let name = path.display().to_string();
                let message =
                    Diagnostic::error(format!("{name} has an ending that says no form of a picture"));
                let message = message.expected_found("a file that ends with .png or .tif", name);
                Err(Failure::bad_input(message.with_hint("name it .png, or .tif for large images")))
            }
        }
    }
}

/// Writes a picture that is given out some rows at a time, and says so.
pub(crate) fn write_rows(
    path: &Path,
    picture: Picture,
    rows: impl FnOnce(&mut TakeRows<'_>) -> io::Result<()>,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let form = PictureForm::of(path)?;
    write_stream(path, terminal, |to| match (form, to) {
        (PictureForm::Tiff, Stream::File(file)) => write_tiff(BufWriter::new(file), picture, rows),
        (_, Stream::File(file)) => write_png(BufWriter::new(file), picture, rows),
        (_, Stream::Standard(out)) => write_png(BufWriter::new(out), picture, rows),
    })
}

/// What a result is written to as it comes.
pub(crate) enum Stream<'a> {
    File(&'a mut std::fs::File),
    Standard(io::Stdout),
}

/// Writes a file whole or not at all as its content comes, and says so; or standard output.
pub(crate) fn write_stream(
    path: &Path,
    terminal: &Terminal,
    write: impl FnOnce(Stream<'_>) -> io::Result<()>,
) -> Result<(), Failure> {
    let target = Target::new(Some(path));
    let Some(path) = target.path() else {
        return write(Stream::Standard(io::stdout())).map_err(|error| {
            match EngineError::from_writing(Path::new("-"), error) {
                EngineError::Write { error, .. } => Failure::standard_output(&error),
                other => engine_failure(other),
            }
        });
    };
    let written = write_file(path, |file| write(Stream::File(file)));
    written.map_err(|error| engine_failure(EngineError::from_writing(path, error)))?;
    terminal.say(&format!("wrote {}", path.display()));
    Ok(())
}

/// Refuses a path at which no file can be.
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
        message.expected_found("a name for each", "one name twice").with_hint("choose another name"),
    )
}
