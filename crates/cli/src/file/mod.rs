//! Files: read with a limit, written whole or not at all.

mod pattern;
mod read;
mod unfinished;
mod write;

pub(crate) use pattern::{is_pattern, matching};
pub(crate) use read::{Limit, read_text};
pub(crate) use unfinished::remove_on_signal;
pub(crate) use write::{Overwrite, Target, is_same, make_folder, unwritable, write_bytes};
