//! Overlap of two maps of labels.

use std::collections::BTreeMap;
use std::ops::Range;

use onceflow_region::{Pixels, with_values};

use crate::registration::voxel::Voxel;

/// Overlap of one label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelOverlap {
    /// The label.
    pub label: i64,
    /// Voxels of the fixed map, of the other one, and of both.
    pub voxels: [u64; 3],
    /// Twice the voxels of both by the sum of those of each.
    pub dice: f64,
    /// The voxels of both by those of any.
    pub jaccard: f64,
}

/// Overlap of all labels that one of two maps has.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// By label.
    pub labels: Vec<LabelOverlap>,
    /// The mean over the labels of the fixed map; none when it has none.
    pub dice: Option<f64>,
    /// The mean over the labels of the fixed map; none when it has none.
    pub jaccard: Option<f64>,
}

/// The overlap of a fixed map of labels and another one, which was pulled onto it; 0 is no label. None when they differ in
/// size.
pub fn overlap(fixed: &Pixels, other: &Pixels) -> Option<Overlap> {
    if fixed.len() != other.len() {
        return None;
    }
    let mut counts: BTreeMap<i64, [u64; 3]> = BTreeMap::new();
    // Runs of equal pairs are counted together: the map is asked once for each.
    let mut run = (0, 0, 0);
    for start in (0..fixed.len()).step_by(PIECE) {
        let piece = start..(start + PIECE).min(fixed.len());
        for (one, other) in labels(fixed, piece.clone()).into_iter().zip(labels(other, piece)) {
            if (one, other) != (run.0, run.1) {
                count(&mut counts, run);
                run = (one, other, 0);
            }
            run.2 += 1;
        }
    }
    count(&mut counts, run);
    counts.remove(&0);
    Some(summary(counts))
}

/// Labels that are compared at a time.
const PIECE: usize = 1 << 14;

fn labels(map: &Pixels, piece: Range<usize>) -> Vec<i64> {
    with_values!(map, values => values[piece].iter().map(|value| value.label()).collect())
}

fn count(counts: &mut BTreeMap<i64, [u64; 3]>, (one, other, voxels): (i64, i64, u64)) {
    counts.entry(one).or_default()[0] += voxels;
    counts.entry(other).or_default()[1] += voxels;
    if one == other {
        counts.entry(one).or_default()[2] += voxels;
    }
}

fn summary(counts: BTreeMap<i64, [u64; 3]>) -> Overlap {
    let of = |(label, voxels): (i64, [u64; 3])| {
        let [one, other, both] = voxels.map(|voxels| voxels as f64);
        LabelOverlap { label, voxels, dice: 2.0 * both / (one + other), jaccard: both / (one + other - both) }
    };
    let labels: Vec<LabelOverlap> = counts.into_iter().filter(|(_, [a, b, _])| a + b > 0).map(of).collect();
    let fixed = || labels.iter().filter(|label| label.voxels[0] > 0);
    let mean = |part: fn(&LabelOverlap) -> f64| {
        let count = fixed().count();
        (count > 0).then(|| fixed().map(part).sum::<f64>() / count as f64)
    };
    Overlap { dice: mean(|label| label.dice), jaccard: mean(|label| label.jaccard), labels }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_one_map_only() {
        let fixed = Pixels::U8(vec![0, 1, 1, 2, 2, 0]);
        let other = Pixels::I16(vec![0, 1, 2, 2, 3, 3]);
        let found = overlap(&fixed, &other).unwrap();
        let dice: Vec<(i64, f64)> = found.labels.iter().map(|label| (label.label, label.dice)).collect();
        assert_eq!(dice, [(1, 2.0 / 3.0), (2, 0.5), (3, 0.0)]);
        assert_eq!(found.dice, Some((2.0 / 3.0 + 0.5) / 2.0));
        assert_eq!(found.jaccard, Some((0.5 + 1.0 / 3.0) / 2.0));
        assert_eq!(overlap(&fixed, &Pixels::U8(vec![1])), None);
        assert_eq!(overlap(&Pixels::U8(vec![0, 0]), &Pixels::U8(vec![0, 1])).unwrap().dice, None);
    }
}
