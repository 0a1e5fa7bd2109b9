//! The pieces of the outside, each with its own label.

use crate::{Connectivity, View, bits};

/// Memory for the runs of two rows and for equivalent labels.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside {
    above: Vec<Gap>,
    here: Vec<Gap>,
    /// For each label the smaller one it is joined to, or itself.
    same_as: Vec<u32>,
    /// One row as bits, and the columns where they change.
    words: Vec<u64>,
    edges: Vec<u32>,
}

/// Neighbouring pixels outside, in one row.
#[derive(Clone, Copy, Debug)]
struct Gap {
    start: usize,
    end: usize,
    label: u32,
}

impl Outside {
    /// Labels the outside of the mask from 1 on, and the inside 0, in a frame; returns the largest label.
    ///
    /// A run takes the label of one it touches in the row above. That two of those have different labels is rare, and
    /// only then labels are written twice.
    pub(super) fn label(
        &mut self,
        mask: View<'_, u8>,
        connectivity: Connectivity,
        labels: &mut [u32],
    ) -> u32 {
        let stride = mask.width() + 2;
        self.above.clear();
        self.same_as.clear();
        self.same_as.push(0);
        let mut joined = false;
        for (y, inside) in mask.rows().enumerate() {
            let row = &mut labels[(y + 1) * stride + 1..][..inside.len()];
            joined |= self.row(inside, connectivity.reach(), row);
            std::mem::swap(&mut self.above, &mut self.here);
        }
        if joined {
            self.relabel(mask, labels);
        }
        self.same_as.len() as u32 - 1
    }

    fn row(&mut self, inside: &[u8], reach: usize, labels: &mut [u32]) -> bool {
        bits::pack(inside, &mut self.words);
        bits::invert(&mut self.words, inside.len());
        bits::edges(&self.words, inside.len(), &mut self.edges);
        self.here.clear();
        labels.fill(0);
        let (mut above, mut joined) = (0, false);
        for gap in 0..self.edges.len() / 2 {
            let (start, end) = (self.edges[2 * gap] as usize, self.edges[2 * gap + 1] as usize);
            let label = self.touching(start, end, reach, &mut above, &mut joined);
            labels[start..end].fill(label);
            self.here.push(Gap { start, end, label });
        }
        joined
    }

    /// The label of the runs above that touch this one, or a new one; `above` moves on to the first that may touch the next.
    fn touching(
        &mut self,
        start: usize,
        end: usize,
        reach: usize,
        above: &mut usize,
        joined: &mut bool,
    ) -> u32 {
        while self.above.get(*above).is_some_and(|gap| gap.end + reach <= start) {
            *above += 1;
        }
        let mut label = 0;
        for index in *above..self.above.len() {
            let gap = self.above[index];
            if gap.start >= end + reach {
                break;
            }
            let other = self.first(gap.label);
            *joined |= label != 0 && label != other;
            label = if label == 0 { other } else { self.join(label, other) };
        }
        if label == 0 {
            label = self.same_as.len() as u32;
            self.same_as.push(label);
        }
        label
    }

    fn first(&mut self, mut label: u32) -> u32 {
        while self.same_as[label as usize] != label {
            let next = self.same_as[self.same_as[label as usize] as usize];
            self.same_as[label as usize] = next;
            label = next;
        }
        label
    }

    fn join(&mut self, one: u32, other: u32) -> u32 {
        let (low, high) = (one.min(other), one.max(other));
        self.same_as[high as usize] = low;
        low
    }

    fn relabel(&mut self, mask: View<'_, u8>, labels: &mut [u32]) {
        // A label is joined to a smaller one, which is final already.
        for label in 0..self.same_as.len() {
            self.same_as[label] = self.same_as[self.same_as[label] as usize];
        }
        for row in labels.chunks_exact_mut(mask.width() + 2).skip(1).take(mask.height()) {
            row[1..=mask.width()].iter_mut().for_each(|label| *label = self.same_as[*label as usize]);
        }
    }
}
