//! How a program differs from what it was in an earlier run.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::ProgramTask;

impl ProgramTask {
    /// The files, container and words that differ from an earlier run, whose [`ProgramTask::to_json`] this is.
    pub fn changes_since(&self, earlier: Option<&Value>) -> Vec<String> {
        changes(earlier, &self.to_json())
    }
}

fn changes(before: Option<&Value>, now: &Value) -> Vec<String> {
    let Some(before) = before else { return vec!["it is new".into()] };
    let mut found = changed_files(before, now);
    let differs = |keys: [&str; 2]| keys.iter().any(|key| before[*key] != now[*key]);
    found.extend(differs(["container", "container_digest"]).then(|| "its container".to_owned()));
    found.extend(differs(["command", "serve"]).then(|| "its command".to_owned()));
    found.extend(changed_uses(&before["python"], &now["python"]));
    found
}

/// What a function uses: its source by the names of functions and constants, packages by their versions.
fn changed_uses(before: &Value, now: &Value) -> Vec<String> {
    let none = Map::new();
    let [old, new] = [before, now].map(|value| value["uses"].as_object().unwrap_or(&none));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let is_version = |value: &str| value.contains('.');
    let one = |name: &String| match (
        old.get(name).and_then(Value::as_str),
        new.get(name).and_then(Value::as_str),
    ) {
        (Some(one), Some(other)) if one == other => None,
        (Some(one), Some(other)) if is_version(one) && is_version(other) => {
            Some(format!("{name} {one} -> {other}"))
        }
        (Some(_), Some(_)) => Some(format!("the source of {name}")),
        (None, _) => Some(format!("{name} is new")),
        (_, None) => Some(format!("{name} is gone")),
    };
    let found: Vec<String> = names.into_iter().filter_map(one).collect();
    // A digest may differ by what has no name of its own.
    let unnamed = found.is_empty() && before["key"] != now["key"];
    if unnamed { vec!["its source".into()] } else { found }
}

fn changed_files(before: &Value, now: &Value) -> Vec<String> {
    let none = Map::new();
    let [old, new] = [before, now].map(|value| value["files"].as_object().unwrap_or(&none));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let file = |name: &String| match (old.get(name), new.get(name)) {
        (Some(one), Some(other)) if one == other => None,
        (Some(_), Some(_)) => Some(name.clone()),
        (None, _) => Some(format!("{name} is new")),
        (_, None) => Some(format!("{name} is gone")),
    };
    names.into_iter().filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_named() {
        let command = |file: &str, digest: Option<&str>| json!({ "task": "t", "command": ["a"], "files": { file: "1", "c": "2" }, "container": "x.sif", "container_digest": digest, "serve": false });
        let before = command("a.py", Some("7"));
        assert_eq!(changes(Some(&before), &before), Vec::<String>::new());
        assert_eq!(changes(None, &before), ["it is new"]);
        assert_eq!(
            changes(Some(&before), &command("b.py", Some("8"))),
            ["a.py is gone", "b.py is new", "its container"]
        );
        let mut edited = before.clone();
        edited["files"]["a.py"] = json!("3");
        edited["serve"] = json!(true);
        assert_eq!(changes(Some(&before), &edited), ["a.py", "its command"]);
        let python = |key: &str, split: &str, numpy: &str| {
            let mut task = before.clone();
            task["python"] = json!({ "key": key, "uses": { "split": split, "numpy": numpy } });
            task
        };
        let first = python("1", "ab", "2.1.0");
        assert_eq!(changes(Some(&first), &first), Vec::<String>::new());
        let said = changes(Some(&first), &python("2", "cd", "2.2.0"));
        assert_eq!(said, ["numpy 2.1.0 -> 2.2.0", "the source of split"]);
        assert_eq!(changes(Some(&first), &python("2", "ab", "2.1.0")), ["its source"]);
    }
}
