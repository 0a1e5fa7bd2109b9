//! A tile with its truth, on which the workflow runs task by task: results of tasks are kept by what they read, watershed
//! lines by object, so that a row computes only what is new.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use onceflow_kernels::compare::{ComparisonCounts, LabelledRuns, compare_runs};
use onceflow_kernels::nuclei::{self, MaskScratch, Parameters, Reconstructed, SplitScratch};
use onceflow_kernels::{
    Bits, Connectivity, Cpu, Mask, ObjectGroups, ObjectHash, Plane, Traces, View, Window,
};

/// A mask and its content.
type KnownMask = Arc<(Bits, ObjectHash)>;

/// A difference, and the candidates in it.
type KnownCandidates = (Arc<Plane<u8>>, KnownMask);

/// A tile, and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct TuneTile {
    normalized: Plane<[u8; 3]>,
    truth: LabelledRuns,
    memo: TileMemo,
    /// Whether anything is kept.
    reuses: bool,
}

/// What was computed, by task.
#[derive(Clone, Debug, Default)]
struct TileMemo {
    background: HashMap<[i64; 3], bool>,
    blood: HashMap<[u64; 2], KnownMask>,
    dark: HashMap<bool, Arc<Reconstructed>>,
    /// Difference and candidates.
    candidates: HashMap<(bool, bool, i64), KnownCandidates>,
    sized: HashMap<(ObjectHash, [i64; 2]), KnownMask>,
    grown: HashMap<([ObjectHash; 2], bool, i64), KnownMask>,
    clumps: HashMap<(ObjectHash, i64), KnownMask>,
    apart: HashMap<(ObjectHash, bool), KnownMask>,
    lines: HashMap<ObjectHash, Arc<[(u32, u32)]>>,
    finished: HashMap<(ObjectHash, [i64; 2], bool), KnownMask>,
    compared: HashMap<ObjectHash, ComparisonCounts>,
}

/// More masks than this are forgotten, all at once.
const MOST_KEPT: usize = 6000;

fn eight(connectivity: Connectivity) -> bool {
    connectivity == Connectivity::Eight
}

fn known(mask: Bits) -> KnownMask {
    let digest = mask.digest();
    Arc::new((mask, digest))
}

fn rows(mask: &Bits) -> Plane<u8> {
    mask.to_plane()
}

/// The result under a key, computed if it is new.
fn kept<K: Eq + Hash, V: Clone>(memo: &mut HashMap<K, V>, key: K, compute: impl FnOnce() -> V) -> V {
    memo.entry(key).or_insert_with(compute).clone()
}

impl TuneTile {
    /// A tile with labels of its truth.
    pub(super) fn new(normalized: Plane<[u8; 3]>, truth: View<'_, u32>) -> Self {
        let truth = LabelledRuns::of_labels(truth);
        Self { normalized, truth, memo: TileMemo::default(), reuses: true }
    }

    /// Forgets everything; whether it keeps what it computes from now on.
    pub(super) fn forget(&mut self, reuses: bool) {
        self.memo = TileMemo::default();
        self.reuses = reuses;
    }

    /// How far the result with these parameters agrees with the truth.
    pub(super) fn counts(&mut self, p: &Parameters) -> ComparisonCounts {
        if !self.reuses || self.memo.grown.len() + self.memo.finished.len() > MOST_KEPT {
            self.memo = TileMemo::default();
        }
        let mask = match self.apart(p) {
            Some(apart) => self.finished(&apart, p),
            None => {
                known(Bits::of(Plane::filled(0, self.normalized.width(), self.normalized.height()).view()))
            }
        };
        let (truth, core) = (&self.truth, Window::whole(self.normalized.view()));
        // Both are of one size.
        let compare = || compare_runs(&LabelledRuns::of_mask(&mask.0), truth, core).unwrap_or_default();
        kept(&mut self.memo.compared, mask.1, compare)
    }

    /// The nuclei before the last filter by size; `None` where there are none.
    fn apart(&mut self, p: &Parameters) -> Option<KnownMask> {
        let Self { normalized, memo, .. } = self;
        let view = normalized.view();
        let glass = || nuclei::background(view, p.blue, p.green, p.red).is_some();
        if kept(&mut memo.background, [p.blue, p.green, p.red], glass) {
            return None;
        }
        let blood = kept(&mut memo.blood, [p.t1.to_bits(), p.t2.to_bits()], || {
            known(Bits::of(nuclei::red_blood_cells(view, p.t1, p.t2).view()))
        });
        let near = eight(p.recon_connectivity);
        let dark = kept(&mut memo.dark, near, || Arc::new(nuclei::reconstruct(view, p.recon_connectivity)));
        let (diff, found) =
            kept(&mut memo.candidates, (near, eight(p.fill_holes_connectivity), p.g1), || {
                let (rc, recon) = (dark.rc.view(), dark.rc_recon.view());
                let found = nuclei::candidates(rc, recon, p.fill_holes_connectivity, p.g1);
                (Arc::new(found.diff), known(Bits::of(found.bw1.view())))
            });
        let sized = kept(&mut memo.sized, (found.1, [p.min_size, p.max_size]), || {
            let sized = nuclei::sized_candidates(rows(&found.0).view(), p.min_size, p.max_size);
            known(Bits::of(sized.view()))
        });
        if !sized.0.is_any() {
            return None;
        }
        let grown = kept(&mut memo.grown, ([sized.1, blood.1], near, p.g2), || {
            let mut scratch = MaskScratch::default();
            let masks = [&sized.0, &blood.0].map(Mask::from);
            nuclei::grow_bits(Cpu::default(), diff.view(), masks, p.g2, &mut scratch);
            known(scratch.into_result())
        });
        let big = kept(&mut memo.clumps, (grown.1, p.min_size_pl), || {
            let mut scratch = MaskScratch::default();
            nuclei::clumps_bits(Cpu::default(), (&grown.0).into(), p.min_size_pl, &mut scratch);
            known(scratch.into_result())
        });
        let lines = &mut memo.lines;
        let apart = kept(&mut memo.apart, (big.1, eight(p.watershed_connectivity)), || {
            known(split(view, &big.0, p.watershed_connectivity, lines))
        });
        Some(apart)
    }

    fn finished(&mut self, apart: &KnownMask, p: &Parameters) -> KnownMask {
        let key = (apart.1, [p.min_size_seg, p.max_size_seg], eight(p.fill_holes_connectivity));
        kept(&mut self.memo.finished, key, || {
            let (sizes, mut scratch) = (p.min_size_seg..p.max_size_seg, MaskScratch::default());
            let mask = (&apart.0).into();
            nuclei::finish_bits(Cpu::default(), mask, sizes, p.fill_holes_connectivity, &mut scratch);
            known(scratch.into_result())
        })
    }
}

/// The clumps without their watershed lines; the lines of an object that was seen before are known.
fn split(
    normalized: View<'_, [u8; 3]>,
    big: &Bits,
    connectivity: Connectivity,
    known: &mut HashMap<ObjectHash, Arc<[(u32, u32)]>>,
) -> Bits {
    let traces = Traces::of(big, Connectivity::Eight);
    let shapes = traces.shapes(ObjectHash::default().and(&[u64::from(eight(connectivity))]));
    let (mut group, mut scratch, mut apart) =
        (ObjectGroups::default(), SplitScratch::default(), traces.mask());
    let across = big.width().next_multiple_of(64);
    for (place, shape) in shapes.into_iter().enumerate() {
        let lines = kept(known, shape, || {
            let mut lines = Vec::new();
            traces.take(place, &mut group);
            nuclei::split_groups(normalized, &group, 0..1, connectivity, &mut scratch, &mut lines);
            lines.into_iter().map(|(x, y)| (x as u32, y as u32)).collect()
        });
        lines.iter().for_each(|(x, y)| apart.clear(*y as usize * across + *x as usize));
    }
    apart
}
