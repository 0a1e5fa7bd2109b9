//! The parameter sets of a study, kept as columns of small numbers over the distinct values.

use std::collections::HashMap;

use onceflow_study::Value;

/// Parameter sets, one per row.
#[derive(Clone, Debug, Default)]
pub struct ParameterRows {
    parameters: Vec<String>,
    columns: Vec<RowColumn>,
    count: usize,
    /// The row with the role `reference`, when there is one.
    pub reference: Option<usize>,
}

/// The values of one parameter: which of the distinct ones stands in each row.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowColumn {
    pub(crate) distinct: Vec<Value>,
    pub(crate) numbers: Vec<u32>,
    seen: SeenValues,
}

/// Finds the number of a value again; words apart, so that looking one up copies nothing.
#[derive(Clone, Debug, Default)]
struct SeenValues {
    integers: HashMap<i64, u32>,
    reals: HashMap<u64, u32>,
    words: HashMap<String, u32>,
}

/// Why a row was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum RowsError {
    #[error(
        "row {row}: expected {expected} values, one per parameter, found {found}; give the row all of them"
    )]
    Width { row: usize, expected: usize, found: usize },
    #[error("expected at most {most} rows, found more; split the study")]
    TooMany { most: usize },
}

impl ParameterRows {
    /// No rows yet, of these parameters.
    pub fn new(parameters: Vec<String>) -> Self {
        let columns = parameters.iter().map(|_| RowColumn::default()).collect();
        Self { parameters, columns, count: 0, reference: None }
    }

    /// Adds a row: one value per parameter, in their order.
    pub fn push(&mut self, values: &[Value]) -> Result<(), RowsError> {
        let (row, expected, found) = (self.count, self.columns.len(), values.len());
        if expected != found {
            return Err(RowsError::Width { row, expected, found });
        }
        if self.count >= MOST_ROWS {
            return Err(RowsError::TooMany { most: MOST_ROWS });
        }
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        self.count += 1;
        Ok(())
    }

    /// So many of the first rows; where the reference row is not among them, the last of them stands for it.
    pub(crate) fn first(&self, count: usize) -> Self {
        let mut first = self.clone();
        first.columns.iter_mut().for_each(|column| column.numbers.truncate(count));
        first.count = self.count.min(count);
        first.reference = self.reference.map(|row| row.min(first.count.saturating_sub(1)));
        first
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The parameters, in the order of the values.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// A parameter's value in a row.
    pub fn value(&self, row: usize, parameter: &str) -> Option<&Value> {
        let column = self.column(parameter)?;
        column.distinct.get(*column.numbers.get(row)? as usize)
    }

    pub(crate) fn column(&self, parameter: &str) -> Option<&RowColumn> {
        let at = self.parameters.iter().position(|name| name == parameter)?;
        self.columns.get(at)
    }
}

/// Rows are numbered in 32 bits, and the largest number stays free.
const MOST_ROWS: usize = u32::MAX as usize - 1;

impl RowColumn {
    fn push(&mut self, value: &Value) {
        let next = self.distinct.len() as u32;
        let number = match value {
            Value::Integer(i) => *self.seen.integers.entry(*i).or_insert(next),
            Value::Real(x) => *self.seen.reals.entry(x.to_bits()).or_insert(next),
            Value::Text(text) => self.seen.word(text, next),
        };
        if number == next {
            self.distinct.push(value.clone());
        }
        self.numbers.push(number);
    }
}

impl SeenValues {
    fn word(&mut self, text: &str, next: u32) -> u32 {
        match self.words.get(text) {
            Some(number) => *number,
            None => *self.words.entry(text.to_owned()).or_insert(next),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_gives_back_its_values() {
        let mut rows = ParameterRows::new(vec!["a".into(), "b".into()]);
        let first = [Value::Real(0.5), Value::Text("x".into())];
        let second = [Value::Integer(2), Value::Text("x".into())];
        rows.push(&first).unwrap();
        rows.push(&second).unwrap();
        assert_eq!((rows.value(1, "a"), rows.value(1, "b")), (Some(&second[0]), Some(&first[1])));
        assert_eq!((rows.value(2, "a"), rows.value(0, "c")), (None, None));
        assert_eq!(rows.len(), 2);
    }

    #[test]
    fn a_row_of_another_width_is_refused_and_changes_nothing() {
        let mut rows = ParameterRows::new(vec!["a".into()]);
        let refused = rows.push(&[]).unwrap_err();
        assert_eq!(refused, RowsError::Width { row: 0, expected: 1, found: 0 });
        assert!(rows.is_empty());
    }
}
