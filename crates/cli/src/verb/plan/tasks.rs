//! `onceflow plan --tasks`: how many of each task the levels leave.

use onceflow_engine::{OpenStudy, TaskFigures};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Map, Value, json};

use crate::args::PlanArgs;

/// Plans and prints.
pub(super) fn print(study: &OpenStudy, args: &PlanArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let options = study.settings();
    let planned = study.plan(options.level, &options.merge, options.workers, options.memory);
    let planned = planned.map_err(engine_failure)?;
    if args.json {
        let list: Vec<Value> = planned.tasks.iter().map(to_json).collect();
        terminal.json(&json!({ "version": 1, "by_task": list }))?;
    } else {
        terminal.text(&text(&planned.tasks))?;
    }
    Ok(Exit::Ok)
}

fn text(tasks: &[TaskFigures]) -> String {
    let width = tasks.iter().map(|task| task.name.chars().count()).max().unwrap_or_default().max(4);
    let levels = tasks.first().map_or(&[][..], |task| &task.left);
    let head: String = levels.iter().map(|(level, _)| format!("{:>14}", level.word())).collect();
    let mut text = format!("  {:<width$}{head}   one takes\n", "task");
    for task in tasks {
        let left: String =
            task.left.iter().map(|(_, left)| format!("{:>14}", with_commas((*left).into()))).collect();
        text.push_str(&format!("  {:<width$}{left}{:>9.2} ms\n", task.name, task.seconds * 1e3));
    }
    text
}

/// A task for scripts.
pub(super) fn to_json(task: &TaskFigures) -> Value {
    let left: Map<String, Value> =
        task.left.iter().map(|(level, left)| (level.word().to_owned(), json!(left))).collect();
    json!({ "task": task.name, "left": left, "cost": task.seconds })
}
