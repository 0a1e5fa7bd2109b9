//! The runs of some rows of a mask: the mask as bits, and a label for each run.

use std::mem;
use std::ops::Range;

use super::measure::{Measure, Measures};
use super::{Run, Side};
use crate::{Connectivity, View, ViewMut, bits};

/// Columns of a run: the first, and the one after the last.
type Edges = [u32; 2];

/// What ends every list of edges: no run touches it.
const END: u32 = u32::MAX - 2;

/// Some rows of a mask.
#[derive(Clone, Debug, Default)]
pub(super) struct Band {
    /// The row of the image that is the band's first.
    top: usize,
    across: usize,
    /// One bit for each pixel, `across` words a row.
    words: Vec<u64>,
    /// One for each run.
    labels: Vec<u32>,
    /// Where each row's labels begin, and where the last row's end.
    row_starts: Vec<usize>,
    /// For each label an earlier one of the same component, or itself.
    links: Vec<u32>,
    /// Where the labels are among those of all bands.
    first_label: usize,
    measures: Measures,
    /// The edges of two rows, each with an end.
    above: Vec<u32>,
    here: Vec<u32>,
}

impl Band {
    /// Finds the runs of a mask whose first row is `top` of the image.
    pub(super) fn find<M: Measure>(
        &mut self,
        mask: View<'_, u8>,
        top: usize,
        connectivity: Connectivity,
        side: Side,
    ) {
        (self.top, self.across) = (top, mask.width().div_ceil(64));
        self.words.resize(self.across * mask.height(), 0);
        self.labels.clear();
        self.links.clear();
        M::of(&mut self.measures).clear();
        self.row_starts.clear();
        self.row_starts.push(0);
        find_edges(&[], &mut self.here);
        for (y, row) in mask.rows().enumerate() {
            let words = &mut self.words[y * self.across..][..self.across];
            bits::pack_into(row, words);
            if side == Side::Background {
                bits::invert(words, row.len());
            }
            mem::swap(&mut self.above, &mut self.here);
            find_edges(words, &mut self.here);
            self.label_row::<M>(top + y, connectivity);
        }
    }

    /// Labels the runs of the next row.
    fn label_row<M: Measure>(&mut self, y: usize, connectivity: Connectivity) {
        let Self { labels, links, above, here, row_starts, .. } = self;
        let (above, here) = (pairs(above), pairs(here));
        let measures = M::of(&mut self.measures);
        let (start, end) = (row_starts[row_starts.len().saturating_sub(2)], labels.len());
        labels.resize(end + here.len() - 1, 0);
        let (before, row) = labels.split_at_mut(end);
        let labels_above = &before[start..];
        each_touching(above, here, connectivity, |run, touching| {
            let [left, right] = here[run];
            row[run] = match labels_above.get(touching) {
                Some([first, others @ ..]) => {
                    let mut label = first_label(links, *first);
                    for other in others {
                        label = link(links, label, *other);
                    }
                    measures[label as usize].extend(y, left, right);
                    label
                }
                _ => {
                    let label = links.len() as u32;
                    links.push(label);
                    measures.push(M::new(y, left, right));
                    label
                }
            };
        });
        row_starts.push(labels.len());
    }

    /// Adds the links to those of the bands above.
    pub(super) fn append_links(&mut self, links: &mut Vec<u32>) {
        self.first_label = links.len();
        let first = links.len() as u32;
        links.extend(self.links.iter().map(|link| link + first));
    }

    /// Links labels of the first row to those of the last row of the band above.
    pub(super) fn link_to(&mut self, above: &mut Self, connectivity: Connectivity, links: &mut [u32]) {
        let last = above.rows().end - 1;
        let labels_above = above.labels(last);
        find_edges(above.words(last), &mut self.above);
        find_edges(&self.words[..self.across], &mut self.here);
        each_touching(pairs(&self.above), pairs(&self.here), connectivity, |run, touching| {
            let label = self.first_label + self.labels[run] as usize;
            for other in &above.labels[labels_above.clone()][touching] {
                link(links, label as u32, (above.first_label + *other as usize) as u32);
            }
        });
    }

    /// The band's rows.
    pub(super) fn rows(&self) -> Range<usize> {
        self.top..self.top + self.row_starts.len() - 1
    }

    /// What was measured for each label.
    pub(super) fn measures(&mut self) -> &mut Measures {
        &mut self.measures
    }

    fn words(&self, y: usize) -> &[u64] {
        &self.words[(y - self.top) * self.across..][..self.across]
    }

    fn labels(&self, y: usize) -> Range<usize> {
        self.row_starts[y - self.top]..self.row_starts[y - self.top + 1]
    }

    /// The runs of a row of the image, from the left.
    pub(super) fn row<'a>(&'a self, y: usize, numbers: &'a [u32]) -> impl Iterator<Item = Run> + 'a {
        let numbers = &numbers[self.first_label..];
        let runs = bits::runs(self.words(y)).zip(&self.labels[self.labels(y)]);
        runs.map(|((start, end), label)| Run { start, end, component: numbers[*label as usize] as usize })
    }

    /// Writes numbers from 1 on, and 0 outside.
    pub(super) fn write(&self, numbers: &[u32], mut target: ViewMut<'_, u32>) {
        for y in self.rows() {
            let row = target.row_mut(y - self.top);
            row.fill(0);
            for run in self.row(y, numbers) {
                row[run.start..run.end].fill(run.component as u32 + 1);
            }
        }
    }

    /// Writes a mask of the runs whose label's number is 1, and not of those where it is 0.
    pub(super) fn keep(&mut self, numbers: &[u32], mut target: ViewMut<'_, u8>) {
        let numbers = &numbers[self.first_label..];
        for y in 0..target.height() {
            let words = &mut self.words[y * self.across..][..self.across];
            let mut labels = self.labels[self.row_starts[y]..].iter();
            let (mut before, mut carry) = (0, 0);
            for word in &mut *words {
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
            bits::expand(words, target.row_mut(y));
        }
    }
}

/// The edges of a row of words, and the end of the list.
fn find_edges(words: &[u64], edges: &mut Vec<u32>) {
    bits::edges(words, words.len() * 64, edges);
    edges.extend([END; 2]);
}

fn pairs(edges: &[u32]) -> &[Edges] {
    edges.as_chunks().0
}

/// Gives every run of a row and those that it touches in the row above. Both lists have an end that is no run.
#[inline(always)]
fn each_touching(
    above: &[Edges],
    here: &[Edges],
    connectivity: Connectivity,
    mut give: impl FnMut(usize, Range<usize>),
) {
    let reach = connectivity.reach() as u32;
    let mut first = 0;
    for (run, &[start, end]) in here[..here.len() - 1].iter().enumerate() {
        while above[first][1] + reach <= start {
            first += 1;
        }
        let mut after = first;
        while above[after][0] < end + reach {
            after += 1;
        }
        give(run, first..after);
        // The last run above that touches may touch the next one below as well.
        first = first.max(after.saturating_sub(1));
    }
}

/// Links the later of two components to the earlier one, so that a component's first label stays its first in raster
/// order; says which that is.
#[inline(always)]
fn link(links: &mut [u32], one: u32, other: u32) -> u32 {
    let (one, other) = (first_label(links, one), first_label(links, other));
    let first = one.min(other);
    links[one.max(other) as usize] = first;
    first
}

/// Follows the links to the first label, and halves the way for those who come later.
#[inline(always)]
fn first_label(links: &mut [u32], mut label: u32) -> u32 {
    while links[label as usize] != label {
        let next = links[links[label as usize] as usize];
        links[label as usize] = next;
        label = next;
    }
    label
}
