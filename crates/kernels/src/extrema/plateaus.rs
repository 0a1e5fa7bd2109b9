//! Regional maxima and minima: plateaus without a higher, or a lower, neighbour.

use crate::borders::Borders;
use crate::reconstruct::greater;
use crate::{Connectivity, Isa, Level, ON, Plane, View, ViewMut};

/// Memory to find plateaus with; it may be used again for another image.
#[derive(Clone, Debug, Default)]
pub struct PlateauScratch<T> {
    /// The highest of three rows, column by column, and the row in the middle; each with a lowest pixel at both ends.
    high: Vec<T>,
    row: Vec<T>,
    /// Pixels that are no extremum and have not told their neighbours yet.
    stack: Vec<(u32, u32)>,
}

/// The pixels of plateaus without a higher neighbour; under the same connectivity each plateau is one component.
pub fn regional_maxima<T: Level>(image: View<'_, T>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    regional_maxima_into(Isa::best(), image, connectivity, result.view_mut(), &mut PlateauScratch::default());
    result
}

/// [`regional_maxima`] into memory that exists. The time grows with the size of the plateaus that are no maxima.
pub fn regional_maxima_into<T: Level>(
    isa: Isa,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    Search { image, target, connectivity, mirrored: false, scratch }.run(isa);
}

/// The pixels of plateaus without a lower neighbour; under the same connectivity each plateau is one component.
pub fn regional_minima<T: Level>(image: View<'_, T>, connectivity: Connectivity) -> Plane<u8> {
    let mut result = Plane::filled(0, image.width(), image.height());
    regional_minima_into(Isa::best(), image, connectivity, result.view_mut(), &mut PlateauScratch::default());
    result
}

/// [`regional_minima`] into memory that exists. The time grows with the size of the plateaus that are no minima.
pub fn regional_minima_into<T: Level>(
    isa: Isa,
    image: View<'_, T>,
    connectivity: Connectivity,
    target: ViewMut<'_, u8>,
    scratch: &mut PlateauScratch<T>,
) {
    Search { image, target, connectivity, mirrored: true, scratch }.run(isa);
}

/// An image and where its extrema are so far.
#[doc(hidden)]
#[derive(Debug)]
pub struct Search<'a, T> {
    image: View<'a, T>,
    target: ViewMut<'a, u8>,
    connectivity: Connectivity,
    /// Whether minima are sought: then the image is looked at upside down.
    mirrored: bool,
    scratch: &'a mut PlateauScratch<T>,
}

impl<T: Level> Search<'_, T> {
    fn run(mut self, isa: Isa) {
        if self.image.is_empty() {
            return;
        }
        for line in [&mut self.scratch.high, &mut self.scratch.row] {
            line.clear();
            line.resize(self.image.width() + 2, T::LOWEST);
        }
        T::search(isa, &mut self);
        self.spread();
    }

    /// Sets the pixels without a higher neighbour, and then stacks those of them that have an equal neighbour which is not
    /// set.
    #[inline(always)]
    pub(crate) fn compare(&mut self) {
        match self.mirrored {
            true => self.compare_as(T::mirrored),
            false => self.compare_as(|value| value),
        }
    }

    #[inline(always)]
    fn compare_as(&mut self, view: impl Fn(T) -> T + Copy) {
        // All pixels are connected: one of the lowest value is in an extremum only if there is no other value.
        if self.image.rows().all(|row| row.iter().all(|value| view(*value) <= T::LOWEST)) {
            (0..self.image.height()).for_each(|y| self.target.row_mut(y).fill(ON));
            return;
        }
        self.scratch.stack.clear();
        for y in 0..self.image.height() {
            self.set_row(y, view);
            if y > 0 {
                self.stack_row(y - 1, view);
            }
        }
        self.stack_row(self.image.height() - 1, view);
    }

    fn near(&self, y: usize) -> [usize; 3] {
        [y.saturating_sub(1), y, (y + 1).min(self.image.height() - 1)]
    }

    #[inline(always)]
    fn set_row(&mut self, y: usize, view: impl Fn(T) -> T + Copy) {
        let [above, row, below] = self.near(y).map(|y| self.image.row(y));
        for ((((a, b), c), high), middle) in
            above.iter().zip(row).zip(below).zip(&mut self.scratch.high[1..]).zip(&mut self.scratch.row[1..])
        {
            *high = greater(greater(view(*a), view(*b)), view(*c));
            *middle = view(*b);
        }
        let around = around(self.scratch, self.connectivity);
        let pixels = self.target.row_mut(y).iter_mut().zip(&self.scratch.row[1..]);
        for ((target, value), highest) in pixels.zip(around) {
            *target = if highest > *value || *value <= T::LOWEST { 0 } else { ON };
        }
    }

    /// Stacks the pixels of a row that are set and as high as a neighbour that is not, and clears them.
    #[inline(always)]
    fn stack_row(&mut self, y: usize, view: impl Fn(T) -> T + Copy) {
        let near = self.near(y);
        let set = self.target.view();
        if set.row(y).iter().fold(0, |any, flag| any | flag) == 0 {
            return;
        }
        let lowered = |value: T, flag: u8| if flag == 0 { view(value) } else { T::LOWEST };
        let [above, row, below] = near.map(|y| self.image.row(y).iter().zip(set.row(y)));
        let lines = self.scratch.high[1..].iter_mut().zip(&mut self.scratch.row[1..]);
        for ((((a, b), c), high), middle) in
            above.zip(row).zip(below).zip(lines).map(|(r, (h, m))| ((r, h), m))
        {
            *middle = lowered(*b.0, *b.1);
            *high = greater(greater(lowered(*a.0, *a.1), *middle), lowered(*c.0, *c.1));
        }
        let PlateauScratch { stack, .. } = self.scratch;
        let mut found = std::mem::take(stack);
        let row = self.image.row(y).iter().zip(set.row(y));
        let chunked = around(self.scratch, self.connectivity);
        for (x, ((value, flag), highest)) in row.zip(chunked).enumerate() {
            if *flag != 0 && highest >= view(*value) {
                found.push((x as u32, y as u32));
            }
        }
        self.scratch.stack = found;
    }

    /// What is beside a pixel of the same height that is no extremum is none either.
    fn spread(&mut self) {
        let borders = Borders::new(self.image.width(), 0..self.image.height(), self.connectivity);
        let (target, stride) = self.target.memory();
        let (image, image_stride) = self.image.memory();
        let stack = &mut self.scratch.stack;
        stack.iter().for_each(|&(x, y)| target[y as usize * stride + x as usize] = 0);
        while let Some((x, y)) = stack.pop() {
            let value = image[y as usize * image_stride + x as usize];
            borders.each_around(x as usize, y as usize, |x, y| {
                let flag = &mut target[y * stride + x];
                if *flag != 0 && image[y * image_stride + x] == value {
                    *flag = 0;
                    stack.push((x as u32, y as u32));
                }
            });
        }
    }
}

/// The highest value around each pixel, from what the scratch holds of its three rows.
#[inline(always)]
fn around<T: Level>(
    scratch: &PlateauScratch<T>,
    connectivity: Connectivity,
) -> impl Iterator<Item = T> + use<'_, T> {
    // Columns beside a pixel count with all three values only where diagonal neighbours count.
    let sides = if connectivity == Connectivity::Eight { &scratch.high } else { &scratch.row };
    let width = sides.len() - 2;
    let sides = sides[..width].iter().zip(&sides[2..]);
    sides.zip(&scratch.high[1..]).map(|((left, right), high)| greater(greater(*left, *right), *high))
}
