//! One layer of settings: what a command line, the environment, a study or a profile says; everything is optional.

use std::ffi::OsString;
use std::path::PathBuf;

use onceflow_cluster::SiteProfile;
use onceflow_reuse::{Granularity, Level};
use onceflow_runtime::Policy;
use onceflow_store::staging::Staging;
use onceflow_study::{Diagnostic, RunBound, RunSection, RunUntil, Size};

use super::audit::AuditShare;
use super::run::PictureChoice;
use crate::EngineError;

/// One layer of settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOptions {
    /// Reuse level.
    pub reuse: Option<Level>,
    /// Threads that run tasks.
    pub workers: Option<usize>,
    /// Memory bound in bytes.
    pub memory: Option<u64>,
    /// Whether each worker stays on one processor.
    pub pin: Option<bool>,
    /// Folder for results that do not fit in memory.
    pub scratch: Option<PathBuf>,
    /// Which threads write these results.
    pub staging: Option<Staging>,
    /// File of measured task costs; `none` switches it off.
    pub costs: Option<PathBuf>,
    /// Folder of results of earlier runs; `none` switches it off.
    pub store: Option<PathBuf>,
    /// Bytes that they may take.
    pub store_size: Option<u64>,
    /// The folder of the results themselves, when the store has only the index.
    pub blobs: Option<PathBuf>,
    /// Share of the results in it that are computed again and compared.
    pub audit: Option<AuditShare>,
    /// Task granularity.
    pub granularity: Option<Granularity>,
    /// How the next task is chosen.
    pub policy: Option<Policy>,
    /// File or pipe for events.
    pub events: Option<PathBuf>,
    /// Which pictures the report has.
    pub pictures: Option<PictureChoice>,
    /// Whether commands of the workflow may be run.
    pub allow_commands: Option<bool>,
    /// When a run ends.
    pub until: Option<RunUntil>,
    /// How far it may go until then.
    pub at_most: Option<RunBound>,
    /// The last level of a registration that is run; only the command line says it.
    pub stop_after: Option<u32>,
    /// The last level of a registration whose products of earlier runs are taken; only the command line says it.
    pub reuse_levels: Option<u32>,
    /// What the batch system of a site wants of jobs; only profiles say it.
    pub site: Option<SiteProfile>,
}

/// A key of a layer, and why its value was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no such key.
    Key,
    /// The value cannot be read.
    Value(String),
}

/// The most workers.
const MOST_WORKERS: usize = 4096;

impl RunOptions {
    /// Every key, as profiles and `ONCEFLOW_*` variables spell it.
    pub const KEYS: [&'static str; 18] = [
        "reuse",
        "workers",
        "memory",
        "pin",
        "scratch",
        "staging",
        "costs",
        "store",
        "store_size",
        "blobs",
        "audit",
        "granularity",
        "policy",
        "events",
        "pictures",
        "allow_commands",
        "until",
        "at_most",
    ];

    /// The layer of a study's `[run]` section. Its words were checked when the study was read.
    pub(super) fn of_study(run: &RunSection) -> Self {
        Self {
            workers: run.workers.and_then(|n| usize::try_from(n).ok()),
            memory: run.memory,
            staging: run.staging.as_deref().and_then(|words| words.parse().ok()),
            granularity: run.granularity.and_then(Granularity::from_word),
            until: run.until,
            at_most: run.at_most,
            ..Self::default()
        }
    }

    /// The layer of the variables `ONCEFLOW_REUSE`, `ONCEFLOW_WORKERS` and so on.
    ///
    /// # Errors
    /// When a variable has a value that cannot be read.
    pub fn from_environment() -> Result<Self, EngineError> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, EngineError> {
        let mut options = Self::default();
        for key in Self::KEYS {
            let name = variable_name(key);
            let Some(value) = variable(&name).filter(|value| !value.is_empty()) else { continue };
            if let Err(Refused::Value(expected)) = options.set_variable(key, &value) {
                let error = Diagnostic::error(format!("invalid value of the variable {name}"));
                let error = error.expected_found(expected, format!("`{}`", value.to_string_lossy()));
                return Err(error.with_hint(format!("unset {name}, or give it such a value")).into());
            }
        }
        Ok(options)
    }

    /// The layer of keys with their values as texts, as a program in another language gives them.
    ///
    /// # Errors
    /// When there is no such key, or its value cannot be read.
    pub fn from_texts<'a>(given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, EngineError> {
        let mut options = Self::default();
        for (key, text) in given {
            options.set(key, text).map_err(|refused| match refused {
                Refused::Key => {
                    let error = Diagnostic::error(format!("there is no setting `{key}`"));
                    error.expected_found(format!("one of {}", Self::KEYS.join(", ")), format!("`{key}`"))
                }
                Refused::Value(expected) => {
                    let error = Diagnostic::error(format!("invalid value of the setting {key}"));
                    error.expected_found(expected, format!("`{text}`"))
                }
            })?;
        }
        Ok(options)
    }

    /// Sets a key from an environment variable; a path need not be UTF-8.
    fn set_variable(&mut self, key: &str, value: &OsString) -> Result<(), Refused> {
        match value.to_str() {
            Some(text) => self.set(key, text),
            None if self.set_path(key, value.into()) => Ok(()),
            None => Err(Refused::Value("UTF-8 text".into())),
        }
    }

    /// Sets a key whose values are paths; other keys are not changed.
    fn set_path(&mut self, key: &str, path: PathBuf) -> bool {
        let option = match key {
            "scratch" => &mut self.scratch,
            "costs" => &mut self.costs,
            "store" => &mut self.store,
            "blobs" => &mut self.blobs,
            "events" => &mut self.events,
            _ => return false,
        };
        *option = Some(path);
        true
    }

    /// Whether the values of a key are paths.
    pub(super) fn is_path(key: &str) -> bool {
        Self::default().set_path(key, PathBuf::new())
    }

    /// Sets a key from its text.
    pub(super) fn set(&mut self, key: &str, text: &str) -> Result<(), Refused> {
        match key {
            "reuse" => self.reuse = Some(word(Level::from_word(text), &Level::ALL.map(Level::word))?),
            "workers" => self.workers = Some(workers(text)?),
            "memory" => self.memory = Some(Size::parse(text).map_err(refused)?.0),
            "store_size" => self.store_size = Some(Size::parse(text).map_err(refused)?.0),
            "pin" => self.pin = Some(flag(text)?),
            "audit" => self.audit = Some(text.parse().map_err(refused)?),
            "staging" => self.staging = Some(text.parse().map_err(refused)?),
            "granularity" => {
                let found = Granularity::from_word(text);
                self.granularity = Some(word(found, &RunSection::GRANULARITIES)?);
            }
            "policy" => self.policy = Some(Policy::parse(text).map_err(refused)?),
            "pictures" => {
                let found = PictureChoice::from_word(text);
                self.pictures = Some(word(found, &PictureChoice::ALL.map(PictureChoice::word))?);
            }
            "allow_commands" => self.allow_commands = Some(flag(text)?),
            "until" => {
                self.until = Some(word(RunUntil::from_word(text), &RunUntil::WORDS.map(|(word, _)| word))?)
            }
            "at_most" => self.at_most = Some(RunBound::parse(text).map_err(refused)?),
            _ if self.set_path(key, text.into()) => {}
            _ => return Err(Refused::Key),
        }
        Ok(())
    }
}

/// The environment variable of a key.
pub(super) fn variable_name(key: &str) -> String {
    format!("ONCEFLOW_{}", key.to_uppercase())
}

/// What an error expected: errors read `expected A, found B; do C`.
fn refused(error: impl std::fmt::Display) -> Refused {
    let text = error.to_string();
    let expected = text.strip_prefix("expected ").and_then(|text| Some(text.split_once(", found ")?.0));
    Refused::Value(expected.unwrap_or(&text).to_owned())
}

fn word<T>(found: Option<T>, words: &[&str]) -> Result<T, Refused> {
    found.ok_or_else(|| Refused::Value(format!("one of {}", words.join(", "))))
}

fn workers(text: &str) -> Result<usize, Refused> {
    let number = text.trim().parse().ok().filter(|n| (1..=MOST_WORKERS).contains(n));
    number.ok_or_else(|| Refused::Value(format!("a number from 1 to {MOST_WORKERS}")))
}

/// As the command line reads flags from the environment.
fn flag(text: &str) -> Result<bool, Refused> {
    match text.to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" | "y" | "t" => Ok(true),
        "0" | "false" | "no" | "off" | "n" | "f" => Ok(false),
        _ => Err(Refused::Value("true or false".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_can_be_set_and_no_other() {
        let values = [
            "object",
            "4",
            "2 GiB",
            "true",
            "/fast",
            "co-located",
            "none",
            "none",
            "20 GiB",
            "/blobs",
            "1%",
            "auto",
            "fcfs",
            "e.jsonl",
            "all",
            "yes",
            "decided",
            "2 h",
        ];
        assert_eq!(RunOptions::KEYS.len(), values.len());
        let mut options = RunOptions::default();
        for (key, value) in RunOptions::KEYS.into_iter().zip(values) {
            assert_eq!(options.set(key, value), Ok(()), "{key}");
        }
        assert_eq!((options.workers, options.memory), (Some(4), Some(2 << 30)));
        assert_eq!(options.set("threads", "4"), Err(Refused::Key));
    }

    #[test]
    fn values_that_cannot_be_read_are_refused_with_what_was_expected() {
        for (key, value, expected) in [
            ("reuse", "all", "one of none, stage, task, dataflow, convergent, object"),
            ("workers", "0", "a number from 1 to 4096"),
            ("memory", "lots", "a size such as \"2 GiB\", \"600 MiB\", \"512 kB\" or a number of bytes"),
            ("pin", "perhaps", "true or false"),
        ] {
            assert_eq!(RunOptions::default().set(key, value), Err(Refused::Value(expected.into())));
        }
    }

    #[test]
    fn texts_are_read_and_mistakes_named() {
        let read = RunOptions::from_texts([("workers", "3"), ("memory", "2 GiB")]).unwrap();
        assert_eq!((read.workers, read.memory), (Some(3), Some(2 << 30)));
        let refused = |given| RunOptions::from_texts([given]).unwrap_err().to_string();
        assert!(refused(("threads", "4")).contains("one of reuse, workers"));
        assert!(refused(("workers", "0")).contains("a number from 1 to 4096"));
    }

    #[test]
    fn variables_name_their_key() {
        let set = |name: &str| (name == "ONCEFLOW_WORKERS").then(|| "3".into());
        assert_eq!(RunOptions::from_variables(set).unwrap().workers, Some(3));
        let wrong = |name: &str| (name == "ONCEFLOW_WORKERS").then(|| "many".into());
        let error = RunOptions::from_variables(wrong).unwrap_err().to_string();
        assert!(error.contains("ONCEFLOW_WORKERS"), "{error}");
    }
}
