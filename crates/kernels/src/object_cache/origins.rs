//! The rows whose work supplied the cached objects of a call.

/// The objects of one call of a task, and the rows that computed those found in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectOrigins {
    /// The task's name.
    pub task: String,
    /// The site of the call.
    pub site: usize,
    /// The first row that asked for the call.
    pub row: u32,
    /// Number of objects looked up.
    pub objects: u64,
    /// Number of them that were cached.
    pub known: u64,
    /// The rows that computed most of the cached objects, each with its number of objects; at most [`MOST_ORIGINS`].
    pub from: Vec<(u32, u64)>,
}

/// Rows listed for one call.
pub const MOST_ORIGINS: usize = 3;

/// The rows that occur most often, each with its number of occurrences; at most [`MOST_ORIGINS`].
pub fn most_frequent_rows(mut rows: Vec<u32>) -> Vec<(u32, u64)> {
    rows.sort_unstable();
    let mut from: Vec<(u32, u64)> =
        rows.chunk_by(|one, other| one == other).map(|same| (same[0], same.len() as u64)).collect();
    from.sort_unstable_by_key(|(row, count)| (std::cmp::Reverse(*count), *row));
    from.truncate(MOST_ORIGINS);
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_most_objects_come_first() {
        assert_eq!(most_frequent_rows(vec![4, 7, 4, 9, 9, 9, 1, 7, 4, 4]), [(4, 4), (9, 3), (7, 2)]);
    }
}
