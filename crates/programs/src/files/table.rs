//! Tables as CSV; the first line has the names of the columns.

use std::io::{self, Write};
use std::path::Path;

use onceflow_region::{Column, Table};

/// Writes a table; real numbers so that they come back bit for bit.
pub(super) fn write(to: &mut impl Write, table: &Table) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(to);
    let columns = table.columns();
    lines.write_record(columns.iter().map(|(name, _)| name))?;
    let rows = columns.first().map_or(0, |(_, column)| column.len());
    for row in 0..rows {
        lines.write_record(columns.iter().map(|(_, column)| field(column, row)))?;
    }
    lines.flush()
}

/// Reads a table. A column holds integers if all its fields are integers, else numbers if all are numbers, else text.
pub(super) fn read(path: &Path) -> Result<Table, String> {
    let unreadable = |error: csv::Error| {
        format!("expected a table as CSV, found a file that cannot be read as one: {error}")
    };
    let mut lines = csv::Reader::from_path(path).map_err(unreadable)?;
    let names: Vec<String> = lines.headers().map_err(unreadable)?.iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for record in lines.records() {
        let record = record.map_err(unreadable)?;
        columns.iter_mut().zip(&record).for_each(|(column, field)| column.push(field.to_owned()));
    }
    let columns = names.into_iter().zip(columns.into_iter().map(column)).collect();
    Table::new(columns)
        .map_err(|error| format!("expected a table as CSV, found columns that are no table: {error}"))
}

fn field(column: &Column, row: usize) -> String {
    match column {
        Column::Integer(values) => values[row].to_string(),
        // Debug keeps the point, so that a whole number stays a real one.
        Column::Real(values) => format!("{:?}", values[row]),
        Column::Text(values) => values[row].clone(),
    }
}

fn column(fields: Vec<String>) -> Column {
    let integers = fields.iter().map(|field| field.parse().ok()).collect::<Option<Vec<i64>>>();
    let reals = || fields.iter().map(|field| field.parse().ok()).collect::<Option<Vec<f64>>>();
    match integers {
        Some(values) => Column::Integer(values),
        None => reals().map_or(Column::Text(fields.clone()), Column::Real),
    }
}
