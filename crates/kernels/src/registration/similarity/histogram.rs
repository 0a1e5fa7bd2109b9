//! Joint histograms of two volumes: entropies, and what a change of a warped value does to their information.

use super::Similarity;
use crate::registration::lattice::weights;
use crate::registration::real::Real;

/// Shares of the voxels that count, by the bin of the fixed value (rows) and of the warped value (columns).
#[derive(Clone, Debug, PartialEq)]
pub struct JointHistogram {
    bins: usize,
    /// Row by row.
    shares: Vec<f64>,
    fixed: Vec<f64>,
    warped: Vec<f64>,
    /// Entropies of fixed, warped and both.
    entropies: [f64; 3],
}

/// The bin of a value as a real number.
#[inline(always)]
pub(crate) fn bin_of<T: Real>(value: T, bins: usize) -> T {
    T::of(2.0) + value * T::of(bins as f64 - 5.0)
}

/// The row of a fixed value.
#[inline(always)]
pub(crate) fn row_of(value: f32, bins: usize) -> usize {
    (bin_of(f64::from(value), bins) + 0.5).whole() as usize
}

/// Weights of a warped value of 0 on columns 1, 2 and 3.
pub(crate) fn zero_weights() -> [f64; 4] {
    weights(0.0)
}

impl JointHistogram {
    /// From sums of weights over this many voxels.
    pub(crate) fn new(mut sums: Vec<f64>, bins: usize, counted: u64) -> Self {
        sums.iter_mut().for_each(|sum| *sum /= counted as f64);
        let fixed: Vec<f64> = sums.chunks(bins).map(|row| row.iter().sum()).collect();
        let mut warped = vec![0.0; bins];
        for row in sums.chunks(bins) {
            warped.iter_mut().zip(row).for_each(|(sum, share)| *sum += share);
        }
        let entropies = [entropy(&fixed), entropy(&warped), entropy(&sums)];
        JointHistogram { bins, shares: sums, fixed, warped, entropies }
    }

    /// Bins of each volume.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// Row by row: the bins of the warped value for each bin of the fixed one.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Entropies of the fixed values, the warped values and both together, by the natural logarithm.
    pub fn entropies(&self) -> [f64; 3] {
        self.entropies
    }

    /// Mutual information.
    pub fn mi(&self) -> f64 {
        let [fixed, warped, joint] = self.entropies;
        fixed + warped - joint
    }

    /// Normalised mutual information; 1, as for independent volumes, where all is one bin.
    pub fn nmi(&self) -> f64 {
        let [fixed, warped, joint] = self.entropies;
        if joint > 0.0 { (fixed + warped) / joint } else { 1.0 }
    }

    /// How the negative information changes with one voxel's warped value in a row and a cell of four columns: a quadratic
    /// polynomial of the place in the cell, in three of four numbers.
    pub(crate) fn slopes<T: Real>(&self, similarity: Similarity, counted: u64) -> Vec<[T; 4]> {
        let nmi = matches!(similarity, Similarity::Nmi { .. });
        let (information, joint) = if nmi { (self.nmi(), self.entropies[2]) } else { (1.0, 1.0) };
        let scale = (self.bins as f64 - 5.0) / counted as f64;
        let scale = if joint > 0.0 { scale / joint } else { 0.0 };
        let logarithms: Vec<f64> = self.warped.iter().map(|share| libm::log(*share)).collect();
        let columns = |row: usize| {
            let shares = self.shares[row * self.bins..][..self.bins].iter().zip(&logarithms);
            let term =
                |share: f64, log: f64| if share > 0.0 { log - information * libm::log(share) } else { 0.0 };
            shares.map(|(share, log)| scale * term(*share, *log)).collect::<Vec<f64>>()
        };
        let mut slopes = Vec::with_capacity(self.bins * self.bins);
        for row in 0..self.bins {
            let columns = columns(row);
            let cell = |cell: usize| match cell.checked_sub(1).and_then(|first| columns.get(first..first + 4))
            {
                Some(&[a, b, c, d]) => polynomial(a, b, c, d).map(T::of),
                _ => [T::default(); 4],
            };
            slopes.extend((0..self.bins).map(cell));
        }
        slopes
    }
}

/// Sum of four columns by the slopes of the cubic weights, as a polynomial of the place in the cell.
fn polynomial(a: f64, b: f64, c: f64, d: f64) -> [f64; 4] {
    [(c - a) / 2.0, a - 2.0 * b + c, (d - a + 3.0 * (b - c)) / 2.0, 0.0]
}

fn entropy(shares: &[f64]) -> f64 {
    let term = |share: &f64| if *share > 0.0 { share * libm::log(*share) } else { 0.0 };
    -shares.iter().map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registration::lattice::slopes;

    #[test]
    fn polynomials_are_the_slopes_of_the_weights() {
        for r in [0.0, 0.3, 0.9] {
            let [p, q, s, _] = polynomial(1.5, -2.0, 0.25, 4.0);
            let expected: f64 =
                slopes(r).iter().zip([1.5, -2.0, 0.25, 4.0]).map(|(slope, by)| slope * by).sum();
            assert!((p + r * (q + r * s) - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn volumes_that_are_constant_have_no_information() {
        let mut sums = vec![0.0; 256];
        sums[18] = 7.0;
        let joint = JointHistogram::new(sums, 16, 7);
        assert_eq!((joint.mi(), joint.nmi(), joint.entropies()), (0.0, 1.0, [0.0; 3]));
        let slopes = joint.slopes::<f64>(Similarity::Nmi { bins: 16 }, 7);
        assert!(slopes.iter().flatten().all(|slope| *slope == 0.0));
    }
}
