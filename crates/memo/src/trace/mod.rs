//! Which files a command and its processes read and write. Linux tells it through ptrace; elsewhere tracing is refused.

mod files;
#[cfg(target_os = "linux")]
mod ptrace;

pub use files::TracedFiles;

/// How a traced command ended.
pub(crate) struct Traced {
    pub(crate) exit: i32,
    pub(crate) files: TracedFiles,
}

#[cfg(target_os = "linux")]
pub(crate) use ptrace::follow;

/// Whether commands can be traced on this system.
pub fn can_trace() -> bool {
    cfg!(target_os = "linux")
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn follow(_: &mut std::process::Child) -> Result<Traced, crate::MemoError> {
    Err(crate::MemoError::CannotTrace { reason: "expected Linux, found another system".into() })
}
