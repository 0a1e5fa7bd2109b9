//! `onceflow plan --rules`: the rules that made a plan, one after the other.

use onceflow_engine::{OpenStudy, RuleReport};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use crate::args::PlanArgs;

/// Plans and prints what each rule did.
pub(super) fn print(study: &OpenStudy, args: &PlanArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let options = study.settings();
    let planned =
        study.plan(options.level, &options.merge, options.workers, options.memory).map_err(engine_failure)?;
    if args.json {
        terminal
            .json(&json!({ "version": 1, "rules": planned.rules.iter().map(to_json).collect::<Vec<_>>() }))?;
    } else {
        terminal.text(&planned.rules.iter().map(line).collect::<String>())?;
    }
    Ok(Exit::Ok)
}

fn line(rule: &RuleReport) -> String {
    let change = match rule.tasks {
        (before, after) if before == after => String::new(),
        (before, after) if before > after => format!(", {} fewer", with_commas((before - after).into())),
        (before, after) => format!(", {} more", with_commas((after - before).into())),
    };
    let tasks = with_commas(rule.tasks.1.into());
    format!("{:<34}{tasks:>12} tasks a part{change}: {}\n", rule.rule, rule.did)
}

/// A rule for scripts.
pub(super) fn to_json(rule: &RuleReport) -> serde_json::Value {
    json!({
        "rule": rule.rule,
        "tasks": { "before": rule.tasks.0, "after": rule.tasks.1 },
        "cost": { "before": rule.cost.0, "after": rule.cost.1 },
        "did": rule.did,
    })
}
