//! What a run keeps for the pictures of its report: a piece of a few images, and what rows found in it.
//!
//! Tasks read images and compute results anyway: when a part is read that is shown, the piece is cut out of it, and when
//! the region is finished that is shown, the piece is cut out of that. So no row is computed again when the run is over,
//! and no image is read again.

mod coded;
mod piece;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onceflow_region::{Bounds, Budget, Dense, Lease, Region};
use onceflow_reuse::NodeId;
use onceflow_runtime::Instance;

use coded::CodedClip;
pub(crate) use piece::{ImagePiece, PieceRequest};

/// Rows of a phase whose results are kept at most; of more rows every second, third and so on.
const MOST_ROWS: usize = 1024;

/// Clips may take 1/8 of the memory that no task needs, and no more than this.
const SHARE: u64 = 8;
const MOST_BYTES: u64 = 48 << 20;

/// A part that is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShownPart {
    /// Its place among the parts of the study.
    pub(crate) part: usize,
    /// What belongs to it, as the part sees it.
    pub(crate) core: Bounds,
    /// The longest side of its piece.
    pub(crate) longest: u64,
}

/// The pieces of a run, and what rows found in them.
#[derive(Debug, Default)]
pub(crate) struct PictureClips {
    parts: Vec<ShownPart>,
    table: Mutex<ClipTable>,
}

#[derive(Debug, Default)]
struct ClipTable {
    pieces: HashMap<usize, Arc<ImagePiece>>,
    /// What rows found on parts.
    found: HashMap<(usize, usize), FoundClip>,
    phase: ClipPhase,
    budgets: Option<[Budget; 2]>,
    leases: Vec<[Lease; 2]>,
    bytes: u64,
}

#[derive(Clone, Debug)]
enum FoundClip {
    Coded(Arc<CodedClip>),
    /// The row ended early there, so that there is nothing in it.
    Nothing,
}

/// What is kept of the phase that runs.
#[derive(Debug, Default)]
pub(crate) struct ClipPhase {
    /// The task that makes the region, and which of its outputs it is.
    pub(crate) output: Option<(usize, usize)>,
    /// Rows of the table and their nodes of that task.
    pub(crate) rows: Vec<(usize, NodeId)>,
    nodes: HashSet<NodeId>,
    coded: HashMap<(NodeId, usize), Arc<CodedClip>>,
}

impl ClipPhase {
    /// Of the rows of a plan, whose first one has this number in the table.
    pub(crate) fn new(
        output: Option<(usize, usize)>,
        rows: usize,
        first: usize,
        node: impl Fn(usize, usize) -> NodeId,
    ) -> Self {
        let Some((task, _)) = output else { return Self::default() };
        let step = rows.div_ceil(MOST_ROWS).max(1);
        let rows: Vec<(usize, NodeId)> =
            (0..rows).step_by(step).map(|row| (first + row, node(row, task))).collect();
        let nodes = rows.iter().map(|(_, node)| *node).collect();
        Self { output, rows, nodes, coded: HashMap::new() }
    }
}

impl PictureClips {
    /// Keeps pieces of these parts.
    pub(crate) fn new(parts: Vec<ShownPart>) -> Self {
        Self { parts, table: Mutex::default() }
    }

    /// The parts that are shown.
    pub(crate) fn parts(&self) -> &[ShownPart] {
        &self.parts
    }

    /// The part, when it is shown and was not read yet.
    pub(crate) fn unread(&self, part: usize) -> Option<ShownPart> {
        let shown = self.parts.iter().find(|shown| shown.part == part)?;
        (!self.lock().pieces.contains_key(&part)).then_some(*shown)
    }

    /// Keeps the piece of a part.
    pub(crate) fn keep_piece(&self, part: usize, piece: Arc<ImagePiece>) {
        self.lock().pieces.entry(part).or_insert(piece);
    }

    /// A phase begins in these budgets, all memory and that which no task needs.
    pub(crate) fn begin_phase(&self, phase: ClipPhase, budgets: [Budget; 2]) {
        let mut table = self.lock();
        table.phase = phase;
        table.leases.clear();
        let (bytes, limit) = (table.bytes, budgets[1].limit() / SHARE);
        match reserve(&budgets, bytes).filter(|_| bytes <= limit) {
            Some(leases) => table.leases.push(leases),
            None => {
                table.found.clear();
                table.bytes = 0;
            }
        }
        table.budgets = Some(budgets);
    }

    /// Calls a row by another number, in place of what that number stood for.
    pub(crate) fn renumber(&self, from: usize, to: usize) {
        let mut table = self.lock();
        for part in self.parts.iter().map(|shown| shown.part).filter(|_| from != to) {
            let found = table.found.remove(&(from, part));
            table.found.remove(&(to, part));
            table.found.extend(found.map(|found| ((to, part), found)));
        }
    }

    /// Keeps what a task made, when it is the region that is shown and there is room.
    pub(crate) fn keep(&self, instance: Instance, task: usize, outputs: &[Arc<Region>]) {
        let mut table = self.lock();
        let Some((_, output)) = table.phase.output.filter(|(shown, _)| *shown == task) else { return };
        if !table.phase.nodes.contains(&instance.node) {
            return;
        }
        let region = outputs.get(output).and_then(|region| region.as_dense());
        let piece = table.pieces.get(&instance.site);
        let coded = region.zip(piece).and_then(|(region, piece)| CodedClip::new(region, piece.window));
        if let Some(coded) = coded {
            table.keep(instance, coded);
        }
    }

    /// A row ended early on a part.
    pub(crate) fn keep_ended(&self, row: usize, part: usize) {
        if self.parts.iter().any(|shown| shown.part == part) {
            self.lock().found.entry((row, part)).or_insert(FoundClip::Nothing);
        }
    }

    /// The phase is over; these instances turned out to be the same as other nodes.
    pub(crate) fn end_phase(&self, same: &HashMap<Instance, NodeId>) {
        let mut table = self.lock();
        let ClipPhase { rows, coded, .. } = std::mem::take(&mut table.phase);
        for (row, node) in rows {
            for site in self.parts.iter().map(|shown| shown.part) {
                let mut instance = Instance { node, site };
                while let Some(other) = same.get(&instance) {
                    instance.node = *other;
                }
                if let Some(coded) = coded.get(&(instance.node, site)) {
                    table.found.insert((row, site), FoundClip::Coded(Arc::clone(coded)));
                }
            }
        }
    }

    /// The piece of a part, when it was read.
    pub(crate) fn piece(&self, part: usize) -> Option<Arc<ImagePiece>> {
        self.lock().pieces.get(&part).cloned()
    }

    /// Whether it is known what a row found in the piece of a part.
    pub(crate) fn knows(&self, row: usize, part: usize) -> bool {
        self.lock().found.contains_key(&(row, part))
    }

    /// What a row found in the piece of a part.
    pub(crate) fn found(&self, row: usize, part: usize) -> Option<Dense> {
        let table = self.lock();
        match table.found.get(&(row, part))? {
            FoundClip::Coded(coded) => coded.dense(),
            FoundClip::Nothing => table.pieces.get(&part).and_then(|piece| piece.empty()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ClipTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClipTable {
    fn keep(&mut self, instance: Instance, coded: CodedClip) {
        let Some(budgets) = &self.budgets else { return };
        let (bytes, limit) = (coded.bytes(), (budgets[1].limit() / SHARE).min(MOST_BYTES));
        let fits = self.bytes.saturating_add(bytes) <= limit;
        if let Some(leases) = fits.then(|| reserve(budgets, bytes)).flatten() {
            self.leases.push(leases);
            self.bytes += bytes;
            self.phase.coded.insert((instance.node, instance.site), Arc::new(coded));
        }
    }
}

fn reserve(budgets: &[Budget; 2], bytes: u64) -> Option<[Lease; 2]> {
    let [shared, spare] = budgets;
    shared.try_reserve(bytes).zip(spare.try_reserve(bytes)).map(<[Lease; 2]>::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A study of one part with so many rows, each with a node of its own.
    fn clips(rows: usize, spare: u64) -> PictureClips {
        let core = Bounds::plane(0, 0, 64, 64).unwrap();
        let clips = PictureClips::new(vec![ShownPart { part: 0, core, longest: 32 }]);
        begin(&clips, rows, 0, spare);
        let pixels = Dense::new(64, 64, 3, onceflow_region::Pixels::U8(vec![7; 3 * 64 * 64])).unwrap();
        let request = PieceRequest { core, longest: 32, truth: None };
        clips.keep_piece(0, Arc::new(ImagePiece::new(&pixels, &request).unwrap()));
        clips
    }

    fn begin(clips: &PictureClips, rows: usize, first: usize, spare: u64) {
        let phase = ClipPhase::new(Some((3, 0)), rows, first, |row, _| NodeId(row as u32));
        clips.begin_phase(phase, [Budget::new(1 << 30), Budget::new(spare)]);
    }

    fn instance(node: usize) -> Instance {
        Instance { node: NodeId(node as u32), site: 0 }
    }

    fn mask(set: bool) -> [Arc<Region>; 1] {
        let words = vec![if set { u64::MAX } else { 0 }; 64];
        [Arc::new(Region::Dense(Dense::of_bits(64, 64, words).unwrap()))]
    }

    fn is_set(clips: &PictureClips, row: usize) -> Option<bool> {
        Some(clips.found(row, 0)?.as_u8().unwrap()[0] != 0)
    }

    #[test]
    fn rows_find_what_their_node_or_its_equal_made() {
        let clips = clips(4, 1 << 20);
        clips.keep(instance(0), 3, &mask(true));
        clips.keep(instance(1), 2, &mask(true));
        clips.keep(instance(2), 3, &mask(false));
        clips.keep_ended(3, 0);
        clips.end_phase(&HashMap::from([(instance(1), NodeId(0))]));
        let found: Vec<_> = (0..5).map(|row| is_set(&clips, row)).collect();
        assert_eq!(found, [Some(true), Some(true), Some(false), Some(false), None]);
        begin(&clips, 2, 4, 1 << 20);
        assert_eq!(is_set(&clips, 0), Some(true), "the next phase keeps them");
    }

    #[test]
    fn a_row_that_is_renumbered_takes_the_place_of_another() {
        let clips = clips(2, 1 << 20);
        clips.keep(instance(0), 3, &mask(true));
        clips.keep(instance(1), 3, &mask(false));
        clips.end_phase(&HashMap::new());
        clips.renumber(1, 1);
        assert_eq!((is_set(&clips, 0), is_set(&clips, 1)), (Some(true), Some(false)));
        clips.renumber(1, 0);
        assert_eq!((is_set(&clips, 0), is_set(&clips, 1)), (Some(false), None));
        clips.renumber(1, 0);
        assert_eq!(is_set(&clips, 0), None, "what stood there is not that row's");
    }

    #[test]
    fn memory_that_tasks_need_is_not_taken() {
        let clips = clips(4, 64);
        clips.keep(instance(0), 3, &mask(true));
        clips.end_phase(&HashMap::new());
        assert_eq!(is_set(&clips, 0), None);
    }

    #[test]
    fn of_many_rows_some_are_kept() {
        let clips = clips(3000, 1 << 24);
        (0..3000).for_each(|row| clips.keep(instance(row), 3, &mask(true)));
        clips.end_phase(&HashMap::new());
        assert_eq!((0..3000).filter(|row| clips.knows(*row, 0)).count(), 1000);
    }
}
