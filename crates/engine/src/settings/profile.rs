//! Profiles: settings of a user or a laboratory in a TOML file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_study::{Data, Diagnostic, LocatedNode, SourceText, TableEntry, nearest, parse_toml};

use super::options::{Refused, RunOptions};
use crate::EngineError;
use crate::file::{TextLimit, read_text};

/// Reads the profile of a name or path, or the user's own when none is named.
///
/// A name without folder or ending means `onceflow/NAME.toml` in the user's configuration folder. The user's own is
/// `onceflow/profile.toml` there, and need not exist.
///
/// # Errors
/// When the file cannot be read, or has a key or a value that cannot be used.
pub fn read_profile(named: Option<&Path>) -> Result<Option<(PathBuf, RunOptions)>, EngineError> {
    let Some(path) = path_of(named) else { return Ok(None) };
    let source = read_text(&path, TextLimit::Description)?;
    Ok(Some((path, parse(&source)?)))
}

fn path_of(named: Option<&Path>) -> Option<PathBuf> {
    match named {
        Some(path) if path.components().count() > 1 || path.extension().is_some() => Some(path.into()),
        Some(name) => {
            let file = name.with_extension("toml");
            Some(config_folder().map_or_else(|| file.clone(), |folder| folder.join(&file)))
        }
        None => config_folder().map(|folder| folder.join("profile.toml")).filter(|path| path.is_file()),
    }
}

/// `onceflow` in `$XDG_CONFIG_HOME`, else in `~/.config`.
fn config_folder() -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || Some(std::env::home_dir().filter(|home| home.is_absolute())?.join(".config"));
    Some(set.or_else(home)?.join("onceflow"))
}

fn parse(source: &Arc<SourceText>) -> Result<RunOptions, EngineError> {
    let root = parse_toml(source).map_err(|diagnostic| EngineError::bad_input(*diagnostic))?;
    let mut options = RunOptions::default();
    for entry in root.as_table().map_or(&[][..], |table| &table.entries) {
        set(&mut options, source, entry)?;
    }
    Ok(options)
}

fn set(options: &mut RunOptions, source: &Arc<SourceText>, entry: &TableEntry) -> Result<(), EngineError> {
    match set_value(options, entry) {
        Ok(()) => Ok(()),
        Err(Refused::Value(expected)) => Err(Diagnostic::error(format!("invalid value of `{}`", entry.key))
            .at(source, entry.value.span, "")
            .expected_found(expected, entry.value.describe())
            .into()),
        Err(Refused::Key) => {
            let error = Diagnostic::error(format!("a profile has no key `{}`", entry.key))
                .at(source, entry.key_span, "")
                .expected_found(
                    format!("one of {}", RunOptions::KEYS.join(", ")),
                    format!("`{}`", entry.key),
                );
            let near = nearest(&entry.key, RunOptions::KEYS);
            Err(near.map_or(error.clone(), |near| error.with_hint(format!("did you mean `{near}`?"))).into())
        }
    }
}

/// Sets a key from a plain value. Paths must be texts; a list or a table cannot be read by the other keys.
fn set_value(options: &mut RunOptions, entry: &TableEntry) -> Result<(), Refused> {
    match &entry.value.data {
        Data::Table(table) if entry.key == "site" => set_site(options, &table.entries),
        Data::Text(text) => options.set(&entry.key, text),
        _ if RunOptions::is_path(&entry.key) => Err(Refused::Value("a path in quotes".into())),
        _ => options.set(&entry.key, &entry.value.describe()),
    }
}

/// Sets the table `[site]`.
fn set_site(options: &mut RunOptions, entries: &[TableEntry]) -> Result<(), Refused> {
    let site = options.site.get_or_insert_default();
    for TableEntry { key, value, .. } in entries {
        let text = |value: &LocatedNode| match &value.data {
            Data::Text(text) => text.to_string(),
            _ => value.describe(),
        };
        let values = match &value.data {
            Data::List(values) => values.iter().map(text).collect(),
            _ => vec![text(value)],
        };
        site.set(key, &values).map_err(|error| Refused::Value(format!("in [site], for `{key}`: {error}")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_says_what_its_jobs_are_like() {
        let options =
            read("workers = 2\n[site]\naccount = \"lab7\"\nworkers = 64\nmodules = [\"a\", \"b\"]\n");
        let site = options.unwrap().site.unwrap();
        assert_eq!((site.account.as_deref(), site.workers), (Some("lab7"), Some(64)));
        assert_eq!(site.modules, ["a", "b"]);
        assert!(read("[site]\nacount = \"lab7\"\n").unwrap_err().contains("one of account, partition"));
        assert!(read("[site]\nworkers = \"many\"\n").unwrap_err().contains("a number"));
        assert!(read("site = 3\n").unwrap_err().contains("site"));
    }

    fn read(text: &str) -> Result<RunOptions, String> {
        parse(&SourceText::new("lab.toml", text)).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_are_those_of_the_command_line() {
        let options = read("workers = 8\nmemory = \"16 GiB\"\npin = true\n").unwrap();
        assert_eq!((options.workers, options.memory, options.pin), (Some(8), Some(16 << 30), Some(true)));
    }

    #[test]
    fn other_keys_and_values_are_refused() {
        assert!(read("wokers = 8\n").unwrap_err().contains("wokers"));
        assert!(read("workers = [8]\n").unwrap_err().contains("workers"));
        assert!(read("scratch = [\"/fast\"]\n").unwrap_err().contains("a path in quotes"));
        assert!(read("workers = \n").is_err());
    }
}
