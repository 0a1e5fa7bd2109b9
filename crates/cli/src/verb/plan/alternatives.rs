//! `onceflow plan --compare`: every level and merging algorithm in one table.

use std::time::Instant;

use onceflow_engine::{Alternative, OpenStudy};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use crate::args::PlanArgs;
use crate::settings::merge;

/// Plans in every way and prints.
pub(super) fn print(
    study: &OpenStudy,
    args: &PlanArgs,
    began: Instant,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let options = study.settings();
    let limits = merge(&args.merge)?.limits(options.workers);
    let found = {
        let _progress = terminal.progress("planning with every level and merging algorithm");
        study.alternatives(limits, options.workers).map_err(engine_failure)?
    };
    if args.json {
        let list: Vec<_> = found.iter().map(|way| to_json(way, options.workers)).collect();
        terminal.json(&json!({ "version": 1, "workers": options.workers, "alternatives": list }))?;
    } else {
        terminal.text(&text(&found, options.workers))?;
        terminal.say(&format!("planned in {:.2} s, nothing computed", began.elapsed().as_secs_f64()));
    }
    Ok(Exit::Ok)
}

fn text(found: &[Alternative], workers: usize) -> String {
    let asked = found.first().map_or((0, 0.0), |none| (none.tasks, none.seconds));
    let head = [
        "level",
        "merging",
        "tasks",
        "reuse",
        "work",
        "left",
        "buckets",
        &format!("on {workers}"),
        "balance",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(found.iter().map(|way| line(way, asked, workers)));
    let widths: Vec<usize> =
        (0..head.len()).map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)).collect();
    let padded = |row: &Vec<String>| {
        let cell = |(at, text): (usize, &String)| match at {
            0 | 1 => format!("{text:<width$}", width = widths[at]),
            _ => format!("{text:>width$}", width = widths[at]),
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        format!("  {}\n", cells.join("   ").trim_end())
    };
    rows.iter().map(padded).collect()
}

fn line(way: &Alternative, asked: (u64, f64), workers: usize) -> Vec<String> {
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 1.0 };
    vec![
        way.level.to_string(),
        way.merging.clone().unwrap_or_else(|| "-".into()),
        with_commas(way.tasks.into()),
        format!("{:.1} %", 100.0 * (1.0 - share(way.tasks as f64, asked.0 as f64))),
        duration(way.seconds),
        format!("{:.3}", share(way.seconds, asked.1)),
        if way.buckets == 0 { "-".into() } else { with_commas(way.buckets.into()) },
        duration(way.makespan),
        format!("{:.2}", balance(way, workers)),
    ]
}

/// Three digits where there are as many: `4.21 ms`, `36.8 s`, `1,204 s`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.01 => format!("{:.2} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 1000.0 => format!("{s:.1} s"),
        s => format!("{} s", with_commas(s as u128)),
    }
}

fn balance(way: &Alternative, workers: usize) -> f64 {
    if way.makespan > 0.0 { way.seconds / (way.makespan * workers as f64) } else { 1.0 }
}

fn to_json(way: &Alternative, workers: usize) -> serde_json::Value {
    json!({
        "level": way.level.word(),
        "merging": way.merging,
        "tasks": way.tasks,
        "cost": way.seconds,
        "buckets": way.buckets,
        "makespan_s": way.makespan,
        "balance": balance(way, workers),
        "planning_s": way.planning,
    })
}
