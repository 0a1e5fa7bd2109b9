//! Bootstrap and permutation: the same statistic over many weightings or shuffles of the rows, independent of the number of
//! threads.

use rayon::prelude::*;

use super::bootstrap::counts;
use crate::random::{RandomStream, StreamPurpose};

/// Statistics of resamples, by statistic: `draws[s][r]` is statistic `s` of resample `r`.
pub(crate) type ResampledStatistics = Vec<Vec<f64>>;

/// The statistics of `resamples` bootstrap resamples of `rows` rows. A resample is given as how often each row is in it.
pub(crate) fn bootstrap(
    rows: usize,
    resamples: usize,
    seed: u64,
    statistics: impl Fn(&[f64]) -> Vec<f64> + Sync,
) -> ResampledStatistics {
    let one = |resample: usize| statistics(&counts(rows, seed, resample as u64));
    transposed((0..resamples).into_par_iter().map(one).collect())
}

/// The statistics of `shuffles` permutations of the rows. A permutation is given as the row that takes each place.
pub(crate) fn shuffled(
    rows: usize,
    shuffles: usize,
    seed: u64,
    statistics: impl Fn(&[u32]) -> Vec<f64> + Sync,
) -> ResampledStatistics {
    let one = |shuffle: usize| statistics(&permutation(rows, seed, shuffle as u64));
    transposed((0..shuffles).into_par_iter().map(one).collect())
}

fn transposed(by_resample: Vec<Vec<f64>>) -> ResampledStatistics {
    let statistics = by_resample.first().map_or(0, Vec::len);
    (0..statistics).map(|s| by_resample.iter().map(|draw| draw[s]).collect()).collect()
}

fn permutation(rows: usize, seed: u64, shuffle: u64) -> Vec<u32> {
    let mut stream = RandomStream::new(seed, StreamPurpose::Shuffle, shuffle, 0);
    let mut order: Vec<u32> = (0..rows as u32).collect();
    stream.shuffle(&mut order);
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_holds_all_rows() {
        let mut order = permutation(500, 1, 0);
        assert_ne!(order, (0..500).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..500).collect::<Vec<_>>());
    }

    #[test]
    fn threads_do_not_change_draws() {
        let draws = || bootstrap(50, 20, 7, |w| vec![w[0], w[1] * 3.0]);
        let with =
            |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(draws);
        assert_eq!(with(1), with(5));
        assert_eq!(draws().len(), 2);
        assert_ne!(draws(), bootstrap(50, 20, 8, |w| vec![w[0], w[1] * 3.0]));
    }
}
