//! One run by many processes: the manager cuts phases into buckets and takes their results, workers compute them.

mod bucket_file;
mod manager;
mod worker;

pub(super) use manager::WorkManager;
pub use worker::{WorkOptions, WorkSummary, work};
