//! Regions: each declared, made once, and used.

use super::WorkflowChecker;
use crate::Diagnostic;
use crate::PAIR_COLUMNS;
use crate::workflow::{NameRole, SourceLocation, Task, TaskOperation};

/// The region a study gives to every workflow.
const IMAGE: &str = "image";

/// The input that is the fixed volume of a pair.
const FIXED: &str = "fixed";

/// Whether a study gives an input of this name: the image, or what belongs to a pair of volumes.
fn is_given(name: &str) -> bool {
    [IMAGE, FIXED].contains(&name) || PAIR_COLUMNS.contains(&name)
}

impl<'w> WorkflowChecker<'w> {
    pub(super) fn check_flow(&mut self) {
        for task in self.workflow.tasks() {
            self.check_declared(task);
            self.check_made_once(task);
        }
        self.check_outputs();
        self.check_use();
    }

    fn check_declared(&mut self, task: &'w Task) {
        let roles = [
            (NameRole::Input, &task.inputs),
            (NameRole::Output, &task.outputs),
            (NameRole::Forwards, &task.forwards),
        ];
        for (role, names) in roles {
            for name in
                names.iter().filter(|name| !self.regions.contains_key(name.as_str())).collect::<Vec<_>>()
            {
                let place = task.place_of(role, name);
                let message =
                    format!("task `{}` names the region `{name}`, which is not declared", task.name);
                let regions = &self.workflow.regions;
                let known = || regions.iter().map(|r| r.name.as_str()).collect();
                self.unknown(message, place.as_ref(), name, known);
            }
        }
    }

    fn check_made_once(&mut self, task: &'w Task) {
        for region in &task.outputs {
            let first = self.makers.get(region.as_str()).copied().filter(|first| !std::ptr::eq(*first, task));
            if let Some(first) = first {
                let message =
                    format!("the region `{region}` is made twice, by `{}` and `{}`", first.name, task.name);
                let diagnostic = Diagnostic::error(message)
                    .at_place(task.place_of(NameRole::Output, region).as_ref(), "made again here")
                    .at_place(first.place_of(NameRole::Output, region).as_ref(), "made here first")
                    .with_hint("give the second one a name of its own");
                self.push(diagnostic);
            }
        }
    }

    fn check_outputs(&mut self) {
        let workflow = self.workflow;
        for name in &workflow.outputs {
            if self.makers.contains_key(name.as_str()) {
                continue;
            }
            let message = format!("no task makes `{name}`, which is an output of the workflow");
            let made = || workflow.tasks().flat_map(|t| &t.outputs).map(String::as_str).collect();
            let source = self.workflow.source.as_ref();
            let span = self.workflow.marks.get(NameRole::Output, name);
            let place = source.zip(span).map(|(source, span)| SourceLocation::new(source, span));
            self.unknown(message, place.as_ref(), name, made);
        }
    }

    fn check_use(&mut self) {
        let takes_known = self.workflow.tasks().all(|task| task.op.takes_are_known());
        let imported = self.workflow.tasks().any(|task| matches!(task.op, TaskOperation::Foreign(_)));
        for region in &self.workflow.regions {
            let name = region.name.as_str();
            let used = self.uses.contains_key(name) || self.outputs.contains(name) || !takes_known;
            let maker = self.makers.get(name).copied();
            let diagnostic = match (maker, used) {
                (Some(maker), false) => Diagnostic::warning(format!("the region `{name}` is not used"))
                    .at_place(maker.place_of(NameRole::Output, name).as_ref(), "made here")
                    .with_hint("take it away, or make it an output of the workflow"),
                (None, false) if !imported => Diagnostic::warning(format!(
                    "the region `{name}` is declared, but no task takes or makes it"
                ))
                .at_place(region.place.as_ref(), "")
                .with_hint("take it away"),
                (None, true) if !is_given(name) && !imported => {
                    Diagnostic::warning(format!("no task makes the region `{name}`"))
                        .at_place(region.place.as_ref(), "")
                        .with_why("it becomes an input of the workflow, and a study gives only `image`")
                        .with_hint(format!("name `{name}` in the `out` of the task that makes it"))
                }
                _ => continue,
            };
            self.push(diagnostic);
        }
    }
}
