//! The volume that rows dominate, the usual measure of a front.

/// The volume between a reference point and the rows that are better than it in every objective; `maximize` says for each
/// objective whether more is better. Exact for any number of objectives, by slices: its time grows fast with them.
pub fn hypervolume(values: &[Vec<f64>], reference: &[f64], maximize: &[bool]) -> f64 {
    let gain = |row: &Vec<f64>| -> Vec<f64> {
        let one = |((x, r), more): ((&f64, &f64), &bool)| if *more { x - r } else { r - x };
        row.iter().zip(reference).zip(maximize).map(one).collect()
    };
    let gains = values.iter().map(gain);
    volume(gains.filter(|gain| gain.iter().all(|x| x.is_finite() && *x > 0.0)).collect())
}

/// The union of boxes from the origin to these corners.
fn volume(mut corners: Vec<Vec<f64>>) -> f64 {
    let Some(objectives) = corners.first().map(Vec::len).filter(|count| *count > 0) else { return 0.0 };
    let last = objectives - 1;
    corners.sort_by(|a, b| b[last].total_cmp(&a[last]));
    if last == 0 {
        return corners[0][0];
    }
    let slice = |place: usize| {
        let below = corners.get(place + 1).map_or(0.0, |next| next[last]);
        let height = corners[place][last] - below;
        let within = || corners[..=place].iter().map(|corner| corner[..last].to_vec()).collect();
        if height > 0.0 { height * volume(within()) } else { 0.0 }
    };
    (0..corners.len()).map(slice).sum()
}
