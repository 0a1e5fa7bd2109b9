//! What tasks take from outside: pixels of images, the truth, regions of the reference row.

mod held;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use onceflow_kernels::dense::window;
use onceflow_nuclei::CountedWindow;
use onceflow_region::{
    Bounds, Budget, Dense, Digest, Lease, Pixels, Region, RegionError, Source, SourceError, Table, into_rgb8,
};
use onceflow_reuse::{ContentDigest, REFERENCE_SUFFIX};
use onceflow_runtime::{InputProvider, OperationError};
use onceflow_study::{RegionKind, Scope};

use crate::clips::{ImagePiece, PictureClips, PieceRequest};
use crate::folder::{ENCODED, read_encoded};
use crate::open::compare;
use crate::open::inputs::{ImagePart, OpenedImage, PAIR_SOURCES, StudyInputs, UnreadImages, region_of_pair};
use held::{Held, only_part};

/// Reads sources when tasks ask for them, and keeps the last few.
pub(crate) struct Sources<'a> {
    inputs: &'a StudyInputs,
    names: Vec<String>,
    /// Saved regions of the reference row, by name and part.
    references: References,
    kept: Mutex<Vec<Kept>>,
    budget: Budget,
    /// The share of the budget that tasks never need.
    spare: Budget,
    /// Whether sources are known by their numbers rather than by their bytes.
    numbered: bool,
    /// What is kept of images for pictures.
    clips: Option<&'a PictureClips>,
    /// Images that turned out to be unreadable.
    unread: UnreadImages,
}

/// Regions of the reference row that an earlier phase left, by name and part.
pub(crate) type References = HashMap<(String, usize), SavedReference>;

/// What is known of a region of the reference row.
#[derive(Clone, Debug)]
pub(crate) enum SavedReference {
    /// It was kept in this file; its content as the run tells contents apart, where this run made it.
    Saved(PathBuf, Option<ContentDigest>),
    /// Its stage ended early, so there is nothing in it.
    Ended,
}

impl SavedReference {
    /// Its content at a part, where that is known.
    pub(crate) fn content(&self, part: usize) -> Option<ContentDigest> {
        match self {
            Self::Saved(_, content) => *content,
            Self::Ended => Some(ContentDigest::empty(RegionKind::Mask, Scope::Part, part)),
        }
    }
}

/// A source that was read, with the memory it takes.
struct Kept {
    source: usize,
    part: usize,
    region: Arc<Region>,
    _leases: [Lease; 2],
}

/// Parts of which sources are kept: those that workers may be in at once.
const MOST_KEPT: usize = 8;

impl<'a> Sources<'a> {
    /// Sources by the names that a plan gives them.
    pub(crate) fn new(
        inputs: &'a StudyInputs,
        names: Vec<String>,
        references: References,
        budget: Budget,
        spare: u64,
    ) -> Self {
        Self {
            inputs,
            names,
            references,
            kept: Mutex::default(),
            budget,
            spare: Budget::new(spare),
            numbered: false,
            clips: None,
            unread: UnreadImages::default(),
        }
    }

    /// The same that notes which images cannot be read.
    pub(crate) fn noting(self, unread: UnreadImages) -> Self {
        Self { unread, ..self }
    }

    /// The same for a run, in the spare bytes that it shares with others. Digests hold inside the run: no source is read
    /// for its digest.
    pub(crate) fn of_run(self, spare: &Budget) -> Self {
        Self { numbered: true, spare: spare.clone(), ..self }
    }

    /// The same, which keeps pieces of the images that it reads.
    pub(crate) fn keeping(self, clips: &'a PictureClips) -> Self {
        Self { clips: Some(clips), ..self }
    }

    fn part(&self, part: usize) -> Result<&ImagePart, OperationError> {
        self.inputs.parts.get(part).ok_or_else(|| OperationError::new(format!("there is no part {part}")))
    }

    fn of_part(&self, source: usize, part: usize) -> Result<Arc<Region>, OperationError> {
        if let Some(known) = self.known(source, part) {
            return Ok(known);
        }
        let region = Arc::new(self.read(&self.names[source], part)?);
        // What does not fit beside the tasks is read again each time.
        if let Some(leases) = self.reserve(region.bytes()) {
            self.keep(source, part, &region, leases);
        }
        Ok(region)
    }

    fn reserve(&self, bytes: u64) -> Option<[Lease; 2]> {
        self.spare.try_reserve(bytes).zip(self.budget.try_reserve(bytes)).map(<[Lease; 2]>::from)
    }

    fn keep(&self, source: usize, part: usize, region: &Arc<Region>, leases: [Lease; 2]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push(Kept { source, part, region: Arc::clone(region), _leases: leases });
    }

    /// An image for tasks that read it box by box. One that is a single part is read at once where its pixels have room
    /// beside the tasks: those of the part need them next.
    fn of_image(&self, source: usize, image: usize) -> Result<Arc<dyn Source>, OperationError> {
        let opened = self.inputs.images.get(image);
        let opened = &opened.ok_or_else(|| OperationError::new("there is no such image"))?.source;
        let held = only_part(self.inputs, image).and_then(|(part, bytes)| self.held(source, part, bytes));
        Ok(match held {
            Some(pixels) => Arc::new(Held::new(&self.unread.watch(image, opened), pixels)),
            None => self.unread.watch(image, opened),
        })
    }

    /// The pixels of a part if they are in memory, or can be; the task that reads them reports an error.
    fn held(&self, source: usize, part: usize, bytes: u64) -> Option<Arc<Region>> {
        if let Some(known) = self.known(source, part) {
            return Some(known);
        }
        let leases = self.reserve(bytes)?;
        let region = Arc::new(self.read(&self.names[source], part).ok()?);
        self.keep(source, part, &region, leases);
        Some(region)
    }

    fn known(&self, source: usize, part: usize) -> Option<Arc<Region>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|k| (k.source, k.part) == (source, part)).map(|kept| Arc::clone(&kept.region))
    }

    fn read(&self, name: &str, part: usize) -> Result<Region, OperationError> {
        let at = *self.part(part)?;
        let image = &self.inputs.images[at.image];
        if let Some(pair) = image.pair.as_ref().filter(|_| PAIR_SOURCES.contains(&name)) {
            return region_of_pair(pair, name);
        }
        match name {
            compare::NOTHING => Ok(Region::Nothing),
            compare::COUNTED => counted(&at, image).ok_or_else(outside),
            compare::TRUTH => match &image.truth {
                Some(truth) if truth.covers(&at.part.core) => {
                    let source = self.unread.watch(at.image, &truth.source);
                    read(source.as_ref(), at.counted(image), |found| truth.objects(&found))
                }
                _ => Ok(Region::Nothing),
            },
            _ if name.ends_with(REFERENCE_SUFFIX) => match self.references.get(&(name.to_owned(), part)) {
                Some(SavedReference::Saved(file, _)) => saved(file),
                Some(SavedReference::Ended) => Ok(self.empty(RegionKind::Mask, Scope::Part, part)),
                None => Err(OperationError::new(
                    "the reference row failed here, so nothing can be compared with it",
                )),
            },
            _ => {
                let source = self.unread.watch(at.image, &image.source);
                let region = read(source.as_ref(), at.part.read, into_rgb8)?;
                self.keep_piece(part, &region);
                Ok(region)
            }
        }
    }

    /// Keeps the piece of a part that is shown.
    fn keep_piece(&self, part: usize, region: &Region) {
        let Some((clips, shown)) = self.clips.and_then(|clips| Some((clips, clips.unread(part)?))) else {
            return;
        };
        let truth = self.truth(part);
        let request = PieceRequest { core: shown.core, longest: shown.longest, truth: truth.as_ref() };
        let piece = region.as_dense().and_then(|pixels| ImagePiece::new(pixels, &request).ok());
        if let Some(piece) = piece {
            clips.keep_piece(part, Arc::new(piece));
        }
    }

    /// Reads a part, so that its piece is kept.
    pub(crate) fn read_piece(&self, part: usize) -> Result<(), OperationError> {
        let source = self.names.iter().position(|name| compare::is_image(name));
        source.map_or(Ok(()), |source| self.of_part(source, part).map(drop))
    }

    /// The truth of what belongs to a part. One that cannot be read fails the rows that need it; pictures do without it.
    pub(crate) fn truth(&self, part: usize) -> Option<Dense> {
        let source = self.names.iter().position(|name| name == compare::TRUTH)?;
        let truth = self.of_part(source, part).ok()?;
        let at = self.inputs.parts.get(part)?;
        let core = at.part.core.relative_to(&at.counted(&self.inputs.images[at.image]))?;
        truth.as_dense()?.crop(core).ok()
    }
}

impl InputProvider for Sources<'_> {
    fn source(&self, source: usize, scope: Scope, site: usize) -> Result<Arc<Region>, OperationError> {
        match scope {
            Scope::Part => self.of_part(source, site),
            // Whole images are never read at once: the task reads what it needs, box by box.
            Scope::Image | Scope::Study => Ok(Arc::new(Region::Image(self.of_image(source, site)?))),
        }
    }

    fn digest(&self, source: usize, scope: Scope, site: usize) -> Result<[u8; 32], OperationError> {
        if self.numbered {
            let text = format!("{} {scope:?} {site}", self.names[source]);
            return Ok(Digest::of_text("onceflow source of a run v1", &text).0);
        }
        let region = self.source(source, scope, site)?;
        let digest = match region.as_ref() {
            Region::Image(image) => image.digest().map_err(unreadable)?,
            region => region.digest().ok_or_else(|| OperationError::new("a region without digest"))?,
        };
        Ok(digest.0)
    }

    fn empty(&self, kind: RegionKind, scope: Scope, site: usize) -> Region {
        let size = |bounds: Bounds| (bounds.width() as usize, bounds.height() as usize);
        let size = match scope {
            Scope::Part => self.inputs.parts.get(site).map(|p| size(p.part.read)),
            Scope::Image => self.inputs.images.get(site).map(|image| size(image.bounds)),
            Scope::Study => None,
        };
        size.and_then(|(width, height)| empty(kind, width, height)).unwrap_or(Region::Nothing)
    }
}

/// What of a part is counted, where that is not all it sees.
fn counted(at: &ImagePart, image: &OpenedImage) -> Option<Region> {
    let (seen, core) = (at.counted(image), at.part.core);
    if core == at.part.read {
        return Some(Region::Nothing);
    }
    let [seen, core] = [at.seen(seen)?, core.relative_to(&seen)?].map(window);
    Some(Region::Table(CountedWindow { seen, core }.to_table().ok()?))
}

/// A region of a kind with nothing in it.
fn empty(kind: RegionKind, width: usize, height: usize) -> Option<Region> {
    let pixels = width.checked_mul(height)?;
    let dense = |channels, pixels| Dense::new(width, height, channels, pixels).ok().map(Region::Dense);
    match kind {
        RegionKind::Mask | RegionKind::U8 => dense(1, Pixels::U8(vec![0; pixels])),
        RegionKind::Rgb8 => dense(3, Pixels::U8(vec![0; pixels.checked_mul(3)?])),
        RegionKind::U16 => dense(1, Pixels::U16(vec![0; pixels])),
        RegionKind::I32 => dense(1, Pixels::I32(vec![0; pixels])),
        RegionKind::Labels => dense(1, Pixels::U32(vec![0; pixels])),
        RegionKind::F32 => dense(1, Pixels::F32(vec![0.0; pixels])),
        RegionKind::F64 => dense(1, Pixels::F64(vec![0.0; pixels])),
        RegionKind::Table => Some(Region::Table(Table::default())),
        _ => None,
    }
}

fn read(
    source: &dyn Source,
    bounds: Bounds,
    convert: impl Fn(Dense) -> Result<Dense, RegionError>,
) -> Result<Region, OperationError> {
    let dense = source.read(bounds).map_err(unreadable)?;
    convert(dense).map(Region::Dense).map_err(|error| OperationError::new(error.to_string()))
}

fn saved(file: &std::path::Path) -> Result<Region, OperationError> {
    if file.extension().is_some_and(|extension| extension == ENCODED) {
        return read_encoded(file).map_err(OperationError::new);
    }
    let source = onceflow_imageio::open(file).map_err(unreadable)?;
    let info = source.info();
    let whole = Bounds::plane(0, 0, info.width, info.height).ok_or_else(outside)?;
    read(source.as_ref(), whole, Ok)
}

fn unreadable(error: SourceError) -> OperationError {
    OperationError::new(error.to_string())
}

fn outside() -> OperationError {
    OperationError::new("a part lies outside what can be addressed")
}
