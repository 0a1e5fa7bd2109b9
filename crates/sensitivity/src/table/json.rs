//! Samples and outputs as JSON, whose rows become the fields of a table.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use csv::StringRecord;
use onceflow_study::{Data, Design, LocatedNode, LocatedTable, SourceText, Space, Value, parse_json};
use serde_json::{Map, Value as Json, json};

use super::TableError;
use super::cell::number_text;
use super::design::{design_value, read_design};
use super::raw::{RawLines, RawRow, RawTable};
use crate::Sample;

/// `{"version": 1, "kind": "sample", "design": …, "parameters": […], "rows": [{"row": …, "values": {…}}]}`, one line
/// for each row.
pub(super) fn write(space: &Space, sample: &Sample) -> String {
    let names: Vec<&str> = space.parameters().iter().map(|p| p.name.as_str()).collect();
    let design = sample.design.as_ref().map_or(Json::Null, design_value);
    let rows: Vec<String> =
        (0..sample.len()).map(|row| format!("  {}", row_value(space, sample, row))).collect();
    format!(
        "{{\"version\": 1, \"kind\": \"sample\",\n \"design\": {design},\n \"parameters\": {},\n \"rows\": [\n{}\n ]}}\n",
        json!(names),
        rows.join(",\n")
    )
}

fn row_value(space: &Space, sample: &Sample, row: usize) -> Json {
    let place = &sample.rows[row];
    let value = |p: usize| match sample.value(space, row, p) {
        Value::Integer(i) => json!(i),
        Value::Real(x) => json!(x),
        Value::Text(text) => json!(text),
    };
    let names = space.parameters().iter().map(|p| p.name.clone());
    let values: Map<String, Json> = names.enumerate().map(|(p, name)| (name, value(p))).collect();
    let (role, base, replicate) = (place.role.text(space), place.base, place.replicate);
    let mut object = json!({ "row": place.id, "role": role, "base": base, "replicate": replicate });
    if let Some(id) = place.duplicate_of {
        object["duplicate_of"] = id.into();
    }
    object["values"] = Json::Object(values);
    object
}

/// The rows of a sample and its design.
pub(super) fn read_sample(text: &str) -> Result<(RawTable, Option<Design>), TableError> {
    let source = SourceText::new("table", text);
    let node = parse_json(&source).map_err(|error| TableError::from(*error))?;
    let design = node.as_table().and_then(|table| table.get("design")).filter(|d| d.data != Data::Null);
    let design = design.map(|design| read_design(&source, design)).transpose()?;
    Ok((rows(&source, &node)?, design))
}

/// The rows of outputs.
pub(super) fn read_rows(text: &str) -> Result<RawTable, TableError> {
    let source = SourceText::new("table", text);
    let node = parse_json(&source).map_err(|error| TableError::from(*error))?;
    rows(&source, &node)
}

/// Objects become rows, their keys columns; objects inside them (`values`, `outputs`) are taken apart. Keys of a row
/// come before those of the objects inside it, so that a parameter called `base` is told from the number of the base.
fn rows(source: &Arc<SourceText>, node: &LocatedNode) -> Result<RawTable, TableError> {
    let list = match &node.data {
        Data::List(list) => Some(&list[..]),
        Data::Table(table) => table.get("rows").and_then(LocatedNode::as_list),
        _ => None,
    };
    let line = |node: &LocatedNode| source.position(node.span.start).line;
    let expected = "{\"rows\": [{\"row\": 1, …}, …]}";
    let list =
        list.ok_or_else(|| TableError::new("there are no rows", expected, node.describe()).at(line(node)))?;
    let mut lines = RawLines::new(&source.text);
    let mut columns = Names::default();
    let mut fields: Vec<(usize, HashMap<usize, String>)> = Vec::with_capacity(list.len());
    for row in list {
        let at = lines.of(row.span.start);
        let table = row
            .as_table()
            .ok_or_else(|| TableError::new("this row cannot be read", "an object", row.describe()).at(at))?;
        fields.push((at, cells(table, &mut columns).map_err(|error| error.at(at))?));
    }
    check_filled(list.len(), columns.names.len(), fields.iter().map(|(_, cells)| cells.len()).sum())?;
    let header = StringRecord::from(columns.in_order());
    let order = columns.order();
    let record = |mut cells: HashMap<usize, String>| {
        order.iter().map(|column| cells.remove(column).unwrap_or_default()).collect::<StringRecord>()
    };
    let rows = fields.into_iter().map(|(line, cells)| RawRow { line, cells: record(cells) }).collect();
    Ok(RawTable { header: Some(header), header_line: line(node), rows })
}

/// Every row becomes a record of all columns: rows whose keys differ would make a short text a huge table.
fn check_filled(rows: usize, columns: usize, filled: usize) -> Result<(), TableError> {
    const SMALL: usize = 1 << 20;
    const EMPTY_PER_FILLED: usize = 16;
    let fields = rows.saturating_mul(columns);
    if fields <= SMALL.max(filled.saturating_mul(EMPTY_PER_FILLED)) {
        return Ok(());
    }
    let found = format!("{columns} different keys in {rows} rows");
    Err(TableError::new("the rows do not make a table", "rows with the same keys", found))
}

/// Names of columns by depth, in the order they were met.
#[derive(Default)]
struct Names {
    places: HashMap<(bool, String), usize>,
    names: Vec<(bool, String)>,
}

impl Names {
    fn place(&mut self, inner: bool, name: &str) -> usize {
        let next = self.names.len();
        let key = (inner, name.to_owned());
        if !self.places.contains_key(&key) {
            self.names.push(key.clone());
        }
        *self.places.entry(key).or_insert(next)
    }

    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len()).collect();
        order.sort_by_key(|i| self.names[*i].0);
        order
    }

    fn in_order(&self) -> Vec<String> {
        self.order().into_iter().map(|i| self.names[i].1.clone()).collect()
    }
}

fn cells(table: &LocatedTable, columns: &mut Names) -> Result<HashMap<usize, String>, TableError> {
    let mut cells = HashMap::new();
    let mut seen = HashSet::new();
    for entry in &table.entries {
        match &entry.value.data {
            Data::Table(inner) => {
                for entry in &inner.entries {
                    if !seen.insert(&entry.key) {
                        let found = format!("`{}` twice", entry.key);
                        return Err(TableError::new("repeated value in a row", "it once", found));
                    }
                    cells.insert(columns.place(true, &entry.key), field(&entry.value)?);
                }
            }
            _ => _ = cells.insert(columns.place(false, &entry.key), field(&entry.value)?),
        }
    }
    Ok(cells)
}

fn field(node: &LocatedNode) -> Result<String, TableError> {
    match &node.data {
        Data::Null => Ok(String::new()),
        Data::Integer(i) => Ok(i.to_string()),
        Data::Real(x) => Ok(number_text(*x)),
        Data::Text(text) => Ok(text.clone()),
        Data::Bool(_) | Data::List(_) | Data::Table(_) => {
            Err(TableError::new("this value cannot be read", "a number, a text or null", node.describe()))
        }
    }
}
