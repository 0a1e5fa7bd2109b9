//! A program: placeholders in its arguments are declared and what is declared is used, its files stay beside the
//! descriptor, and its regions are of kinds that have a file.

use std::collections::HashSet;

use super::WorkflowChecker;
use crate::workflow::argument::placeholders;
use crate::workflow::{NameRole, ProgramCommand, Task};
use crate::{Diagnostic, RegionKind};

impl<'w> WorkflowChecker<'w> {
    pub(super) fn check_command(&mut self, task: &'w Task, command: &'w ProgramCommand) {
        self.check_files(task, &command.files);
        self.check_container(task, command);
        self.check_kinds(task, "program");
        let declared = declared_by(task);
        self.check_clashes(task, &declared);
        let mut used = HashSet::new();
        let mut readable = true;
        for argument in &command.command {
            match placeholders(argument) {
                Ok(names) => {
                    self.check_placeholders(task, argument, &names, &declared);
                    used.extend(names);
                }
                Err(found) => {
                    readable = false;
                    let place = task.place_of(NameRole::Declares, argument);
                    let diagnostic = Diagnostic::error("an argument has a brace without its partner")
                        .at_place(place.as_ref(), "")
                        .expected_found("`{name}`, or `{{` and `}}` for the braces themselves", found);
                    self.push(diagnostic);
                }
            }
        }
        if command.serve {
            self.check_served(task, command);
        } else if readable {
            self.check_unused(task, &declared, &used);
        }
    }

    /// A descriptor may come from another person: it may name files beside it, not any file of this machine.
    pub(super) fn check_files(&mut self, task: &'w Task, files: impl IntoIterator<Item = &'w String>) {
        for file in files {
            if let Some(expected) = misplaced(file) {
                let diagnostic = Diagnostic::error(format!("task `{}` cannot be given `{file}`", task.name))
                    .at_place(task.place_of(NameRole::File, file).as_ref(), "")
                    .expected_found(expected, format!("`{file}`"))
                    .with_hint("put the file beside the descriptor, or under it");
                self.push(diagnostic);
            }
        }
    }

    fn check_container(&mut self, task: &'w Task, command: &'w ProgramCommand) {
        let tag =
            command.container.as_ref().filter(|name| !is_container_file(name) && !name.contains("@sha256:"));
        if let Some(name) = tag {
            let diagnostic = Diagnostic::warning(format!("`{name}` may become another image without notice"))
                .at_place(task.place_of(NameRole::File, name).as_ref(), "")
                .with_why("its name is in the key of the task, its content is not: results of both would be taken for one")
                .with_hint("name a file that ends in .sif, or write the image as name@sha256:…");
            self.push(diagnostic);
        }
    }

    /// `what` is a word for the operation.
    pub(super) fn check_kinds(&mut self, task: &'w Task, what: &str) {
        let inputs = task.inputs.iter().map(|name| (NameRole::Input, name));
        let outputs = task.outputs.iter().map(|name| (NameRole::Output, name));
        for (role, name) in inputs.chain(outputs) {
            let declared = self.regions.get(name.as_str()).copied();
            if let Some(region) = declared.filter(|region| !region.kind.has_file()) {
                let message = format!("a {what} cannot be given or asked for `{name}`, a {}", region.kind);
                let known = RegionKind::ALL.into_iter().filter(|kind| kind.has_file());
                let known: Vec<_> = known.map(RegionKind::word).collect();
                let diagnostic = Diagnostic::error(message)
                    .at_place(task.place_of(role, name).as_ref(), "")
                    .at_place(region.place.as_ref(), "declared here")
                    .expected_found(format!("one of {}", known.join(", ")), region.kind.word());
                self.push(diagnostic);
            }
        }
    }

    /// A program that serves is started once for many tasks, so its arguments cannot be those of one of them.
    fn check_served(&mut self, task: &'w Task, command: &'w ProgramCommand) {
        let holds = |argument: &&String| placeholders(argument).is_ok_and(|names| !names.is_empty());
        if let Some(argument) = command.command.iter().find(holds) {
            let diagnostic = Diagnostic::error("a program that serves is started once for many tasks")
                .at_place(task.place_of(NameRole::Declares, argument).as_ref(), "")
                .expected_found("arguments without placeholders", format!("`{argument}`"))
                .with_hint("take them away: the line of each task says its inputs, outputs and parameters");
            self.push(diagnostic);
        }
    }

    fn check_placeholders(
        &mut self,
        task: &'w Task,
        argument: &str,
        names: &[&str],
        declared: &[(NameRole, &'w str)],
    ) {
        let known: HashSet<&str> = declared.iter().map(|(_, name)| *name).collect();
        for name in names.iter().filter(|name| !known.contains(**name)) {
            let message = format!("task `{}` does not declare the placeholder `{{{name}}}`", task.name);
            let place = task.place_of(NameRole::Declares, argument);
            self.unknown(message, place.as_ref(), name, || declared.iter().map(|(_, name)| *name).collect());
        }
    }

    fn check_clashes(&mut self, task: &'w Task, declared: &[(NameRole, &'w str)]) {
        let mut seen: HashSet<&str> = HashSet::new();
        for (role, name) in declared {
            if !seen.insert(name) {
                let message = format!(
                    "task `{}` declares `{name}` twice, so `{{{name}}}` would mean two things",
                    task.name
                );
                let diagnostic = Diagnostic::error(message).at_place(task.place_of(*role, name).as_ref(), "");
                self.push(
                    diagnostic
                        .with_hint("bind the parameter under another name: \"reads\": { \"other\": … }"),
                );
            }
        }
    }

    fn check_unused(&mut self, task: &'w Task, declared: &[(NameRole, &'w str)], used: &HashSet<&str>) {
        for (role, name) in declared.iter().filter(|(_, name)| !used.contains(name)) {
            let message = format!("the command of task `{}` does not use `{name}`", task.name);
            let diagnostic = Diagnostic::warning(message)
                .at_place(task.place_of(*role, name).as_ref(), "")
                .with_why("the program cannot know it, yet it is part of the task's key")
                .with_hint(format!("write {{{name}}} in an argument, or do not declare it"));
            self.push(diagnostic);
        }
    }
}

/// Every name a placeholder may have. A region that is taken twice is one name.
fn declared_by(task: &Task) -> Vec<(NameRole, &str)> {
    let mut inputs: Vec<&str> = task.inputs.iter().map(String::as_str).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let inputs = inputs.into_iter().map(|name| (NameRole::Input, name));
    let outputs = task.outputs.iter().map(|name| (NameRole::Output, name.as_str()));
    let reads = task.reads.iter().map(|binding| (NameRole::Reads, binding.operation_parameter.as_str()));
    inputs.chain(outputs).chain(reads).collect()
}

/// What is expected instead of a file that a task may not use; `None` when it may.
fn misplaced(file: &str) -> Option<&'static str> {
    let mut parts = file.split(['/', '\\']);
    let first = parts.clone().next().unwrap_or_default();
    if parts.any(|part| matches!(part, "" | "." | "..")) || first.contains(':') {
        return Some("a path relative to the descriptor, without `..`");
    }
    RESERVED
        .contains(&first)
        .then_some("another name than those of the folders of regions, `inputs` and `outputs`")
}

/// Folders beside a program's files, where its regions are.
const RESERVED: [&str; 2] = ["inputs", "outputs"];

/// Whether a container is a file; otherwise it is the name of an image.
pub(crate) fn is_container_file(name: &str) -> bool {
    name.ends_with(".sif")
}

#[cfg(test)]
mod tests {
    use super::misplaced;

    #[test]
    fn files_stay_beside_the_descriptor() {
        for good in ["flood.py", "lib/a.py", "..a", "a..b/c"] {
            assert_eq!(misplaced(good), None, "{good}");
        }
        for bad in
            ["/etc/passwd", "../x", "a/../../x", "a//b", "./x", "a/", "c:\\x", "\\x", "inputs/x", "outputs"]
        {
            assert!(misplaced(bad).is_some(), "{bad}");
        }
    }
}
