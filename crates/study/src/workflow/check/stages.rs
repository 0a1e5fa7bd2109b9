//! Stages: inputs, outputs, stand-ins for outputs of stages that end early, and dependencies.

use std::collections::{HashMap, HashSet};

use super::WorkflowChecker;
use crate::Diagnostic;
use crate::workflow::{NameRole, Stage, StageStep, Task};

impl<'w> WorkflowChecker<'w> {
    pub(super) fn check_stages(&mut self) {
        let stages = &self.workflow.stages;
        self.check_repeated("stages", stages.iter().map(|s| (s.name.as_str(), s.place.as_ref())));
        let names: HashSet<&str> = stages.iter().map(|s| s.name.as_str()).collect();
        for stage in stages {
            self.check_after(&names, &stage.after, |name| stage.place_of(NameRole::After, name));
            self.check_stage(stage);
            self.check_ended(stage);
        }
    }

    fn check_stage(&mut self, stage: &'w Stage) {
        self.check_boundary(stage);
        let steps = &stage.steps;
        self.check_repeated("steps of a stage", steps.iter().map(|s| (s.name(), s.place())));
        let names: HashSet<&str> = steps.iter().map(StageStep::name).collect();
        for step in steps {
            match step {
                StageStep::Task(task) => {
                    self.check_after(&names, &task.after, |n| task.place_of(NameRole::After, n))
                }
                StageStep::Stage(inner) => {
                    self.check_after(&names, &inner.after, |n| inner.place_of(NameRole::After, n));
                    self.check_nested(inner);
                }
            }
        }
    }

    fn check_nested(&mut self, inner: &'w Stage) {
        if let Some(name) = inner.ended.keys().next() {
            let diagnostic =
                Diagnostic::error("a nested stage says what stands for its regions when it ends")
                    .at_place(inner.place_of(NameRole::Ended, name).as_ref(), "")
                    .with_why("a task that ends, ends the stage that is not nested")
                    .with_hint("move `ended` to that stage");
            self.push(diagnostic);
        }
        self.check_stage(inner);
    }

    fn check_after(
        &mut self,
        known: &HashSet<&str>,
        after: &[String],
        place_of: impl Fn(&str) -> Option<crate::SourceLocation>,
    ) {
        for name in after.iter().filter(|name| !known.contains(name.as_str())) {
            let message = format!("`after` names `{name}`, which is not a step beside it");
            self.unknown(message, place_of(name).as_ref(), name, || sorted_names(known));
        }
    }

    /// What is taken from outside must be in `in`, what is used outside must be in `out`, and nothing else.
    fn check_boundary(&mut self, stage: &'w Stage) {
        let made: HashSet<&str> = stage.tasks().flat_map(|t| &t.outputs).map(String::as_str).collect();
        let mut inside: HashMap<&str, usize> = HashMap::new();
        for region in stage.tasks().flat_map(|task| task.inputs.iter().chain(&task.forwards)) {
            *inside.entry(region).or_insert(0) += 1;
        }
        self.check_inputs(stage, &made, &inside);
        self.check_stage_outputs(stage, &made, &inside);
    }

    fn check_inputs(&mut self, stage: &'w Stage, made: &HashSet<&str>, inside: &HashMap<&str, usize>) {
        let mut known: HashSet<&str> =
            stage.inputs.iter().map(String::as_str).chain(made.iter().copied()).collect();
        for task in stage.tasks() {
            for region in &task.inputs {
                // Undeclared names are reported elsewhere.
                if self.regions.contains_key(region.as_str()) && known.insert(region) {
                    self.push(does_not_go_in(stage, task, region));
                }
            }
        }
        let takes_known = stage.tasks().all(|task| task.op.takes_are_known());
        for region in &stage.inputs {
            let diagnostic = if made.contains(region.as_str()) {
                Diagnostic::error(format!(
                    "stage `{}` takes `{region}`, which one of its own tasks makes",
                    stage.name
                ))
            } else if takes_known && !inside.contains_key(region.as_str()) {
                Diagnostic::warning(format!("no task of stage `{}` takes `{region}`", stage.name))
            } else {
                continue;
            };
            let place = stage.place_of(NameRole::Input, region);
            self.push(diagnostic.at_place(place.as_ref(), "").with_hint("take it away from `in`"));
        }
    }

    fn check_stage_outputs(&mut self, stage: &'w Stage, made: &HashSet<&str>, inside: &HashMap<&str, usize>) {
        for region in stage.outputs.iter().filter(|region| !made.contains(region.as_str())) {
            let message = format!("no task of stage `{}` makes `{region}`", stage.name);
            let place = stage.place_of(NameRole::Output, region);
            self.unknown(message, place.as_ref(), region, || sorted_names(made));
        }
        let outside = |region: &str| {
            let elsewhere =
                self.uses.get(region).copied().unwrap_or(0) > inside.get(region).copied().unwrap_or(0);
            elsewhere || self.outputs.contains(region)
        };
        let declared: HashSet<&str> = stage.outputs.iter().map(String::as_str).collect();
        let mut missing: Vec<_> = made.iter().filter(|r| !declared.contains(**r) && outside(r)).collect();
        missing.sort_unstable();
        for region in missing {
            let message =
                format!("`{region}` is used outside stage `{}`, but does not come out of it", stage.name);
            let diagnostic = Diagnostic::error(message)
                .at_place(stage.place.as_ref(), "")
                .with_hint(format!("add `{region}` to the `out` of `{}`", stage.name));
            self.push(diagnostic);
        }
    }

    /// When something can end a stage, each of its outputs needs a stand-in.
    fn check_ended(&mut self, stage: &'w Stage) {
        let ender = stage.tasks().find(|task| !task.ends.is_empty());
        let outputs: HashSet<&String> = stage.outputs.iter().collect();
        for region in stage.ended.keys().filter(|region| !outputs.contains(region)) {
            let message =
                format!("`ended` names `{region}`, which does not come out of stage `{}`", stage.name);
            let known = || stage.outputs.iter().map(String::as_str).collect();
            self.unknown(message, stage.place_of(NameRole::Ended, region).as_ref(), region, known);
        }
        match ender {
            Some(task) => {
                for region in stage.outputs.iter().filter(|region| !stage.ended.contains_key(*region)) {
                    let message = format!(
                        "task `{}` may end stage `{}`, and nothing stands for `{region}`",
                        task.name, stage.name
                    );
                    let diagnostic = Diagnostic::error(message)
                        .at_place(stage.place_of(NameRole::Output, region).as_ref(), "")
                        .with_hint(format!("write \"ended\": {{ \"{region}\": \"empty\" }}"));
                    self.push(diagnostic);
                }
            }
            None if !stage.ended.is_empty() => {
                let diagnostic = Diagnostic::warning(format!("no task ends stage `{}` early", stage.name))
                    .at_place(stage.place.as_ref(), "")
                    .with_hint("take `ended` away, or write `ends` in the task that does");
                self.push(diagnostic);
            }
            None => {}
        }
    }
}

fn sorted_names<'k>(names: &HashSet<&'k str>) -> Vec<&'k str> {
    let mut names: Vec<_> = names.iter().copied().collect();
    names.sort_unstable();
    names
}

fn does_not_go_in(stage: &Stage, task: &Task, region: &str) -> Diagnostic {
    let message =
        format!("task `{}` takes `{region}`, which does not go into stage `{}`", task.name, stage.name);
    let hint = format!("add `{region}` to the `in` of `{}`, or let one of its tasks make it", stage.name);
    Diagnostic::error(message)
        .at_place(task.place_of(NameRole::Input, region).as_ref(), "")
        .at_place(stage.place.as_ref(), "the stage")
        .with_hint(hint)
}
