//! A column in ascending order, with equal values together, and the ranks that follow.

/// The rows of a column in ascending order of its values, in groups of equal values.
#[derive(Clone, Debug)]
pub(crate) struct RankOrder {
    rows: Vec<u32>,
    /// Where each group ends in `rows`.
    ends: Vec<u32>,
}

impl RankOrder {
    /// Sorts a column without NaN. Equal values keep the order of their rows.
    pub(crate) fn of(column: &[f64]) -> Self {
        // Adding zero makes -0 and 0 one value for the total order.
        let key = |row: u32| column[row as usize] + 0.0;
        let mut rows: Vec<u32> = (0..column.len() as u32).collect();
        rows.sort_by(|a, b| key(*a).total_cmp(&key(*b)));
        let starts = (1..rows.len()).filter(|i| key(rows[i - 1]) < key(rows[*i])).map(|i| i as u32);
        let ends = starts.chain((!rows.is_empty()).then_some(rows.len() as u32)).collect();
        Self { rows, ends }
    }

    /// The rows, ascending.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Rows of equal value, group by group, ascending.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.rows[start as usize..*end as usize])
    }

    /// How many different values there are.
    pub(crate) fn distinct(&self) -> usize {
        self.ends.len()
    }

    /// Whether values repeat so much that each can be looked at by itself: at most `most`, each twice on average.
    pub(crate) fn has_few_values(&self, most: usize) -> bool {
        self.distinct() <= most && 2 * self.distinct() <= self.rows.len()
    }

    /// Middle rank of each row (from 1) when each row stands as often as its weight says.
    pub(crate) fn mid_ranks(&self, weights: &[f64], ranks: &mut [f64]) {
        let mut below = 0.0;
        for group in self.groups() {
            let here: f64 = group.iter().map(|row| weights[*row as usize]).sum();
            let rank = below + (here + 1.0) / 2.0;
            group.iter().for_each(|row| ranks[*row as usize] = rank);
            below += here;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(column: &[f64], weights: &[f64]) -> Vec<f64> {
        let mut ranks = vec![0.0; column.len()];
        RankOrder::of(column).mid_ranks(weights, &mut ranks);
        ranks
    }

    #[test]
    fn ties_share_their_middle_rank() {
        let column = [3.0, 1.0, 3.0, -0.0, 0.0, 7.0];
        assert_eq!(ranks(&column, &[1.0; 6]), [4.5, 3.0, 4.5, 1.5, 1.5, 6.0]);
        assert_eq!(RankOrder::of(&column).distinct(), 4);
    }

    #[test]
    fn weights_are_repetitions() {
        let column = [2.0, 1.0, 5.0];
        // As if the column were 1, 1, 2, 5, 5, 5.
        assert_eq!(ranks(&column, &[1.0, 2.0, 3.0]), [3.0, 1.5, 5.0]);
    }

    #[test]
    fn an_empty_column_has_no_groups() {
        assert_eq!(RankOrder::of(&[]).groups().count(), 0);
    }
}
