//! The rows of a search as plots need them: their values as numbers, and what they gave.

use onceflow_study::Value;

use crate::{Answer, RowRecord, TriedRow, TuneAnswer};

/// A search.
pub(super) struct SearchRows<'a> {
    answer: &'a Answer,
    pub(super) tuning: &'a TuneAnswer,
    /// Rows with values, in their order.
    pub(super) tried: Vec<(&'a RowRecord, &'a [f64])>,
    /// Columns of the parameters that vary.
    pub(super) columns: Vec<usize>,
}

impl<'a> SearchRows<'a> {
    pub(super) fn of(answer: &'a Answer, tuning: &'a TuneAnswer) -> Self {
        let row =
            |tried: &'a TriedRow| Some((answer.table.rows.get(tried.place)?, tried.objectives.as_deref()?));
        let tried: Vec<_> = tuning.history.iter().filter_map(row).collect();
        let varies = |column: &usize| {
            let mut values = tried.iter().filter_map(|(row, _)| row.values.get(*column));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let columns = (0..answer.table.parameters.len()).filter(varies).collect();
        Self { answer, tuning, tried, columns }
    }

    /// The name of the first objective.
    pub(super) fn objective(&self) -> &'a str {
        self.tuning.objectives.first().map_or("", String::as_str)
    }

    /// The name of a parameter.
    pub(super) fn name(&self, column: usize) -> &'a str {
        self.answer.table.parameters.get(column).map_or("", String::as_str)
    }

    /// The rows of the defaults and of the best values.
    pub(super) fn marked(&self) -> [Option<&'a RowRecord>; 2] {
        let rows = &self.answer.table.rows;
        [self.tuning.history.first().and_then(|tried| rows.get(tried.place)), rows.get(self.tuning.row)]
    }

    /// What a row of the search gave.
    pub(super) fn given(&self, row: &RowRecord) -> Option<&'a [f64]> {
        self.tried.iter().find(|(tried, _)| tried.row == row.row).map(|(_, given)| *given)
    }

    /// Whether the first objective is better the larger it is.
    pub(super) fn maximizes(&self) -> bool {
        self.tuning.maximize.first().copied().unwrap_or(true)
    }

    /// The values of a parameter, each with a place: numbers stand where they are, words one after the other.
    pub(super) fn scale(&self, column: usize) -> ValueScale {
        let mut words: Vec<String> = Vec::new();
        for value in self.tried.iter().filter_map(|(row, _)| row.values.get(column)) {
            if let Value::Text(word) = value
                && !words.contains(word)
            {
                words.push(word.clone());
            }
        }
        words.sort();
        let places = self.tried.iter().filter_map(|(row, _)| place(&words, row.values.get(column)?));
        let (low, high) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        ValueScale { words, low, high }
    }
}

/// Where the values of a parameter stand.
pub(super) struct ValueScale {
    pub(super) words: Vec<String>,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl ValueScale {
    pub(super) fn place(&self, value: &Value) -> Option<f64> {
        place(&self.words, value)
    }
}

fn place(words: &[String], value: &Value) -> Option<f64> {
    match value {
        Value::Text(word) => words.iter().position(|own| own == word).map(|place| place as f64),
        value => value.as_f64(),
    }
}
