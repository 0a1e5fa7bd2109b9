//! A piece of an image in memory of its own, framed by a wall, and its flood.

use super::buckets::Buckets;
use super::flood::{DOWN, Flood, Pond, RIGHT, each_flag};
use super::{LINE, WALL, is_label};
use crate::View;
use crate::isa::{Isa, versions};

/// Labels and colours in rows of `stride`, the first and last of which are wall, as are the first and last column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basin {
    stride: usize,
    labels: Vec<u32>,
    /// Red, green and blue, and eight bits that mean nothing.
    colours: Vec<u32>,
    /// Labels and colour steps, as they are flooded; at least as many as a pond has.
    cells: Vec<u64>,
    beside: Vec<u8>,
    near: Buckets<u16>,
    far: Buckets<usize>,
}

impl Basin {
    /// Makes room and walls around it; what is inside is anything.
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
        self.cells.resize(length.max(self.cells.len()).max(size_of::<Pond>() / size_of::<u64>()), 0);
    }

    /// All labels, framed.
    pub(crate) fn labels_mut(&mut self) -> &mut [u32] {
        &mut self.labels
    }

    /// Labels of a row after the flood, from a column on.
    pub(crate) fn flooded(&self, x: usize, y: usize) -> impl Iterator<Item = u32> {
        self.cells[(y + 1) * self.stride + 1 + x..].iter().map(|cell| *cell as u32)
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
        self.labels.iter_mut().zip(&self.cells).for_each(|(label, cell)| *label = *cell as u32);
        repair(Isa::best(), &mut self.labels, self.stride, mask, &mut self.beside);
        each_flag(&self.beside, |position| {
            lines.push((position % self.stride - 1, position / self.stride - 1))
        });
    }

    /// Floods all that is 0, which [`Self::flooded`] shows; says whether floods met anywhere.
    pub(crate) fn flood(&mut self, isa: Isa) -> bool {
        let Self { stride, labels, colours, cells, beside, near, far } = self;
        let untouched = flag_beside(isa, labels, *stride, beside);
        fill_cells(isa, labels, colours, *stride, cells);
        match cells.first_chunk_mut() {
            Some(cells) if labels.len() <= cells.len() => {
                Flood::<u16, Pond> { stride: *stride as u16, cells, buckets: near }.run(beside, untouched)
            }
            _ => Flood::<usize, [u64]> { stride: *stride, cells, buckets: far }.run(beside, untouched),
        }
    }
}

versions! {
    /// Puts labels together with the steps to the right and down.
    fn fill_cells(labels: &[u32], colours: &[u32], stride: usize, cells: &mut [u64]) {
        let here = labels.iter().zip(colours).zip(&colours[1..]).zip(&colours[stride..]);
        for (cell, (((label, colour), right), below)) in cells.iter_mut().zip(here) {
            let steps = u64::from(step(*colour, *right)) << RIGHT | u64::from(step(*colour, *below)) << DOWN;
            *cell = u64::from(*label) | steps;
        }
        // The last row is wall and has no step that counts.
        let start = labels.len() - stride;
        cells[start..].iter_mut().zip(&labels[start..]).for_each(|(cell, label)| *cell = u64::from(*label));
    }
}

/// The largest difference of a channel.
#[inline(always)]
fn step(one: u32, other: u32) -> u8 {
    let channel = |shift: u32| ((one >> shift) as u8).abs_diff((other >> shift) as u8);
    channel(0).max(channel(8)).max(channel(16))
}

versions! {
    /// Flags whoever is unlabelled and beside a label; the frame's flags are 0. Says how many are unlabelled.
    fn flag_beside(labels: &[u32], stride: usize, beside: &mut Vec<u8>) -> usize {
        beside.clear();
        beside.resize(labels.len(), 0);
        let inner = labels.len().saturating_sub(2 * stride);
        let flags = beside[stride.min(labels.len())..].iter_mut().take(inner);
        let here = labels.iter().skip(stride);
        let sides = labels.iter().skip(stride - 1).zip(labels.iter().skip(stride + 1));
        let rows = labels.iter().zip(labels.iter().skip(2 * stride));
        for (((flag, here), (left, right)), (above, below)) in flags.zip(here).zip(sides).zip(rows) {
            let labelled = is_label(*left) | is_label(*right) | is_label(*above) | is_label(*below);
            *flag = u8::from(*here == 0) & u8::from(labelled);
        }
        labels.iter().fold(0, |count, label| count + usize::from(*label == 0))
    }
}

versions! {
    /// Row by row, a pixel of the mask under a line becomes a line where the line goes on at its side and not above that;
    /// flags all lines.
    ///
    /// What becomes a line has one above it, so that it is nothing to go on for the next: a row can be done at once.
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

    #[test]
    fn wide_places_flood_as_narrow_ones_do() {
        let (width, height) = (37, 23);
        let noise = |at: usize| (at as u32).wrapping_mul(2_654_435_761) >> 20;
        let mut basin = Basin::default();
        basin.fit(width, height);
        for at in 0..width * height {
            basin.row_mut(at / width)[at % width] = if noise(at) % 61 == 0 { at as u32 + 1 } else { 0 };
        }
        basin.colours.iter_mut().enumerate().for_each(|(at, colour)| *colour = noise(at) % 4);
        let mut cells = vec![0; basin.labels.len()];
        fill_cells(Isa::PORTABLE, &basin.labels, &basin.colours, basin.stride, &mut cells);
        assert!(basin.flood(Isa::best()));
        let mut buckets = Buckets::default();
        let mut flood = Flood::<usize, [u64]> { stride: width + 2, cells: &mut cells, buckets: &mut buckets };
        let untouched = basin.labels.iter().filter(|label| **label == 0).count();
        assert!(flood.run(&basin.beside, untouched));
        assert_eq!(cells, basin.cells[..cells.len()]);
    }

    #[test]
    fn every_instruction_set_prepares_and_repairs_alike() {
        for (width, height, seed) in
            [(1, 1, 1), (1, 40, 2), (40, 1, 3), (2, 2, 4), (37, 23, 5), (130, 9, 6), (66, 70, 7)]
        {
            let noise = |at: usize| ((at as u32) ^ (seed << 20)).wrapping_mul(2_654_435_761) >> 9;
            let stride = width + 2;
            let length = stride * (height + 2);
            let kinds = [0, 0, 0, LINE, LINE, WALL, 1, 2, WALL - 1];
            let labels: Vec<u32> = (0..length).map(|at| kinds[noise(at) as usize % 9]).collect();
            let colours: Vec<u32> = (0..length).map(|at| noise(at).wrapping_mul(77_777)).collect();
            let mask: Vec<u8> = (0..width * height).map(|at| u8::from(noise(at) % 7 > 0)).collect();
            let mask = View::new(&mask, width, height).unwrap();
            let on = |isa| {
                let (mut cells, mut beside, mut lines) = (vec![0; length], Vec::new(), Vec::new());
                let mut repaired = labels.clone();
                fill_cells(isa, &labels, &colours, stride, &mut cells);
                flag_beside(isa, &labels, stride, &mut beside);
                repair(isa, &mut repaired, stride, mask, &mut lines);
                (cells, beside, repaired, lines)
            };
            let expected = on(Isa::PORTABLE);
            check_prepared(&labels, &colours, stride, &expected.0, &expected.1);
            assert!(Isa::available().into_iter().all(|isa| on(isa) == expected));
        }
    }

    /// Pixel by pixel, within the frame.
    fn check_prepared(labels: &[u32], colours: &[u32], stride: usize, cells: &[u64], beside: &[u8]) {
        for at in (stride..labels.len() - stride)
            .filter(|at| !matches!(at % stride, 0) && at % stride != stride - 1)
        {
            let step = |other: usize| {
                let pair = colours[at].to_le_bytes().into_iter().zip(colours[other].to_le_bytes());
                pair.take(3).map(|(one, other)| one.abs_diff(other)).max().unwrap()
            };
            let [right, down] = [RIGHT, DOWN].map(|shift| (cells[at] >> shift) as u8);
            assert_eq!((cells[at] as u32, right, down), (labels[at], step(at + 1), step(at + stride)));
            let near = [at - 1, at + 1, at - stride, at + stride];
            let expected = labels[at] == 0 && near.iter().any(|at| is_label(labels[*at]));
            assert_eq!(beside[at] != 0, expected);
        }
    }
}
