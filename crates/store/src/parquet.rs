//! Tables as Parquet files, row group by row group, so that no more than one group is in memory.

use std::io::{self, Write};
use std::sync::Arc;

use onceflow_region::{Column, Table};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

/// Writes tables of the same columns one below the other into one Parquet file, each a row group of its own; columns are
/// compressed with Snappy, which every reader knows. NaN is written as null.
pub struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    /// Names and columns without values, to compare with.
    columns: Table,
    nulls: Nulls,
}

/// How NaN is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// As null, which other programs read as missing.
    Missing,
    /// As NaN, bit by bit.
    Kept,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a file with the columns of a table, whose rows are not written.
    ///
    /// # Errors
    /// When it cannot be written, or a name cannot be one of Parquet.
    pub fn new(to: W, columns: &Table) -> io::Result<Self> {
        Self::with(to, columns, Nulls::Missing)
    }

    /// Begins a file in which every bit of every number is kept, for tables that are read again as they were.
    ///
    /// # Errors
    /// As [`ParquetWriter::new`].
    pub(crate) fn exact(to: W, columns: &Table) -> io::Result<Self> {
        Self::with(to, columns, Nulls::Kept)
    }

    fn with(to: W, columns: &Table, nulls: Nulls) -> io::Result<Self> {
        let fields = columns.columns().iter().map(|(name, column)| field(name, column, nulls));
        let fields = fields.collect::<Result<_, _>>().map_err(failed)?;
        let schema = Type::group_type_builder("table").with_fields(fields).build().map_err(failed)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // A dictionary may merge -0.0 with 0.0.
            .set_dictionary_enabled(nulls == Nulls::Missing)
            .set_created_by(concat!("onceflow ", env!("CARGO_PKG_VERSION")).into())
            .build();
        let file = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { file, columns: columns.without_rows(), nulls })
    }

    /// Writes a row group.
    ///
    /// # Errors
    /// When it cannot be written, or the columns are not those of the file.
    pub fn write(&mut self, rows: &Table) -> io::Result<()> {
        if rows.without_rows() != self.columns {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "rows of other columns than the table's",
            ));
        }
        let mut group = self.file.next_row_group().map_err(failed)?;
        for (_, column) in rows.columns() {
            if let Some(writer) = group.next_column().map_err(failed)? {
                write_column(writer, column, self.nulls).map_err(failed)?;
            }
        }
        group.close().map(|_| ()).map_err(failed)
    }

    /// Ends the file and gives back what it was written to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        let mut to = self.file.into_inner().map_err(failed)?;
        to.flush()?;
        Ok(to)
    }
}

impl<W: Write + Send> std::fmt::Debug for ParquetWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ParquetWriter of {} columns", self.columns.columns().len())
    }
}

fn field(name: &str, column: &Column, nulls: Nulls) -> Result<Arc<Type>, ParquetError> {
    let (physical, logical, repetition) = match column {
        Column::Integer(_) => (Physical::INT64, None, Repetition::REQUIRED),
        Column::Real(_) if nulls == Nulls::Kept => (Physical::DOUBLE, None, Repetition::REQUIRED),
        Column::Real(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        Column::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    field.with_logical_type(logical).build().map(Arc::new)
}

fn write_column(
    mut writer: SerializedColumnWriter<'_>,
    column: &Column,
    nulls: Nulls,
) -> Result<(), ParquetError> {
    match (writer.untyped(), column) {
        (ColumnWriter::Int64ColumnWriter(to), Column::Integer(values)) => {
            to.write_batch(values, None, None)?;
        }
        (ColumnWriter::DoubleColumnWriter(to), Column::Real(values)) if nulls == Nulls::Kept => {
            to.write_batch(values, None, None)?;
        }
        (ColumnWriter::DoubleColumnWriter(to), Column::Real(values)) => {
            let there: Vec<i16> = values.iter().map(|value| i16::from(!value.is_nan())).collect();
            let values: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
            to.write_batch(&values, Some(&there), None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(to), Column::Text(texts)) => {
            let texts: Vec<ByteArray> = texts.iter().map(|text| text.as_str().into()).collect();
            to.write_batch(&texts, None, None)?;
        }
        _ => return Err(ParquetError::General("a column of another kind".into())),
    }
    writer.close()
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    fn table(rows: std::ops::Range<i64>) -> Table {
        let real = |row: i64| if row % 3 == 0 { f64::NAN } else { row as f64 / 7.0 };
        Table::new(vec![
            ("label".into(), Column::Integer(rows.clone().collect())),
            ("status".into(), Column::Text(rows.clone().map(|row| format!("{row} Größe")).collect())),
            ("mean".into(), Column::Real(rows.map(real).collect())),
        ])
        .unwrap()
    }

    #[test]
    fn what_is_written_is_read_again_group_by_group() {
        let mut writer = ParquetWriter::new(Vec::new(), &table(0..0)).unwrap();
        for rows in [0..5, 5..7, 7..7] {
            writer.write(&table(rows)).unwrap();
        }
        let reader = SerializedFileReader::new(bytes::Bytes::from(writer.finish().unwrap())).unwrap();
        let metadata = reader.metadata();
        let groups: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
        assert_eq!(groups, [5, 2, 0]);
        assert_eq!(metadata.row_group(0).column(2).compression(), Compression::SNAPPY);
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        for (number, row) in rows.iter().enumerate() {
            let number = number as i64;
            let mean = if number % 3 == 0 { Field::Null } else { Field::Double(number as f64 / 7.0) };
            let expected = [
                ("label", Field::Long(number)),
                ("status", Field::Str(format!("{number} Größe"))),
                ("mean", mean),
            ];
            let found = row.get_column_iter().map(|(name, field)| (name.as_str(), field.clone()));
            assert!(found.eq(expected));
        }
        assert_eq!(rows.len(), 7);
    }

    #[test]
    fn other_columns_are_refused() {
        let mut writer = ParquetWriter::new(Vec::new(), &table(0..1)).unwrap();
        let other = Table::numbers([("label", 1.0)]).unwrap();
        assert!(writer.write(&other).is_err());
    }
}
