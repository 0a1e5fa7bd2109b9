//! The layers of settings and their order: command line, environment, study, profile, default.

use std::fmt;
use std::path::PathBuf;

use onceflow_reuse::Level;
use onceflow_runtime::MemoryMeter;
use onceflow_study::{Diagnostic, RunBound, RunSection, RunUntil, Study};

use super::merge::MergeOptions;
use super::options::{RunOptions, variable_name};
use super::resources::{available_memory, available_workers};
use super::run::{PROCESS_BYTES, RunSettings};
use crate::{CostsFile, EngineError, ImageWatch, StoreFolder};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// An option of the command.
    CommandLine,
    /// An environment variable.
    Environment(String),
    /// The `[run]` section of the study.
    Study,
    /// A profile file.
    Profile(PathBuf),
    /// Built in, or what the machine allows.
    Default,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CommandLine => f.write_str("command line"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Study => f.write_str("study"),
            Self::Profile(path) => write!(f, "profile {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// What is asked for outside the study; the study's own layer joins when it is read.
#[derive(Clone, Debug)]
pub struct SettingsLayers {
    /// Options of the command, or what a program sets itself.
    pub command_line: RunOptions,
    /// `ONCEFLOW_*` variables.
    pub environment: RunOptions,
    /// A profile and its file.
    pub profile: Option<(PathBuf, RunOptions)>,
    /// How instances are grouped into buckets.
    pub merge: MergeOptions,
    /// Bytes of the memory bound that the process needs besides its tasks.
    pub process_bytes: u64,
    /// What measures the memory of a task, where the program has such an allocator.
    pub meter: Option<MemoryMeter>,
    /// The store of results where no layer names one. A program with operations of its own must give them another version
    /// with each change before it sets one: the store tells operations apart by name and version.
    pub default_store: Option<StoreFolder>,
    /// Is told how many images were looked at while the study is opened.
    pub watch_images: ImageWatch,
}

impl Default for SettingsLayers {
    fn default() -> Self {
        Self {
            command_line: RunOptions::default(),
            environment: RunOptions::default(),
            profile: None,
            merge: MergeOptions::default(),
            process_bytes: PROCESS_BYTES,
            meter: None,
            default_store: None,
            watch_images: ImageWatch::default(),
        }
    }
}

/// The layers with that of a study, the strongest first.
pub(super) struct Stack<'a> {
    layers: Vec<(&'a RunOptions, LayerKind<'a>)>,
}

#[derive(Clone, Copy)]
enum LayerKind<'a> {
    CommandLine,
    Environment,
    Study,
    Profile(&'a PathBuf),
}

impl<'a> Stack<'a> {
    pub(super) fn new(layers: &'a SettingsLayers, study: &'a RunOptions) -> Self {
        let above = [
            (&layers.command_line, LayerKind::CommandLine),
            (&layers.environment, LayerKind::Environment),
            (study, LayerKind::Study),
        ];
        let profile = layers.profile.iter().map(|(path, options)| (options, LayerKind::Profile(path)));
        Self { layers: above.into_iter().chain(profile).collect() }
    }

    /// The first value that a layer gives, with its origin.
    pub(super) fn first<T>(
        &self,
        key: &str,
        of: impl Fn(&RunOptions) -> Option<T>,
    ) -> (Option<T>, SettingOrigin) {
        let given = self.layers.iter().find_map(|(options, kind)| Some((of(options)?, kind)));
        match given {
            Some((value, kind)) => (Some(value), kind.origin(key)),
            None => (None, SettingOrigin::Default),
        }
    }

    fn value<T>(&self, of: impl Fn(&RunOptions) -> Option<T>) -> Option<T> {
        self.first("", of).0
    }
}

impl LayerKind<'_> {
    fn origin(self, key: &str) -> SettingOrigin {
        match self {
            Self::CommandLine => SettingOrigin::CommandLine,
            Self::Environment => SettingOrigin::Environment(variable_name(key)),
            Self::Study => SettingOrigin::Study,
            Self::Profile(path) => SettingOrigin::Profile(path.clone()),
        }
    }
}

/// Bytes per second of a usual disk: results that are recomputed sooner than written and read are not written. A wrong
/// guess costs time and changes no byte.
const DISK_BYTES_PER_SECOND: f64 = 500e6;

impl SettingsLayers {
    /// The settings of a run of a study.
    ///
    /// # Errors
    /// When settings contradict each other.
    pub fn resolve(&self, study: &Study) -> Result<RunSettings, EngineError> {
        self.resolve_section(&study.run)
    }

    pub(super) fn resolve_section(&self, run: &RunSection) -> Result<RunSettings, EngineError> {
        let of_study = RunOptions::of_study(run);
        let stack = Stack::new(self, &of_study);
        let workers = stack.value(|o| o.workers).unwrap_or_else(available_workers).max(1);
        let level = stack.value(|o| o.reuse).unwrap_or_else(|| self.default_level());
        Ok(RunSettings {
            level,
            merge: self.merge.resolve(level, workers)?,
            workers,
            memory: stack.value(|o| o.memory).unwrap_or_else(available_memory),
            process_bytes: self.process_bytes,
            scratch: stack.value(|o| o.scratch.clone()),
            staging: stack.value(|o| o.staging).unwrap_or_default(),
            disk: Some(DISK_BYTES_PER_SECOND),
            meter: self.meter,
            policy: stack.value(|o| o.policy).unwrap_or_default(),
            pinned: stack.value(|o| o.pin).unwrap_or(false),
            granularity: stack.value(|o| o.granularity),
            costs: costs_file(stack.value(|o| o.costs.clone())),
            store: self.store_folder(&stack, level),
            audit: stack.value(|o| o.audit).unwrap_or_default(),
            events: stack.value(|o| o.events.clone()),
            pictures: stack.value(|o| o.pictures).unwrap_or_default(),
            allow_commands: stack.value(|o| o.allow_commands).unwrap_or(false),
            until_decided: until_decided(stack.value(|o| o.until), stack.value(|o| o.at_most))?,
            ..RunSettings::default()
        })
    }

    /// The store of results where there is no study.
    pub fn store(&self) -> Option<StoreFolder> {
        self.store_folder(&Stack::new(self, &RunOptions::default()), Level::default())
    }

    /// The folder that was named, or the default; `none` switches it off, and so does a run without reuse.
    fn store_folder(&self, stack: &Stack<'_>, level: Level) -> Option<StoreFolder> {
        let folder = match stack.value(|o| o.store.clone()) {
            _ if level == Level::None => None,
            Some(path) if path.as_os_str() == "none" => None,
            Some(path) => Some(StoreFolder::new(path)),
            None => self.default_store.clone(),
        };
        let (size, blobs) = (stack.value(|o| o.store_size), stack.value(|o| o.blobs.clone()));
        folder.map(|folder| folder.with_size(size).with_blobs(blobs))
    }

    /// Buckets are for machines that share no memory, so that duplicates are not looked for across them.
    pub(super) fn default_level(&self) -> Level {
        if self.merge.is_empty() { Level::default() } else { Level::Dataflow }
    }
}

/// Both or neither: a run until something is decided has a bound, and a bound is that of such a run.
fn until_decided(
    until: Option<RunUntil>,
    at_most: Option<RunBound>,
) -> Result<Option<RunBound>, EngineError> {
    let error = match (until, at_most) {
        (Some(RunUntil::Decided), Some(bound)) => return Ok(Some(bound)),
        (None, None) => return Ok(None),
        (Some(RunUntil::Decided), None) => {
            Diagnostic::error("a run until every verdict is decided needs a bound")
                .expected_found("at_most, such as \"2 h\" or \"5000 rows\"", "no such setting")
                .with_hint("add --at-most 2h to the command, or at_most = \"2 h\" to [run] in the study")
        }
        (None, Some(bound)) => Diagnostic::error("at_most bounds a run until every verdict is decided")
            .expected_found("until = \"decided\" beside it", format!("at_most = \"{bound}\" alone"))
            .with_hint("add --until decided to the command, or leave at_most out"),
    };
    Err(error.into())
}

/// The file that was named, or the user's own; `none` switches it off.
fn costs_file(named: Option<PathBuf>) -> Option<CostsFile> {
    match named {
        Some(path) if path.as_os_str() == "none" => None,
        Some(path) => Some(CostsFile::new(path)),
        None => CostsFile::of_user(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(n: usize) -> RunOptions {
        RunOptions { workers: Some(n), ..RunOptions::default() }
    }

    #[test]
    fn stronger_layers_win_and_every_value_knows_its_origin() {
        let run = RunSection { workers: Some(3), ..RunSection::default() };
        let study = RunOptions::of_study(&run);
        let mut layers = SettingsLayers {
            command_line: workers(1),
            environment: workers(2),
            profile: Some(("lab.toml".into(), workers(4))),
            ..SettingsLayers::default()
        };
        let found = |layers: &SettingsLayers, study: &RunOptions| {
            let (value, origin) = Stack::new(layers, study).first("workers", |o| o.workers);
            (value, origin.to_string())
        };
        assert_eq!(found(&layers, &study), (Some(1), "command line".into()));
        layers.command_line = RunOptions::default();
        assert_eq!(found(&layers, &study), (Some(2), "environment ONCEFLOW_WORKERS".into()));
        layers.environment = RunOptions::default();
        assert_eq!(found(&layers, &study), (Some(3), "study".into()));
        assert_eq!(found(&layers, &RunOptions::default()), (Some(4), "profile lab.toml".into()));
        layers.profile = None;
        assert_eq!(found(&layers, &RunOptions::default()), (None, "default".into()));
    }

    #[test]
    fn buckets_lower_the_default_level() {
        let mut layers = SettingsLayers::default();
        let level = |layers: &SettingsLayers| layers.resolve_section(&RunSection::default()).unwrap().level;
        assert_eq!(level(&layers), Level::Object);
        layers.merge.algorithm = Some(super::super::MergeAlgorithm::Auto);
        assert_eq!(level(&layers), Level::Dataflow);
        layers.command_line.reuse = Some(Level::Object);
        assert!(layers.resolve_section(&RunSection::default()).is_err(), "buckets share no memory");
    }
}
