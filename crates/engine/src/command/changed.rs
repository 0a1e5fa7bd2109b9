//! What an edited program means for a run that is there already: which tasks give other results, and what else runs again.

use onceflow_reuse::Flow;
use serde_json::Value;

use crate::Prepared;

impl Prepared<'_> {
    /// What changed since a run with these commands, as [`Prepared::commands`] told them then, and what runs again and why; in
    /// lines. Nothing when nothing changed.
    pub fn changed_commands(&self, earlier: &Value) -> Vec<String> {
        let before = |task: &str| earlier.as_array()?.iter().find(|other| other["task"] == task);
        let changed: Vec<(&str, Vec<String>)> = self
            .own
            .iter()
            .map(|task| (task.name.as_str(), differences(before(&task.name), &task.to_json())))
            .filter(|(_, what)| !what.is_empty())
            .collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let names: Vec<&str> = changed.iter().map(|(task, _)| *task).collect();
        let (other, rest) = affected(&self.flow, &names);
        let mut lines: Vec<String> = changed
            .iter()
            .map(|(task, what)| format!("task {task} has changed since the last run: {}", what.join(", ")))
            .collect();
        lines.push(format!("  other results   {}", other.join(", ")));
        if !rest.is_empty() {
            lines.push(format!(
                "  run again       {}: regions between tasks are not kept from run to run",
                rest.join(", ")
            ));
        }
        lines.push(
            "  no row stands   each needs what has changed; the rows there are will be replaced".into(),
        );
        lines
    }
}

/// Files, container and words in which a command differs from what it was.
fn differences(before: Option<&Value>, now: &Value) -> Vec<String> {
    let Some(before) = before else { return vec!["it is new".into()] };
    let empty = serde_json::Map::new();
    let files = |value: &Value| value["files"].as_object().cloned().unwrap_or_else(|| empty.clone());
    let (old, new) = (files(before), files(now));
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let file = |name: &&String| match (old.get(*name), new.get(*name)) {
        (Some(one), Some(other)) if one == other => None,
        (Some(_), Some(_)) => Some((*name).clone()),
        (None, _) => Some(format!("{name} is new")),
        (_, None) => Some(format!("{name} is gone")),
    };
    let mut found: Vec<String> = names.iter().filter_map(file).collect();
    let container = ["container", "container_digest"].iter().any(|key| before[*key] != now[*key]);
    let command = ["command", "serve"].iter().any(|key| before[*key] != now[*key]);
    found.extend(container.then(|| "its container".to_owned()));
    found.extend(command.then(|| "its command".to_owned()));
    found
}

/// Tasks whose results may differ, since they are among these or take something from one; and the others.
fn affected<'a>(flow: &'a Flow, changed: &[&str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut marked: Vec<bool> = Vec::new();
    for task in &flow.tasks {
        let takes = |input: &onceflow_reuse::Input| {
            input.maker().is_some_and(|maker| marked.get(maker).copied().unwrap_or(false))
        };
        let affected = changed.contains(&task.name.as_str()) || task.inputs.iter().any(takes);
        marked.push(affected);
    }
    let names = |wanted: bool| {
        let tasks = flow.tasks.iter().zip(&marked).filter(|(_, marked)| **marked == wanted);
        tasks.map(|(task, _)| task.name.as_str()).collect()
    };
    (names(true), names(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_named() {
        let command = |file: &str, digest: Option<&str>| json!({ "task": "t", "command": ["a"], "files": { file: "1", "c": "2" }, "container": "x.sif", "container_digest": digest, "serve": false });
        let before = command("a.py", Some("7"));
        assert_eq!(differences(Some(&before), &before), Vec::<String>::new());
        assert_eq!(differences(None, &before), ["it is new"]);
        assert_eq!(
            differences(Some(&before), &command("b.py", Some("8"))),
            ["a.py is gone", "b.py is new", "its container"]
        );
        let mut edited = before.clone();
        edited["files"]["a.py"] = json!("3");
        edited["serve"] = json!(true);
        assert_eq!(differences(Some(&before), &edited), ["a.py", "its command"]);
    }
}
