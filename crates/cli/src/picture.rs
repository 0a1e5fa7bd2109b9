//! Pictures that a command writes: checked before the work, written as PNG after it.

use std::io::IsTerminal as _;
use std::path::Path;

use onceflow_region::{Dense, png_bytes};
use onceflow_study::Diagnostic;

use crate::diagnostics::from_region_error;
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
