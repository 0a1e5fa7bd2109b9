//! Sorting numbers by small ranks, in time that grows with their count only.

/// The entries of an order, stably sorted by their ranks, all of which are below `ranks`.
pub(crate) fn sorted_by_rank(order: &[u32], ranks: usize, rank: impl Fn(u32) -> usize) -> Vec<u32> {
    let mut next = vec![0u32; ranks + 1];
    for entry in order {
        next[rank(*entry) + 1] += 1;
    }
    for place in 1..next.len() {
        next[place] += next[place - 1];
    }
    let mut sorted = vec![0; order.len()];
    for entry in order {
        let place = &mut next[rank(*entry)];
        sorted[*place as usize] = *entry;
        *place += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ranks_stay_in_their_order() {
        let ranks = [1, 0, 1, 2, 0];
        assert_eq!(sorted_by_rank(&[4, 3, 2, 1, 0], 3, |entry| ranks[entry as usize]), [4, 1, 2, 0, 3]);
        assert!(sorted_by_rank(&[], 0, |_| 0).is_empty());
    }
}
