//! What the store promises, and the faults that it meets: see the table in `docs/explanation/reuse.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;
mod elsewhere;
mod flips;
mod full;
mod hostile;
mod old_stores;
mod power;
mod processes;
mod promises;
mod schedules;
mod stops;
#[cfg(target_os = "linux")]
mod users;
