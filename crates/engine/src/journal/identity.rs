//! What a run is a run of: its journal is of use to no other.

use std::fmt::Write as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use onceflow_region::Digest;
use onceflow_study::Study;

use crate::Prepared;
use crate::phase::PhaseRows;

/// The study, the workflow with the versions of its operations, the files of images as they are now, and our version.
pub(crate) fn identity(prepared: &Prepared<'_>) -> String {
    let mut text = format!("{} {:?} {:?}", env!("CARGO_PKG_VERSION"), prepared.study, prepared.workflow);
    for task in &prepared.flow.tasks {
        // Writing to a string cannot fail.
        let _ = write!(text, " {} {}", task.spec.id, task.spec.version);
    }
    text.push_str(&prepared.stamps);
    Digest::of_text("onceflow journal identity v1", &text).to_string()
}

/// The rows of a phase, and whether the reference row stands before them.
pub(crate) fn rows_digest(prepared: &Prepared<'_>, phase: &PhaseRows, with_reference: bool) -> String {
    let mut text = format!("{with_reference}");
    for row in 0..phase.sample.len() {
        // Writing to a string cannot fail.
        let _ = write!(text, " {:?}", phase.values(&prepared.reference, row));
    }
    Digest::of_text("onceflow journal rows v1", &text).to_string()
}

/// Sizes and times of the files that a study names: to read all of them would take longer than to go on.
pub(crate) fn stamps(study: &Study, folder: &Path) -> String {
    let files = study.images.iter().flat_map(|image| std::iter::once(&image.file).chain(&image.truth));
    let stamp = |file: &String| match folder.join(file).metadata() {
        Ok(data) => {
            let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            format!(" {file} {} {:?}", data.len(), time)
        }
        Err(_) => format!(" {file}"),
    };
    files.map(stamp).collect()
}
