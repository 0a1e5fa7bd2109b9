//! The piece of a part that is shown, cut out when the part is read.

use onceflow_region::{Bounds, Dense, Pixels, RegionError};

/// The longest side of the overview of a part.
const OVERVIEW: usize = 320;

/// What is shown of a part.
#[derive(Debug)]
pub(crate) struct ImagePiece {
    /// Its box, as the part sees it.
    pub(crate) window: Bounds,
    /// Its pixels.
    pub(crate) pixels: Dense,
    /// The truth there, where there is one.
    pub(crate) truth: Option<Dense>,
    /// All of what belongs to the part, made smaller.
    pub(crate) overview: Dense,
}

/// What of a part may be shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceRequest<'a> {
    /// What belongs to the part, as it sees it.
    pub(crate) core: Bounds,
    /// The longest side of the piece.
    pub(crate) longest: u64,
    /// The truth of what belongs to the part.
    pub(crate) truth: Option<&'a Dense>,
}

impl ImagePiece {
    /// The piece with most of the truth or, without a truth, with most structure, of pixels that a part sees.
    pub(crate) fn new(seen: &Dense, request: &PieceRequest<'_>) -> Result<Self, RegionError> {
        let PieceRequest { core, longest, truth } = *request;
        let own = if core == seen.bounds() { None } else { Some(seen.crop(core)?) };
        let own = own.as_ref().unwrap_or(seen);
        let inside = match truth {
            Some(truth) => richest(own.bounds(), longest, |piece| foreground(truth, piece)),
            None => richest(own.bounds(), longest, |piece| structure(own, piece)),
        };
        let outside = || RegionError::Outside { outer: Box::new(core), inner: Box::new(inside) };
        Ok(Self {
            window: inside.translate(core.x(), core.y()).ok_or_else(outside)?,
            pixels: own.crop(inside)?,
            truth: truth.map(|truth| truth.crop(inside)).transpose()?,
            overview: smaller(own)?,
        })
    }

    /// A result without any object.
    pub(crate) fn empty(&self) -> Option<Dense> {
        let (width, height) = (self.pixels.width(), self.pixels.height());
        Dense::new(width, height, 1, Pixels::U8(vec![0; width * height])).ok()
    }
}

/// The richest piece of at most so many pixels a side; the middle one of equal ones.
fn richest(bounds: Bounds, longest: u64, amount: impl Fn(Bounds) -> u64) -> Bounds {
    let starts = |length: u64| {
        let most = length.saturating_sub(longest);
        [most / 2, 0, most]
    };
    let (width, height) = (bounds.width().min(longest), bounds.height().min(longest));
    let place = |x: u64, y: u64| Bounds::plane(x as i64, y as i64, width, height);
    let pieces = starts(bounds.height())
        .into_iter()
        .flat_map(|y| starts(bounds.width()).into_iter().filter_map(move |x| place(x, y)));
    pieces.rev().max_by_key(|piece| amount(*piece)).unwrap_or(bounds)
}

/// Pixels of objects.
fn foreground(plane: &Dense, piece: Bounds) -> u64 {
    let bytes = plane.as_u8().map(|pixels| count(rows(pixels, plane, piece)));
    let labels = plane.as_u32().map(|pixels| count(rows(pixels, plane, piece)));
    bytes.or(labels).unwrap_or(0)
}

fn count<'p, T: Default + PartialEq + 'p>(rows: impl Iterator<Item = &'p [T]>) -> u64 {
    rows.map(|row| row.iter().filter(|pixel| **pixel != T::default()).count() as u64).sum()
}

/// How much neighbouring pixels of a row differ: objects have edges, empty glass and dark ground have none.
fn structure(image: &Dense, piece: Bounds) -> u64 {
    let channels = image.channels();
    let of_row = |row: &[u8]| {
        let neighbours = row.iter().zip(row.iter().skip(channels));
        u64::from(neighbours.map(|(a, b)| u32::from(a.abs_diff(*b))).sum::<u32>())
    };
    rows(image.as_u8().unwrap_or_default(), image, piece).map(of_row).sum()
}

/// The rows of a piece of an image.
fn rows<'p, T>(pixels: &'p [T], image: &Dense, piece: Bounds) -> impl Iterator<Item = &'p [T]> + use<'p, T> {
    let (own, channels) = (image.bounds(), image.channels());
    let (left, top) = ((piece.x() - own.x()) as usize, (piece.y() - own.y()) as usize);
    let (wide, pitch) = (piece.width() as usize * channels, image.width() * channels);
    let row = move |y: usize| pixels.get(y * pitch + left * channels..)?.get(..wide);
    (top..top + piece.height() as usize).filter_map(row)
}

/// The image at a scale at which it fits into the overview: means of squares.
fn smaller(image: &Dense) -> Result<Dense, RegionError> {
    let side = image.width().max(image.height()).div_ceil(OVERVIEW).max(1);
    let (width, height) = (image.width().div_ceil(side), image.height().div_ceil(side));
    let (values, channels) = (image.as_u8().unwrap_or_default(), image.channels());
    let pitch = image.width() * channels;
    let mut means = Vec::with_capacity(width * height * channels);
    for y in 0..height {
        let mut sums = vec![0_u32; width * channels];
        let rows = y * side..((y + 1) * side).min(image.height());
        for row in rows.clone().filter_map(|row| values.get(row * pitch..(row + 1) * pitch)) {
            for (square, squared) in sums.chunks_mut(channels).zip(row.chunks(side * channels)) {
                for (at, value) in squared.iter().enumerate() {
                    square[at % channels] += u32::from(*value);
                }
            }
        }
        for (place, sum) in sums.iter().enumerate() {
            let across = side.min(image.width() - place / channels * side);
            means.push((sum / (across * rows.len()).max(1) as u32) as u8);
        }
    }
    Dense::new(width, height, channels, Pixels::U8(means))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: usize, height: usize, value: impl Fn(usize, usize) -> u8) -> Dense {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let values = places.flat_map(|(x, y)| [value(x, y); 3]).collect();
        Dense::new(width, height, 3, Pixels::U8(values)).unwrap()
    }

    fn piece(seen: &Dense, core: Bounds, truth: Option<&Dense>) -> ImagePiece {
        ImagePiece::new(seen, &PieceRequest { core, longest: 20, truth }).unwrap()
    }

    #[test]
    fn the_piece_holds_most_of_the_truth_and_else_most_structure() {
        let striped = image(100, 50, |x, y| if x >= 70 && y < 25 && x % 2 == 0 { 200 } else { 90 });
        let core = Bounds::plane(10, 0, 90, 50).unwrap();
        let found = piece(&striped, core, None);
        assert_eq!(found.window, Bounds::plane(80, 0, 20, 20).unwrap());
        assert_eq!(found.pixels.pixels(), striped.crop(found.window).unwrap().pixels());
        let drawn = (0..90 * 50).map(|place| u32::from(place % 90 < 5 && place / 90 > 40)).collect();
        let truth = Dense::new(90, 50, 1, Pixels::U32(drawn)).unwrap();
        let found = piece(&striped, core, Some(&truth));
        assert_eq!(found.window, Bounds::plane(10, 30, 20, 20).unwrap());
        assert_eq!(found.truth.unwrap().as_u32().unwrap().iter().sum::<u32>(), 5 * 9);
    }

    #[test]
    fn an_overview_is_the_mean_of_squares() {
        let half = image(1000, 330, |x, _| if x < 500 { 10 } else { 250 });
        let small = smaller(&half).unwrap();
        assert_eq!((small.width(), small.height()), (250, 83));
        let values = small.as_u8().unwrap();
        assert_eq!((values[0], values[3 * 124], values[3 * 125], values[3 * 249]), (10, 10, 250, 250));
        assert_eq!(values[values.len() - 1], 250);
    }
}
