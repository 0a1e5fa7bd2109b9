//! Placeholders in the arguments of a program: each declared by the task, and what is declared is used.

use std::collections::HashSet;

use super::Checker;
use crate::Diagnostic;
use crate::workflow::{Command, Role, Task};

impl<'w> Checker<'w> {
    pub(super) fn check_command(&mut self, task: &'w Task, command: &'w Command) {
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
                    let place = task.place_of(Role::Declares, argument);
                    let diagnostic = Diagnostic::error("an argument has a brace without its partner")
                        .at_place(place.as_ref(), "")
                        .expected_found("`{name}`, or `{{` and `}}` for the braces themselves", found);
                    self.push(diagnostic);
                }
            }
        }
        // A program that serves is told what it needs line by line.
        if readable && !command.serve {
            self.check_unused(task, &declared, &used);
        }
    }

    fn check_placeholders(
        &mut self,
        task: &'w Task,
        argument: &str,
        names: &[&str],
        declared: &[(Role, &'w str)],
    ) {
        let known: HashSet<&str> = declared.iter().map(|(_, name)| *name).collect();
        for name in names.iter().filter(|name| !known.contains(**name)) {
            let message = format!("task `{}` does not declare the placeholder `{{{name}}}`", task.name);
            let place = task.place_of(Role::Declares, argument);
            self.unknown(message, place.as_ref(), name, || declared.iter().map(|(_, name)| *name).collect());
        }
    }

    fn check_clashes(&mut self, task: &'w Task, declared: &[(Role, &'w str)]) {
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

    fn check_unused(&mut self, task: &'w Task, declared: &[(Role, &'w str)], used: &HashSet<&str>) {
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
fn declared_by(task: &Task) -> Vec<(Role, &str)> {
    let mut inputs: Vec<&str> = task.inputs.iter().map(String::as_str).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let inputs = inputs.into_iter().map(|name| (Role::Input, name));
    let outputs = task.outputs.iter().map(|name| (Role::Output, name.as_str()));
    let reads = task.reads.iter().map(|binding| (Role::Reads, binding.operation_parameter.as_str()));
    inputs.chain(outputs).chain(reads).collect()
}

/// The names in braces; doubled braces stand for themselves. An error is the text from the lonely brace on.
pub(crate) fn placeholders(argument: &str) -> Result<Vec<&str>, &str> {
    let mut names = Vec::new();
    let mut rest = argument;
    while let Some(at) = rest.find(['{', '}']) {
        let tail = &rest[at..];
        if tail.starts_with("{{") || tail.starts_with("}}") {
            rest = &tail[2..];
            continue;
        }
        let end = tail.find('}').filter(|_| tail.starts_with('{')).ok_or(tail)?;
        let name = &tail[1..end];
        if name.contains('{') {
            return Err(tail);
        }
        names.push(name);
        rest = &tail[end + 1..];
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn braces_are_names_or_doubled() {
        assert_eq!(placeholders("--a={a},{b}"), Ok(vec!["a", "b"]));
        assert_eq!(placeholders("{{x}} {{{y}}}"), Ok(vec!["y"]));
        assert_eq!(placeholders("plain"), Ok(vec![]));
        assert_eq!(placeholders("{a"), Err("{a"));
        assert_eq!(placeholders("a}"), Err("}"));
        assert_eq!(placeholders("{a{b}"), Err("{a{b}"));
    }
}
