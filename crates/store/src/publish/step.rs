//! The steps of the protocol, and the faults that tests put before them.

use std::io;

/// A step of the protocol, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PublishStep {
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

impl PublishStep {
    /// All steps in order.
    pub const ALL: [PublishStep; 6] = [
        PublishStep::Create,
        PublishStep::Write,
        PublishStep::Sync,
        PublishStep::Rename,
        PublishStep::SyncFolder,
        PublishStep::Mark,
    ];
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
pub(super) type Faults = dyn Fn(PublishStep) -> Option<Fault> + Send + Sync;
