//! The steps of the protocol, and the faults that tests put before them.

use std::io;

/// A step of the protocol, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The temporary file or folder is made.
    Create,
    /// The content is written.
    Write,
    /// The content is brought to the disk.
    Sync,
    /// The temporary name becomes the name.
    Rename,
    /// The name is brought to the disk.
    SyncFolder,
    /// The marker is written, where there is one.
    Mark,
}

impl Step {
    /// All steps in order.
    pub const ALL: [Step; 6] =
        [Step::Create, Step::Write, Step::Sync, Step::Rename, Step::SyncFolder, Step::Mark];
}

/// What can happen before a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process ends here: nothing after this point happens, not even tidying up.
    Kill,
    /// The step fails like this: [`io::ErrorKind::StorageFull`], [`io::ErrorKind::PermissionDenied`].
    Error(io::ErrorKind),
}

/// Which fault is met before a step.
pub(super) type Faults = dyn Fn(Step) -> Option<Fault> + Send + Sync;
