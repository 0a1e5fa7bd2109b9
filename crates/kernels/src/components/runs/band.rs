//! The runs of some rows of a mask: the mask as bits, and a label for each run.

use std::mem;
use std::ops::Range;

use super::measure::{RunMeasure, RunMeasures};
use super::row::{RunRow, Touching};
use super::{ComponentRun, MaskSide};
use crate::bits::{Mask, MaskTarget};
use crate::cpu::isa::{Isa, versions};
use crate::{Connectivity, ViewMut, bits};

/// Some rows of a mask.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunBand {
    /// The row of the image that is the band's first.
    top: usize,
    across: usize,
    /// One bit for each pixel, `across` words a row.
    words: Vec<u64>,
    /// One for each run.
    labels: Vec<u32>,
    /// First and last column of each run, where they are kept.
    edges: Vec<[u32; 2]>,
    /// Where each row's labels begin, and where the last row's end.
    row_starts: Vec<usize>,
    /// For each label an earlier one of the same component, or itself; in the end the component's number.
    numbers: Vec<u32>,
    /// The range of the band's components among those of all bands.
    components: Range<usize>,
    measures: RunMeasures,
    above: RunRow,
    here: RunRow,
}

impl RunBand {
    /// Finds the runs of a mask whose first row is `top` of the image.
    pub(super) fn find<M: RunMeasure>(
        &mut self,
        isa: Isa,
        mask: Mask<'_>,
        top: usize,
        connectivity: Connectivity,
        side: MaskSide,
    ) {
        let mut measures = mem::take(M::of(&mut self.measures));
        (self.top, self.across) = (top, mask.width().div_ceil(64));
        self.words.resize(self.across * mask.height(), 0);
        self.labels.clear();
        self.edges.clear();
        self.numbers.clear();
        measures.clear();
        self.row_starts.clear();
        self.row_starts.push(0);
        self.here.find(&[]);
        find_rows(isa, self, mask, connectivity, side, &mut measures);
        self.number(&mut measures);
        *M::of(&mut self.measures) = measures;
    }

    /// Labels the runs of the next row.
    #[inline(always)]
    fn label_row<M: RunMeasure>(&mut self, y: usize, connectivity: Connectivity, measures: &mut Vec<M>) {
        let Self { labels, numbers: links, above, here, row_starts, .. } = self;
        let (start, end) = (row_starts[row_starts.len().saturating_sub(2)], labels.len());
        labels.resize(end + here.runs().len(), 0);
        let (before, row) = labels.split_at_mut(end);
        let labels_above = &before[start..];
        let mut touching = Touching::new(above, connectivity);
        for (&[left, right], label) in here.runs().iter().zip(row) {
            *label = match &labels_above[touching.next(left, right)] {
                [first, others @ ..] => {
                    let mut known = first_label(links, *first);
                    for other in others.iter().filter(|other| **other != *first) {
                        known = link(links, known, *other);
                    }
                    measures[known as usize].extend(y, left, right);
                    known
                }
                [] => {
                    links.push(links.len() as u32);
                    measures.push(M::new(y, left, right));
                    links.len() as u32 - 1
                }
            };
        }
        row_starts.push(labels.len());
    }

    /// Replaces links by numbers of the band's own components; a link leads to an earlier label, which has its number already.
    fn number<M: RunMeasure>(&mut self, measures: &mut Vec<M>) {
        let mut count = 0;
        for label in 0..self.numbers.len() {
            let (link, measure) = (self.numbers[label] as usize, measures[label]);
            if link == label {
                self.numbers[label] = count as u32;
                measures[count] = measure;
                count += 1;
            } else {
                self.numbers[label] = self.numbers[link];
                measures[self.numbers[label] as usize].merge(&measure);
            }
        }
        measures.truncate(count);
        self.components = 0..count;
    }

    /// Numbers the components after those of the bands above; returns the end of their range.
    pub(super) fn follow(&mut self, components: usize) -> usize {
        self.components = components..components + self.components.len();
        self.components.end
    }

    /// Links components of the first row to those of the last row of the band above.
    pub(super) fn link_to(&mut self, above: &mut Self, connectivity: Connectivity, links: &mut [u32]) {
        let last = above.rows().end - 1;
        let labels_above = &above.labels[above.labels(last)];
        self.above.find(above.words(last));
        self.here.find(&self.words[..self.across]);
        let mut touching = Touching::new(&self.above, connectivity);
        for (&[left, right], label) in self.here.runs().iter().zip(&self.labels) {
            for other in &labels_above[touching.next(left, right)] {
                link(links, self.component(*label), above.component(*other));
            }
        }
    }

    /// The component of a label among those of all bands, before these are renumbered.
    fn component(&self, label: u32) -> u32 {
        self.components.start as u32 + self.numbers[label as usize]
    }

    /// Replaces the component numbers by those of the whole mask.
    pub(super) fn renumber(&mut self, numbers: &[u32]) {
        let numbers = &numbers[self.components.clone()];
        self.numbers.iter_mut().for_each(|number| *number = numbers[*number as usize]);
    }

    /// The band's rows.
    pub(crate) fn rows(&self) -> Range<usize> {
        self.top..self.top + self.row_starts.len() - 1
    }

    /// The measures of the components.
    pub(super) fn measures(&mut self) -> &mut RunMeasures {
        &mut self.measures
    }

    /// The bits of a row of the image.
    pub(crate) fn words(&self, y: usize) -> &[u64] {
        &self.words[(y - self.top) * self.across..][..self.across]
    }

    fn labels(&self, y: usize) -> Range<usize> {
        self.row_starts[y - self.top]..self.row_starts[y - self.top + 1]
    }

    /// The runs of a row of the image, from the left.
    pub(super) fn row(&self, y: usize) -> impl Iterator<Item = ComponentRun> + '_ {
        let numbers = &*self.numbers;
        let runs = bits::runs(self.words(y)).zip(&self.labels[self.labels(y)]);
        runs.map(|((start, end), label)| ComponentRun {
            start,
            end,
            component: numbers[*label as usize] as usize,
        })
    }

    /// [`RunBand::row`] into the memory of `found`, in one pass: several times faster where it is compiled for an
    /// instruction set.
    #[inline(always)]
    pub(crate) fn read_row<'a>(
        &'a self,
        y: usize,
        found: &'a mut RunRow,
    ) -> impl Iterator<Item = ComponentRun> + 'a {
        found.find(self.words(y));
        let (runs, labels) = (found.runs(), &self.labels[self.labels(y)]);
        let component = |label: &u32| self.numbers[*label as usize] as usize;
        runs.iter().zip(labels).map(move |(&[start, end], label)| ComponentRun {
            start: start as usize,
            end: end as usize,
            component: component(label),
        })
    }

    /// The runs of a row, and the component of each, where they are kept.
    #[inline(always)]
    pub(crate) fn edges(&self, y: usize) -> (&[[u32; 2]], impl Iterator<Item = u32> + '_) {
        let place = self.labels(y);
        let components = self.labels[place.clone()].iter().map(|label| self.numbers[*label as usize]);
        (&self.edges[place], components)
    }

    /// The runs of a row that a component has among these columns.
    pub(super) fn of_component(
        &self,
        y: usize,
        component: usize,
        columns: Range<u32>,
    ) -> impl Iterator<Item = Range<u32>> + '_ {
        let (edges, components) = self.edges(y);
        let first = edges.partition_point(|[_, end]| *end <= columns.start);
        let among = edges[first..].iter().zip(components.skip(first));
        let among = among.take_while(move |([start, _], _)| *start < columns.end);
        let own = among.filter(move |(_, other)| *other as usize == component);
        own.map(|([start, end], _)| *start..*end)
    }

    /// Writes numbers from 1 on, and 0 outside, into some of the rows.
    pub(super) fn write(&self, isa: Isa, rows: Range<usize>, target: ViewMut<'_, u32>) {
        write_rows(isa, self, rows, target);
    }

    /// Appends its bits and the component of each run to those of the bands above; returns the end of each row's runs.
    pub(super) fn move_to(mut self, words: &mut Vec<u64>, components: &mut Vec<u32>) -> Vec<usize> {
        let before = components.len();
        words.append(&mut self.words);
        components.extend(self.labels.iter().map(|label| self.numbers[*label as usize]));
        self.row_starts[1..].iter().map(|end| before + end).collect()
    }

    /// Writes a mask of the components to keep; overwrites the numbers.
    pub(super) fn keep<T: MaskTarget>(&mut self, isa: Isa, keep: impl Fn(usize) -> bool, mut target: T) {
        self.numbers.iter_mut().for_each(|number| *number = u32::from(keep(*number as usize)));
        keep_rows(isa, self, &mut target);
    }
}

versions! {
    /// Packs row after row, and labels its runs.
    fn find_rows<M: RunMeasure>(
        band: &mut RunBand,
        mask: Mask<'_>,
        connectivity: Connectivity,
        side: MaskSide,
        measures: &mut Vec<M>,
    ) {
        for y in 0..mask.height() {
            let words = &mut band.words[y * band.across..][..band.across];
            mask.write(y, words);
            if side == MaskSide::Background {
                bits::invert(words, mask.width());
            }
            mem::swap(&mut band.above, &mut band.here);
            band.here.find(words);
            if M::EDGES {
                band.edges.extend_from_slice(band.here.runs());
            }
            band.label_row(band.top + y, connectivity, measures);
        }
    }
}

versions! {
    /// Numbers of runs, row by row.
    fn write_rows(band: &RunBand, rows: Range<usize>, target: ViewMut<'_, u32>) {
        let mut target = target;
        let numbers = &*band.numbers;
        for (row, y) in rows.enumerate() {
            let mut labels = band.labels[band.labels(y)].iter();
            let mut next = || labels.next().map_or(0, |label| numbers[*label as usize] + 1);
            let (mut number, mut before) = (0, 0);
            for (word, pixels) in band.words(y).iter().zip(target.row_mut(row).chunks_mut(64)) {
                write_word(*word, before, pixels, &mut number, &mut next);
                before = word >> 63;
            }
        }
    }
}

versions! {
    /// A mask of the runs whose label has the number 1, and not of those where it is 0, row by row.
    fn keep_rows<T: MaskTarget>(band: &mut RunBand, target: &mut T) {
        let numbers = &*band.numbers;
        for y in 0..target.height() {
            let words = &mut band.words[y * band.across..][..band.across];
            keep_runs(words, &band.labels[band.row_starts[y]..], numbers);
            target.put(y, words);
        }
    }
}

/// Keeps those runs of a row whose label's number is 1, and clears those where it is 0.
#[inline(always)]
pub(super) fn keep_runs(words: &mut [u64], labels: &[u32], numbers: &[u32]) {
    let (mut labels, mut before, mut carry) = (labels.iter(), 0, 0);
    for word in words {
        let mut starts = *word & !(*word << 1 | before);
        let mut kept = carry & *word;
        while starts != 0 {
            let number = labels.next().map_or(0, |label| numbers[*label as usize]);
            kept |= starts & starts.wrapping_neg() & u64::from(number).wrapping_neg();
            starts &= starts - 1;
        }
        before = *word >> 63;
        *word = bits::fill_right(kept, *word);
        carry = *word >> 63;
    }
}

/// Writes the pixels of one word. A run that began `before` goes on with its number, every other takes the next.
#[inline(always)]
fn write_word(word: u64, before: u64, pixels: &mut [u32], number: &mut u32, next: &mut impl FnMut() -> u32) {
    if word == u64::MAX {
        *number = if before == 0 { next() } else { *number };
        return pixels.fill(*number);
    }
    match pixels.as_chunks_mut::<64>().0 {
        [whole] => whole.fill(0),
        _ => pixels.fill(0),
    }
    let mut rest = word;
    let mut goes_on = word & before != 0;
    while rest != 0 {
        let start = rest.trailing_zeros();
        let length = (rest >> start).trailing_ones();
        *number = if goes_on { *number } else { next() };
        goes_on = false;
        match length {
            1 => pixels[start as usize] = *number,
            _ => pixels[start as usize..][..length as usize].fill(*number),
        }
        // The sum carries through the run.
        rest &= rest.wrapping_add(1 << start);
    }
}

/// Links the later of two components to the earlier one, so that a component's first label stays its first in raster order;
/// returns that label.
#[inline(always)]
fn link(links: &mut [u32], one: u32, other: u32) -> u32 {
    let (one, other) = (first_label(links, one), first_label(links, other));
    let first = one.min(other);
    links[one.max(other) as usize] = first;
    first
}

/// Follows the links to the first label, with path halving.
#[inline(always)]
fn first_label(links: &mut [u32], mut label: u32) -> u32 {
    while links[label as usize] != label {
        let next = links[links[label as usize] as usize];
        links[label as usize] = next;
        label = next;
    }
    label
}
