//! Reading the outputs of a model: by row number in any order, or one line for each row of the sample.

use std::collections::HashMap;

use csv::StringRecord;
use onceflow_study::{Space, nearest};

use super::cell::{CellRules, read_id, read_output, read_value, shown};
use super::columns::ColumnPlaces;
use super::raw::{self, RawRow, RawTable};
use super::{TableError, json, repeated};
use crate::{OutputStatus, Outputs, Sample};

/// Reads outputs: CSV or JSON with row numbers (any order, rows may be missing), columns of numbers in the order of
/// the sample, or a table of Dakota; parameters among the columns must be those of the sample. `names` are the outputs to read,
/// all there are when it is empty. A missing row that repeats an answered one takes its answer.
pub fn read_outputs(
    space: &Space,
    sample: &Sample,
    text: &str,
    names: &[String],
) -> Result<Outputs, TableError> {
    let raw = if raw::is_json(text) { json::read_rows(text)? } else { raw::read(text, &is_value)? };
    let table = match &raw.header {
        Some(header) => headed(space, header, &raw, names)?,
        None => bare(space, sample, &raw, names)?,
    };
    let rows = match table.ids {
        Some(at) => by_number(sample, &raw, at)?,
        None => in_order(sample, &raw)?,
    };
    repeated::check(space, sample, &table.parameters, &rows)?;
    answers(sample, &table, &rows)
}

fn is_value(field: &str) -> bool {
    read_output(field).is_some()
}

/// Which columns matter.
struct Answered {
    ids: Option<usize>,
    status: Option<usize>,
    names: Vec<String>,
    columns: Vec<usize>,
    /// Places of the parameters that a header names, in the order of the space.
    parameters: Vec<Option<usize>>,
}

fn headed(
    space: &Space,
    header: &StringRecord,
    raw: &RawTable,
    names: &[String],
) -> Result<Answered, TableError> {
    let at_header = |error: TableError| error.at(raw.header_line);
    let columns = ColumnPlaces::new(header, space).map_err(at_header)?;
    let chosen = if names.is_empty() { Ok(columns.others.clone()) } else { choose(&columns.others, names) };
    let chosen = chosen.map_err(at_header)?;
    if chosen.is_empty() {
        let found = header.iter().collect::<Vec<_>>().join(", ");
        return Err(at_header(TableError::new("there is no output", "a column for each output", found)));
    }
    let (names, places) = chosen.into_iter().unzip();
    Ok(Answered {
        ids: columns.place("row"),
        status: columns.place("status"),
        names,
        columns: places,
        parameters: columns.parameters,
    })
}

fn choose(others: &[(String, usize)], names: &[String]) -> Result<Vec<(String, usize)>, TableError> {
    let known = || others.iter().map(|(name, _)| name.as_str());
    let find = |name: &String| {
        others.iter().find(|(other, _)| other == name).cloned().ok_or_else(|| {
            let found = known().collect::<Vec<_>>().join(", ");
            let hint =
                nearest(name, known()).map(|near| format!("rename the column `{near}`, or ask for it"));
            let found = if found.is_empty() { "none".into() } else { found };
            TableError::new(format!("there is no output `{name}`"), format!("a column `{name}`"), found)
                .with_hint_if(hint)
        })
    };
    names.iter().map(find).collect()
}

/// Columns without names: the outputs, behind the sample's own values when those are repeated.
fn bare(space: &Space, sample: &Sample, raw: &RawTable, names: &[String]) -> Result<Answered, TableError> {
    let (width, parameters) = (raw.rows[0].cells.len(), space.parameters().len());
    let skipped = if width > parameters && repeats(space, sample, raw) { parameters } else { 0 };
    let count = width - skipped;
    let names = match (names.len(), count) {
        (0, 1) => vec!["Y".to_owned()],
        (0, _) => (1..=count).map(|i| format!("Y{i}")).collect(),
        (n, _) if n == count => names.to_vec(),
        (n, _) => {
            let expected = format!("{n} columns ({})", names.join(", "));
            return Err(TableError::new("the table has the wrong width", expected, count.to_string())
                .at(raw.rows[0].line));
        }
    };
    let columns = (skipped..width).collect();
    Ok(Answered { ids: None, status: None, names, columns, parameters: Vec::new() })
}

fn repeats(space: &Space, sample: &Sample, raw: &RawTable) -> bool {
    let rules = CellRules { bare: true, anywhere: true };
    let same = |(row, i): (&RawRow, usize)| {
        let numbers = space.parameters().iter().zip(sample.numbers(i)).enumerate();
        numbers
            .into_iter()
            .all(|(at, (p, x))| read_value(p, row.cells.get(at).unwrap_or_default(), rules) == Ok(*x))
    };
    raw.rows.len() == sample.len() && raw.rows.iter().zip(0..).all(same)
}

/// The line of each row of the sample; `None` for a row that is not there.
type OutputLines<'a> = Vec<Option<&'a RawRow>>;

fn in_order<'a>(sample: &Sample, raw: &'a RawTable) -> Result<OutputLines<'a>, TableError> {
    if raw.rows.len() != sample.len() {
        let expected = format!("{} lines, one for each row of the sample in its order", sample.len());
        let hint = "add a column `row` when rows are missing or in another order";
        let found = raw.rows.len().to_string();
        return Err(TableError::new("the outputs do not fit the sample", expected, found).with_hint(hint));
    }
    Ok(raw.rows.iter().map(Some).collect())
}

fn by_number<'a>(sample: &Sample, raw: &'a RawTable, at: usize) -> Result<OutputLines<'a>, TableError> {
    let places: HashMap<u64, usize> = sample.rows.iter().enumerate().map(|(i, row)| (row.id, i)).collect();
    let mut lines: OutputLines<'a> = vec![None; sample.len()];
    let mut strange: Vec<(u64, usize)> = Vec::new();
    for row in &raw.rows {
        let text = row.cells.get(at).unwrap_or_default();
        let bad = || TableError::new("`row` cannot be read", "a row number", shown(text)).at(row.line);
        let id = read_id(text).ok_or_else(bad)?;
        let Some(place) = places.get(&id) else {
            strange.push((id, row.line));
            continue;
        };
        match lines[*place] {
            Some(first) if !same_answer(first, row, at) => return Err(contradiction(id, first, row)),
            _ => lines[*place] = Some(row),
        }
    }
    if strange.is_empty() { Ok(lines) } else { Err(strangers(&strange)) }
}

fn same_answer(first: &RawRow, second: &RawRow, ids: usize) -> bool {
    let same = |a: &str, b: &str| match (read_output(a), read_output(b)) {
        (Some(x), Some(y)) => x == y || (x.is_nan() && y.is_nan()),
        _ => a.trim() == b.trim(),
    };
    first.cells.iter().zip(&second.cells).enumerate().all(|(i, (a, b))| i == ids || same(a, b))
}

fn contradiction(id: u64, first: &RawRow, second: &RawRow) -> TableError {
    let found = format!("other values on lines {} and {}", first.line, second.line);
    TableError::new(format!("row {id} is answered twice"), "one answer for each row", found)
        .at(second.line)
        .with_hint("remove one of both lines")
}

fn strangers(strange: &[(u64, usize)]) -> TableError {
    const SHOWN: usize = 5;
    let ids: Vec<String> = strange.iter().take(SHOWN).map(|(id, _)| id.to_string()).collect();
    let more =
        if strange.len() > SHOWN { format!(" and {} more", strange.len() - SHOWN) } else { String::new() };
    let found = format!("{}{more}", ids.join(", "));
    TableError::new("these rows are not in the sample", "row numbers of the sample", found)
        .at(strange[0].1)
        .with_hint("give the sample that was run, or remove these lines")
}

fn answers(sample: &Sample, table: &Answered, lines: &OutputLines<'_>) -> Result<Outputs, TableError> {
    let mut outputs = Outputs {
        names: table.names.clone(),
        columns: vec![vec![f64::NAN; sample.len()]; table.names.len()],
        status: vec![OutputStatus::Missing; sample.len()],
    };
    for (i, row) in lines.iter().enumerate() {
        if let Some(row) = row {
            let (status, values) = answer(table, row).map_err(|error| error.at(row.line))?;
            outputs.status[i] = status;
            outputs.columns.iter_mut().zip(values).for_each(|(column, y)| column[i] = y);
        }
    }
    take_over(sample, &mut outputs);
    Ok(outputs)
}

/// A row that failed has no outputs; one without any output has failed.
fn answer(table: &Answered, row: &RawRow) -> Result<(OutputStatus, Vec<f64>), TableError> {
    let said = table.status.map(|at| row.cells.get(at).unwrap_or_default());
    let status = said.map_or(Ok(OutputStatus::Ok), read_status)?;
    let nothing = vec![f64::NAN; table.columns.len()];
    if status != OutputStatus::Ok {
        return Ok((status, nothing));
    }
    let value = |(name, at): (&String, &usize)| {
        let text = row.cells.get(*at).unwrap_or_default();
        read_output(text).ok_or_else(|| {
            let error = TableError::new(format!("`{name}` cannot be read"), "a number", shown(text));
            error
                .with_hint("leave the field empty if the row failed; name the outputs if this column is none")
        })
    };
    let values = table.names.iter().zip(&table.columns).map(value).collect::<Result<Vec<_>, _>>()?;
    let failed = values.iter().all(|y| y.is_nan());
    Ok((if failed { OutputStatus::Failed } else { OutputStatus::Ok }, values))
}

fn read_status(text: &str) -> Result<OutputStatus, TableError> {
    match text.trim().to_lowercase().as_str() {
        "" | "ok" | "done" | "success" | "complete" | "completed" => Ok(OutputStatus::Ok),
        "fail" | "failed" | "failure" | "error" | "timeout" | "killed" => Ok(OutputStatus::Failed),
        "missing" | "pending" => Ok(OutputStatus::Missing),
        _ => Err(TableError::new("unknown status", "ok, failed or missing", shown(text))),
    }
}

/// Gives a missing row that repeats an answered one its answer.
pub(super) fn take_over(sample: &Sample, outputs: &mut Outputs) {
    let places: HashMap<u64, usize> = sample.rows.iter().enumerate().map(|(i, row)| (row.id, i)).collect();
    for (i, row) in sample.rows.iter().enumerate() {
        let first = row
            .duplicate_of
            .and_then(|id| places.get(&id))
            .filter(|_| outputs.status[i] == OutputStatus::Missing);
        if let Some(first) = first {
            outputs.status[i] = outputs.status[*first];
            outputs.columns.iter_mut().for_each(|column| column[i] = column[*first]);
        }
    }
}
