//! One object, cut out of the labels: its pixels as a framed mask and as runs.

use crate::View;

/// An object's pixels in its bounding box. Memory is used again for the next object.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectPixels {
    /// 1 in the object; a frame of one pixel around the box is 0.
    pub(crate) mask: Vec<u8>,
    /// Columns and rows of the box.
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// From the top, in a row from the left, in coordinates of the box.
    pub(crate) runs: Vec<PixelSpan>,
}

/// Neighbouring pixels of one row, `end` exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PixelSpan {
    pub(crate) y: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl ObjectPixels {
    /// Cuts the pixels that are `object` out of a box of labels.
    pub(crate) fn take(&mut self, labels: View<'_, u32>, object: u32) {
        (self.width, self.height) = (labels.width(), labels.height());
        self.mask.clear();
        self.mask.resize(self.stride() * (self.height + 2), 0);
        self.runs.clear();
        for (y, row) in labels.rows().enumerate() {
            let start = (y + 1) * self.stride() + 1;
            let mask = &mut self.mask[start..start + row.len()];
            mask.iter_mut().zip(row).for_each(|(pixel, label)| *pixel = u8::from(*label == object));
            append_runs(&mut self.runs, mask, y);
        }
    }

    /// Pixels from one row of the mask to the next.
    pub(crate) fn stride(&self) -> usize {
        self.width + 2
    }

    /// Where a pixel of the box stands in the mask.
    pub(crate) fn position(&self, x: usize, y: usize) -> usize {
        (y + 1) * self.stride() + x + 1
    }

    /// Number of pixels.
    pub(crate) fn area(&self) -> u64 {
        self.runs.iter().map(|run| (run.end - run.start) as u64).sum()
    }
}

/// Adds the runs of pixels that are not 0.
pub(crate) fn append_runs(runs: &mut Vec<PixelSpan>, mask: &[u8], y: usize) {
    let mut from = 0;
    while let Some(gap) = mask[from..].iter().position(|pixel| *pixel != 0) {
        let start = from + gap;
        let length = mask[start..].iter().position(|pixel| *pixel == 0);
        let end = length.map_or(mask.len(), |length| start + length);
        runs.push(PixelSpan { y, start, end });
        from = end;
    }
}
