//! Files: read with a limit, written completely or not at all.

mod extension;
mod own;
mod read;
mod unfinished;
mod write;

pub(crate) use extension::{extension, unsupported_extension};
pub(crate) use own::{mark, refuse_foreign};
pub(crate) use read::read_text;
pub(crate) use unfinished::remove_on_signal;
pub(crate) use write::{OutputTarget, Overwrite, is_same, make_folder, write_bytes};
