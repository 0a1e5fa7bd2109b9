//! Results of users' commands and blocks, kept in a store of products and taken again when their attributes are known.
//!
//! A [`MemoCommand`] is a command line with the files it reads, further attributes, and the files it writes. A [`Block`] is a piece of
//! a running program: it begins with attributes and ends with products. What decides that two are one is a
//! [`MemoKey`]; this crate never guesses it. With equal keys the first result stands for all.
//!
//! | module | is |
//! |---|---|
//! | `key` | attributes, and the key they make |
//! | `entry` | what is kept of a command or a block, as bytes |
//! | `kept` | entries in a store, large ones in pieces |
//! | `command` | a command line: known or run, its outputs restored or kept |
//! | `paths` | where paths lead |
//! | `trace` | which files a command reads and writes (Linux) |
//! | `block` | blocks of a program, their value histories, and the macro `block!` |

mod block;
mod command;
mod entry;
mod error;
mod kept;
mod key;
mod paths;
mod trace;

pub use block::{Block, BlockStore, BlockValue};
pub use command::{Audited, MemoCommand, MemoDifference, MemoOutcome, MemoSource, Nearness, NotKept};
pub use entry::{MemoAttribute, MemoAttributeKind, MemoEntry, MemoPart, MemoRole};
pub use error::MemoError;
pub use key::MemoKey;
pub use trace::{TracedFiles, can_trace};
