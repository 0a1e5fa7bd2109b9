//! Grey reconstruction by dilation: two sweeps settle nearly every pixel, a queue the rest (Vincent's hybrid algorithm).

use std::collections::VecDeque;

use crate::{Connectivity, Plane, View};

/// What a pixel can hold to be reconstructed: an ordered value with a lowest one.
pub trait Level: Copy + PartialOrd {
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
    let mut state = State::new(marker, mask, connectivity);
    state.sweep_down();
    state.sweep_up();
    state.follow_queue();
    state.finish()
}

/// Marker and mask with a frame of one lowest pixel, so that every pixel has all its neighbours.
struct State<T> {
    marker: Vec<T>,
    mask: Vec<T>,
    width: usize,
    height: usize,
    /// Width with the frame.
    stride: usize,
    connectivity: Connectivity,
    queue: VecDeque<usize>,
}

impl<T: Level> State<T> {
    fn new(marker: View<'_, T>, mask: View<'_, T>, connectivity: Connectivity) -> Self {
        let mut framed = framed(marker);
        let mask_framed = self::framed(mask);
        framed.iter_mut().zip(&mask_framed).for_each(|(marker, mask)| *marker = lesser(*marker, *mask));
        let (width, height, stride) = (mask.width(), mask.height(), mask.width() + 2);
        let queue = VecDeque::new();
        Self { marker: framed, mask: mask_framed, width, height, stride, connectivity, queue }
    }

    /// From the top left: each pixel takes what its neighbours above and to its left offer.
    fn sweep_down(&mut self) {
        for y in 1..=self.height {
            let start = y * self.stride;
            let (before, row) =
                self.marker[start - self.stride..start + self.stride].split_at_mut(self.stride);
            take_from_row(row, before, self.connectivity);
            let mut carried = T::LOWEST;
            for (marker, mask) in row.iter_mut().zip(&self.mask[start..]) {
                carried = lesser(greater(carried, *marker), *mask);
                *marker = carried;
            }
        }
    }

    /// From the bottom right, the same with the neighbours below and to the right; queues whoever could still give.
    fn sweep_up(&mut self) {
        let later = self.later_neighbours();
        for y in (1..=self.height).rev() {
            let start = y * self.stride;
            let (row, after) = self.marker[start..start + 2 * self.stride].split_at_mut(self.stride);
            take_from_row(row, after, self.connectivity);
            let mut carried = T::LOWEST;
            for (marker, mask) in row.iter_mut().zip(&self.mask[start..]).rev() {
                carried = lesser(greater(carried, *marker), *mask);
                *marker = carried;
            }
            self.queue_givers(start, &later);
        }
    }

    /// Queues the pixels of a row that have a later neighbour which is lower than them and than its own mask.
    fn queue_givers(&mut self, start: usize, later: &[usize]) {
        for at in start + 1..=start + self.width {
            let value = self.marker[at];
            let gives = |step: &usize| self.marker[at + step] < lesser(value, self.mask[at + step]);
            if later.iter().any(gives) {
                self.queue.push_back(at);
            }
        }
    }

    fn follow_queue(&mut self) {
        let later = self.later_neighbours();
        while let Some(at) = self.queue.pop_front() {
            let value = self.marker[at];
            for step in &later {
                self.give(value, at + step);
                self.give(value, at - step);
            }
        }
    }

    fn give(&mut self, value: T, to: usize) {
        let offered = lesser(value, self.mask[to]);
        if self.marker[to] < offered {
            self.marker[to] = offered;
            self.queue.push_back(to);
        }
    }

    /// Distances to the neighbours that come later in raster order; the earlier ones are as far the other way.
    fn later_neighbours(&self) -> Vec<usize> {
        match self.connectivity {
            Connectivity::Four => vec![1, self.stride],
            Connectivity::Eight => vec![1, self.stride - 1, self.stride, self.stride + 1],
        }
    }

    fn finish(self) -> Plane<T> {
        let rows = self.marker.chunks_exact(self.stride).skip(1).take(self.height);
        let data = rows.flat_map(|row| row[1..=self.width].iter().copied()).collect();
        Plane::from_vec(data, self.width, self.height).unwrap_or_else(|| Plane::filled(T::LOWEST, 0, 0))
    }
}

fn framed<T: Level>(view: View<'_, T>) -> Vec<T> {
    let stride = view.width() + 2;
    let mut data = vec![T::LOWEST; stride * (view.height() + 2)];
    for (row, framed) in view.rows().zip(data[stride..].chunks_exact_mut(stride)) {
        framed[1..stride - 1].copy_from_slice(row);
    }
    data
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

fn lesser<T: PartialOrd>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

fn greater<T: PartialOrd>(one: T, other: T) -> T {
    if one > other { one } else { other }
}
