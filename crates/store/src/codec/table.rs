//! Tables: for each column its name, its type, how many values, the values.

use onceflow_region::{Column, Table};

use super::CodecError;
use super::reading::FieldReader;
use super::writing::FieldWriter;

/// More columns than this are refused: a name is compared with all before it.
const COLUMNS: usize = 1 << 14;

pub(super) fn put(table: &Table, to: &mut impl FieldWriter) -> Result<(), CodecError> {
    check(table.columns().len())?;
    to.number(table.columns().len() as u64)?;
    for (name, column) in table.columns() {
        to.text(name)?;
        to.number(code(column))?;
        to.number(column.len() as u64)?;
        match column {
            Column::Integer(values) => to.wide(values, i64::to_le_bytes)?,
            Column::Real(values) => to.wide(values, f64::to_le_bytes)?,
            Column::Text(values) => values.iter().try_for_each(|text| to.text(text))?,
        }
    }
    Ok(())
}

pub(super) fn take(fields: &mut FieldReader<'_>) -> Result<Table, CodecError> {
    // A column has at least the lengths of its name and values, and its type.
    let count = fields.count("columns", 24)?;
    check(count)?;
    let mut columns = Vec::with_capacity(count);
    for _ in 0..count {
        columns.push((fields.text("name")?, take_column(fields)?));
    }
    Ok(Table::new(columns)?)
}

fn take_column(fields: &mut FieldReader<'_>) -> Result<Column, CodecError> {
    let code = fields.number("type of the column")?;
    let count = fields.count("values", 8)?;
    Ok(match code {
        0 => Column::Integer(fields.wide("values", count as u64, i64::from_le_bytes)?),
        1 => Column::Real(fields.wide("values", count as u64, f64::from_le_bytes)?),
        2 => Column::Text((0..count).map(|_| fields.text("text")).collect::<Result<_, _>>()?),
        other => return Err(CodecError::form("the number of a type of column", other)),
    })
}

fn check(columns: usize) -> Result<(), CodecError> {
    match columns <= COLUMNS {
        true => Ok(()),
        false => Err(CodecError::form("at most 16384 columns", columns)),
    }
}

/// The numbers of the types, which never change.
fn code(column: &Column) -> u64 {
    match column {
        Column::Integer(_) => 0,
        Column::Real(_) => 1,
        Column::Text(_) => 2,
    }
}
