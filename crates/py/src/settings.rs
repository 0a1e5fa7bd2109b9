//! From keywords of Python to the settings of a run.

use std::path::Path;

use onceflow_allocator::{begin_counting, limit_pool, peak_counted};
use onceflow_engine::{
    EngineError, MemoryMeter, OpenStudy, PROCESS_BYTES, RunOptions, SettingsLayers, StoreFolder, StudyInput,
    open_study, read_profile,
};
use pyo3::prelude::*;

/// A study: a file, or a text whose files are relative to a folder.
#[derive(Clone, Debug, FromPyObject)]
pub(crate) enum Named {
    /// A text and a folder.
    Text(String, std::path::PathBuf),
    /// A file.
    File(std::path::PathBuf),
}

impl From<Named> for StudyInput {
    fn from(named: Named) -> Self {
        match named {
            Named::File(path) => Self::File(path),
            Named::Text(text, folder) => Self::Text { text, folder },
        }
    }
}

/// The layers of settings: keywords, the environment, a profile.
pub(crate) fn layers(words: &[(String, String)]) -> Result<SettingsLayers, EngineError> {
    let (profile, options): (Vec<_>, Vec<_>) = words.iter().partition(|(key, _)| key == "profile");
    let options = options.into_iter().map(|(key, text)| (key.as_str(), text.as_str()));
    Ok(SettingsLayers {
        command_line: RunOptions::from_texts(options)?,
        environment: RunOptions::from_environment()?,
        profile: read_profile(profile.first().map(|(_, path)| Path::new(path.as_str())))?,
        process_bytes: PROCESS_BYTES,
        meter: Some(MemoryMeter { begin: begin_counting, peak: peak_counted }),
        default_store: StoreFolder::of_user(),
        ..SettingsLayers::default()
    })
}

/// Opens a study with its settings.
pub(crate) fn open(named: Named, words: &[(String, String)]) -> Result<OpenStudy, EngineError> {
    let study = open_study(named, &layers(words)?)?;
    limit_pool(study.settings().memory.saturating_sub(2 * PROCESS_BYTES));
    Ok(study)
}
