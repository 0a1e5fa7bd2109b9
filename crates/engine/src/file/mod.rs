//! Files: texts read with a limit, and the files that a pattern means.

mod pattern;
mod pipe;
mod text;

pub use pattern::{is_pattern, matching};
pub(crate) use text::broken_link;
pub use text::{TextLimit, read_text};
