//! Every setting with its value and its origin, as `onceflow config show` prints them.

use onceflow_study::{RunSection, Size};

use super::layers::{SettingOrigin, SettingsLayers, Stack};
use super::options::RunOptions;
use crate::{EngineError, StoreFolder};

/// A setting that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownSetting {
    /// Its key.
    pub key: &'static str,
    /// Its value in words.
    pub value: String,
    /// Where the value comes from.
    pub origin: SettingOrigin,
}

impl SettingsLayers {
    /// Every setting that a run of a study would have; without a study, those of a study that sets none.
    ///
    /// # Errors
    /// When settings contradict each other.
    pub fn show(&self, run: Option<&RunSection>) -> Result<Vec<ShownSetting>, EngineError> {
        let empty = RunSection::default();
        let run = run.unwrap_or(&empty);
        let (settings, of_study) = (self.resolve_section(run)?, RunOptions::of_study(run));
        let stack = Stack::new(self, &of_study);
        let path = |path: Option<&std::path::Path>, none: &str| {
            path.map_or_else(|| none.to_owned(), |path| path.display().to_string())
        };
        let value = |key: &str| match key {
            "reuse" => settings.level.word().to_owned(),
            "workers" => settings.workers.to_string(),
            "memory" => Size(settings.memory).rounded_down().to_string(),
            "pin" => settings.pinned.to_string(),
            "scratch" => path(settings.scratch.as_deref(), "the folder of the run"),
            "staging" => settings.staging.to_string(),
            "costs" => path(settings.costs.as_ref().map(crate::CostsFile::path), "none"),
            "store" => path(settings.store.as_ref().map(StoreFolder::path), "none"),
            "store_size" => store_size(settings.store.as_ref()),
            "blobs" => match &settings.store {
                None => "none".to_owned(),
                Some(store) => path(store.blobs(), "the folder of the store"),
            },
            "audit" => settings.audit.to_string(),
            "granularity" => settings.granularity.map_or("by measured costs", |g| g.word()).to_owned(),
            "policy" => settings.policy.to_string(),
            "events" => path(settings.events.as_deref(), "none"),
            "pictures" => settings.pictures.word().to_owned(),
            "until" => if settings.until_decided.is_some() { "decided" } else { "all rows" }.to_owned(),
            "at_most" => settings.until_decided.map_or_else(|| "none".to_owned(), |bound| bound.to_string()),
            _ => settings.allow_commands.to_string(),
        };
        Ok(RunOptions::KEYS
            .map(|key| ShownSetting { key, value: value(key), origin: origin(&stack, key) })
            .into())
    }
}

/// What the store of results may take.
fn store_size(store: Option<&StoreFolder>) -> String {
    let Some(store) = store else { return "none".into() };
    store
        .size()
        .map_or_else(|| "a tenth of the free disk, at most 50 GiB".into(), |size| Size(size).to_string())
}

fn origin(stack: &Stack<'_>, key: &str) -> SettingOrigin {
    let is_set = |options: &RunOptions| match key {
        "reuse" => options.reuse.is_some(),
        "workers" => options.workers.is_some(),
        "memory" => options.memory.is_some(),
        "pin" => options.pin.is_some(),
        "scratch" => options.scratch.is_some(),
        "staging" => options.staging.is_some(),
        "costs" => options.costs.is_some(),
        "store" => options.store.is_some(),
        "store_size" => options.store_size.is_some(),
        "blobs" => options.blobs.is_some(),
        "audit" => options.audit.is_some(),
        "granularity" => options.granularity.is_some(),
        "policy" => options.policy.is_some(),
        "events" => options.events.is_some(),
        "pictures" => options.pictures.is_some(),
        "until" => options.until.is_some(),
        "at_most" => options.at_most.is_some(),
        _ => options.allow_commands.is_some(),
    };
    stack.first(key, |options| is_set(options).then_some(())).1
}
