//! Grey reconstruction by dilation: two sweeps settle nearly every pixel, a queue the rest (Vincent's hybrid algorithm).

use std::collections::VecDeque;

use crate::grid::Grid;
use crate::{Connectivity, Plane, View};

/// What a pixel can hold to be reconstructed: an ordered value with a lowest one.
pub trait Level: Copy + Default + PartialOrd {
    /// Not above any other value.
    const LOWEST: Self;
}

impl Level for u8 {
    const LOWEST: Self = 0;
}

impl Level for f32 {
    const LOWEST: Self = Self::NEG_INFINITY;
}

/// The largest image reachable from `marker` by repeated elementary dilation clipped under `mask`; both are of one size.
/// A marker above the mask counts as the mask's value there.
pub fn reconstruct<T: Level>(marker: View<'_, T>, mask: View<'_, T>, connectivity: Connectivity) -> Plane<T> {
    let grid = Grid::new(mask.width(), mask.height(), connectivity);
    let (marker, mask) = (grid.frame(marker, T::LOWEST), grid.frame(mask, T::LOWEST));
    let mut growth = Growth { grid, connectivity, marker, mask, queue: VecDeque::new() };
    growth.sweep_down();
    growth.sweep_up();
    growth.follow_queue();
    growth.grid.unframe(&growth.marker)
}

/// A marker on its way up to its mask; the frame is the lowest, so that it neither gives nor takes.
struct Growth<T> {
    grid: Grid,
    connectivity: Connectivity,
    marker: Vec<T>,
    mask: Vec<T>,
    queue: VecDeque<usize>,
}

impl<T: Level> Growth<T> {
    /// From the top left: each pixel takes what its neighbours above and to its left offer.
    fn sweep_down(&mut self) {
        let stride = self.grid.stride();
        for start in self.grid.row_starts() {
            let (above, row) = self.marker[start - stride..start + stride].split_at_mut(stride);
            take_from_row(row, above, self.connectivity);
            take_along(row.iter_mut().zip(&self.mask[start..start + stride]));
        }
    }

    /// From the bottom right, the same with the neighbours below and to the right; queues whoever could still give.
    fn sweep_up(&mut self) {
        let stride = self.grid.stride();
        for start in self.grid.row_starts().rev() {
            let (row, below) = self.marker[start..start + 2 * stride].split_at_mut(stride);
            take_from_row(row, below, self.connectivity);
            take_along(row.iter_mut().zip(&self.mask[start..start + stride]).rev());
            self.queue_givers(start);
        }
    }

    /// Queues the pixels of a row that have a later neighbour which is lower than them and than its own mask.
    fn queue_givers(&mut self, start: usize) {
        for position in start + 1..start + self.grid.stride() - 1 {
            let value = self.marker[position];
            let takes = |n: usize| self.marker[n] < lesser(value, self.mask[n]);
            if self.grid.after(position).any(takes) {
                self.queue.push_back(position);
            }
        }
    }

    fn follow_queue(&mut self) {
        while let Some(position) = self.queue.pop_front() {
            let value = self.marker[position];
            for neighbour in self.grid.around(position) {
                let offered = lesser(value, self.mask[neighbour]);
                if self.marker[neighbour] < offered {
                    self.marker[neighbour] = offered;
                    self.queue.push_back(neighbour);
                }
            }
        }
    }
}

/// Raises each pixel of `row` to its neighbours in the framed row above or below.
fn take_from_row<T: Level>(row: &mut [T], other: &[T], connectivity: Connectivity) {
    let raise = |(pixel, offered): (&mut T, &T)| *pixel = greater(*pixel, *offered);
    row.iter_mut().zip(other).for_each(raise);
    if connectivity == Connectivity::Eight {
        row.iter_mut().zip(&other[1..]).for_each(raise);
        row[1..].iter_mut().zip(other).for_each(raise);
    }
}

/// Carries values along a row, each pixel clipped under its mask.
fn take_along<'a, T: Level + 'a>(row: impl Iterator<Item = (&'a mut T, &'a T)>) {
    let mut carried = T::LOWEST;
    for (pixel, mask) in row {
        carried = lesser(greater(carried, *pixel), *mask);
        *pixel = carried;
    }
}

fn lesser<T: PartialOrd>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

fn greater<T: PartialOrd>(one: T, other: T) -> T {
    if one > other { one } else { other }
}
