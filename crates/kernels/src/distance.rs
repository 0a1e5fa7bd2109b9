//! The exact Euclidean distance to the nearest pixel outside a mask, in linear time on integers (Meijster, Roerdink and
//! Hesselink, 2000).

use crate::{Plane, View};

/// How far each pixel of the mask (nonzero) is from the nearest pixel outside it; 0 outside.
///
/// Every value is the correctly rounded square root of an integer, for images narrower and lower than 2²⁵ pixels. The
/// image's border is not outside: a mask that covers the whole image has nothing outside, and all its distances are
/// infinite.
pub fn distance(mask: View<'_, u8>) -> Plane<f32> {
    let mut result = Plane::filled(0.0, mask.width(), mask.height());
    each_inside(mask, |position, squared| {
        result.pixels_mut()[position] = squared.map_or(f32::INFINITY, root);
    });
    result
}

/// Below 2⁵¹ the first rounding, to 53 bits, cannot move a value across the middle between two 24-bit ones.
fn root(squared: u64) -> f32 {
    (squared as f64).sqrt() as f32
}

/// Gives each pixel of the mask, by its position in rows without gaps, and its squared distance.
///
/// A run of mask pixels in a row is on its own: columns beyond the outside pixel that ends it are farther away than that
/// pixel.
pub(crate) fn each_inside(mask: View<'_, u8>, mut give: impl FnMut(usize, Option<u64>)) {
    let heights = heights(mask);
    let mut envelope = Envelope::default();
    for (y, row) in mask.rows().enumerate() {
        let heights = heights.view().row(y);
        let mut x = 0;
        while let Some(start) = row[x..].iter().position(|&p| p != 0).map(|n| x + n) {
            let end = row[start..].iter().position(|&p| p == 0).map_or(row.len(), |n| start + n);
            envelope.run(heights, start, end, |x, squared| give(y * row.len() + x, squared));
            x = end;
        }
    }
}

/// No pixel of the column is outside.
const NOWHERE: u32 = u32::MAX;

/// How far each pixel is from the nearest outside pixel of its own column.
fn heights(mask: View<'_, u8>) -> Plane<u32> {
    let (width, height) = (mask.width(), mask.height());
    let mut heights = Plane::filled(NOWHERE, width, height);
    let pixels = heights.pixels_mut();
    for y in 0..height {
        let (above, here) = pixels[..(y + 1) * width].split_at_mut(y * width);
        let above = &above[above.len() - width.min(above.len())..];
        for (x, (value, &inside)) in here.iter_mut().zip(mask.row(y)).enumerate() {
            let up = above.get(x).map_or(NOWHERE, |n| n.saturating_add(1));
            *value = if inside == 0 { 0 } else { up };
        }
    }
    for y in (1..height).rev() {
        let (here, below) = pixels[(y - 1) * width..(y + 1) * width].split_at_mut(width);
        for (value, down) in here.iter_mut().zip(below) {
            *value = (*value).min(down.saturating_add(1));
        }
    }
    heights
}

/// The lowest of the parabolas (x − column)² + height², one for each column, over a run of a row.
#[derive(Default)]
struct Envelope {
    arcs: Vec<Arc>,
}

#[derive(Clone, Copy)]
struct Arc {
    column: i64,
    /// The square of the column's height.
    base: i64,
    /// The first x where this parabola is the lowest.
    from: i64,
}

impl Arc {
    fn at(self, x: i64) -> i64 {
        (x - self.column) * (x - self.column) + self.base
    }

    /// The last x where this parabola is not above `other`, whose column is farther right.
    fn until(self, other: Self) -> i64 {
        let rise = other.column * other.column - self.column * self.column + other.base - self.base;
        rise.div_euclid(2 * (other.column - self.column))
    }
}

impl Envelope {
    /// Gives each x from `start` to before `end` and the lowest value there.
    fn run(&mut self, heights: &[u32], start: usize, end: usize, mut give: impl FnMut(usize, Option<u64>)) {
        self.arcs.clear();
        let near = heights.iter().enumerate().take(end + 1).skip(start.saturating_sub(1));
        for (column, &height) in near {
            self.add(column, height, start as i64, end as i64);
        }
        for x in (start..end).rev() {
            while self.arcs.len() > 1 && self.arcs.last().is_some_and(|a| a.from > x as i64) {
                self.arcs.pop();
            }
            give(x, self.arcs.last().map(|a| a.at(x as i64).unsigned_abs()));
        }
    }

    fn add(&mut self, column: usize, height: u32, start: i64, end: i64) {
        if height == NOWHERE {
            return;
        }
        let base = i64::from(height) * i64::from(height);
        let mut arc = Arc { column: column as i64, base, from: start };
        while self.arcs.last().is_some_and(|a| a.at(a.from) > arc.at(a.from)) {
            self.arcs.pop();
        }
        if let Some(last) = self.arcs.last() {
            arc.from = last.until(arc) + 1;
        }
        if arc.from < end {
            self.arcs.push(arc);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn nearest(mask: View<'_, u8>, x: usize, y: usize) -> Option<u64> {
        let outside = (0..mask.len()).map(|i| (i % mask.width(), i / mask.width()));
        let outside = outside.filter(|&(x, y)| mask.at(x, y) == 0);
        outside.map(|(u, v)| (u.abs_diff(x).pow(2) + v.abs_diff(y).pow(2)) as u64).min()
    }

    fn check(mask: View<'_, u8>) {
        let mut exact = Plane::filled(Some(0), mask.width(), mask.height());
        each_inside(mask, |position, squared| exact.pixels_mut()[position] = squared);
        let rounded = distance(mask);
        for y in 0..mask.height() {
            for x in 0..mask.width() {
                let expected = nearest(mask, x, y);
                assert_eq!(exact.view().at(x, y), expected, "at {x}, {y} of {mask:?}");
                let expected = expected.map_or(f32::INFINITY, |n| (n as f32).sqrt());
                assert_eq!(rounded.view().at(x, y), expected);
            }
        }
    }

    #[test]
    fn without_an_outside_all_is_infinitely_far() {
        let mask = Plane::filled(1u8, 4, 3);
        assert!(distance(mask.view()).pixels().iter().all(|d| *d == f32::INFINITY));
        assert!(distance(Plane::filled(1u8, 0, 3).view()).pixels().is_empty());
    }

    #[test]
    fn roots_are_rounded_once() {
        // Middles between two f32 values, and their neighbours, decide the rounding.
        for root_of in [4097u64, 8191, (1 << 24) + 1, (1 << 24) + 3, (1 << 25) - 1] {
            let square = root_of * root_of;
            assert_eq!(root(square), root_of as f32);
            assert!(root(square - 1) <= root_of as f32 && f64::from(root(square - 1)) <= root_of as f64);
            assert!(f64::from(root(square + 1)) >= root_of as f64);
        }
    }

    proptest! {
        #[test]
        fn every_distance_is_that_of_the_nearest_pixel(
            width in 1usize..24,
            height in 1usize..24,
            sparse in 0u8..250,
            noise in prop::collection::vec(any::<u8>(), 24 * 24),
        ) {
            let noise = noise[..width * height].iter().map(|&n| if n > sparse { 0 } else { 255 });
            check(Plane::from_vec(noise.collect(), width, height).unwrap().view());
        }
    }
}
