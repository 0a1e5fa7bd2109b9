//! Which directories of a file are smaller copies of its first image.

use onceflow_region::SourceError;

use super::directory::{Directories, TiffDirectory};
use super::layout::TiffLayout;
use crate::origin::ByteOrigin;

/// How far, in pixels, the sides of a smaller copy may be from those of the whole divided by the same number.
const ROUNDING: f64 = 2.0;

/// The most scales of a pyramid: each is at least a pixel smaller, and real ones halve.
const MOST_SCALES: usize = 64;

/// The first image and its smaller copies, which are named in it (OME-TIFF) or follow it as tiled images (SVS and others).
/// What cannot be read of the copies is left out: the image itself can be. Beside them, how many other images follow the
/// first.
pub(super) fn scales(
    origin: &ByteOrigin,
    files: &mut Directories<'_>,
    chain: &[TiffDirectory],
) -> Result<(Vec<TiffLayout>, usize), SourceError> {
    let Some((first, rest)) = chain.split_first() else { return Ok((Vec::new(), 0)) };
    let mut scales = vec![TiffLayout::of(origin, files, first)?];
    let named = named(files, first);
    let candidates: Vec<&TiffDirectory> =
        if named.is_empty() { rest.iter().collect() } else { named.iter().collect() };
    for directory in candidates {
        let layout = TiffLayout::of(origin, files, directory).ok();
        let copy = layout.filter(|layout| is_next(&scales, layout) && (layout.tiled || !named.is_empty()));
        scales.extend(copy);
        if scales.len() == MOST_SCALES {
            break;
        }
    }
    let copies = if named.is_empty() { scales.len() - 1 } else { 0 };
    Ok((scales, rest.len().saturating_sub(copies)))
}

/// The directories that the first one names as its own.
fn named(files: &mut Directories<'_>, first: &TiffDirectory) -> Vec<TiffDirectory> {
    let offsets = files.numbers(first, 330, MOST_SCALES as u64).ok().flatten().unwrap_or_default();
    offsets.into_iter().filter_map(|offset| files.directory(offset).ok()).collect()
}

fn is_next(scales: &[TiffLayout], layout: &TiffLayout) -> bool {
    let [Some(whole), Some(last)] = [scales.first(), scales.last()] else { return false };
    // A side of one pixel stays when the other is halved.
    let smaller = (layout.width < last.width || last.width == 1)
        && (layout.height < last.height || last.height == 1)
        && layout.width * layout.height < last.width * last.height;
    let alike = layout.channels() == whole.channels() && layout.element == whole.element;
    smaller && alike && same_shape(whole, layout)
}

fn same_shape(whole: &TiffLayout, copy: &TiffLayout) -> bool {
    let [x, y] = downsamples(whole, copy);
    let expected = [whole.width as f64 / y, whole.height as f64 / x];
    let near = |side: usize, expected: f64| (side as f64 - expected).abs() <= ROUNDING;
    near(copy.width, expected[0]) || near(copy.height, expected[1])
}

/// How many pixels of the whole image one pixel of a copy is wide.
pub(super) fn downsample(whole: &TiffLayout, copy: &TiffLayout) -> f64 {
    let [x, y] = downsamples(whole, copy);
    (x + y) / 2.0
}

fn downsamples(whole: &TiffLayout, copy: &TiffLayout) -> [f64; 2] {
    [whole.width as f64 / copy.width as f64, whole.height as f64 / copy.height as f64]
}
