//! Smooth noise over the plane, from hashes of whole coordinates.

use crate::hash::HashKey;

/// Brings the sum of octaves to a standard deviation of about 0.7.
const STRENGTH: f64 = 3.9;

/// Gradient noise in octaves, each half as long and half as strong, with mean 0 and deviation about 0.7.
pub(crate) fn fractal(key: HashKey, x: f64, y: f64, octaves: u64) -> f64 {
    let (mut sum, mut power, mut scale, mut weight) = (0.0, 0.0, 1.0, 1.0);
    for octave in 0..octaves {
        sum += weight * gradient(key.child(octave), x * scale, y * scale);
        power += weight * weight;
        scale *= 2.0;
        weight *= 0.5;
    }
    sum / f64::sqrt(power) * STRENGTH
}

/// Value noise with features of length one: smooth, within `0..1`.
#[inline]
pub(crate) fn value(key: HashKey, x: f64, y: f64) -> f32 {
    let (column, row) = (floor(x), floor(y));
    let (s, t) = (ease((x - column as f64) as f32), ease((y - row as f64) as f32));
    let corner = |right: i64, down: i64| (key.at(column + right, row + down) >> 40) as f32 / (1 << 24) as f32;
    let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * s;
    let bottom = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * s;
    top + (bottom - top) * t
}

fn gradient(key: HashKey, x: f64, y: f64) -> f64 {
    let (column, row) = (floor(x), floor(y));
    let (s, t) = (x - column as f64, y - row as f64);
    let corner = |right: i64, down: i64| {
        let (east, south) = slope(key.at(column + right, row + down));
        east * (s - right as f64) + south * (t - down as f64)
    };
    let (across, along) = (ease_slowly(s), ease_slowly(t));
    let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * across;
    let bottom = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * across;
    top + (bottom - top) * along
}

/// A slope with both components uniform in `-1..1`.
fn slope(hash: u64) -> (f64, f64) {
    let component = |bits: u64| (bits & 0xffff_ffff) as f64 / 2_147_483_648.0 - 1.0;
    (component(hash), component(hash >> 32))
}

#[inline]
fn floor(x: f64) -> i64 {
    let whole = x as i64;
    whole - i64::from((whole as f64) > x)
}

#[inline]
fn ease(t: f32) -> f32 {
    t * t * (3.0 - 2.0 * t)
}

/// Also its second derivative vanishes at both ends, so that slow fields show no creases.
fn ease_slowly(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::HashPurpose;

    #[test]
    fn fractals_have_the_promised_mean_and_deviation() {
        for octaves in 1..5 {
            let key = HashKey::new(octaves, HashPurpose::Nest);
            let values: Vec<f64> = (0..40_000)
                .map(|i| fractal(key, f64::from(i % 200) * 0.73, f64::from(i / 200) * 0.73, octaves))
                .collect();
            let mean = values.iter().sum::<f64>() / 40_000.0;
            let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 40_000.0;
            assert!(mean.abs() < 0.1, "mean {mean}");
            assert!((variance.sqrt() - 0.7).abs() < 0.07, "{octaves} octaves: deviation {}", variance.sqrt());
        }
    }

    #[test]
    fn noise_is_continuous_across_cells_also_far_out() {
        let key = HashKey::new(9, HashPurpose::Speck);
        for x in [-3.0, 0.0, 7.0, 2_000_000.0] {
            let step = 1e-6;
            assert!((value(key, x - step, 0.4) - value(key, x + step, 0.4)).abs() < 1e-4);
            assert!((gradient(key, x - step, 0.4) - gradient(key, x + step, 0.4)).abs() < 1e-4);
        }
    }
}
