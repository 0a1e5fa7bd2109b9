//! Nested stages become tasks of the stage around them.

use std::collections::HashMap;

use super::{Stage, StageStep, Task, Workflow};

impl Workflow {
    /// The same workflow without nested stages: task `t` of stage `inner` becomes the task `inner/t` of the stage around
    /// it, and steps that wait for `inner` wait for all its tasks. Iteration over lists of a nested stage of an imported
    /// workflow is not kept in its tasks: it is in the workflow before flattening.
    #[must_use]
    pub fn flatten(&self) -> Self {
        Self { stages: self.stages.iter().map(flatten_stage).collect(), ..self.clone() }
    }
}

fn flatten_stage(stage: &Stage) -> Stage {
    let steps = tasks_of(stage, "", &[]).into_iter().map(StageStep::Task).collect();
    let Stage { name, scope, inputs, outputs, ended, after, iteration, place, marks, .. } = stage.clone();
    Stage { name, scope, inputs, outputs, ended, after, iteration, steps, place, marks }
}

/// The tasks of a stage under `prefix`; all of them wait for the tasks named in `after`.
fn tasks_of(stage: &Stage, prefix: &str, after: &[String]) -> Vec<Task> {
    let names: HashMap<&str, Vec<String>> =
        stage.steps.iter().map(|s| (s.name(), names_of(s, prefix))).collect();
    let resolve = |step: &StageStep| {
        let own = step.after().iter().flat_map(|name| match names.get(name.as_str()) {
            Some(tasks) => tasks.clone(),
            None => vec![name.clone()],
        });
        let mut all: Vec<String> = after.iter().cloned().chain(own).collect();
        all.dedup();
        all
    };
    let mut tasks = Vec::new();
    for step in &stage.steps {
        let after = resolve(step);
        match step {
            StageStep::Task(task) => {
                tasks.push(Task { name: format!("{prefix}{}", task.name), after, ..task.clone() });
            }
            StageStep::Stage(inner) => {
                tasks.extend(tasks_of(inner, &format!("{prefix}{}/", inner.name), &after))
            }
        }
    }
    tasks
}

fn names_of(step: &StageStep, prefix: &str) -> Vec<String> {
    match step {
        StageStep::Task(task) => vec![format!("{prefix}{}", task.name)],
        StageStep::Stage(stage) => {
            let prefix = format!("{prefix}{}/", stage.name);
            stage.steps.iter().flat_map(|s| names_of(s, &prefix)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TaskOperation;

    fn task(name: &str, after: &[&str]) -> StageStep {
        let mut task = Task::new(name, TaskOperation::BuiltIn("x".into()));
        task.after = after.iter().map(|s| (*s).to_owned()).collect();
        StageStep::Task(task)
    }

    #[test]
    fn who_waits_for_a_nested_stage_waits_for_its_tasks() {
        let mut inner = Stage::new("in");
        inner.after = vec!["a".into()];
        inner.steps = vec![task("p", &[]), task("q", &["p"])];
        let mut outer = Stage::new("out");
        outer.steps = vec![task("a", &[]), StageStep::Stage(inner), task("b", &["in"])];
        let workflow = Workflow { stages: vec![outer], ..Workflow::default() };
        let flat = workflow.flatten();
        let shown: Vec<_> = flat.tasks().map(|t| format!("{}<{}", t.name, t.after.join(","))).collect();
        assert_eq!(shown, ["a<", "in/p<a", "in/q<a,in/p", "b<in/p,in/q"]);
        assert_eq!(flat.flatten(), flat);
    }
}
