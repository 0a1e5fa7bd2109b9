//! The straight line from a study's text to its tables, on images small enough to run it dozens of times.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

#[path = "../asked/mod.rs"]
mod asked;

mod account;
mod buckets;
mod computed;
mod differential;
mod early;
mod edited;
mod failures;
mod grain;
mod images;
mod memory;
mod oracle;
mod phases;
mod predicted;
mod region;
mod resumed;
mod seams;
mod spilled;
mod together;
mod watched;
