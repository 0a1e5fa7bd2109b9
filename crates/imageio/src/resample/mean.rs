//! Weighted means of colours in whole numbers.

use onceflow_region::Pixels;

use super::Strip;

/// The means of the values that each working pixel takes, rounded to the nearest; half rounds up.
pub(super) fn mean(strip: &Strip<'_>) -> Pixels {
    match strip.pixels.pixels() {
        Pixels::U8(values) => Pixels::U8(means(strip, values, |mean| mean as u8)),
        Pixels::U16(values) => Pixels::U16(means(strip, values, |mean| mean as u16)),
        // Sources of other values are refused when they are wrapped.
        other => other.clone(),
    }
}

/// Weights have 22 bits at most along each axis and values 16, so sums fit 64 bits.
fn means<T: Copy + Into<u64>>(strip: &Strip<'_>, values: &[T], narrow: fn(u64) -> T) -> Vec<T> {
    let channels = strip.pixels.channels();
    let pitch = strip.pixels.width() * channels;
    let mut made = Vec::with_capacity(strip.rows.len() * strip.columns.len() * channels);
    let mut sums = vec![0u64; strip.columns.len() * channels];
    for row in strip.rows {
        sums.fill(0);
        let first = (row.first - strip.top) as usize;
        for (line, weight) in values.chunks_exact(pitch).skip(first).zip(&row.weights) {
            add_line(strip, line, *weight, &mut sums);
        }
        let down: u64 = row.weights.iter().sum();
        for (sums, column) in sums.chunks_exact(channels).zip(strip.columns) {
            let all = down * column.weights.iter().sum::<u64>();
            made.extend(sums.iter().map(|sum| narrow((sum + all / 2) / all)));
        }
    }
    made
}

/// Adds the weighted values of one line to the sums of its working pixels.
fn add_line<T: Copy + Into<u64>>(strip: &Strip<'_>, line: &[T], weight: u64, sums: &mut [u64]) {
    let channels = strip.pixels.channels();
    for (sums, column) in sums.chunks_exact_mut(channels).zip(strip.columns) {
        let first = (column.first - strip.left) as usize * channels;
        for (pixel, share) in line[first..].chunks_exact(channels).zip(&column.weights) {
            for (sum, value) in sums.iter_mut().zip(pixel) {
                *sum += weight * share * (*value).into();
            }
        }
    }
}
