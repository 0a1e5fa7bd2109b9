//! Checks that a task reads exactly the parameters of its operation, with values of their kinds.

use std::collections::HashSet;

use super::WorkflowChecker;
use crate::workflow::{Binding, BoundValue, NameRole, Task};
use crate::{Diagnostic, OpParameter, OpSpec, ParameterKind, Value};

impl<'w> WorkflowChecker<'w> {
    pub(super) fn check_bindings(&mut self, task: &'w Task, spec: &'w OpSpec) {
        self.check_bound_once(task);
        for binding in &task.reads {
            let name = &binding.operation_parameter;
            match spec.parameter(name) {
                Some(parameter) => self.check_binding(task, spec, binding, parameter),
                None => {
                    let message = format!("`{}` does not read `{name}`", spec.id);
                    let place = task.place_of(NameRole::Reads, name);
                    let known = || spec.parameters.iter().map(|p| p.name.as_str()).collect();
                    self.unknown(message, place.as_ref(), name, known);
                }
            }
        }
        let bound = |p: &&OpParameter| task.reads.iter().any(|b| b.operation_parameter == p.name);
        let missing: Vec<_> = spec.parameters.iter().filter(|p| !bound(p)).map(|p| p.name.clone()).collect();
        if !missing.is_empty() {
            let found: Vec<_> = task.reads.iter().map(ToString::to_string).collect();
            let message = format!(
                "task `{}` does not say what `{}` reads as {}",
                task.name,
                spec.id,
                missing.join(", ")
            );
            let diagnostic = Diagnostic::error(message)
                .at_place(task.place.as_ref(), "")
                .expected_found(
                    spec.parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", "),
                    if found.is_empty() { "none".into() } else { found.join(", ") },
                )
                .with_hint("name them in `reads`");
            self.push(diagnostic);
        }
    }

    pub(super) fn check_external_bindings(&mut self, task: &'w Task) {
        self.check_bound_once(task);
        for binding in &task.reads {
            if let BoundValue::Parameter(name) = &binding.bound {
                self.check_parameter_exists(task, binding, name);
            }
        }
    }

    fn check_bound_once(&mut self, task: &'w Task) {
        let mut seen = HashSet::new();
        for binding in &task.reads {
            let name = binding.operation_parameter.as_str();
            if !seen.insert(name) {
                let diagnostic = Diagnostic::error(format!("task `{}` reads `{name}` twice", task.name));
                self.push(diagnostic.at_place(task.place_of(NameRole::Reads, name).as_ref(), ""));
            }
        }
    }

    fn check_parameter_exists(&mut self, task: &'w Task, binding: &Binding, name: &str) -> bool {
        let exists = self.parameters.contains_key(name);
        if !exists {
            let place = task.place_of(NameRole::Reads, &binding.operation_parameter);
            let parameters = &self.workflow.parameters;
            let message = format!("the workflow has no parameter `{name}`");
            self.unknown(message, place.as_ref(), name, || {
                parameters.iter().map(|p| p.name.as_str()).collect()
            });
        }
        exists
    }

    fn check_binding(&mut self, task: &'w Task, spec: &OpSpec, binding: &'w Binding, wanted: &OpParameter) {
        let place = task.place_of(NameRole::Reads, &wanted.name);
        match &binding.bound {
            BoundValue::Constant(value) => {
                if let Err(expected) = fits(wanted.kind, value) {
                    let message = format!("`{}` cannot read {value} as its `{}`", spec.id, wanted.name);
                    let diagnostic = Diagnostic::error(message).at_place(place.as_ref(), "");
                    self.push(diagnostic.expected_found(expected, value.to_string()));
                }
            }
            BoundValue::Parameter(name) if self.check_parameter_exists(task, binding, name) => {
                let declared = self.parameters.get(name.as_str()).copied();
                if let Some(declared) = declared.filter(|declared| declared.kind != wanted.kind) {
                    let message = format!(
                        "`{}` reads its `{}` in another way than `{name}` is declared",
                        spec.id, wanted.name
                    );
                    let diagnostic = Diagnostic::error(message)
                        .at_place(place.as_ref(), "")
                        .at_place(declared.place.as_ref(), "declared here")
                        .expected_found(wanted.kind.word(), declared.kind.word())
                        .with_hint(format!("write \"type\": \"{}\" for `{name}`", wanted.kind.word()));
                    self.push(diagnostic);
                }
            }
            BoundValue::Parameter(_) => {}
        }
    }
}

/// Whether a constant is in the form in which the operation reads it.
fn fits(kind: ParameterKind, value: &Value) -> Result<(), &'static str> {
    let number = value.as_f64();
    match kind {
        ParameterKind::Real if number.is_some() => Ok(()),
        ParameterKind::Real => Err("a number"),
        ParameterKind::Integer if number.is_some_and(|x| x.fract() == 0.0) => Ok(()),
        ParameterKind::Integer => Err("a whole number"),
        ParameterKind::Connectivity if number.is_some_and(|x| [4.0, 8.0].contains(&x)) => Ok(()),
        ParameterKind::Connectivity => Err("4 or 8"),
        ParameterKind::Category if number.is_none() => Ok(()),
        ParameterKind::Category => Err("a word"),
    }
}
