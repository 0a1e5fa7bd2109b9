//! What an edited program means for an earlier run: which tasks give other results, and what else runs again.

use onceflow_reuse::Flow;
use serde_json::Value;

use crate::OpenStudy;

impl OpenStudy {
    /// The commands that changed since an earlier run with these ([`OpenStudy::commands`]), and what runs again and why, in
    /// lines; empty when nothing changed.
    pub fn changed_commands(&self, earlier: &Value) -> Vec<String> {
        let before = |task: &str| earlier.as_array()?.iter().find(|other| other["task"] == task);
        let changed: Vec<(&str, Vec<String>)> = self
            .own
            .iter()
            .map(|task| (task.name.as_str(), task.changes_since(before(&task.name))))
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
        lines.push("  all rows        depend on what has changed, and will be replaced".into());
        lines
    }
}

/// Tasks whose results may differ, since they are among these or take something from one; and the others.
fn affected<'a>(flow: &'a Flow, changed: &[&str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut marked: Vec<bool> = Vec::new();
    for task in &flow.tasks {
        let takes = |input: &onceflow_reuse::FlowInput| {
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
