//! `onceflow config show`: every setting, its value and its origin.

use std::path::Path;

use onceflow_engine::{DocumentContent, ShownSetting, open_document};
use onceflow_study::{Diagnostic, RunSection};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Map, Value, json};

use crate::args::{ConfigArgs, ConfigShowArgs, ConfigVerb, SettingsArgs};
use crate::settings::layers;

/// Prints settings.
pub(crate) fn run(args: &ConfigArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let ConfigVerb::Show(args) = &args.verb;
    show(args, terminal)
}

fn show(args: &ConfigShowArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let settings = SettingsArgs::new(&args.machine, Some(&args.merge));
    let layers = layers(&SettingsArgs { growth: Some(&args.growth), ..settings })?;
    let run = args.study.as_deref().map(section).transpose()?;
    let settings = layers.show(run.as_ref()).map_err(engine_failure)?;
    if args.json {
        let object = |setting: &ShownSetting| {
            let value = json!({ "value": setting.value, "origin": setting.origin.to_string() });
            (setting.key.to_owned(), value)
        };
        let settings: Map<String, Value> = settings.iter().map(object).collect();
        terminal.json(&json!({ "version": 1, "settings": settings }))?;
    } else {
        terminal.result(&table(&settings))?;
    }
    Ok(Exit::Ok)
}

/// The `[run]` section of a study.
fn section(path: &Path) -> Result<RunSection, Failure> {
    let document = open_document(path).map_err(engine_failure)?;
    match document.content {
        Some(DocumentContent::Study(study, _)) => Ok(study.run.clone()),
        Some(_) => Err(Failure::bad_input(
            Diagnostic::error(format!("{} is not a study", path.display()))
                .expected_found("a study", document.kind.about())
                .with_hint("leave it out to see the settings of all studies"),
        )),
        None => Err(document.diagnostics.into()),
    }
}

fn table(settings: &[ShownSetting]) -> String {
    let widest = |of: fn(&ShownSetting) -> &str| {
        settings.iter().map(|setting| of(setting).chars().count()).max().unwrap_or(0)
    };
    let (key, value) = (widest(|s| s.key), widest(|s| &s.value));
    let line = |setting: &ShownSetting| {
        format!("{:key$}  {:value$}  {}\n", setting.key, setting.value, setting.origin)
    };
    settings.iter().map(line).collect()
}
