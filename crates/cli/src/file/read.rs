//! Reads text files.

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::TextLimit;
use onceflow_study::SourceText;
use onceflow_terminal::{Failure, engine_failure};

/// The text of a file, or of standard input for `-`.
pub(crate) fn read_text(path: &Path, limit: TextLimit) -> Result<Arc<SourceText>, Failure> {
    onceflow_engine::read_text(path, limit).map_err(engine_failure)
}
