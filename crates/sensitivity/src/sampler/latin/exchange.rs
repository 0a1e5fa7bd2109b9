//! Constraints in a Latin hypercube: values of a column change rows until every row is allowed (Petelet et al. 2010).

use super::{Feasible, LatinSquare, RandomStream, SampleError, StreamPurpose};

/// Exchanges tried for each row before giving up.
const TRIES_PER_ROW: usize = 2000;

impl LatinSquare {
    /// Exchanges values between a row that is not allowed and any other, unless more rows would not be allowed then.
    pub(super) fn satisfy(&mut self, feasible: &Feasible<'_>, seed: u64) -> Result<(), SampleError> {
        let columns = feasible.parameters();
        let mut wrong: Vec<usize> = (0..self.rows).filter(|row| !feasible.holds(self.row(*row))).collect();
        let mut stream = RandomStream::new(seed, StreamPurpose::Exchange, 0, 0);
        let mut tries = self.rows * TRIES_PER_ROW;
        while !wrong.is_empty() && !columns.is_empty() {
            let place = stream.below(wrong.len() as u64) as usize;
            let row = wrong[place];
            if feasible.holds(self.row(row)) {
                // An earlier exchange has put it right.
                wrong.swap_remove(place);
                continue;
            }
            let other = stream.below(self.rows as u64) as usize;
            let column = columns[stream.below(columns.len() as u64) as usize];
            if self.exchange_if_no_worse(feasible, column, row, other) {
                wrong.push(other);
            }
            tries = tries.checked_sub(1).ok_or_else(|| feasible.no_arrangement())?;
        }
        Ok(())
    }

    /// Whether the exchange was kept and the other row is not allowed any more.
    fn exchange_if_no_worse(
        &mut self,
        feasible: &Feasible<'_>,
        column: usize,
        row: usize,
        other: usize,
    ) -> bool {
        let other_held = feasible.holds(self.row(other));
        self.exchange(column, row, other);
        let (row_holds, other_holds) = (feasible.holds(self.row(row)), feasible.holds(self.row(other)));
        if !row_holds && !other_holds && other_held {
            self.exchange(column, row, other);
            return false;
        }
        other_held && !other_holds
    }
}
