//! Grey reconstruction: sweeps settle nearly every pixel, waiting pixels the rest (after Vincent's hybrid algorithm).
//!
//! Sweeps handle whole rows at once and settle what lies within sight; who could still rise then waits in [`Waiting`],
//! the highest first, so that winding paths take a time proportional to their length.

mod sweep;
mod waiting;

use std::ops::Range;

use sweep::Rows;
use waiting::Waiting;

use crate::borders::Borders;
use crate::extrema::Search;
use crate::isa::versions;
use crate::{Connectivity, Isa, Plane, View, ViewMut};

/// What a pixel can hold to be reconstructed: an ordered value with a lowest one. None may be NaN.
pub trait Level: Copy + Default + PartialOrd + Send + Sync + Sweeps {
    /// Not above any other value.
    const LOWEST: Self;

    /// The value at the other side of the middle: what was higher is lower. Twice, it is the value itself.
    fn mirrored(self) -> Self;

    /// The value lowered by `height`, as far as values go.
    fn lowered(self, height: Self) -> Self;
}

/// What [`Level`]s do inside this crate.
pub trait Sweeps: Sized {
    /// How many ranks there are.
    #[doc(hidden)]
    const RANKS: usize;

    /// A number below `RANKS` that is not smaller for a higher value.
    #[doc(hidden)]
    fn rank(self) -> usize;

    /// Raises all that can rise.
    #[doc(hidden)]
    fn settle(isa: Isa, growth: &mut Growth<'_, Self>);

    /// Compares pixels with their neighbours.
    #[doc(hidden)]
    fn search(isa: Isa, search: &mut Search<'_, Self>);
}

impl Level for u8 {
    const LOWEST: Self = 0;

    #[inline(always)]
    fn mirrored(self) -> Self {
        !self
    }

    #[inline(always)]
    fn lowered(self, height: Self) -> Self {
        self.saturating_sub(height)
    }
}

impl Level for f32 {
    const LOWEST: Self = Self::NEG_INFINITY;

    #[inline(always)]
    fn mirrored(self) -> Self {
        -self
    }

    #[inline(always)]
    fn lowered(self, height: Self) -> Self {
        self - height
    }
}

impl Sweeps for u8 {
    const RANKS: usize = 256;

    #[inline(always)]
    fn rank(self) -> usize {
        usize::from(self)
    }

    fn settle(isa: Isa, growth: &mut Growth<'_, Self>) {
        settle_u8(isa, growth);
    }

    fn search(isa: Isa, search: &mut Search<'_, Self>) {
        search_u8(isa, search);
    }
}

impl Sweeps for f32 {
    const RANKS: usize = 4096;

    /// The sign, the exponent and three more bits, in the order of the values.
    #[inline(always)]
    fn rank(self) -> usize {
        let bits = self.to_bits();
        let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
        (ordered >> 20) as usize
    }

    fn settle(isa: Isa, growth: &mut Growth<'_, Self>) {
        settle_f32(isa, growth);
    }

    fn search(isa: Isa, search: &mut Search<'_, Self>) {
        search_f32(isa, search);
    }
}

versions! {
    fn settle_u8(growth: &mut Growth<'_, u8>) {
        growth.settle();
    }
}

versions! {
    fn search_u8(search: &mut Search<'_, u8>) {
        search.compare();
    }
}

versions! {
    fn settle_f32(growth: &mut Growth<'_, f32>) {
        growth.settle();
    }
}

versions! {
    fn search_f32(search: &mut Search<'_, f32>) {
        search.compare();
    }
}

/// Memory that a reconstruction needs; it may be used again for another one.
#[derive(Clone, Debug, Default)]
pub struct GreyScratch<T> {
    rows: Rows<T>,
    waiting: Waiting,
    raised: Vec<(usize, T)>,
    /// The mask of a reconstruction by erosion, mirrored, or of an image whose peaks are levelled.
    pub(crate) mask: Vec<T>,
}

/// The largest image reachable from `marker` by repeated elementary dilation clipped under `mask`; both are of one size.
/// A marker above the mask counts as the mask's value there.
pub fn reconstruct<T: Level>(marker: View<'_, T>, mask: View<'_, T>, connectivity: Connectivity) -> Plane<T> {
    let mut result = marker.to_plane();
    reconstruct_into(Isa::best(), mask, connectivity, result.view_mut(), &mut GreyScratch::default());
    result
}

/// [`reconstruct`] in place: `image` is the marker before and the reconstruction after.
pub fn reconstruct_into<T: Level>(
    isa: Isa,
    mask: View<'_, T>,
    connectivity: Connectivity,
    image: ViewMut<'_, T>,
    scratch: &mut GreyScratch<T>,
) {
    if mask.is_empty() {
        return;
    }
    let GreyScratch { rows, waiting, raised, .. } = scratch;
    waiting.reset(T::RANKS);
    rows.reset(mask.width());
    T::settle(isa, &mut Growth { mask, image, connectivity, rows, waiting, raised });
}

/// The smallest image reachable from `marker` by repeated elementary erosion clipped above `mask`: the reconstruction by
/// dilation upside down.
pub fn reconstruct_by_erosion<T: Level>(
    marker: View<'_, T>,
    mask: View<'_, T>,
    connectivity: Connectivity,
) -> Plane<T> {
    let mut result = marker.to_plane();
    reconstruct_by_erosion_into(
        Isa::best(),
        mask,
        connectivity,
        result.view_mut(),
        &mut GreyScratch::default(),
    );
    result
}

/// [`reconstruct_by_erosion`] in place: `image` is the marker before and the reconstruction after.
pub fn reconstruct_by_erosion_into<T: Level>(
    isa: Isa,
    mask: View<'_, T>,
    connectivity: Connectivity,
    mut image: ViewMut<'_, T>,
    scratch: &mut GreyScratch<T>,
) {
    let mut mirrored = std::mem::take(&mut scratch.mask);
    mirrored.clear();
    mask.rows().for_each(|row| mirrored.extend(row.iter().map(|pixel| pixel.mirrored())));
    mirror(&mut image);
    if let Some(mask) = View::new(&mirrored, mask.width(), mask.height()) {
        reconstruct_into(isa, mask, connectivity, image.reborrow(), scratch);
    }
    mirror(&mut image);
    scratch.mask = mirrored;
}

fn mirror<T: Level>(image: &mut ViewMut<'_, T>) {
    for y in 0..image.height() {
        image.row_mut(y).iter_mut().for_each(|pixel| *pixel = pixel.mirrored());
    }
}

/// An image on its way up to its mask.
#[doc(hidden)]
#[derive(Debug)]
pub struct Growth<'a, T> {
    mask: View<'a, T>,
    image: ViewMut<'a, T>,
    connectivity: Connectivity,
    rows: &'a mut Rows<T>,
    waiting: &'a mut Waiting,
    raised: &'a mut Vec<(usize, T)>,
}

/// Rows that are settled together while they are near in memory.
const BAND: usize = 64;

impl<T: Level> Growth<'_, T> {
    #[inline(always)]
    fn settle(&mut self) {
        let height = self.mask.height();
        self.sweep_down(0..height);
        for start in (0..height).step_by(BAND).rev() {
            let band = start..(start + BAND).min(height);
            self.sweep_up(band.clone());
            self.settle_band(band);
        }
        // Inside the bands all is settled; the rows where two of them meet know nothing of each other.
        for edge in (BAND..height).step_by(BAND) {
            self.find_takers(edge - 1, 0..height);
            self.find_takers(edge, 0..height);
        }
        self.raise_waiting(0..height);
    }

    /// Where many pixels could still rise, two more sweeps are cheaper than to let all of them wait.
    #[inline(always)]
    fn settle_band(&mut self, band: Range<usize>) {
        if self.find_all_takers(band.clone()) * 512 > band.len() * self.mask.width() {
            self.waiting.clear();
            self.sweep_down(band.clone());
            self.sweep_up(band.clone());
            self.find_all_takers(band.clone());
        }
        self.raise_waiting(band);
    }

    #[inline(always)]
    fn find_all_takers(&mut self, band: Range<usize>) -> usize {
        band.clone().map(|y| self.find_takers(y, band.clone())).sum()
    }

    /// From the top: each row takes what the row above and its own left and right offer.
    #[inline(always)]
    fn sweep_down(&mut self, band: Range<usize>) {
        self.rows.forget();
        for y in band {
            self.rows.settle(self.image.row_mut(y), self.mask.row(y), self.connectivity);
        }
    }

    /// From the bottom, the same with the row below.
    #[inline(always)]
    fn sweep_up(&mut self, band: Range<usize>) {
        match band.end < self.mask.height() {
            true => self.rows.remember(self.image.view().row(band.end)),
            false => self.rows.forget(),
        }
        for y in band.rev() {
            self.rows.settle(self.image.row_mut(y), self.mask.row(y), self.connectivity);
        }
    }

    /// Raises the pixels of a row that are lower than a neighbour within the band and than their mask, and lets them wait
    /// to offer that to others; counts them.
    #[inline(always)]
    fn find_takers(&mut self, y: usize, band: Range<usize>) -> usize {
        let near = [y.max(band.start + 1) - 1, y, (y + 1).min(band.end - 1)];
        let image = self.image.view();
        self.rows.takers(near.map(|y| image.row(y)), self.mask.row(y), self.connectivity, |x, offered| {
            self.waiting.push(offered.rank(), x, y);
            self.raised.push((x, offered));
        });
        let row = self.image.row_mut(y);
        let count = self.raised.len();
        self.raised.drain(..).for_each(|(x, offered)| row[x] = offered);
        count
    }

    /// Lets those who wait offer their value to their neighbours within the band, the highest first: then a pixel whose
    /// rank is its value rises once at most.
    #[inline(always)]
    fn raise_waiting(&mut self, band: Range<usize>) {
        let borders = Borders::new(self.mask.width(), band, self.connectivity);
        let (image, stride) = self.image.memory();
        let (mask, mask_stride) = self.mask.memory();
        while let Some((x, y)) = self.waiting.pop() {
            let value = image[y * stride + x];
            borders.each_around(x, y, |x, y| {
                let pixel = &mut image[y * stride + x];
                if *pixel < value {
                    let offered = lesser(value, mask[y * mask_stride + x]);
                    if *pixel < offered {
                        *pixel = offered;
                        self.waiting.push(offered.rank(), x, y);
                    }
                }
            });
        }
    }
}

#[inline(always)]
pub(crate) fn lesser<T: PartialOrd>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

#[inline(always)]
pub(crate) fn greater<T: PartialOrd>(one: T, other: T) -> T {
    if one > other { one } else { other }
}
