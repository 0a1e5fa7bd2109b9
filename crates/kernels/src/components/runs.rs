//! Connected components of a mask as runs of pixels: the one union-find behind labelling, area filters and objects.
//!
//! Bands of rows are worked on side by side. In a band, a run takes the label of a run that it touches in the row above, or
//! a new one, labels that meet are linked, and each becomes the number of its component. Then bands are joined at their
//! seams, and components numbered again, which does not depend on the bands: all count in raster order of first pixels.

mod band;
mod measure;
mod row;
mod sized;

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::bits::{BitFlood, Mask, MaskTarget};
use crate::{Component, Connectivity, Cpu, ViewMut};
pub(crate) use band::RunBand;
use measure::ComponentExtent;
pub(crate) use measure::{RunMeasure, RunMeasures};
pub(crate) use row::RunRow;
pub use sized::SizedRuns;
pub(crate) use sized::is_within;

/// The components of a mask. Used again as scratch for another mask it needs no new memory.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    bands: Vec<RunBand>,
    /// Number of bands of the mask.
    used: usize,
    /// For each component of a band a link to an earlier one it is connected to, or to itself; in the end its number.
    numbers: Vec<u32>,
    /// How many components begin in each band or above it.
    begun: Vec<usize>,
    areas: Vec<u64>,
    extents: Vec<ComponentExtent>,
    spread: BitFlood,
}

/// Neighbouring pixels of one row, `start` inclusive and `end` exclusive.
#[derive(Clone, Copy)]
pub(crate) struct ComponentRun {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Components count from 0 in raster order of their first pixels.
    pub(crate) component: usize,
}

/// Whether components of the foreground or of the background are searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaskSide {
    Foreground,
    Background,
}

impl Runs {
    /// The components of the pixels that are not 0.
    pub(crate) fn of_foreground(mask: Mask<'_>, connectivity: Connectivity) -> Self {
        let mut runs = Self::default();
        runs.find_foreground(mask, connectivity);
        runs
    }

    /// Finds the components of the pixels that are not 0.
    pub(crate) fn find_foreground(&mut self, mask: Mask<'_>, connectivity: Connectivity) {
        self.find::<()>(Cpu::default(), mask, connectivity, MaskSide::Foreground, &mut Vec::new());
    }

    /// Finds the components of the pixels that are 0.
    pub(crate) fn find_background(&mut self, mask: Mask<'_>, connectivity: Connectivity) {
        self.find::<()>(Cpu::default(), mask, connectivity, MaskSide::Background, &mut Vec::new());
    }

    /// How many components the pixels that are not 0 make.
    pub(crate) fn count(&mut self, cpu: Cpu, mask: Mask<'_>, connectivity: Connectivity) -> usize {
        self.find::<()>(cpu, mask, connectivity, MaskSide::Foreground, &mut Vec::new());
        self.components()
    }

    /// Finds components and measures each.
    pub(crate) fn find<M: RunMeasure>(
        &mut self,
        cpu: Cpu,
        mask: Mask<'_>,
        connectivity: Connectivity,
        side: MaskSide,
        measured: &mut Vec<M>,
    ) {
        self.used = cpu.over_states(mask.height(), &mut self.bands, |rows, band| {
            band.find::<M>(cpu.isa, mask.band(rows.clone()), rows.start, connectivity, side);
        });
        measured.clear();
        self.begun.clear();
        match &mut self.bands[..self.used] {
            [band] => {
                mem::swap(measured, M::of(band.measures()));
                self.begun.push(measured.len());
            }
            _ => self.join_bands(connectivity, measured),
        }
    }

    /// Links components that meet at seams, and numbers all of them.
    fn join_bands<M: RunMeasure>(&mut self, connectivity: Connectivity, measured: &mut Vec<M>) {
        let bands = &mut self.bands[..self.used];
        let all = bands.iter_mut().fold(0, |before, band| band.follow(before));
        self.numbers.clear();
        self.numbers.extend(0..all as u32);
        for lower in 1..bands.len() {
            let (above, below) = bands.split_at_mut(lower);
            below[0].link_to(&mut above[lower - 1], connectivity, &mut self.numbers);
        }
        self.number(measured);
        let Self { bands, numbers, .. } = self;
        bands[..self.used].iter_mut().for_each(|band| band.renumber(numbers));
    }

    /// Replaces links by numbers; a link leads to an earlier component, which has its number already.
    fn number<M: RunMeasure>(&mut self, measured: &mut Vec<M>) {
        let mut component = 0;
        for band in &mut self.bands[..self.used] {
            for measure in M::of(band.measures()).iter() {
                let link = self.numbers[component] as usize;
                if link == component {
                    self.numbers[component] = measured.len() as u32;
                    measured.push(*measure);
                } else {
                    self.numbers[component] = self.numbers[link];
                    measured[self.numbers[component] as usize].merge(measure);
                }
                component += 1;
            }
            self.begun.push(measured.len());
        }
    }

    /// How many components there are.
    pub(crate) fn components(&self) -> usize {
        self.begun.last().copied().unwrap_or(0)
    }

    /// How many components begin in each band of rows, from the top.
    pub(crate) fn begun(&self) -> impl Iterator<Item = usize> + '_ {
        let before = [0].into_iter().chain(self.begun.iter().copied());
        self.begun.iter().zip(before).map(|(all, before)| all - before)
    }

    /// The runs of row `y`, from the left.
    pub(crate) fn row(&self, y: usize) -> impl Iterator<Item = ComponentRun> + '_ {
        self.band_of(y).row(y)
    }

    /// The runs of row `y` that a component has among these columns, from the left; found only with a measure that keeps
    /// edges.
    pub(crate) fn of_component(
        &self,
        y: usize,
        component: usize,
        columns: Range<u32>,
    ) -> impl Iterator<Item = Range<u32>> + '_ {
        self.band_of(y).of_component(y, component, columns)
    }

    fn band_of(&self, y: usize) -> &RunBand {
        let bands = self.bands();
        &bands[bands.partition_point(|band| band.rows().end <= y)]
    }

    /// The bands of rows, from the top.
    pub(crate) fn bands(&self) -> &[RunBand] {
        &self.bands[..self.used]
    }

    /// Every run with its row, in raster order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, ComponentRun)> + '_ {
        self.bands().iter().flat_map(|band| band.rows().flat_map(|y| band.row(y).map(move |run| (y, run))))
    }

    /// Finds the components of the pixels that are not 0, measures each, and writes its number, from 1, and 0 elsewhere.
    pub(crate) fn label(
        &mut self,
        cpu: Cpu,
        mask: Mask<'_>,
        connectivity: Connectivity,
        target: ViewMut<'_, u32>,
        components: &mut Vec<Component>,
    ) {
        let mut extents = mem::take(&mut self.extents);
        self.find(cpu, mask, connectivity, MaskSide::Foreground, &mut extents);
        components.clear();
        let components = Mutex::new(components);
        cpu.fine().write(target, &mut Vec::new(), |rows, target, (): &mut ()| {
            if rows.start == 0 {
                let mut components = components.lock().unwrap_or_else(PoisonError::into_inner);
                components.extend(extents.iter().map(Component::from));
            }
            if !rows.is_empty() {
                self.band_of(rows.start).write(cpu.isa, rows, target);
            }
        });
        self.extents = extents;
    }

    /// A mask of the components whose number of pixels `keep` accepts.
    pub(crate) fn keep<T: MaskTarget>(
        &mut self,
        cpu: Cpu,
        mask: Mask<'_>,
        connectivity: Connectivity,
        keep: impl Fn(u64) -> bool + Sync,
        target: T,
    ) {
        let mut areas = mem::take(&mut self.areas);
        self.find(cpu, mask, connectivity, MaskSide::Foreground, &mut areas);
        let keep = |component: usize| keep(areas[component]);
        cpu.write(target, &mut self.bands, |_, target, band| band.keep(cpu.isa, keep, target));
        self.areas = areas;
    }

    /// Memory for floods.
    pub(crate) fn spread(&mut self) -> &mut BitFlood {
        &mut self.spread
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use crate::{
        Connectivity, Cpu, Isa, ON, Plane, Runs, fill_holes_into, filter_area_into, label_into, select_into,
    };

    /// Small enough for Miri.
    #[test]
    fn threads_and_instructions_agree_on_a_small_mask() {
        let pixel = |at: usize| if at * at % 7 < 3 || at.is_multiple_of(69) { ON } else { 0 };
        let mask = Plane::from_vec((0..69 * 6).map(pixel).collect(), 69, 6).unwrap();
        let found = |cpu| {
            let (view, eight) = (mask.view(), Connectivity::Eight);
            let mut masks = [0; 3].map(|_| Plane::filled(7, 69, 6));
            let (mut labels, mut components, mut runs) =
                (Plane::filled(7, 69, 6), Vec::new(), Runs::default());
            let [filled, kept, selected] = &mut masks;
            fill_holes_into(cpu, view, eight, filled.view_mut(), &mut runs);
            filter_area_into(cpu, view, 3, Some(20), eight, kept.view_mut(), &mut runs);
            select_into(cpu, view, kept.view(), eight, selected.view_mut(), &mut runs);
            assert_eq!(kept, selected);
            label_into(cpu, view, eight, labels.view_mut(), &mut components, &mut runs);
            (masks, labels, components)
        };
        let one = NonZeroUsize::MIN;
        let expected = found(Cpu { isa: Isa::PORTABLE, threads: one });
        for isa in Isa::available() {
            for threads in [one, one.saturating_add(1), one.saturating_add(3)] {
                assert_eq!(found(Cpu { isa, threads }), expected);
            }
        }
    }
}
