//! Whether the scrambling is what Owen's theory needs: nested, uniform, independent where prefixes differ.

use super::super::sobol::Directions;
use super::*;
use proptest::prelude::*;

/// Which bits of a point are flipped.
fn flips(seed: u64, dimension: u64, x: u64) -> u64 {
    Scramble::new(seed, dimension, 0).apply(x) ^ x
}

/// Scrambled (or plain) points, dimension by dimension.
fn columns(dimensions: usize, seed: Option<u64>, count: usize) -> Vec<Vec<f64>> {
    let directions = Directions::new(dimensions).unwrap();
    let mut sequence = directions.sequence(seed, 0);
    let mut columns = vec![Vec::new(); dimensions];
    let mut point = vec![0.0; dimensions];
    for _ in 0..count {
        sequence.next_into(&mut point);
        columns.iter_mut().zip(&point).for_each(|(column, unit)| column.push(*unit));
    }
    columns
}

proptest! {
    #[test]
    fn points_part_where_they_did_before(seed: u64, x: u64, first in 0..64_u32, rest: u64) {
        let y = x ^ (1 << (63 - first)) ^ (rest & ((1 << (63 - first)) - 1));
        let scramble = Scramble::new(seed, 0, 0);
        prop_assert_eq!((scramble.apply(x) ^ scramble.apply(y)).leading_zeros(), first);
    }
}

/// Within six standard deviations: fair coins miss it once in 10^8, and the tests look at thousands of counts.
fn near_half(heads: u32, n: u32) -> bool {
    f64::from(heads.abs_diff(n / 2)) < 3.0 * f64::from(n).sqrt()
}

const SEEDS: u32 = 4000;

#[test]
fn each_bit_flips_half_of_the_time_and_pairs_of_bits_are_independent() {
    for x in [0, u64::MAX, 0x1234_5678_9ABC_DEF0] {
        let found: Vec<u64> = (0..u64::from(SEEDS)).map(|seed| flips(seed, 3, x)).collect();
        for bit in 0..64 {
            let heads = found.iter().filter(|f| *f >> bit & 1 == 1).count() as u32;
            assert!(near_half(heads, SEEDS), "bit {bit} of {x:x}: {heads}");
            for other in bit + 1..64 {
                let equal = found.iter().filter(|f| (*f >> bit ^ *f >> other) & 1 == 1).count() as u32;
                assert!(near_half(equal, SEEDS), "bits {bit}, {other} of {x:x}: {equal}");
            }
        }
    }
}

#[test]
fn coins_below_different_prefixes_are_independent() {
    let x = 0x5555_0F0F_1234_FFFF_u64;
    for first in 0..24 {
        let y = x ^ (1 << (63 - first));
        let both = (0..u64::from(SEEDS)).map(|seed| flips(seed, 0, x) ^ flips(seed, 0, y));
        let both: Vec<u64> = both.collect();
        for bit in 0..63 - first {
            let heads = both.iter().filter(|f| *f >> bit & 1 == 1).count() as u32;
            assert!(near_half(heads, SEEDS), "parted at {first}, bit {bit}: {heads}");
        }
        // At and above the digit where they part, the prefixes are the same and so are the coins.
        assert!(both.iter().all(|f| f >> (63 - first) == 0));
    }
}

#[test]
fn coins_of_four_points_add_up_to_nothing_in_particular() {
    // Pairwise independence is not enough for fourth moments: a linear hash would fail here.
    let points = [0_u64, 1 << 63, 1 << 62, 3 << 62];
    let sums = (0..u64::from(SEEDS)).map(|seed| points.iter().fold(0, |sum, x| sum ^ flips(seed, 0, *x)));
    let sums: Vec<u64> = sums.collect();
    for bit in 0..62 {
        let heads = sums.iter().filter(|f| *f >> bit & 1 == 1).count() as u32;
        assert!(near_half(heads, SEEDS), "bit {bit}: {heads}");
    }
}

#[test]
fn dimensions_and_replicates_are_independent() {
    let n = 4000;
    let other =
        |seed: u64| [flips(seed, 1, 9), flips(seed + 1, 0, 9), Scramble::new(seed, 0, 1).apply(9) ^ 9];
    for place in 0..3 {
        let both: Vec<u64> = (0..n).map(|seed| flips(seed, 0, 9) ^ other(seed)[place]).collect();
        for bit in 0..64 {
            let heads = both.iter().filter(|f| *f >> bit & 1 == 1).count() as u32;
            assert!(near_half(heads, n as u32), "{place}, bit {bit}: {heads}");
        }
    }
}

#[test]
fn every_dimension_stays_a_net() {
    for seed in 0..4 {
        for (m, dimension) in (0..=12_u32).flat_map(|m| (0..6).map(move |d| (m, d))) {
            let strata = 1_usize << m;
            let column = &columns(6, Some(seed), strata)[dimension];
            let mut hit = vec![false; strata];
            column.iter().for_each(|u| hit[(u * strata as f64) as usize] = true);
            assert!(hit.into_iter().all(|h| h), "seed {seed}, 2^{m} points, dimension {dimension}");
        }
    }
}

/// How many points each box of 2^-a by 2^-b holds, sorted.
fn boxes(x: &[f64], y: &[f64], a: u32, b: u32) -> Vec<usize> {
    let mut counts = vec![0; 1 << (a + b)];
    for (x, y) in x.iter().zip(y) {
        let (x, y) = ((x * f64::from(1 << a)) as usize, (y * f64::from(1 << b)) as usize);
        counts[x << b | y] += 1;
    }
    counts.sort_unstable();
    counts
}

#[test]
fn planes_keep_their_quality() {
    let plain = columns(8, None, 1 << 8);
    for seed in 0..3 {
        let scrambled = columns(8, Some(seed), 1 << 8);
        for (i, j) in (0..8).flat_map(|i| (i + 1..8).map(move |j| (i, j))) {
            for (a, b) in (0..=8).flat_map(|a| (0..=8 - a).map(move |b| (a, b))) {
                let expected = boxes(&plain[i], &plain[j], a, b);
                assert_eq!(boxes(&scrambled[i], &scrambled[j], a, b), expected, "{i} {j} {a} {b}");
            }
        }
    }
}

/// Means of a function of one or two coordinates over many scrambles.
fn means(count: usize, seeds: u64, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let mean = |seed| {
        let columns = columns(2, Some(seed), count);
        columns[0].iter().zip(&columns[1]).map(|(x, y)| f(*x, *y)).sum::<f64>() / count as f64
    };
    (0..seeds).map(mean).collect()
}

fn variance(values: &[f64], truth: f64) -> f64 {
    values.iter().map(|v| (v - truth).powi(2)).sum::<f64>() / values.len() as f64
}

#[test]
fn a_smooth_mean_has_the_variance_of_nested_scrambling() {
    // In one dimension every point is uniform and independent in its stratum: the variance is that of x^2 inside a
    // stratum, sum of (2x)^2 / 12 / n^2, over n: 1/9 n^-3. A digital shift alone would give n^-2.
    for m in 2..=9 {
        let n = 1_usize << m;
        let found = variance(&means(n, 600, |x, _| x * x), 1.0 / 3.0) * (n as f64).powi(3);
        assert!((found * 9.0 - 1.0).abs() < 0.3, "n = {n}: {found} instead of 1/9");
    }
}

#[test]
fn a_smooth_mean_in_the_plane_converges_faster_than_random_points_and_is_unbiased() {
    let f = |x: f64, y: f64| x.exp() * y * y;
    let truth = (1_f64.exp() - 1.0) / 3.0;
    let (few, many) = (means(1 << 4, 300, f), means(1 << 9, 300, f));
    let error = (variance(&many, truth) / 300.0).sqrt();
    let bias = many.iter().sum::<f64>() / 300.0 - truth;
    assert!(bias.abs() < 4.0 * error, "bias {bias}, standard error {error}");
    // 32 times as many points: 2^-15 without the logarithm that the plane adds, 2^-5 for random points.
    let gain = variance(&few, truth) / variance(&many, truth);
    assert!(gain > 2_f64.powi(12), "{gain}");
}
