//! Which files are Onceflow's own: those that it wrote and that nothing has changed since.
//!
//! A written file gets an extended attribute with its length and its time. A file without it, or of another length or time,
//! is a user's. Where a file system has no such attributes every existing file is a user's.

use std::fs::Metadata;
use std::path::Path;

use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

/// Refuses to replace a file of the user, unless that was asked for. Devices, pipes and files that the shell has opened
/// (`/dev/fd/3`) are not replaced, but written to.
pub(crate) fn refuse_foreign(path: &Path, force: bool) -> Result<(), Failure> {
    let Ok(meta) = path.metadata() else { return Ok(()) };
    let written_to = !meta.is_file() || path.starts_with("/dev") || path.starts_with("/proc");
    if force || written_to || is_own(path, &meta) { Ok(()) } else { Err(foreign(path)) }
}

/// The failure of an output whose name a file of the user has.
fn foreign(path: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} exists already", path.display()))
            .expected_found(
                "the name of a new file, or of one that onceflow wrote",
                "a file that onceflow did not write, or that was changed since",
            )
            .with_hint("choose another name, or add --force to replace it"),
    )
}

/// Marks a file that was written.
pub(crate) fn mark(path: &Path) {
    if let Ok(meta) = path.metadata()
        && meta.is_file()
    {
        attribute::set(path, state(&meta).as_bytes());
    }
}

fn is_own(path: &Path, meta: &Metadata) -> bool {
    attribute::get(path).is_some_and(|value| value == state(meta).as_bytes())
}

/// What changes with every write.
fn state(meta: &Metadata) -> String {
    let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).ok();
    let nanoseconds = meta.modified().ok().and_then(since).map_or(0, |since| since.as_nanos());
    format!("{} {nanoseconds}", meta.len())
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod attribute {
    use std::path::Path;

    use rustix::fs::{XattrFlags, getxattr, setxattr};

    const NAME: &str = "user.onceflow.written";

    /// Two numbers.
    const LONGEST: usize = 64;

    pub(super) fn get(path: &Path) -> Option<Vec<u8>> {
        let mut value = [0; LONGEST];
        let length = getxattr(path, NAME, &mut value).ok()?;
        value.get(..length).map(<[u8]>::to_vec)
    }

    /// A file that cannot be marked is taken for a user's, which is safe.
    pub(super) fn set(path: &Path, value: &[u8]) {
        let _ = setxattr(path, NAME, value, XattrFlags::empty());
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
mod attribute {
    use std::path::Path;

    pub(super) fn get(_path: &Path) -> Option<Vec<u8>> {
        None
    }

    pub(super) fn set(_path: &Path, _value: &[u8]) {}
}
