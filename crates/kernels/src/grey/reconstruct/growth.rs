//! The image rises to its mask: sweeps first, then bands of rows, then the seams between them.

use std::ops::Range;

use super::borders::Borders;
use super::lesser;
use super::queue::RankQueue;
use super::sweep::SweepRows;
use crate::prefetch;
use crate::{Connectivity, GreyValue, View, ViewMut};

/// An image on its way up to its mask.
#[doc(hidden)]
#[derive(Debug)]
pub struct GreyGrowth<'a, T> {
    pub(super) mask: View<'a, T>,
    pub(super) image: ViewMut<'a, T>,
    pub(super) connectivity: Connectivity,
    pub(super) rows: &'a mut SweepRows<T>,
    pub(super) waiting: &'a mut RankQueue,
    pub(super) raised: &'a mut Vec<(usize, T)>,
}

/// Rows that are settled together while they are near in memory.
const BAND: usize = 64;

/// Rows prefetched ahead of a path that goes up or down: each row is elsewhere in memory.
const AHEAD: usize = 3;

impl<T: GreyValue> GreyGrowth<'_, T> {
    #[inline(always)]
    pub(super) fn settle(&mut self) {
        let height = self.mask.height();
        self.sweep_down(0..height);
        for start in (0..height).step_by(BAND).rev() {
            let band = start..(start + BAND).min(height);
            self.sweep_up(band.clone());
            self.settle_band(band);
        }
        self.settle_edges((BAND..height).step_by(BAND));
    }

    /// Settles across the rows where two bands meet; inside bands everything is settled.
    #[inline(always)]
    pub(super) fn settle_edges(&mut self, edges: impl Iterator<Item = usize>) {
        let height = self.mask.height();
        for edge in edges {
            self.find_takers(edge - 1, 0..height, edge - 1);
            self.find_takers(edge, 0..height, edge);
        }
        self.raise_waiting(0..height);
    }

    /// Where many pixels could still rise, two more sweeps are cheaper than queueing all of them.
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
        band.clone().map(|y| self.find_takers(y, band.clone(), y)).sum()
    }

    /// From the top: each row rises to the row above and along itself.
    #[inline(always)]
    fn sweep_down(&mut self, band: Range<usize>) {
        self.rows.forget();
        for y in band {
            self.rows.settle(self.image.row_mut(y), self.mask.row(y), self.connectivity);
        }
    }

    /// From the bottom: each row rises to the row below and along itself.
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

    /// Raises the pixels of a row that are lower than a neighbour within the band and than their mask, and queues them, as
    /// pixels of row `named`; returns their number.
    #[inline(always)]
    pub(super) fn find_takers(&mut self, y: usize, band: Range<usize>, named: usize) -> usize {
        let near = [y.max(band.start + 1) - 1, y, (y + 1).min(band.end - 1)];
        let image = self.image.view();
        self.rows.takers(near.map(|y| image.row(y)), self.mask.row(y), self.connectivity, |x, offered| {
            self.waiting.push(offered.rank(), x, named);
            self.raised.push((x, offered));
        });
        let row = self.image.row_mut(y);
        let count = self.raised.len();
        self.raised.drain(..).for_each(|(x, offered)| row[x] = offered);
        count
    }

    /// Works off the queue within the band, the highest rank first: then a pixel whose rank is its value rises at most
    /// once.
    #[inline(always)]
    pub(super) fn raise_waiting(&mut self, band: Range<usize>) {
        let borders = Borders::new(self.mask.width(), band, self.connectivity);
        let (image, stride) = self.image.memory();
        let (mask, mask_stride) = self.mask.memory();
        let mut next = self.waiting.pop();
        while let Some((x, y)) = next.take() {
            let value = image[y * stride + x];
            borders.each_around(x, y, |to_x, to_y| {
                let pixel = &mut image[to_y * stride + to_x];
                if *pixel < value {
                    let offered = lesser(value, mask[to_y * mask_stride + to_x]);
                    if *pixel < offered {
                        *pixel = offered;
                        // Along a path one pixel rises after the other, without the queue.
                        let last =
                            if offered == value { next.replace((to_x, to_y)) } else { Some((to_x, to_y)) };
                        if let Some((x, y)) = last {
                            self.waiting.push(offered.rank(), x, y);
                        }
                    }
                }
            });
            if let Some((to_x, to_y)) = next {
                let ahead = to_y.wrapping_add(to_y.wrapping_sub(y).wrapping_mul(AHEAD));
                prefetch(image, ahead.wrapping_mul(stride).wrapping_add(to_x));
                prefetch(mask, ahead.wrapping_mul(mask_stride).wrapping_add(to_x));
            }
            next = next.or_else(|| self.waiting.pop());
        }
    }
}
