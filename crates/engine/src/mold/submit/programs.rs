//! Registered programs: jobs run a copy whose content has the digest that the workflow names.

use std::fs;
use std::path::Path;

use onceflow_cluster::moldable::RegisteredProgram;
use onceflow_study::Diagnostic;

use crate::{EngineError, write_whole};

/// Copies programs into the folder of a submission.
pub(super) fn copy_programs(
    programs: &[RegisteredProgram],
    workflow: &Path,
    folder: &Path,
) -> Result<(), EngineError> {
    for program in programs {
        let bytes = checked(program, workflow)?;
        let path = folder.join("programs").join(&program.name);
        let failed = |error| EngineError::Write { path: path.clone(), error };
        write_whole(&path, &bytes).map_err(failed)?;
        make_executable(&path).map_err(failed)?;
    }
    Ok(())
}

/// Refuses programs that are not those that were registered.
pub(super) fn check_programs(programs: &[RegisteredProgram], workflow: &Path) -> Result<(), EngineError> {
    programs.iter().try_for_each(|program| checked(program, workflow).map(drop))
}

/// The copy in the folder of a submission must still be the registered one before a job is submitted again.
pub(super) fn check_copies(programs: &[(String, String)], folder: &Path) -> Result<(), EngineError> {
    programs.iter().try_for_each(|(name, digest)| {
        let copy = RegisteredProgram {
            name: name.clone(),
            file: format!("programs/{name}"),
            digest: digest.clone(),
        };
        checked(&copy, &folder.join("plan.json")).map(drop)
    })
}

/// The content of a program whose path is relative to a file.
fn checked(program: &RegisteredProgram, beside: &Path) -> Result<Vec<u8>, EngineError> {
    let path = beside.parent().unwrap_or(Path::new(".")).join(&program.file);
    let bytes = fs::read(&path).map_err(|error| {
        let message = Diagnostic::error(format!("the program `{}` cannot be read", program.name));
        EngineError::bad_input(message.expected_found(path.display().to_string(), crate::io_words(&error)))
    })?;
    let found = blake3::hash(&bytes).to_hex().to_string();
    if found == program.digest.to_ascii_lowercase() {
        return Ok(bytes);
    }
    let message = Diagnostic::error(format!("`{}` is not the program that was registered", path.display()));
    Err(EngineError::bad_input(
        message
            .expected_found(format!("blake3 {}", program.digest), found.clone())
            .with_hint(format!("if it is the right one, write \"blake3\": \"{found}\" in the workflow")),
    ))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> std::io::Result<()> {
    Ok(())
}
