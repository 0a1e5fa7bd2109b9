//! Small tables: colour statistics, counts, features of objects.

use crate::Digester;
use crate::RegionError;

/// The values of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Real numbers.
    Real(Vec<f64>),
    /// Texts.
    Text(Vec<String>),
}

impl Column {
    /// How many values.
    pub fn len(&self) -> usize {
        match self {
            Column::Integer(values) => values.len(),
            Column::Real(values) => values.len(),
            Column::Text(values) => values.len(),
        }
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bytes(&self) -> u64 {
        let texts = |values: &[String]| values.iter().map(|text| text.len() as u64).sum::<u64>();
        match self {
            Column::Integer(_) | Column::Real(_) => self.len() as u64 * 8,
            Column::Text(values) => texts(values) + (self.len() * size_of::<String>()) as u64,
        }
    }

    fn digest(&self, digester: &mut Digester) {
        digester.number(self.len() as u64);
        match self {
            Column::Integer(values) => {
                digester.text("integer");
                digester.wide(values, i64::to_le_bytes);
            }
            Column::Real(values) => {
                digester.text("real");
                digester.wide(values, f64::to_le_bytes);
            }
            Column::Text(values) => {
                digester.text("text");
                values.iter().for_each(|text| digester.text(text));
            }
        }
    }
}

/// Columns of equal length, found by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<(String, Column)>,
}

impl Table {
    /// The table with these columns.
    ///
    /// # Errors
    /// When two columns have one name or different lengths.
    pub fn new(columns: Vec<(String, Column)>) -> Result<Table, RegionError> {
        let mut table = Table::default();
        columns.into_iter().try_for_each(|(name, column)| table.add(name, column))?;
        Ok(table)
    }

    /// One row of real numbers: what a stage that measures a whole image hands on.
    ///
    /// # Errors
    /// When two numbers have one name.
    pub fn numbers<'a>(numbers: impl IntoIterator<Item = (&'a str, f64)>) -> Result<Table, RegionError> {
        let column = |(name, value): (&str, f64)| (name.to_owned(), Column::Real(vec![value]));
        Table::new(numbers.into_iter().map(column).collect())
    }

    /// Adds a column on the right.
    ///
    /// # Errors
    /// When its name is taken or its length is not the table's.
    pub fn add(&mut self, name: String, column: Column) -> Result<(), RegionError> {
        if self.column(&name).is_some() {
            return Err(RegionError::Column { name });
        }
        if !self.columns.is_empty() && column.len() != self.rows() {
            return Err(RegionError::Rows { name, expected: self.rows(), found: column.len() });
        }
        self.columns.push((name, column));
        Ok(())
    }

    /// The same columns without a value.
    pub fn without_rows(&self) -> Table {
        let empty = |column: &Column| match column {
            Column::Integer(_) => Column::Integer(Vec::new()),
            Column::Real(_) => Column::Real(Vec::new()),
            Column::Text(_) => Column::Text(Vec::new()),
        };
        Table { columns: self.columns.iter().map(|(name, column)| (name.clone(), empty(column))).collect() }
    }

    /// Some of the rows, in the order given.
    pub(crate) fn pick(&self, rows: &[usize]) -> Table {
        fn of<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row].clone()).collect()
        }
        let pick = |column: &Column| match column {
            Column::Integer(values) => Column::Integer(of(values, rows)),
            Column::Real(values) => Column::Real(of(values, rows)),
            Column::Text(values) => Column::Text(of(values, rows)),
        };
        Table { columns: self.columns.iter().map(|(name, column)| (name.clone(), pick(column))).collect() }
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The columns from left to right.
    pub fn columns(&self) -> &[(String, Column)] {
        &self.columns
    }

    /// The columns from left to right, without a copy.
    pub fn into_columns(self) -> Vec<(String, Column)> {
        self.columns
    }

    /// The column with a name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(its, _)| its == name).map(|(_, column)| column)
    }

    /// The whole numbers with a name.
    pub fn integers(&self, name: &str) -> Option<&[i64]> {
        if let Column::Integer(values) = self.column(name)? { Some(values) } else { None }
    }

    /// The real numbers with a name.
    pub fn reals(&self, name: &str) -> Option<&[f64]> {
        if let Column::Real(values) = self.column(name)? { Some(values) } else { None }
    }

    /// The texts with a name.
    pub fn texts(&self, name: &str) -> Option<&[String]> {
        if let Column::Text(values) = self.column(name)? { Some(values) } else { None }
    }

    /// The number with a name in a table of one row.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.column(name)? {
            Column::Integer(values) => {
                values.first().filter(|_| values.len() == 1).map(|&value| value as f64)
            }
            Column::Real(values) => values.first().filter(|_| values.len() == 1).copied(),
            Column::Text(_) => None,
        }
    }

    /// Bytes that names and values take.
    pub fn bytes(&self) -> u64 {
        self.columns.iter().map(|(name, column)| name.len() as u64 + column.bytes()).sum()
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        digester.number(self.columns.len() as u64);
        for (name, column) in &self.columns {
            digester.text(name);
            column.digest(digester);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_columns_by_name_and_kind() {
        let table = Table::new(vec![
            ("label".into(), Column::Integer(vec![1, 2])),
            ("area".into(), Column::Real(vec![0.5, 1.5])),
            ("class".into(), Column::Text(vec!["a".into(), "b".into()])),
        ])
        .unwrap();
        assert_eq!(table.rows(), 2);
        assert_eq!(table.integers("label"), Some(&[1, 2][..]));
        assert_eq!(table.reals("area"), Some(&[0.5, 1.5][..]));
        assert_eq!(table.texts("class").map(|texts| texts[1].as_str()), Some("b"));
        assert_eq!((table.reals("label"), table.column("other"), table.number("area")), (None, None, None));
    }

    #[test]
    fn one_row_gives_numbers() {
        let table = Table::numbers([("mean", 2.5), ("deviation", 0.25)]).unwrap();
        assert_eq!((table.number("mean"), table.number("deviation")), (Some(2.5), Some(0.25)));
    }

    #[test]
    fn refuses_ragged_and_repeated_columns() {
        let ragged = Table::new(vec![
            ("a".into(), Column::Integer(vec![1, 2])),
            ("b".into(), Column::Integer(vec![1])),
        ]);
        let error = ragged.unwrap_err().to_string();
        assert_eq!(error, "expected 2 values in column b, found 1; give every column one value per row");
        let twice = Table::numbers([("a", 1.0), ("a", 2.0)]);
        assert_eq!(twice.unwrap_err(), RegionError::Column { name: "a".into() });
    }
}
