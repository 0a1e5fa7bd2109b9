//! How many pixels an object's convex hull holds.

use super::runs::PixelSpan;

/// The pixels whose centres lie in the convex hull of the object, its border included. An object's corners are the
/// middles of its pixels' sides, so that hulls of straight objects hold no more than they do.
pub(crate) fn convex_area(runs: &[PixelSpan]) -> u64 {
    let (left, right) = (Chain::of(left_points(runs)), Chain::of(right_points(runs)));
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return 0 };
    let rows = (first.y as i64..=last.y as i64).map(|y| 2 * y);
    // The right side is the mirror image of a left one.
    let sides = left.first_pixels(rows.clone()).zip(right.first_pixels(rows));
    sides.map(|(left, mirrored)| u64::try_from(1 - mirrored - left).unwrap_or(0)).sum()
}

/// A point in half pixels.
type HalfPixel = (i64, i64);

/// The leftmost corners, from the top: in the middle of a row the side of its first pixel, between rows its top and
/// bottom.
fn left_points(runs: &[PixelSpan]) -> impl Iterator<Item = HalfPixel> {
    runs.chunk_by(|a, b| a.y == b.y).flat_map(|row| corners(row[0].y as i64, 2 * row[0].start as i64))
}

/// The rightmost corners with their columns negated.
fn right_points(runs: &[PixelSpan]) -> impl Iterator<Item = HalfPixel> {
    let last = |row: &[PixelSpan]| row.last().map_or(0, |run| run.end as i64 - 1);
    runs.chunk_by(|a, b| a.y == b.y).flat_map(move |row| corners(row[0].y as i64, -2 * last(row)))
}

fn corners(y: i64, x: i64) -> [HalfPixel; 3] {
    [(x, 2 * y - 1), (x - 1, 2 * y), (x, 2 * y + 1)]
}

/// The left side of a convex hull, from the top.
struct Chain(Vec<HalfPixel>);

impl Chain {
    /// Of points sorted from the top; those at one height may come in any order.
    fn of(points: impl Iterator<Item = HalfPixel>) -> Self {
        let mut chain: Vec<HalfPixel> = Vec::new();
        for point in points {
            match chain.last() {
                Some(last) if last.1 == point.1 && last.0 <= point.0 => continue,
                Some(last) if last.1 == point.1 => _ = chain.pop(),
                _ => {}
            }
            while let [.., a, b] = chain[..]
                && !bulges(a, b, point)
            {
                chain.pop();
            }
            chain.push(point);
        }
        Self(chain)
    }

    /// The first column of pixels at or right of the chain, for heights from the top in half pixels.
    fn first_pixels(&self, heights: impl Iterator<Item = i64>) -> impl Iterator<Item = i64> {
        let mut segment = 0;
        heights.map(move |height| {
            while segment + 2 < self.0.len() && self.0[segment + 1].1 < height {
                segment += 1;
            }
            let ((x, y), (end_x, end_y)) = (self.0[segment], self.0[segment + 1]);
            let rows = end_y - y;
            // ⌈(x + (end_x − x) · (height − y) / rows) / 2⌉ without fractions.
            let numerator = x * rows + (end_x - x) * (height - y);
            -(-numerator).div_euclid(2 * rows)
        })
    }
}

/// Whether the middle one of three points, from the top, lies to the left of the line between the others.
fn bulges(a: HalfPixel, b: HalfPixel, c: HalfPixel) -> bool {
    (b.0 - a.0) * (c.1 - a.1) < (c.0 - a.0) * (b.1 - a.1)
}
