//! A look at some pixels of an image before any row is run: a file that cannot be read is found now, not in the last phase.

use std::sync::{Mutex, PoisonError};

use onceflow_region::{Access, Bounds, Dense, Source, SourceError, labels};

/// The side of a box that is read, in pixels.
const SIDE: u64 = 64;

/// Of an image that is decoded in rows or as a whole and has no checksums, all is decoded when it has at most so many pixels,
/// else its first rows.
const MOST_DECODED: u64 = 1 << 24;

/// A truth of at most so many pixels is looked at whole, to tell a mask from labels.
const MOST_TRUTH: u64 = 1 << 22;

/// One image at a time is decoded as a whole, so that memory holds one.
static DECODING: Mutex<()> = Mutex::new(());

/// Reads a few boxes of what is studied: the corners and the middle.
pub(super) fn probe(source: &dyn Source, studied: &Bounds) -> Result<(), SourceError> {
    read_some(source, studied).map(|_| ())
}

/// Reads a few boxes of a truth; whether it is a mask, as far as they show, in which touching objects are one.
pub(super) fn probe_truth(source: &dyn Source, studied: &Bounds) -> Result<bool, SourceError> {
    let read = if studied.area() <= MOST_TRUTH && source.info().bounds().as_ref() == Some(studied) {
        let _one = decoding(source);
        vec![source.read(*studied)?]
    } else {
        read_some(source, studied)?
    };
    let planes: Vec<_> = read.iter().filter_map(|dense| labels(dense).ok()).collect();
    let is_empty = |plane: &Dense| plane.as_u32().is_none_or(|values| values.iter().all(|label| *label == 0));
    Ok(planes.iter().all(|labels| labels.mask) && planes.iter().any(|labels| !is_empty(&labels.plane)))
}

fn decoding(source: &dyn Source) -> Option<std::sync::MutexGuard<'static, ()>> {
    let whole = source.access() == Access::Whole;
    whole.then(|| DECODING.lock().unwrap_or_else(PoisonError::into_inner))
}

fn read_some(source: &dyn Source, studied: &Bounds) -> Result<Vec<Dense>, SourceError> {
    let _one = decoding(source);
    boxes(source, studied).into_iter().map(|bounds| source.read(bounds)).collect()
}

fn boxes(source: &dyn Source, studied: &Bounds) -> Vec<Bounds> {
    let (width, height) = (studied.width().min(SIDE), studied.height().min(SIDE));
    let across = [0, (studied.width() - width) / 2, studied.width() - width];
    let down = [0, (studied.height() - height) / 2, studied.height() - height];
    let places = match source.access() {
        Access::Boxes => vec![(0, 0), (2, 0), (1, 1), (0, 2), (2, 2)],
        Access::Rows if source.reads_check_file() => vec![(0, 0)],
        // The last rows come after all others.
        Access::Rows | Access::Whole if source.info().width * source.info().height <= MOST_DECODED => {
            vec![(2, 2)]
        }
        Access::Rows => vec![(0, 0)],
        Access::Whole => Vec::new(),
    };
    let bounds = |(column, row): (usize, usize)| {
        Bounds::plane(studied.x() + across[column] as i64, studied.y() + down[row] as i64, width, height)
    };
    places.into_iter().filter_map(bounds).collect()
}
