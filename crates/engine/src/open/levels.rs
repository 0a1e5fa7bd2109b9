//! A workflow of registration cut off after a level: what follows takes the products of that level.

use std::collections::HashMap;

use onceflow_registration::LEVEL;
use onceflow_study::{Diagnostic, StageStep, Task, Workflow};
use serde_json::{Value, json};

use crate::EngineError;

/// The workflow without the levels after one of them, counted from 1.
pub(super) fn cut_after(workflow: &Workflow, level: u32) -> Result<Workflow, EngineError> {
    let levels: Vec<&Task> = workflow.tasks().filter(|task| is_level(task)).collect();
    let kept = levels.get(level.saturating_sub(1) as usize);
    let (Some(last), Some(kept)) = (levels.last(), kept) else {
        return Err(no_level(workflow, levels.len(), level));
    };
    let left_out: Vec<&String> = levels.iter().skip(level as usize).map(|task| &task.name).collect();
    let instead: HashMap<&String, &String> = last.outputs.iter().zip(&kept.outputs).collect();
    let mut cut = workflow.clone();
    for stage in &mut cut.stages {
        stage.steps.retain(|step| !left_out.iter().any(|name| step.name() == *name));
        for step in &mut stage.steps {
            if let StageStep::Task(task) = step
                && !is_level(task)
            {
                let other = |name: &String| instead.get(name).map_or(name, |other| *other).clone();
                task.inputs = task.inputs.iter().map(other).collect();
            }
        }
    }
    Ok(cut)
}

/// The text of a descriptor with the tasks of a cut workflow: a folder of a run that stopped earlier is that of another workflow.
pub(super) fn text_of(cut: &Workflow, text: &str) -> String {
    let Ok(mut descriptor) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    for stage in descriptor["stages"].as_array_mut().into_iter().flatten() {
        let Some(tasks) = stage["tasks"].as_array_mut() else { continue };
        let of_cut = |task: &Value| cut.tasks().find(|other| task["task"] == other.name.as_str());
        tasks.retain(|task| of_cut(task).is_some());
        for task in tasks {
            if let Some(inputs) = of_cut(task).map(|other| json!(other.inputs)) {
                task["in"] = inputs;
            }
        }
    }
    format!("{descriptor:#}\n")
}

fn is_level(task: &Task) -> bool {
    task.op.built_in() == Some(LEVEL)
}

fn no_level(workflow: &Workflow, levels: usize, asked: u32) -> EngineError {
    let message = Diagnostic::error(format!("there is no level {asked} to stop after"));
    if levels == 0 {
        let found = format!("`{}`, which has no levels", workflow.name);
        let message = message.expected_found("the workflow registration or registration-paper", found);
        return message.with_hint("take --stop-after away").into();
    }
    message.expected_found(format!("a level from 1 to {levels}"), asked.to_string()).into()
}

#[cfg(test)]
mod tests {
    use onceflow_study::{read_workflow, shipped_workflow};

    use super::*;

    #[test]
    fn what_follows_takes_the_products_of_the_last_level_that_is_left() {
        let whole = read_workflow(&shipped_workflow("registration").unwrap()).unwrap();
        let cut = cut_after(&whole, 3).unwrap();
        let names: Vec<&str> = cut.tasks().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["prepare", "level_1", "level_2", "level_3", "metrics"]);
        let metrics = cut.tasks().last().unwrap();
        assert!(metrics.inputs.iter().any(|name| name == "vec_3"), "{:?}", metrics.inputs);
        assert!(!metrics.inputs.iter().any(|name| name == "vec_5"));
        let text = shipped_workflow("registration").unwrap();
        let again = onceflow_study::SourceText::new("cut.json", text_of(&cut, &text.text));
        let read: Vec<_> =
            read_workflow(&again).unwrap().tasks().map(|t| (t.name.clone(), t.inputs.clone())).collect();
        assert_eq!(read, cut.tasks().map(|t| (t.name.clone(), t.inputs.clone())).collect::<Vec<_>>());
        assert_eq!(cut_after(&whole, 5).unwrap(), whole);
        assert!(cut_after(&whole, 6).unwrap_err().to_string().contains("1 to 5"));
        let nuclei = read_workflow(&shipped_workflow("nuclei").unwrap()).unwrap();
        assert!(cut_after(&nuclei, 1).unwrap_err().to_string().contains("no levels"));
    }
}
