//! Files: read with a limit, written whole or not at all.

mod read;
mod write;

pub(crate) use read::{Limit, read_text};
pub(crate) use write::{Overwrite, Target, is_same, make_folder, unwritable};
