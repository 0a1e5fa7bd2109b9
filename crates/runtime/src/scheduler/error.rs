//! Why a plan cannot be scheduled, or cannot go on.

/// Why a plan cannot be scheduled, or cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SchedulerError {
    #[error(
        "memory bound too small: task `{task}` needs {needed} bytes with its inputs, outputs and scratch, found a limit of \
         {limit}; raise the bound or cut the images into smaller parts"
    )]
    MemoryTooSmall { task: String, needed: u64, limit: u64 },
    #[error("expected at least one worker, found none; ask for one or more")]
    NoWorkers,
    #[error("part {part} belongs to image {image}: expected an image below {images}; correct the layout")]
    NoSuchImage { part: usize, image: usize, images: usize },
    #[error(
        "the stages wait for each other: expected an order in which each comes after what it needs; break the cycle"
    )]
    Cycle,
    #[error(
        "task `{task}` of scope {scope} waits for `{after}` of scope {narrower}: expected a task of scope {scope} or wider, \
         since a wide task is finished before its parts begin; make the stage's scope {narrower}"
    )]
    WaitsForNarrower { task: String, scope: &'static str, after: String, narrower: &'static str },
    #[error(
        "task `{task}` takes a region that its own stage makes for the reference row: expected a region of an earlier stage; \
         move the task into a stage of its own"
    )]
    ReferenceInStage { task: String },
    #[error(
        "nothing may be added: expected a scheduler that was made to grow, found one whose parts are fixed"
    )]
    Fixed,
}
