//! The runs of a mask, component after component.
//!
//! Components count in raster order of their first pixels, so that those that begin in one band of rows lie together: each
//! band's thread puts its runs there. Runs of components that began in a band above are put there when all bands are done.

use super::{ObjectBounds, ObjectSpan};
use crate::Cpu;
use crate::components::runs::{ComponentRun, RunBand, RunRow, Runs};
use crate::cpu::isa::versions;

/// Reusable memory for sorting runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorting {
    bands: Vec<SortScratch>,
}

/// The memory of one band.
#[derive(Clone, Debug, Default)]
struct SortScratch {
    /// Runs of components that began in a band above.
    others: Vec<(usize, ObjectSpan)>,
    row: RunRow,
}

impl Sorting {
    /// Puts each component's runs together. An object's `spans` is the number of its spans before, and the end of its spans
    /// in the list afterwards.
    pub(super) fn sort(
        &mut self,
        cpu: Cpu,
        runs: &Runs,
        objects: &mut [ObjectBounds],
        spans: &mut [ObjectSpan],
    ) {
        let mut start = 0;
        for object in objects.iter_mut() {
            start += std::mem::replace(&mut object.spans, start);
        }
        let parts = parts(runs, objects, spans);
        self.bands.resize(self.bands.len().max(parts.len()), SortScratch::default());
        let parts = parts.into_iter().zip(&mut self.bands).collect();
        cpu.run(parts, |(part, sorted)| place_own(cpu.isa, part, sorted));
        for (component, span) in self.bands.iter_mut().flat_map(|band| band.others.drain(..)) {
            place(&mut objects[component], 0, spans, span);
        }
    }
}

/// The components that begin in one band, and their spans.
struct BandObjects<'a> {
    band: &'a RunBand,
    first: usize,
    objects: &'a mut [ObjectBounds],
    /// Number of spans of the bands above.
    before: usize,
    spans: &'a mut [ObjectSpan],
}

fn parts<'a>(
    runs: &'a Runs,
    mut objects: &'a mut [ObjectBounds],
    mut spans: &'a mut [ObjectSpan],
) -> Vec<BandObjects<'a>> {
    let (mut parts, mut first, mut before) = (Vec::new(), 0, 0);
    for (band, count) in runs.bands().iter().zip(runs.begun()) {
        let (here, below) = objects.split_at_mut(count);
        let length = below.first().map_or(spans.len(), |object| object.spans - before);
        let (spans_here, spans_below) = spans.split_at_mut(length);
        parts.push(BandObjects { band, first, objects: here, before, spans: spans_here });
        (objects, spans) = (below, spans_below);
        (first, before) = (first + count, before + length);
    }
    parts
}

versions! {
    /// Places the runs of components that begin in the band, and collects the others.
    fn place_own(part: BandObjects<'_>, sorted: &mut SortScratch) {
        let BandObjects { band, first, objects, before, spans } = part;
        for y in band.rows() {
            for ComponentRun { start, end, component } in band.read_row(y, &mut sorted.row) {
                let span = ObjectSpan { y: y as u32, start: start as u32, end: end as u32 };
                match component.checked_sub(first) {
                    Some(own) => place(&mut objects[own], before, spans, span),
                    None => sorted.others.push((component, span)),
                }
            }
        }
    }
}

#[inline(always)]
fn place(object: &mut ObjectBounds, before: usize, spans: &mut [ObjectSpan], span: ObjectSpan) {
    spans[object.spans - before] = span;
    object.spans += 1;
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use crate::components::objects::Objects;
    use crate::{Connectivity, Cpu, ON, Plane, Runs};

    /// Stripes that cross every seam, between them dots that cross none.
    #[test]
    fn objects_do_not_depend_on_threads() {
        let pixel = |at: usize| ON * u8::from((at % 90).is_multiple_of(9) || at * at % 11 == 4);
        let mask = Plane::from_vec((0..90 * 40).map(pixel).collect(), 90, 40).unwrap();
        let found = |threads| {
            let cpu = Cpu { threads: NonZeroUsize::new(threads).unwrap(), ..Cpu::default() };
            let mut objects = Objects::default();
            objects.find(cpu, mask.view(), Connectivity::Four, &mut Runs::default());
            let whole =
                |object| (objects.window(object), objects.area(object), Vec::from_iter(objects.rows(object)));
            (0..objects.len()).map(whole).collect::<Vec<_>>()
        };
        let expected = found(1);
        assert!(expected.len() > 100 && expected[0].2.len() == 40);
        assert!([2, 3, 7, 40].into_iter().all(|threads| found(threads) == expected));
    }
}
