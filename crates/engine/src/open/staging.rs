//! `staging` under `[run]`: words that only the store of regions understands.

use std::sync::Arc;

use onceflow_store::staging::{Staging, StagingError};
use onceflow_study::{Diagnostic, SourceText, parse_toml};

/// What is wrong with the words, where they stand.
pub(super) fn look(words: &str, source: &Arc<SourceText>) -> Option<Diagnostic> {
    let error = words.parse::<Staging>().err()?;
    let wrong = Diagnostic::error("`staging` cannot be read");
    let wrong = match error {
        StagingError::Words { found, todo } => {
            wrong.expected_found(StagingError::WORDS, format!("`{found}`")).with_hint(todo)
        }
        other => wrong.with_why(other.to_string()),
    };
    let document = parse_toml(source).ok();
    let run = document.as_ref().and_then(|document| document.as_table()?.get("run")?.as_table());
    Some(match run.and_then(|run| run.get("staging")) {
        Some(node) => wrong.at(source, node.span, ""),
        None => wrong,
    })
}
