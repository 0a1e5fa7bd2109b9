//! Programs of the user's own: given what they declare, bounded, checked, logged, and gone when the run is.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

#[path = "../shell/mod.rs"]
mod shell;

mod asked;
mod ended;
mod failing;
mod labels;
mod plain;
mod python;
mod python_failing;
mod served;
mod shown;
mod stored;
mod study;
mod units;
mod workers;
