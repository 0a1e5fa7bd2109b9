//! Canny's edges as OpenCV finds them: Sobel differences of 5 × 5 pixels, |dx| + |dy|, thinned in four directions, and
//! followed from strong edges along weak ones.

use crate::cpu::isa::versions;
use crate::{Isa, ON, Plane, View};

/// Marks edges: pixels whose magnitude is a maximum across the edge and above `high`, and those above `low` that are
/// connected to one. Beyond the border the nearest pixel is repeated; there are no edges there.
pub fn canny(image: View<'_, u8>, low: u16, high: u16) -> Plane<u8> {
    let mut canny = Canny::default();
    canny.find(image, low, high);
    let mut result = Plane::filled(0, image.width(), image.height());
    for (y, row) in result.pixels_mut().chunks_exact_mut(image.width().max(1)).enumerate() {
        row.iter_mut()
            .zip(canny.row(y))
            .for_each(|(pixel, state)| *pixel = if *state == EDGE { ON } else { 0 });
    }
    result
}

/// States of a pixel.
const NOTHING: u8 = 0;
const WEAK: u8 = 1;
/// The state of an edge.
pub(crate) const EDGE: u8 = 2;

/// Reusable memory for finding edges. All planes but the differences have a frame of one pixel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Canny {
    width: usize,
    across: Vec<i16>,
    down: Vec<i16>,
    magnitudes: Vec<i16>,
    states: Vec<u8>,
    columns: [Vec<i16>; 2],
    waiting: Vec<usize>,
}

impl Canny {
    /// The states of a row of the last image.
    pub(crate) fn row(&self, y: usize) -> &[u8] {
        let start = (y + 1) * (self.width + 2) + 1;
        &self.states[start..start + self.width]
    }

    /// Finds the edges of an image.
    pub(crate) fn find(&mut self, image: View<'_, u8>, low: u16, high: u16) {
        self.find_with(Isa::best(), image, low, high);
    }

    fn find_with(&mut self, isa: Isa, image: View<'_, u8>, low: u16, high: u16) {
        self.resize(image.width(), image.height());
        if image.is_empty() {
            return;
        }
        let planes = (&mut self.across[..], &mut self.down[..], &mut self.magnitudes[..]);
        differences(isa, image, &mut self.columns, planes);
        let [low, high] = [low, high].map(|threshold| i16::try_from(threshold).unwrap_or(i16::MAX));
        for y in 0..image.height() {
            self.thin(y, low, high);
        }
        self.follow();
    }

    fn resize(&mut self, width: usize, height: usize) {
        self.width = width;
        let framed = (width + 2) * (height + 2);
        for plane in [&mut self.across, &mut self.down] {
            plane.clear();
            plane.resize(width * height, 0);
        }
        self.magnitudes.clear();
        self.magnitudes.resize(framed, 0);
        self.states.clear();
        self.states.resize(framed, NOTHING);
        self.columns.iter_mut().for_each(|column| column.resize(width + 4, 0));
    }

    /// Finds the pixels of a row that are larger than their neighbours across the edge.
    fn thin(&mut self, y: usize, low: i16, high: i16) {
        let stride = self.width + 2;
        let start = (y + 1) * stride + 1;
        let across = &self.across[y * self.width..(y + 1) * self.width];
        let down = &self.down[y * self.width..(y + 1) * self.width];
        for (x, (across, down)) in across.iter().zip(down).enumerate() {
            let position = start + x;
            let magnitude = self.magnitudes[position];
            if magnitude <= low || !is_peak(&self.magnitudes, position, stride, *across, *down) {
                continue;
            }
            self.states[position] = WEAK;
            if magnitude > high {
                self.states[position] = EDGE;
                self.waiting.push(position);
            }
        }
    }

    /// Weak pixels beside an edge become edges too.
    fn follow(&mut self) {
        let stride = self.width + 2;
        while let Some(position) = self.waiting.pop() {
            let rows = [position - stride, position, position + stride];
            for neighbour in rows.into_iter().flat_map(|middle| middle - 1..=middle + 1) {
                if self.states[neighbour] == WEAK {
                    self.states[neighbour] = EDGE;
                    self.waiting.push(neighbour);
                }
            }
        }
    }
}

versions! {
    /// Differences across and down, and their magnitudes, which have a frame: row by row, first along the columns, then
    /// along the row. No sum leaves 16 bits.
    fn differences(
        image: View<'_, u8>,
        columns: &mut [Vec<i16>; 2],
        planes: (&mut [i16], &mut [i16], &mut [i16]),
    ) {
        let (width, last) = (image.width(), image.height() - 1);
        let [smooth, steep] = columns;
        let rows = planes.0.chunks_exact_mut(width).zip(planes.1.chunks_exact_mut(width));
        let framed = planes.2.chunks_exact_mut(width + 2).skip(1);
        for (y, ((across, down), magnitudes)) in rows.zip(framed).enumerate() {
            let row = |offset: usize| image.row((y + offset).saturating_sub(2).min(last));
            along_columns([row(0), row(1), row(2), row(3), row(4)], &mut smooth[2..], &mut steep[2..]);
            extend_ends(smooth);
            extend_ends(steep);
            along_row(smooth, steep, across, down, &mut magnitudes[1..]);
        }
    }
}

#[inline(always)]
fn along_columns(rows: [&[u8]; 5], smooth: &mut [i16], steep: &mut [i16]) {
    let [a, b, c, d, e] = rows.map(|row| &row[..rows[0].len()]);
    let (smooth, steep) = (&mut smooth[..a.len()], &mut steep[..a.len()]);
    for x in 0..a.len() {
        let [a, b, c, d, e] = [a[x], b[x], c[x], d[x], e[x]].map(i16::from);
        smooth[x] = a + 4 * b + 6 * c + 4 * d + e;
        steep[x] = 2 * (d - b) + e - a;
    }
}

/// Repeats the first and the last value of the row in the two entries before and after it.
#[inline(always)]
fn extend_ends(row: &mut [i16]) {
    let end = row.len() - 2;
    let (first, last) = (row[2], row[end - 1]);
    row[..2].fill(first);
    row[end..].fill(last);
}

#[inline(always)]
fn along_row(smooth: &[i16], steep: &[i16], across: &mut [i16], down: &mut [i16], magnitudes: &mut [i16]) {
    let width = across.len();
    let (down, magnitudes) = (&mut down[..width], &mut magnitudes[..width]);
    let (smooth, steep) = (&smooth[..width + 4], &steep[..width + 4]);
    for x in 0..width {
        let dx = 2 * (smooth[x + 3] - smooth[x + 1]) + smooth[x + 4] - smooth[x];
        let dy = steep[x] + 4 * (steep[x + 1] + steep[x + 3]) + 6 * steep[x + 2] + steep[x + 4];
        (across[x], down[x], magnitudes[x]) = (dx, dy, dx.abs() + dy.abs());
    }
}

/// tan 22.5° in units of 2⁻¹⁵.
const TANGENT: i32 = 13_573;

/// Whether no neighbour across the edge is larger. Of two equal ones along a row or a column the first is the peak.
#[inline(always)]
fn is_peak(magnitudes: &[i16], position: usize, stride: usize, across: i16, down: i16) -> bool {
    let here = magnitudes[position];
    let (x, y) = (i32::from(across).abs(), i32::from(down).abs() << 15);
    let flat = x * TANGENT;
    if y < flat {
        return here > magnitudes[position - 1] && here >= magnitudes[position + 1];
    }
    // tan 67.5° is tan 22.5° + 2.
    if y > flat + (x << 16) {
        return here > magnitudes[position - stride] && here >= magnitudes[position + stride];
    }
    let aside = if (across ^ down) < 0 { stride - 1 } else { stride + 1 };
    here > magnitudes[position - aside] && here > magnitudes[position + aside]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_one_line_and_flat_is_none() {
        let step: Vec<u8> = (0..64).map(|i| if i % 8 < 4 { 20 } else { 80 }).collect();
        let found = canny(View::new(&step, 8, 8).unwrap(), 70, 90);
        for row in found.view().rows() {
            assert_eq!(row, [0, 0, 0, ON, 0, 0, 0, 0]);
        }
        assert!(canny(View::new(&[9; 30], 6, 5).unwrap(), 70, 90).pixels().iter().all(|pixel| *pixel == 0));
        assert!(canny(View::new(&[], 0, 0).unwrap(), 70, 90).pixels().is_empty());
    }

    #[test]
    fn weak_edges_need_a_strong_one() {
        let weak: Vec<u8> = (0..64).map(|i| if i % 8 < 4 { 0 } else { 1 }).collect();
        // A step of one grey level is 48 in the middle of the kernel.
        let view = View::new(&weak, 8, 8).unwrap();
        assert!(canny(view, 10, 48).pixels().iter().all(|pixel| *pixel == 0));
        assert_eq!(canny(view, 10, 47).pixels().iter().filter(|pixel| **pixel == ON).count(), 8);
    }

    #[test]
    fn every_instruction_set_finds_the_same() {
        let noise: Vec<u8> = (0..97u32 * 61).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let found = |isa| {
            let mut canny = Canny::default();
            canny.find_with(isa, View::new(&noise, 97, 61).unwrap(), 3000, 9000);
            (canny.across, canny.down, canny.states)
        };
        let portable = found(Isa::PORTABLE);
        assert!(portable.2.contains(&EDGE) && portable.2.contains(&WEAK));
        assert!(Isa::available().into_iter().all(|isa| found(isa) == portable));
    }
}
