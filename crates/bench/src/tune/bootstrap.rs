//! How sure a difference between two tuners is: seeds are drawn with replacement, in pairs.

/// The mean of differences of pairs, and the ends of the interval that holds 95 % of the means of redrawn pairs.
pub(super) fn paired(ours: &[f64], theirs: &[f64]) -> (f64, f64, f64) {
    const DRAWS: u64 = 10_000;
    let differences: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours - theirs).collect();
    let count = differences.len().max(1);
    let mean = |places: &mut dyn FnMut(usize) -> usize| {
        (0..count).map(|i| differences.get(places(i)).copied().unwrap_or(0.0)).sum::<f64>() / count as f64
    };
    let mut state = 1u64;
    let mut means: Vec<f64> = (0..DRAWS).map(|_| mean(&mut |_| next(&mut state) as usize % count)).collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[(share * (DRAWS - 1) as f64).round() as usize];
    (mean(&mut |i| i), at(0.025), at(0.975))
}

/// SplitMix64, its upper half.
pub(super) fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) >> 32
}

#[cfg(test)]
mod tests {
    use super::paired;

    #[test]
    fn the_interval_is_that_of_the_mean_of_pairs() {
        let theirs: Vec<f64> = (0..40).map(f64::from).collect();
        let ours: Vec<f64> =
            theirs.iter().map(|x| x + 1.0 + f64::from(u8::from((*x as u64).is_multiple_of(2)))).collect();
        let (mean, low, high) = paired(&ours, &theirs);
        assert!((mean - 1.5).abs() < 1e-12);
        // The standard error of the mean of 40 values of 1 or 2 is 0.079.
        assert!((1.3..1.4).contains(&low) && (1.6..1.7).contains(&high), "{low} {high}");
        assert_eq!(paired(&[1.0; 5], &[0.5; 5]), (0.5, 0.5, 0.5));
    }
}
