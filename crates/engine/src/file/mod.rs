//! Files: texts read with a limit, and the files that a pattern means.

mod pattern;
mod text;

pub use pattern::{is_pattern, matching};
pub use text::{TextLimit, read_text};
