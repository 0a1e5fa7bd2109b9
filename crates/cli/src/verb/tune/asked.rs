//! `onceflow tune --ask` and `--tell`: a search whose rows the user runs.

use std::path::Path;

use onceflow_engine::{AskedOptions, AskedRow, AskedSearch, TextLimit, write_whole};
use onceflow_sensitivity::{
    OutputStatus, RowRole, Sample, SampleFormat, SampleRow, TuneOutcome, read_outputs, write_sample,
};
use onceflow_study::{OptunaTrial, Space, Value, counted, optuna_journal, read_optuna_journal};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure, unwritable};
use serde_json::{Map, Value as Json, json};

use crate::args::{AskedArgs, TuneArgs};
use crate::diagnostics::from_error;
use crate::file::read_text;
use crate::problem::load;

/// Tells what rows gave, then asks for more.
pub(super) fn run(args: &TuneArgs, folder: &Path, terminal: &Terminal) -> Result<Exit, Failure> {
    let loaded = load(&args.study, terminal)?;
    let space = &loaded.problem.space;
    let options = options(&args.asked, args.seed);
    let mut search = AskedSearch::open(folder, space, &options).map_err(engine_failure)?;
    if let Some(trials) = &args.asked.trials {
        learn(&mut search, space, trials, terminal)?;
    }
    if let Some(results) = &args.asked.tell {
        tell(&mut search, space, results, terminal)?;
    }
    let before = search.rows().len();
    if let Some(rows) = args.asked.ask {
        search.ask(usize::try_from(rows).unwrap_or(usize::MAX)).map_err(engine_failure)?;
    }
    save(&search, space, folder)?;
    let asked = search.rows().len() - before;
    say(&search, space, asked, terminal);
    if args.json {
        terminal.json(&summary(&search, space, asked))?;
    } else if asked > 0 {
        terminal.result(&table(space, &search.rows()[before..])?)?;
    }
    Ok(Exit::Ok)
}

fn options(args: &AskedArgs, seed: Option<u64>) -> AskedOptions {
    let named =
        |names: &[String], more: bool| names.iter().map(move |name| (name.clone(), more)).collect::<Vec<_>>();
    let objectives = [named(&args.maximize, true), named(&args.minimize, false)].concat();
    AskedOptions { method: args.tuner, seed, objectives }
}

/// Rows that were proposed and are not told.
fn pending(search: &AskedSearch) -> Vec<AskedRow> {
    search.rows().iter().filter(|row| row.proposed.is_some() && row.outcome.is_none()).cloned().collect()
}

/// Proposed rows as a sample: the defaults are the reference.
fn sample(space: &Space, rows: &[AskedRow]) -> Sample {
    let is_default = |row: &AskedRow| {
        let pairs = space.parameters().iter().zip(&row.values);
        pairs
            .into_iter()
            .all(|(parameter, value)| parameter.default.as_ref().is_some_and(|own| same(own, value)))
    };
    let role = |row: &AskedRow| if is_default(row) { RowRole::Reference } else { RowRole::Point };
    let proposed = |row: &AskedRow| Some(SampleRow { role: role(row), ..SampleRow::point(row.proposed?) });
    let number = |(parameter, value): (&onceflow_study::Parameter, &Value)| {
        let place = || parameter.domain.index_of(value).map_or(f64::NAN, |place| place as f64);
        value.as_f64().unwrap_or_else(place)
    };
    Sample {
        design: None,
        rows: rows.iter().filter_map(proposed).collect(),
        values: rows.iter().flat_map(|row| space.parameters().iter().zip(&row.values).map(number)).collect(),
        parameters: space.parameters().len(),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

fn table(space: &Space, rows: &[AskedRow]) -> Result<String, Failure> {
    write_sample(space, &sample(space, rows), SampleFormat::Csv)
        .map_err(|error| from_error("cannot write the rows", &error).into())
}

fn tell(search: &mut AskedSearch, space: &Space, path: &Path, terminal: &Terminal) -> Result<(), Failure> {
    let source = read_text(path, TextLimit::Table)?;
    let pending = pending(search);
    let names: Vec<String> = search.objectives().iter().map(|(name, _)| name.clone()).collect();
    let sample = sample(space, &pending);
    let outputs = read_outputs(space, &sample, &source.text, &names)
        .map_err(|error| from_error(format!("cannot read {}", path.display()), &error))?;
    let outcome = |place: usize| match outputs.status[place] {
        OutputStatus::Missing => None,
        OutputStatus::Failed => Some(TuneOutcome::Failed),
        OutputStatus::Ok => {
            Some(TuneOutcome::Values(outputs.columns.iter().map(|column| column[place]).collect()))
        }
    };
    let told: Vec<(u64, TuneOutcome)> =
        (0..sample.len()).filter_map(|place| Some((sample.rows[place].id, outcome(place)?))).collect();
    search.tell(&told).map_err(engine_failure)?;
    terminal.say(&format!("told     {}", counted(told.len(), "row")));
    Ok(())
}

fn learn(search: &mut AskedSearch, space: &Space, path: &Path, terminal: &Terminal) -> Result<(), Failure> {
    let source = read_text(path, TextLimit::Table)?;
    let found = read_optuna_journal(space, &source.text).map_err(|error| Failure::bad_input(*error))?;
    let objectives = search.objectives().len();
    let fits = |trial: &OptunaTrial| {
        let given = trial.objectives.clone().filter(|values| values.len() == objectives)?;
        Some((trial.values.clone(), given))
    };
    let known: Vec<Vec<Value>> = search.rows().iter().map(|row| row.values.clone()).collect();
    let rows: Vec<_> =
        found.trials.iter().filter_map(fits).filter(|(values, _)| !known.contains(values)).collect();
    search.learn(&rows).map_err(engine_failure)?;
    let left_out = found.others + found.trials.len() - rows.len();
    let left_out = if left_out > 0 {
        format!(", {left_out} left out: known, or not of this problem")
    } else {
        String::new()
    };
    terminal.say(&format!("learned  {}{left_out}", counted(rows.len(), "trial")));
    Ok(())
}

/// What the folder holds besides the search: rows that wait for results, the best values, and a journal for dashboards.
fn save(search: &AskedSearch, space: &Space, folder: &Path) -> Result<(), Failure> {
    let trial = |row: &AskedRow| {
        let objectives = match row.outcome.as_ref()? {
            TuneOutcome::Values(values) => Some(values.clone()),
            TuneOutcome::Failed => None,
        };
        let number = row.proposed.map_or("learned".to_owned(), |number| number.to_string());
        Some(OptunaTrial { values: row.values.clone(), objectives, attributes: vec![("row".into(), number)] })
    };
    let maximize: Vec<bool> = search.objectives().iter().map(|(_, more)| *more).collect();
    let trials: Vec<OptunaTrial> = search.rows().iter().filter_map(trial).collect();
    let files = [
        ("pending.csv", table(space, &pending(search))?),
        ("best.json", format!("{:#}\n", best(search, space))),
        ("optuna.log", optuna_journal(space, "onceflow", &maximize, &trials)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(|error| unwritable(&path, &error))?;
    }
    Ok(())
}

/// The best values, in the form that `segment` and `features` take.
fn best(search: &AskedSearch, space: &Space) -> Json {
    let Some(row) = search.best() else { return json!({ "version": 1, "row": Json::Null }) };
    let value = |value: &Value| match value {
        Value::Integer(i) => json!(i),
        Value::Real(x) => json!(x),
        Value::Text(text) => json!(text),
    };
    let pairs = space.parameters().iter().zip(&row.values);
    let parameters: Map<String, Json> = pairs.map(|(own, given)| (own.name.clone(), value(given))).collect();
    let given = match &row.outcome {
        Some(TuneOutcome::Values(values)) => values.as_slice(),
        _ => &[],
    };
    let metrics: Map<String, Json> = search
        .objectives()
        .iter()
        .zip(given)
        .map(|((name, _), value)| (name.clone(), json!(value)))
        .collect();
    json!({ "version": 1, "row": row.proposed, "parameters": parameters, "metrics": metrics })
}

fn summary(search: &AskedSearch, space: &Space, asked: usize) -> Json {
    let told = search.rows().iter().filter(|row| row.outcome.is_some()).count();
    json!({
        "version": 1, "asked": asked, "told": told, "pending": pending(search).len(), "best": best(search, space),
    })
}

fn say(search: &AskedSearch, space: &Space, asked: usize, terminal: &Terminal) {
    if asked > 0 {
        terminal.say(&format!("asked    {}", counted(asked, "row")));
    }
    let waiting = pending(search).len();
    if waiting > 0 {
        terminal.say(&format!("pending  {}: run them, then --tell what they gave", counted(waiting, "row")));
    }
    let found = best(search, space);
    if let (Some(metrics), Some(parameters)) = (found["metrics"].as_object(), found["parameters"].as_object())
    {
        let words = |pairs: &Map<String, Json>| {
            let pair = |(name, value): (&String, &Json)| format!("{name} {value}");
            pairs.iter().map(pair).collect::<Vec<_>>().join(", ")
        };
        terminal.say(&format!("best     {}: {}", words(metrics), words(parameters)));
    }
}
