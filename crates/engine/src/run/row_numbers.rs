//! The numbers of a plan's rows: in their phase, and in the table of the run.

/// A plan has all rows of a phase, or those of a bucket.
#[derive(Clone, Debug)]
pub(crate) struct RowNumbers {
    /// The number of the phase's first row in the table.
    first: usize,
    /// The number of each row of a bucket in its phase.
    rows: Option<Vec<usize>>,
}

impl RowNumbers {
    /// All rows of a phase whose first row has this number in the table.
    pub(crate) fn of_phase(first: usize) -> Self {
        Self { first, rows: None }
    }

    /// These rows of such a phase.
    pub(crate) fn of_bucket(first: usize, rows: Vec<usize>) -> Self {
        Self { first, rows: Some(rows) }
    }

    /// The number of the phase's first row in the table.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// The number of a row in its phase.
    pub(crate) fn in_phase(&self, row: usize) -> usize {
        self.rows.as_ref().map_or(row, |rows| rows[row])
    }

    /// The number of a row in the table.
    pub(crate) fn in_table(&self, row: usize) -> usize {
        self.first + self.in_phase(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_bucket_have_the_numbers_of_their_phase() {
        let (phase, bucket) = (RowNumbers::of_phase(10), RowNumbers::of_bucket(10, vec![0, 4, 7]));
        assert_eq!((phase.in_phase(2), phase.in_table(2)), (2, 12));
        assert_eq!((bucket.in_phase(2), bucket.in_table(2)), (7, 17));
    }
}
