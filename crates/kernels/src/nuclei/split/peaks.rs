//! The middles of objects: where the distance from the outside is largest, not counting peaks of less than 1.
//!
//! The result is that of [`crate::level_peaks`] and [`crate::regional_maxima`], for a window and without the outside: a
//! pixel beside the outside keeps its whole distance, 1 or √2; others get nothing from it.

use std::collections::VecDeque;

use crate::cpu::isa::{Isa, versions};
use crate::distance::{DistanceScratch, distance_with};
use crate::{Connectivity, View, ViewMut};

/// More than 1 and √2, the distances of pixels with a neighbour outside.
const BESIDE_OUTSIDE: f32 = 1.5;

/// Memory for distances and levels in a frame of zeros.
#[derive(Clone, Debug, Default)]
pub(super) struct Peaks {
    distance: DistanceScratch,
    far: Vec<f32>,
    level: Vec<f32>,
    top: Vec<u8>,
    queue: VecDeque<usize>,
    plateau: Vec<usize>,
}

/// Flags of a pixel: no higher neighbour found so far; visited.
const TOP: u8 = 1;
const VISITED: u8 = 2;

impl Peaks {
    /// Labels, in a frame, the peaks of what is in the mask from `used` + 1 on.
    pub(super) fn label(
        &mut self,
        isa: Isa,
        mask: View<'_, u8>,
        connectivity: Connectivity,
        used: u32,
        labels: &mut [u32],
    ) {
        let stride = mask.width() + 2;
        self.far.clear();
        self.far.resize(labels.len(), 0.0);
        if let Some(view) =
            ViewMut::with_stride(&mut self.far[stride + 1..], mask.width(), mask.height(), stride)
        {
            distance_with(isa, mask, view, &mut self.distance);
        }
        self.level.clear();
        level(isa, &self.far, stride, &mut self.level, &mut self.queue, &mut self.top);
        self.follow_queue(stride);
        tops(isa, &self.far, &self.level, stride, connectivity, &mut self.top);
        self.label_plateaus(stride, connectivity, used, labels);
    }

    /// Raises all pixels that can still rise.
    fn follow_queue(&mut self, stride: usize) {
        while let Some(position) = self.queue.pop_front() {
            let value = self.level[position];
            for neighbour in around(position, stride) {
                let offered = lesser(value, self.far[neighbour]);
                if self.level[neighbour] < offered {
                    self.level[neighbour] = offered;
                    self.queue.push_back(neighbour);
                }
            }
        }
    }

    fn label_plateaus(&mut self, stride: usize, connectivity: Connectivity, used: u32, labels: &mut [u32]) {
        let mut next = used + 1;
        let mut from = 0;
        while let Some(found) = find(&self.top[from..], TOP) {
            from += found + 1;
            if self.is_peak(from - 1, stride, connectivity) {
                self.plateau.iter().for_each(|position| labels[*position] = next);
                next += 1;
            }
        }
    }

    /// Collects a plateau; it is a peak if each of its pixels is a top.
    fn is_peak(&mut self, start: usize, stride: usize, connectivity: Connectivity) -> bool {
        let neighbours = &around_cross_first(start, stride);
        let offsets = neighbours.map(|neighbour| neighbour.wrapping_sub(start));
        let offsets = &offsets[..if connectivity == Connectivity::Four { 4 } else { 8 }];
        self.plateau.clear();
        self.plateau.push(start);
        self.top[start] = VISITED;
        let (mut done, mut peak) = (0, true);
        while let Some(&position) = self.plateau.get(done) {
            done += 1;
            for neighbour in offsets.iter().map(|offset| position.wrapping_add(*offset)) {
                if self.level[neighbour] == self.level[position] {
                    peak &= self.top[neighbour] != 0;
                    if self.top[neighbour] == TOP {
                        self.top[neighbour] = VISITED;
                        self.plateau.push(neighbour);
                    }
                }
            }
        }
        peak
    }
}

/// The four straight neighbours, then the others.
fn around_cross_first(at: usize, stride: usize) -> [usize; 8] {
    let (above, below) = (at - stride, at + stride);
    [at - 1, at + 1, above, below, above - 1, above + 1, below - 1, below + 1]
}

fn around(at: usize, stride: usize) -> [usize; 8] {
    around_cross_first(at, stride)
}

fn find(flags: &[u8], wanted: u8) -> Option<usize> {
    const BLOCK: usize = 32;
    let any = |block: &[u8]| block.iter().fold(false, |any, flag| any | (*flag == wanted));
    let block = flags.chunks(BLOCK).position(any)? * BLOCK;
    flags[block..].iter().position(|flag| *flag == wanted).map(|found| block + found)
}

versions! {
    /// Two sweeps, down and up, and a queue of the pixels whose neighbours can still rise; `flags` is memory for a row.
    fn level(far: &[f32], stride: usize, level: &mut Vec<f32>, queue: &mut VecDeque<usize>, flags: &mut Vec<u8>) {
        level.extend(far.iter().map(|far| if *far < BESIDE_OUTSIDE { *far } else { *far - 1.0 }));
        flags.clear();
        flags.resize(stride, 0);
        let rows = far.len() / stride;
        for y in 1..rows - 1 {
            let (above, row) = level[(y - 1) * stride..(y + 1) * stride].split_at_mut(stride);
            take_from_row(row, above);
            take_along(row.iter_mut().zip(&far[y * stride..][..stride]));
        }
        for y in (1..rows - 1).rev() {
            let (row, below) = level[y * stride..(y + 2) * stride].split_at_mut(stride);
            take_from_row(row, below);
            take_along(row.iter_mut().zip(&far[y * stride..][..stride]).rev());
            flag_givers(&level[y * stride..][..2 * stride], &far[y * stride..][..2 * stride], flags);
            if flags.iter().fold(0, |any, flag| any | flag) != 0 {
                let givers = flags.iter().enumerate().filter(|(_, flag)| **flag != 0);
                queue.extend(givers.map(|(x, _)| y * stride + x));
            }
        }
    }
}

/// Flags the pixels of the first of two rows that have a later neighbour which is lower than them and than its distance.
#[inline(always)]
fn flag_givers(level: &[f32], far: &[f32], flags: &mut [u8]) {
    let stride = flags.len();
    let (row, next) = level.split_at(stride);
    let (row_far, next_far) = far.split_at(stride);
    let inner = stride - 2;
    let pairs = [(row, row_far, 2), (next, next_far, 0), (next, next_far, 1), (next, next_far, 2)];
    flags.fill(0);
    for (taker, far, shift) in pairs {
        let takers = taker[shift..][..inner].iter().zip(&far[shift..][..inner]);
        for ((flag, giver), (taker, far)) in flags[1..].iter_mut().zip(&row[1..]).zip(takers) {
            *flag |= u8::from(*taker < lesser(*giver, *far));
        }
    }
}

#[inline(always)]
fn take_from_row(row: &mut [f32], other: &[f32]) {
    let inner = row.len() - 2;
    let others = other[..inner].iter().zip(&other[1..]).zip(&other[2..]);
    for (pixel, ((left, middle), right)) in row[1..].iter_mut().zip(others) {
        *pixel = greater(greater(*pixel, *left), greater(*middle, *right));
    }
}

/// Carries values along a row, each pixel clipped under its distance.
#[inline(always)]
fn take_along<'a>(row: impl Iterator<Item = (&'a mut f32, &'a f32)>) {
    let mut carried = 0.0;
    for (pixel, far) in row {
        carried = lesser(greater(carried, *pixel), *far);
        *pixel = carried;
    }
}

versions! {
    /// Where no neighbour is higher, the outside included.
    fn tops(far: &[f32], level: &[f32], stride: usize, connectivity: Connectivity, top: &mut Vec<u8>) {
        top.clear();
        top.resize(far.len(), 0);
        let lowest = if connectivity == Connectivity::Four { 1.0 } else { BESIDE_OUTSIDE };
        let inner = stride - 2;
        for y in 1..far.len() / stride - 1 {
            let start = y * stride + 1;
            let [above, here, below] = [start - stride, start, start + stride].map(|s| &level[s - 1..][..inner + 2]);
            let straight = here.iter().zip(&here[2..]).zip(above[1..].iter().zip(&below[1..]));
            let row = top[start..][..inner].iter_mut().zip(&far[start..]).zip(&here[1..]);
            for (((top, far), level), ((left, right), (above, below))) in row.zip(straight) {
                let around = greater(greater(*left, *right), greater(*above, *below));
                *top = u8::from(*far > lowest) & u8::from(around <= *level);
            }
            if connectivity == Connectivity::Eight {
                let slant = above.iter().zip(&above[2..]).zip(below.iter().zip(&below[2..]));
                let row = top[start..][..inner].iter_mut().zip(&here[1..]);
                for ((top, level), ((a, b), (c, d))) in row.zip(slant) {
                    *top &= u8::from(greater(greater(*a, *b), greater(*c, *d)) <= *level);
                }
            }
        }
    }
}

#[inline(always)]
fn lesser(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

#[inline(always)]
fn greater(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}
