//! Work that many processes share through the folder of a run: buckets, attempts, results, and who starts workers.
//!
//! Files alone say what is done. Nothing is locked: a bucket is taken by a file that can be made once, results appear by
//! rename, and a worker that falls silent loses its bucket.

mod attempt;
mod claimer;
mod clock;
pub(crate) mod driver;
mod heartbeat;
mod job;
mod phase_folder;
mod rate;

pub(crate) use attempt::{AttemptFile, AttemptLog};
pub(crate) use claimer::{ClaimCare, Claimer, NextClaim};
pub(crate) use heartbeat::Heartbeat;
pub use job::{WORK_FOLDER, WorkJob};
pub(crate) use phase_folder::{CutBucket, CutFile, LostWorker, PhaseFolder, SIGN, WorkRoot};
pub use rate::take_empty_buckets;
