//! `onceflow plan --attributes`: what identifies results with the fewest bytes.

use onceflow_engine::{
    AttributeReport, AttributeSet, OpenStudy, PassAttributes, TextLimit, described_attributes,
};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Value, json};

use crate::args::PlanArgs;
use crate::file::read_text;

/// Prints the attributes of described flow graphs; false when the file is something else.
pub(super) fn print_described(args: &PlanArgs, terminal: &Terminal) -> Result<bool, Failure> {
    if args.study.is_dir() {
        return Ok(false);
    }
    let source = read_text(&args.study, TextLimit::Description)?;
    let Some(reports) = described_attributes(&source) else { return Ok(false) };
    let reports = reports.map_err(engine_failure)?;
    if args.json {
        let graphs: Vec<Value> = reports.iter().map(to_json).collect();
        terminal.json(&json!({ "version": 1, "graphs": graphs }))?;
    } else {
        let texts: Vec<String> = reports.iter().map(ToString::to_string).collect();
        terminal.result(&texts.join("\n"))?;
    }
    Ok(true)
}

/// Prints what identifies the result of each task of a study.
pub(super) fn print(study: &OpenStudy, args: &PlanArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let reports = study.attributes().map_err(engine_failure)?;
    if args.json {
        let graphs: Vec<Value> = reports.iter().map(to_json).collect();
        let pixels = study.attribute_pixels();
        terminal.json(&json!({ "version": 1, "part_pixels": pixels, "graphs": graphs }))?;
        return Ok(Exit::Ok);
    }
    let mut text = format!(
        "What identifies the result of each task at a part of {} pixels, in bytes\n\n  {:<20}{:>14}{:>8}    attributes\n",
        with_commas(study.attribute_pixels().into()),
        "task",
        "all inputs",
        "least",
    );
    for (report, pass) in reports.iter().filter_map(|report| Some((report, report.passes.first()?))) {
        text += &format!(
            "  {:<20}{:>14}{:>8}    {}\n",
            report.target.join(", "),
            with_commas(pass.found.initial.bytes.into()),
            with_commas(pass.found.least.bytes.into()),
            pass.names(&pass.found.least).join(", "),
        );
    }
    text += "\nRuns look a result up by a digest of these, 32 bytes.\n";
    terminal.text(&text)?;
    Ok(Exit::Ok)
}

fn to_json(report: &AttributeReport) -> Value {
    let passes: Vec<Value> = report.passes.iter().map(pass_json).collect();
    json!({ "name": report.name, "target": report.target, "passes": passes })
}

fn pass_json(pass: &PassAttributes) -> Value {
    let set = |set: &AttributeSet| {
        let names = set.variables.iter().map(|place| &pass.graph.variables()[*place].name);
        let joined = set.joined.iter().map(|block| &pass.graph.blocks()[*block]);
        json!({ "bytes": set.bytes, "attributes": names.collect::<Vec<_>>(), "joined": joined.collect::<Vec<_>>() })
    };
    let found = &pass.found;
    json!({
        "pass": pass.pass, "initial": set(&found.initial), "least": set(&found.least), "least_c3": set(&found.least_c3),
        "chained_bytes": pass.chained, "proved": found.is_proved(), "bound": found.bound, "because": pass.words(),
    })
}
