//! Analyses against exact indices, SALib's, and what must hold whatever the outputs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod designs;
mod failures;
mod intervals;
mod morris;
mod refusals;
mod salib;
mod sampled;
mod variance;
