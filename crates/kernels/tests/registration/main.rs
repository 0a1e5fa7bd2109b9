//! Registration against reference numbers, by properties, and its bytes on all machines.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod cases;
mod registration_bytes;
mod registration_golden;
mod registration_properties;
mod registration_starts;
mod scenes;
