//! A part of an image copied to its own memory with a frame, and its flood.

use super::buckets::BucketQueue;
use super::flood::{DOWN, Pond, RIGHT, WatershedFlood, each_flag};
use super::shore::{Shore, is_shore};
use super::{LINE, QUEUED, WALL};
use crate::View;
use crate::cpu::isa::{Isa, versions};

/// Pixels of a basin up to which all of its memory is kept for the next one. Larger ones free memory as soon as possible,
/// which lowers the peak that must be reserved.
pub(crate) const KEPT: usize = 1 << 16;

/// Labels and colours in rows of `stride`, the first and last of which are wall, as are the first and last column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basin {
    stride: usize,
    labels: Vec<u32>,
    /// Red, green and blue, and eight unused bits.
    colours: Vec<u32>,
    /// From each pixel to the right and down.
    steps: [Vec<u8>; 2],
    shore: Shore,
    /// Labels and colour steps, as they are flooded; at least as many as a pond has.
    cells: Vec<u64>,
    lines: Vec<u8>,
    near: BucketQueue<u16>,
    far: BucketQueue<usize>,
}

impl Basin {
    /// Resizes it and writes the frame; the inside is undefined.
    pub(crate) fn fit(&mut self, width: usize, height: usize) {
        self.stride = width + 2;
        let length = self.stride * (height + 2);
        self.labels.resize(length, WALL);
        self.labels[..self.stride].fill(WALL);
        self.labels[length - self.stride..].fill(WALL);
        for row in self.labels.chunks_exact_mut(self.stride) {
            [row[0], row[width + 1]] = [WALL; 2];
        }
        self.colours.resize(length.max(self.colours.len()), 0);
    }

    /// All labels, framed.
    pub(crate) fn labels_mut(&mut self) -> &mut [u32] {
        &mut self.labels
    }

    /// A row of labels, without the frame.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, y: usize) -> &mut [u32] {
        &mut self.labels[(y + 1) * self.stride + 1..(y + 2) * self.stride - 1]
    }

    /// Colours of a row.
    #[inline(always)]
    pub(crate) fn paint(&mut self, y: usize, pixels: &[[u8; 3]]) {
        let row = &mut self.colours[(y + 1) * self.stride + 1..];
        // Whole words are read, the last byte of which belongs to the next pixel; the last pixel has none.
        let bytes = pixels.as_flattened();
        for (packed, four) in row.iter_mut().zip(bytes.windows(4).step_by(3)) {
            *packed = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        }
        if let Some((&[red, green, blue], packed)) = pixels.last().zip(row.get_mut(pixels.len() - 1)) {
            *packed = u32::from_le_bytes([red, green, blue, 0]);
        }
    }

    /// Colours of a row, black where the mask is 0.
    pub(crate) fn paint_inside(&mut self, y: usize, pixels: &[[u8; 3]], mask: &[u8]) {
        self.paint(y, pixels);
        let row = &mut self.colours[(y + 1) * self.stride + 1..];
        for (packed, inside) in row.iter_mut().zip(mask) {
            *packed = if *inside == 0 { 0 } else { *packed };
        }
    }

    /// Closes the diagonal steps of lines inside the mask, and gives the columns and rows of all lines in raster order.
    pub(crate) fn repair_lines(&mut self, mask: View<'_, u8>, lines: &mut Vec<(usize, usize)>) {
        repair(Isa::best(), &mut self.labels, self.stride, mask, &mut self.lines);
        each_flag(
            &self.lines,
            |flag| flag != 0,
            |position| lines.push((position % self.stride - 1, position / self.stride - 1)),
        );
    }

    /// Floods all pixels that are 0; returns whether floods met anywhere.
    ///
    /// Most lakes are flooded from one label in their middle, and their shore last: that needs no queue.
    pub(crate) fn flood(&mut self, isa: Isa) -> bool {
        let Self { stride, labels, colours, steps, shore, .. } = self;
        let survey = shore.survey(isa, labels, *stride);
        find_steps(isa, colours, *stride, steps, labels.len());
        let last = shore.floods_last(isa, [&steps[0], &steps[1]], *stride);
        if last && survey.lowest == survey.highest && shore.rest_is_reached(*stride) {
            return shore.settle(isa, labels, *stride, &survey);
        }
        self.flood_in_order(isa, survey.outer, last)
    }

    /// Floods pixel by pixel; if the shore is `last` it is flooded after the rest.
    fn flood_in_order(&mut self, isa: Isa, outer: u32, last: bool) -> bool {
        let Self { stride, labels, colours, steps, shore, cells, near, far, .. } = self;
        if labels.len() > KEPT {
            // From here on only the steps are needed.
            *colours = Vec::new();
        }
        cells.resize(labels.len().max(cells.len()).max(size_of::<Pond>() / size_of::<u64>()), 0);
        fill_cells(isa, labels, [&steps[0], &steps[1]], shore.kinds(), last, cells);
        if labels.len() > KEPT {
            *steps = <[Vec<u8>; 2]>::default();
        }
        let (kinds, outer_last) = (shore.kinds(), last.then_some(outer));
        let met = match cells.first_chunk_mut() {
            Some(cells) if labels.len() <= cells.len() => {
                WatershedFlood::<u16, Pond> { stride: *stride as u16, cells, buckets: near }
                    .run(kinds, outer_last)
            }
            _ => {
                WatershedFlood::<usize, [u64]> { stride: *stride, cells, buckets: far }.run(kinds, outer_last)
            }
        };
        met | shore.settle_waiting(isa, cells, *stride, outer, labels)
    }
}

versions! {
    /// The steps from each of the first `length` pixels to the right and down.
    fn find_steps(colours: &[u32], stride: usize, steps: &mut [Vec<u8>; 2], length: usize) {
        let [right, down] = steps;
        right.resize(length, 0);
        down.resize(length, 0);
        let here = colours[..length].iter();
        for (to, (one, other)) in right.iter_mut().zip(here.clone().zip(&colours[1..length])) {
            *to = step(*one, *other);
        }
        for (to, (one, other)) in down.iter_mut().zip(here.zip(&colours[stride..length])) {
            *to = step(*one, *other);
        }
    }
}

versions! {
    /// Puts labels together with the steps; those of the shore wait already if it is to be `last`.
    fn fill_cells(labels: &[u32], steps: [&[u8]; 2], kinds: &[u8], last: bool, cells: &mut [u64]) {
        let steps = steps[0].iter().zip(steps[1]);
        for (cell, ((label, kind), (right, down))) in cells.iter_mut().zip(labels.iter().zip(kinds).zip(steps)) {
            let waits = if is_shore(*kind) & last { u64::from(QUEUED) } else { 0 };
            *cell = u64::from(*label) | u64::from(*right) << RIGHT | u64::from(*down) << DOWN | waits;
        }
    }
}

/// The largest difference of a channel.
#[inline(always)]
fn step(one: u32, other: u32) -> u8 {
    let channel = |shift: u32| ((one >> shift) as u8).abs_diff((other >> shift) as u8);
    channel(0).max(channel(8)).max(channel(16))
}

versions! {
    /// Row by row, a pixel of the mask under a line becomes a line where the line goes on at its side and not above that;
    /// flags all lines.
    ///
    /// A pixel that becomes a line has one above it, so that it does not affect the next pixel: a row can be done at once.
    fn repair(labels: &mut [u32], stride: usize, mask: View<'_, u8>, flags: &mut Vec<u8>) {
        flags.clear();
        flags.resize(labels.len(), 0);
        let inner = stride - 2;
        for (y, mask) in mask.rows().enumerate() {
            let (above, rest) = labels[y * stride..].split_at_mut(stride);
            let flags = &mut flags[(y + 1) * stride..][..stride];
            flag_lines(above, &rest[..stride], mask, flags);
            let target = rest[1..=inner].iter_mut().zip(&flags[1..=inner]);
            target.for_each(|(label, flag)| *label = if *flag == 0 { *label } else { LINE });
        }
    }
}

#[inline(always)]
fn flag_lines(above: &[u32], here: &[u32], mask: &[u8], flags: &mut [u8]) {
    let inner = mask.len();
    let goes_on = |here: &u32, above: &u32| (*here == LINE) & (*above != LINE);
    let left = here[..inner].iter().zip(&above[..inner]);
    let right = here[2..].iter().zip(&above[2..]);
    let row = flags[1..].iter_mut().zip(mask).zip(here[1..].iter().zip(&above[1..]));
    for (((flag, inside), (here, above)), (left, right)) in row.zip(left.zip(right)) {
        let sides = goes_on(left.0, left.1) | goes_on(right.0, right.1);
        *flag = u8::from((*here == LINE) | ((*above == LINE) & (*inside != 0) & sides));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn noise(at: usize, seed: u32) -> u32 {
        ((at as u32) ^ (seed << 20)).wrapping_mul(2_654_435_761) >> 9
    }

    /// Framed labels: 1 outside, 0 inside, with a few others there.
    fn basin(width: usize, height: usize, seed: u32, inside: impl Fn(usize, usize) -> bool) -> Basin {
        let mut basin = Basin::default();
        basin.fit(width, height);
        for at in 0..width * height {
            let (x, y) = (at % width, at / width);
            let label = if noise(at, seed).is_multiple_of(61) { 2 + noise(at, !seed) % 3 } else { 0 };
            basin.row_mut(y)[x] = if inside(x, y) { label } else { 1 };
        }
        basin
    }

    #[test]
    fn wide_places_flood_as_narrow_ones_do() {
        let (width, height) = (37, 23);
        let mut basin = basin(width, height, 5, |x, y| x % 19 > 0 || y == 9);
        basin.colours.iter_mut().enumerate().for_each(|(at, colour)| *colour = noise(at, 3) % 4);
        let Basin { stride, labels, colours, steps, shore, .. } = &mut basin;
        let outer = shore.survey(Isa::best(), labels, *stride).outer;
        find_steps(Isa::best(), colours, *stride, steps, labels.len());
        for last in [false, true] {
            let Basin { stride, labels, steps: [right, down], shore, .. } = &basin;
            let (mut cells, mut buckets) = (vec![0; labels.len()], BucketQueue::default());
            fill_cells(Isa::best(), labels, [right, down], shore.kinds(), last, &mut cells);
            let mut flood =
                WatershedFlood::<usize, [u64]> { stride: *stride, cells: &mut cells, buckets: &mut buckets };
            let met = flood.run(shore.kinds(), last.then_some(outer));
            let mut narrow = basin.clone();
            assert_eq!(narrow.flood_in_order(Isa::best(), outer, last), met | last);
            assert_eq!(cells, narrow.cells[..cells.len()]);
        }
    }

    #[test]
    fn every_instruction_set_prepares_and_repairs_alike() {
        for (width, height, seed) in
            [(1, 1, 1), (1, 40, 2), (40, 1, 3), (2, 2, 4), (37, 23, 5), (130, 9, 6), (66, 70, 7)]
        {
            let stride = width + 2;
            let length = stride * (height + 2);
            let kinds = [0, 0, 0, LINE, LINE, WALL, 1, 2, WALL - 1];
            let labels: Vec<u32> = (0..length).map(|at| kinds[noise(at, seed) as usize % 9]).collect();
            let colours: Vec<u32> = (0..length).map(|at| noise(at, seed).wrapping_mul(77_777)).collect();
            let shore: Vec<u8> = (0..length).map(|at| noise(at, !seed) as u8 % 64).collect();
            let mask: Vec<u8> =
                (0..width * height).map(|at| u8::from(!noise(at, seed).is_multiple_of(7))).collect();
            let mask = View::new(&mask, width, height).unwrap();
            let on = |isa| {
                let (mut cells, mut steps, mut lines) =
                    (vec![0; length], <[Vec<u8>; 2]>::default(), Vec::new());
                let mut repaired = labels.clone();
                find_steps(isa, &colours, stride, &mut steps, length);
                fill_cells(isa, &labels, [&steps[0], &steps[1]], &shore, seed % 2 == 0, &mut cells);
                repair(isa, &mut repaired, stride, mask, &mut lines);
                (steps, cells, repaired, lines)
            };
            let expected = on(Isa::PORTABLE);
            check_steps(&colours, stride, &expected.0);
            assert!(Isa::available().into_iter().all(|isa| on(isa) == expected));
        }
    }

    /// Pixel by pixel, within the frame.
    fn check_steps(colours: &[u32], stride: usize, [right, down]: &[Vec<u8>; 2]) {
        for at in stride..colours.len() - stride {
            let step = |other: usize| {
                let pair = colours[at].to_le_bytes().into_iter().zip(colours[other].to_le_bytes());
                pair.take(3).map(|(one, other)| one.abs_diff(other)).max().unwrap()
            };
            assert_eq!((right[at], down[at]), (step(at + 1), step(at + stride)));
        }
    }

    proptest! {
        /// Light tissue in the dark, more or less rough: with a shore that is last, and one that is not.
        #[test]
        fn a_shore_that_is_last_changes_nothing(
            (width, height, seed) in (1usize..40, 1usize..30, 0u32..1000),
            (roughness, size) in (1u32..120, 2usize..12),
        ) {
            let inside = |x: usize, y: usize| !noise(x / size + 50 * (y / size), seed).is_multiple_of(3);
            let mut basin = basin(width, height, seed, inside);
            for at in 0..basin.colours.len() {
                let tissue = 0x0064_6464 + noise(at, seed) % roughness;
                basin.colours[at] = if basin.labels[at] == 1 { 0 } else { tissue };
            }
            for isa in Isa::available() {
                let (mut found, mut expected) = (basin.clone(), basin.clone());
                let met = found.flood(isa);
                expected.shore.survey(Isa::PORTABLE, &expected.labels, expected.stride);
                let Basin { colours, stride, steps, labels, .. } = &mut expected;
                find_steps(Isa::PORTABLE, colours, *stride, steps, labels.len());
                prop_assert_eq!(met, expected.flood_in_order(Isa::PORTABLE, 1, false));
                prop_assert_eq!(&found.labels, &expected.labels);
            }
        }
    }
}
