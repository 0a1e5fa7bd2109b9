//! Tables as Parquet files, read again as they were, to the last bit.

use std::io;

use bytes::Bytes;
use onceflow_region::{Column, Table};
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

use crate::ParquetWriter;

/// The file of a table.
pub(super) fn write(table: &Table) -> io::Result<Vec<u8>> {
    let mut writer = ParquetWriter::exact(Vec::new(), table)?;
    writer.write(table)?;
    writer.finish()
}

/// The table of a file that [`write()`] made.
pub(super) fn read(bytes: Vec<u8>) -> Result<Table, String> {
    columns(bytes).map_err(|error| error.to_string())?.ok_or_else(|| "columns of other kinds".to_owned())
}

fn columns(bytes: Vec<u8>) -> Result<Option<Table>, ParquetError> {
    let file = SerializedFileReader::new(Bytes::from(bytes))?;
    let schema = file.metadata().file_metadata().schema_descr();
    let mut columns = Vec::new();
    for field in schema.columns() {
        let column = match field.physical_type() {
            Physical::INT64 => Column::Integer(Vec::new()),
            Physical::DOUBLE => Column::Real(Vec::new()),
            Physical::BYTE_ARRAY => Column::Text(Vec::new()),
            _ => return Ok(None),
        };
        columns.push((field.name().to_owned(), column));
    }
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let Ok(rows) = usize::try_from(group.metadata().num_rows()) else { return Ok(None) };
        for (number, (_, column)) in columns.iter_mut().enumerate() {
            if !append(group.get_column_reader(number)?, rows, column)? {
                return Ok(None);
            }
        }
    }
    Ok(Table::new(columns).ok())
}

/// Appends the values of a row group; tells whether they were of the column's kind and as many as there are rows.
fn append(reader: ColumnReader, rows: usize, column: &mut Column) -> Result<bool, ParquetError> {
    Ok(match (reader, column) {
        (ColumnReader::Int64ColumnReader(reader), Column::Integer(to)) => values(reader, rows, to)?,
        (ColumnReader::DoubleColumnReader(reader), Column::Real(to)) => values(reader, rows, to)?,
        (ColumnReader::ByteArrayColumnReader(reader), Column::Text(to)) => {
            let mut texts: Vec<ByteArray> = Vec::new();
            let all = values(reader, rows, &mut texts)?;
            for text in texts {
                to.push(text.as_utf8()?.to_owned());
            }
            all
        }
        _ => false,
    })
}

fn values<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    to: &mut Vec<T::T>,
) -> Result<bool, ParquetError> {
    let mut read = 0;
    while read < rows {
        match reader.read_records(rows - read, None, None, to)? {
            (0, _, _) => break,
            (records, _, _) => read += records,
        }
    }
    Ok(read == rows)
}

#[cfg(test)]
mod tests {
    use onceflow_region::Region;
    use proptest::prelude::*;

    use super::*;

    fn column(rows: usize) -> impl Strategy<Value = Column> {
        let real = prop_oneof![any::<u64>().prop_map(f64::from_bits), Just(0.0), Just(-0.0), Just(f64::NAN)];
        prop_oneof![
            prop::collection::vec(any::<i64>(), rows).prop_map(Column::Integer),
            prop::collection::vec(real, rows).prop_map(Column::Real),
            prop::collection::vec("\\PC{0,5}|a", rows).prop_map(Column::Text),
        ]
    }

    proptest! {
        #[test]
        fn tables_come_back_to_the_last_bit(columns in (0usize..20).prop_flat_map(|rows| prop::collection::vec(column(rows), 0..5))) {
            let named = columns.into_iter().enumerate().map(|(at, column)| (format!("c.{at} ü"), column));
            let table = Table::new(named.collect()).unwrap();
            let again = read(write(&table).unwrap()).unwrap();
            prop_assert_eq!(Region::Table(again).digest(), Region::Table(table).digest());
        }
    }
}
