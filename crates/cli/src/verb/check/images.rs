//! What is to be said of a study's images, as far as they are there.

use std::path::Path;

use onceflow_engine::{EngineError, look_at_images};
use onceflow_study::{Diagnostic, Study, counted};
use onceflow_terminal::engine_failure;

/// Files that are named when they are missing; more are counted.
const MOST_NAMED: usize = 20;

/// Opens the images. Files that are not there are a warning: the study may be meant for another machine.
pub(super) fn look(study: &Study, folder: &Path) -> Vec<Diagnostic> {
    let errors = match look_at_images(study, folder) {
        Ok(resampled) => return resampled.into_iter().map(Diagnostic::note).collect(),
        Err(EngineError::Several(errors)) => errors,
        Err(error) => vec![error],
    };
    let (mut missing, mut said) = (Vec::new(), Vec::new());
    for error in errors {
        match error {
            EngineError::Missing { file, .. } if missing.contains(&file) => {}
            EngineError::Missing { file, .. } => missing.push(file),
            error => said.extend(engine_failure(error).into_messages()),
        }
    }
    said.extend(warning(&missing));
    said
}

fn warning(missing: &[String]) -> Option<Diagnostic> {
    let more = missing.len().saturating_sub(MOST_NAMED);
    let mut named = missing.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        named.push_str(&format!(" and {more} more"));
    }
    let is = if missing.len() == 1 { "is" } else { "are" };
    let message = format!("{} of images {is} not there: {named}", counted(missing.len(), "file"));
    let hint = "a study names images relative to itself; plan and run need them";
    (!missing.is_empty()).then(|| Diagnostic::warning(message).with_hint(hint))
}
