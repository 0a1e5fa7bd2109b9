//! Features as a Parquet file, a bounded number of rows at a time.

use std::io::{self, Write};

use onceflow_kernels::features::MeasuredObject;
use onceflow_region::{Column, Table};
use onceflow_store::ParquetWriter;

use super::csv::PLACE;
use crate::objects::border_word;

/// Rows of a group: columns of 32 KiB, 3 MB for all of them.
const GROUP: usize = 4096;

/// Rows not yet written, and the file.
#[derive(Debug)]
pub(super) struct FeatureRows<W: Write + Send> {
    names: Vec<String>,
    columns: Vec<Column>,
    file: ParquetWriter<W>,
}

impl<W: Write + Send> FeatureRows<W> {
    /// Begins a file.
    pub(super) fn new(to: W, names: &[String]) -> io::Result<Self> {
        let names: Vec<String> = PLACE.map(str::to_owned).into_iter().chain(names.iter().cloned()).collect();
        let columns = columns(names.len());
        let table = table(&names, columns.clone())?;
        Ok(Self { file: ParquetWriter::new(to, &table)?, columns, names })
    }

    /// Adds an object.
    pub(super) fn add(&mut self, object: &MeasuredObject) -> io::Result<()> {
        let extent = &object.extent;
        let [x, y] = object.centroid;
        let place = [x, y].into_iter();
        let mut whole = [extent.left, extent.top, extent.width(), extent.height()].into_iter();
        let mut real = place.chain(object.values);
        let mut label = Some(i64::from(extent.label));
        for column in &mut self.columns {
            match column {
                Column::Integer(values) => {
                    values.extend(label.take().or_else(|| whole.next().map(|value| value as i64)));
                }
                Column::Text(values) => values.push(border_word(object.at_border).to_owned()),
                // Infinities become NaN, which is null in the file.
                Column::Real(values) => {
                    values.extend(real.next().map(|value| if value.is_finite() { value } else { f64::NAN }));
                }
            }
        }
        if self.columns.first().is_some_and(|column| column.len() == GROUP) { self.write() } else { Ok(()) }
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.columns.first().is_some_and(|column| !column.is_empty()) {
            self.write()?;
        }
        self.file.finish().map(|_| ())
    }

    fn write(&mut self) -> io::Result<()> {
        let rows = std::mem::replace(&mut self.columns, columns(self.names.len()));
        self.file.write(&table(&self.names, rows)?)
    }
}

/// Empty columns: label, status, centre, box, features.
fn columns(number: usize) -> Vec<Column> {
    let kind = |place: usize| match place {
        0 | 4..8 => Column::Integer(Vec::new()),
        1 => Column::Text(Vec::new()),
        _ => Column::Real(Vec::new()),
    };
    (0..number).map(kind).collect()
}

fn table(names: &[String], columns: Vec<Column>) -> io::Result<Table> {
    Table::new(names.iter().cloned().zip(columns).collect()).map_err(io::Error::other)
}
