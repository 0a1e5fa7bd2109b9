//! Reading a sample from any of the forms it is written in, ours or foreign.

use std::collections::HashMap;

use csv::StringRecord;
use onceflow_study::{Domain, Space};

use super::cell::{CellRules, read_id, read_value, shown};
use super::columns::ColumnPlaces;
use super::layout::{TableLayout, deal, verify};
use super::raw::{self, RawRow, RawTable};
use super::{TableError, json};
use crate::{RowRole, Sample, SampleRow};

/// Options for reading a table without roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleOptions {
    /// The design of rows without roles.
    pub layout: TableLayout,
    /// Whether columns other than parameters are ignored (outputs in the same file) or are an error.
    pub extra_columns: bool,
}

/// Reads a sample: our CSV or JSON, a data frame, a matrix of SALib, or a table of Dakota, recognised by what it
/// holds. Columns are matched by name; rows are sorted by their numbers and must fit their roles.
pub fn read_sample(space: &Space, text: &str, options: &SampleOptions) -> Result<Sample, TableError> {
    if raw::is_json(text) {
        let (raw, design) = json::read_sample(text)?;
        let sample = from_raw(space, &raw, options)?;
        return Ok(Sample { design, ..sample });
    }
    let mut raw = raw::read(text, &|field| is_value(space, field))?;
    // Words may be called like parameters; a line with every name is a header all the same.
    if raw.header.is_none() && raw.rows.first().is_some_and(|row| has_all_names(space, row.cells.iter())) {
        raw.take_header();
    }
    from_raw(space, &raw, options)
}

fn is_value(space: &Space, field: &str) -> bool {
    let is_word =
        |domain: &Domain| matches!(domain, Domain::Categories(words) if words.iter().any(|w| w == field));
    field.trim().parse::<f64>().is_ok() || space.parameters().iter().any(|p| is_word(&p.domain))
}

/// Whether fields name every parameter, as those of a header do.
pub(super) fn has_all_names<'a>(space: &Space, fields: impl Iterator<Item = &'a str> + Clone) -> bool {
    space.parameters().iter().all(|p| fields.clone().any(|field| field.trim() == p.name))
}

fn from_raw(space: &Space, raw: &RawTable, options: &SampleOptions) -> Result<Sample, TableError> {
    if raw.rows.is_empty() {
        return Err(TableError::new("the table has no rows", "a line for each row", "only a header"));
    }
    let Some(header) = &raw.header else { return bare(space, raw, options) };
    let columns = ColumnPlaces::new(header, space).map_err(|error| error.at(raw.header_line))?;
    let places =
        columns.all_parameters(space, options.extra_columns).map_err(|error| error.at(raw.header_line))?;
    let mut read = Vec::with_capacity(raw.rows.len());
    for (i, row) in raw.rows.iter().enumerate() {
        let place = row_place(space, &columns, row, i as u64).map_err(|error| error.at(row.line))?;
        read.push((place, row));
    }
    read.sort_by_key(|(place, _)| place.id);
    check_ids(&read)?;
    let sample = collect(space, &read, &places, false)?;
    let lines: Vec<usize> = read.iter().map(|(_, row)| row.line).collect();
    let has_roles = columns.place("role").is_some();
    finish(space, sample, &lines, has_roles, columns.place("duplicate_of").is_some(), options)
}

/// A matrix: only values, in the order of the space.
fn bare(space: &Space, raw: &RawTable, options: &SampleOptions) -> Result<Sample, TableError> {
    let (width, count) = (raw.rows[0].cells.len(), space.parameters().len());
    if width < count || (width > count && !options.extra_columns) {
        let names: Vec<&str> = space.parameters().iter().map(|p| p.name.as_str()).collect();
        let expected = format!("{count} columns ({})", names.join(", "));
        return Err(TableError::new("the matrix has the wrong width", expected, width.to_string())
            .at(raw.rows[0].line));
    }
    let read: Vec<(SampleRow, &RawRow)> = (0..).map(SampleRow::point).zip(&raw.rows).collect();
    let places: Vec<usize> = (0..count).collect();
    let sample = collect(space, &read, &places, true)?;
    let lines: Vec<usize> = raw.rows.iter().map(|row| row.line).collect();
    finish(space, sample, &lines, false, false, options)
}

fn row_place(
    space: &Space,
    columns: &ColumnPlaces,
    row: &RawRow,
    order: u64,
) -> Result<SampleRow, TableError> {
    let field = |word: &str| columns.place(word).map(|at| row.cells.get(at).unwrap_or_default().trim());
    let whole = |word: &str, text: &str| {
        let error = || {
            TableError::new(format!("`{word}` cannot be read"), "a whole number of 0 or more", shown(text))
        };
        read_id(text).ok_or_else(error)
    };
    let number = |word: &str, default: u64| field(word).map_or(Ok(default), |text| whole(word, text));
    let role = field("role").map_or(Ok(RowRole::Point), |text| read_role(space, text))?;
    let duplicate = field("duplicate_of").filter(|text| !text.is_empty());
    let duplicate_of = duplicate.map(|text| whole("duplicate_of", text)).transpose()?;
    let (id, base) = (number("row", order)?, number("base", 0)?);
    Ok(SampleRow { id, role, base, replicate: number("replicate", 0)?, duplicate_of })
}

fn read_role(space: &Space, text: &str) -> Result<RowRole, TableError> {
    RowRole::parse(text, space).ok_or_else(|| {
        let expected =
            "point, reference, start, step:NAME, A, B, AB:NAME or BA:NAME with the name of a factor";
        TableError::new("unknown role", expected, shown(text))
    })
}

fn check_ids(read: &[(SampleRow, &RawRow)]) -> Result<(), TableError> {
    let repeated = read.windows(2).find(|pair| pair[0].0.id == pair[1].0.id);
    repeated.map_or(Ok(()), |pair| {
        let found = format!("row {} here and on line {}", pair[1].0.id, pair[0].1.line);
        Err(TableError::new("repeated row", "different row numbers", found).at(pair[1].1.line))
    })
}

fn collect(
    space: &Space,
    read: &[(SampleRow, &RawRow)],
    places: &[usize],
    bare: bool,
) -> Result<Sample, TableError> {
    let mut values = Vec::with_capacity(read.len() * places.len());
    for (place, row) in read {
        // Defaults are run as they are, also those that are no value of their range.
        let rules = CellRules { bare, anywhere: place.role == RowRole::Reference };
        row_values(space, &row.cells, places, rules, &mut values).map_err(|error| error.at(row.line))?;
    }
    let rows = read.iter().map(|(row, _)| *row).collect();
    Ok(Sample { design: None, rows, values, parameters: places.len() })
}

fn row_values(
    space: &Space,
    cells: &StringRecord,
    places: &[usize],
    rules: CellRules,
    values: &mut Vec<f64>,
) -> Result<(), TableError> {
    for (parameter, at) in space.parameters().iter().zip(places) {
        values.push(read_value(parameter, cells.get(*at).unwrap_or_default(), rules)?);
    }
    Ok(())
}

/// Adds roles and duplicates where the table has none, and checks those it has.
pub(super) fn finish(
    space: &Space,
    mut sample: Sample,
    lines: &[usize],
    has_roles: bool,
    has_duplicates: bool,
    options: &SampleOptions,
) -> Result<Sample, TableError> {
    if !has_roles {
        deal(space, &mut sample, options.layout, lines)?;
    }
    verify(space, &sample, lines)?;
    if has_duplicates {
        check_duplicates(&sample, lines)?
    } else {
        mark_duplicates(&mut sample)
    };
    Ok(sample)
}

/// The first row with the same values, for rows that repeat one.
fn mark_duplicates(sample: &mut Sample) {
    let bits = |row: usize| sample.numbers(row).iter().map(|x| (x + 0.0).to_bits()).collect::<Vec<u64>>();
    let mut first: HashMap<Vec<u64>, u64> = HashMap::with_capacity(sample.len());
    let ids: Vec<u64> = sample.rows.iter().map(|row| row.id).collect();
    let found: Vec<u64> =
        ids.iter().enumerate().map(|(i, id)| *first.entry(bits(i)).or_insert(*id)).collect();
    for (row, earlier) in sample.rows.iter_mut().zip(found) {
        row.duplicate_of = (earlier != row.id).then_some(earlier);
    }
}

/// A row that is said to repeat another one must hold its values.
fn check_duplicates(sample: &Sample, lines: &[usize]) -> Result<(), TableError> {
    let places: HashMap<u64, usize> = sample.rows.iter().enumerate().map(|(i, row)| (row.id, i)).collect();
    for (i, row) in sample.rows.iter().enumerate() {
        let Some(id) = row.duplicate_of else { continue };
        let earlier = places.get(&id).filter(|e| **e < i);
        if earlier.is_none_or(|e| sample.numbers(*e) != sample.numbers(i)) {
            let (expected, found) = ("an earlier row with the same values, or nothing", format!("row {id}"));
            return Err(TableError::new("`duplicate_of` is wrong", expected, found).at(lines[i]));
        }
    }
    Ok(())
}
