//! A task against its operation: regions it takes and makes, and the statuses it may end with.

use super::WorkflowChecker;
use crate::workflow::{NameRole, OperationDeclaration, Task, TaskOperation};
use crate::{Diagnostic, OpRegion, OpSpec, counted};

impl<'w> WorkflowChecker<'w> {
    pub(super) fn check_task(&mut self, task: &'w Task) {
        match &task.op {
            TaskOperation::BuiltIn(id) => match self.catalogue.get(id) {
                Some(spec) => self.check_built_in(task, spec),
                None => {
                    let place = task.place_of(NameRole::Operation, "");
                    let catalogue = self.catalogue;
                    let message = format!("there is no operation `{id}`");
                    self.unknown(message, place.as_ref(), id, || catalogue.ids().collect());
                }
            },
            TaskOperation::Command(command) => {
                self.check_command(task, command);
                self.check_external(task, &command.declared);
                if !command.serve {
                    let hint =
                        "take `ends` away, or let the program serve: it may then answer {\"ended\": …}";
                    self.check_no_statuses(task, hint);
                }
            }
            TaskOperation::Python(python) => {
                self.check_files(task, std::iter::once(&python.file).chain(&python.files));
                self.check_kinds(task, "Python function");
                self.check_external(task, &python.declared);
            }
            TaskOperation::Foreign(_) => {}
        }
    }

    fn check_built_in(&mut self, task: &'w Task, spec: &'w OpSpec) {
        self.check_regions(task, spec, NameRole::Input, &spec.inputs, &task.inputs);
        self.check_regions(task, spec, NameRole::Output, &spec.outputs, &task.outputs);
        self.check_bindings(task, spec);
        self.check_statuses(task, spec);
    }

    fn check_regions(
        &mut self,
        task: &'w Task,
        spec: &OpSpec,
        role: NameRole,
        wanted: &[OpRegion],
        names: &'w [String],
    ) {
        let verb = if role == NameRole::Input { "takes" } else { "makes" };
        if wanted.len() != names.len() {
            let diagnostic =
                Diagnostic::error(format!("`{}` {verb} {}", spec.id, counted(wanted.len(), "region")))
                    .at_place(task.place.as_ref(), "")
                    .expected_found(
                        described(wanted),
                        if names.is_empty() { "none".into() } else { names.join(", ") },
                    );
            self.push(diagnostic);
            return;
        }
        for (region, name) in wanted.iter().zip(names) {
            let declared = self.regions.get(name.as_str()).copied();
            if let Some(declared) = declared.filter(|declared| !declared.kind.fits(region.kind)) {
                let message = format!("`{}` {verb} a {} as its `{}`", spec.id, region.kind, region.name);
                let diagnostic = Diagnostic::error(message)
                    .at_place(task.place_of(role, name).as_ref(), "")
                    .at_place(declared.place.as_ref(), "declared here")
                    .expected_found(region.kind.word(), format!("`{name}`, a {}", declared.kind));
                self.push(diagnostic);
            }
        }
    }

    fn check_statuses(&mut self, task: &'w Task, spec: &'w OpSpec) {
        for status in task.ends.iter().filter(|status| !spec.statuses.contains(status)) {
            let message = format!("`{}` does not end with the status `{status}`", spec.id);
            let known = || spec.statuses.iter().map(String::as_str).collect();
            self.unknown(message, task.place_of(NameRole::Ends, status).as_ref(), status, known);
        }
        let unheard: Vec<_> = spec.statuses.iter().filter(|s| !task.ends.contains(s)).cloned().collect();
        if !unheard.is_empty() {
            let message = format!("task `{}` does not end with {}", task.name, unheard.join(", "));
            let diagnostic = Diagnostic::warning(message)
                .at_place(task.place.as_ref(), "")
                .with_why(format!(
                    "`{}` may find that there is nothing more to do; the tasks after it would run on",
                    spec.id
                ))
                .with_hint(format!("write \"ends\": [\"{}\"]", spec.statuses.join("\", \"")));
            self.push(diagnostic);
        }
    }

    fn check_no_statuses(&mut self, task: &'w Task, hint: &str) {
        if let Some(status) = task.ends.first() {
            let diagnostic = Diagnostic::error("an operation of your own has no statuses to end with")
                .at_place(task.place_of(NameRole::Ends, status).as_ref(), "")
                .with_hint(hint);
            self.push(diagnostic);
        }
    }

    fn check_external(&mut self, task: &'w Task, declared: &'w OperationDeclaration) {
        self.check_external_bindings(task);
        self.check_units(task, declared);
    }
}

/// `rc (u8), rc_recon (u8)`.
fn described(regions: &[OpRegion]) -> String {
    let regions: Vec<_> = regions.iter().map(|r| format!("{} ({})", r.name, r.kind)).collect();
    if regions.is_empty() { "none".into() } else { regions.join(", ") }
}
