//! What is to be said of a study's images, as far as they are there.

use std::path::Path;

use onceflow_engine::{EngineError, look_at_images};
use onceflow_study::{Diagnostic, Severity, Study, counted};

use crate::engine::engine_failure;

/// Files that are named when they are missing; more are counted.
const MOST_NAMED: usize = 20;

/// Opens the images. A file that is not there is a warning: the study may be meant for another machine.
pub(super) fn look(study: &Study, folder: &Path) -> Vec<Diagnostic> {
    match look_at_images(study, folder) {
        Ok(resampled) => resampled.into_iter().map(Diagnostic::note).collect(),
        Err(EngineError::Several(errors)) => {
            let (missing, other): (Vec<_>, Vec<_>) =
                errors.into_iter().partition(|error| matches!(error, EngineError::Missing(_)));
            let more = missing.len().saturating_sub(MOST_NAMED);
            let mut said: Vec<_> = other.into_iter().flat_map(said_of).collect();
            said.extend(missing.into_iter().take(MOST_NAMED).flat_map(said_of));
            if more > 0 {
                said.push(Diagnostic::warning(format!("{} more cannot be opened", counted(more, "image"))));
            }
            said
        }
        Err(error) => said_of(error),
    }
}

fn said_of(error: EngineError) -> Vec<Diagnostic> {
    let severity = if matches!(error, EngineError::Missing(_)) { Severity::Warning } else { Severity::Error };
    let messages = engine_failure(error).into_messages();
    messages.into_iter().map(|message| Diagnostic { severity, ..message }).collect()
}
