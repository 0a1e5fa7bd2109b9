//! Large images in bands of rows, each with a digest of its own: a piece of an image is read, and proven, without the rest.

use std::ops::Range;

use onceflow_region::{Bounds, Dense, Region};
use onceflow_store::codec;

use super::mask_bytes;

/// How the list of the bands of an image begins.
const BANDS: &[u8; 8] = b"ofmask 3";
/// Bytes before the digests: the mark, columns, rows, rows of a band.
const HEAD: usize = 32;
const DIGEST: usize = 32;

/// Pixels of a band of a mask, and bytes of one of other pixels; what is less than two bands stays whole.
pub(super) const BAND: usize = 1 << 21;

/// An image in bands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bands {
    pub(super) width: usize,
    pub(super) height: usize,
    rows: usize,
    /// The digests of the bands, from top to bottom.
    pub(super) digests: Vec<[u8; 32]>,
}

/// The bands of a large image as bytes, and how many rows each has; none for a small one.
pub(super) fn bands(dense: &Dense) -> Option<(usize, Vec<Vec<u8>>)> {
    let (width, height) = (dense.width(), dense.height());
    if width.saturating_mul(height) < 2 * BAND && dense.bytes() < 2 * BAND as u64 {
        return None;
    }
    match mask_bytes::bits(dense) {
        Some(words) => {
            let (rows, of_row) = ((BAND / width.max(1)).max(1), width.div_ceil(64));
            let band = |words: &[u64]| mask_bytes::encoded_words(words, width, words.len() / of_row);
            let bands: Vec<_> = words.chunks(rows * of_row).map(band).collect();
            (bands.len() > 1).then_some((rows, bands))
        }
        None => bands_of_pixels(dense),
    }
}

fn bands_of_pixels(dense: &Dense) -> Option<(usize, Vec<Vec<u8>>)> {
    let of_row = (dense.bytes() / dense.height().max(1) as u64).max(1);
    let rows = (BAND as u64 / of_row).max(1);
    let band = |first: u64| {
        let rows = rows.min(dense.height() as u64 - first);
        let place = Bounds::plane(0, i64::try_from(first).ok()?, dense.width() as u64, rows)?;
        let mut bytes = Vec::new();
        codec::encode(&Region::Dense(dense.crop(place).ok()?), &mut bytes).ok()?;
        Some(bytes)
    };
    let firsts = (0..dense.height() as u64).step_by(usize::try_from(rows).ok()?);
    let bands: Vec<_> = firsts.map(band).collect::<Option<_>>()?;
    (bands.len() > 1).then_some((rows as usize, bands))
}

impl Bands {
    /// An image of this size in bands of so many rows.
    pub(super) fn new(dense: &Dense, rows: usize, digests: Vec<[u8; 32]>) -> Self {
        Self { width: dense.width(), height: dense.height(), rows, digests }
    }

    /// As bytes.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = BANDS.to_vec();
        for number in [self.width, self.height, self.rows] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(self.digests.as_flattened());
        bytes
    }

    /// From bytes; none where they are not those of a list of bands, or of an image of more pixels.
    pub(super) fn from_bytes(bytes: &[u8], most_pixels: u64) -> Option<Self> {
        let rest = bytes.strip_prefix(BANDS)?;
        let number = |at: usize| {
            let bytes = rest.get(8 * at..8 * at + 8)?.try_into().ok()?;
            usize::try_from(u64::from_le_bytes(bytes)).ok()
        };
        let (width, height, rows) = (number(0)?, number(1)?, number(2)?);
        (width as u64).checked_mul(height as u64).filter(|pixels| *pixels <= most_pixels)?;
        let digests = bytes.get(HEAD..)?;
        let whole = rows > 0 && width > 0 && digests.len() == height.div_ceil(rows).checked_mul(DIGEST)?;
        let digests = digests.chunks_exact(DIGEST).map(|digest| digest.try_into().ok());
        whole.then(|| Some(Self { width, height, rows, digests: digests.collect::<Option<_>>()? }))?
    }

    /// The bands that hold these rows.
    pub(super) fn holding(&self, rows: &Range<usize>) -> Range<usize> {
        rows.start / self.rows..rows.end.div_ceil(self.rows)
    }

    /// The first row of a band.
    pub(super) fn first_row(&self, band: usize) -> usize {
        band * self.rows
    }

    /// Rows of a band.
    pub(super) fn rows_of(&self, band: usize) -> usize {
        self.rows.min(self.height - self.first_row(band))
    }

    /// The image of neighbouring bands; none where they are not these bands.
    pub(super) fn joined(&self, bands: Range<usize>, found: impl Iterator<Item = Dense>) -> Option<Dense> {
        let fits = |(band, found): &(usize, Dense)| {
            (found.width(), found.height()) == (self.width, self.rows_of(*band))
        };
        let count = bands.len();
        let found: Vec<Dense> = bands.zip(found).filter(fits).map(|(_, found)| found).collect();
        let height = found.iter().map(Dense::height).sum();
        match found.iter().map(Dense::as_bits).collect::<Option<Vec<_>>>() {
            _ if found.len() != count => None,
            Some(words) => Dense::of_bits(self.width, height, words.concat()).ok(),
            None => joined_pixels(found, height),
        }
    }
}

fn joined_pixels(found: Vec<Dense>, height: usize) -> Option<Dense> {
    let first = found.first()?;
    let (width, channels, element) = (first.width(), first.channels(), first.element());
    if found.iter().any(|band| (band.channels(), band.element()) != (channels, element)) {
        return None;
    }
    let pixels = found.into_iter().map(Dense::into_pixels).reduce(|mut all, more| {
        all.append(more);
        all
    })?;
    Dense::new(width, height, channels, pixels).ok()
}

#[cfg(test)]
mod tests {
    use onceflow_region::Pixels;

    use super::*;

    fn mask(width: usize, height: usize) -> Dense {
        let value = |at: usize| if at / 37 * (at / width) % 5 < 2 { 255 } else { 0 };
        Dense::new(width, height, 1, Pixels::U8((0..width * height).map(value).collect())).unwrap()
    }

    #[test]
    fn bands_are_joined_as_they_were_cut() {
        for (width, height) in [(3000, 1500), (1, 2 * BAND), (2 * BAND, 2), (4097, 2049)] {
            let whole = mask(width, height);
            let (rows, pieces) = bands(&whole).unwrap();
            let digests: Vec<[u8; 32]> = (0..pieces.len()).map(|at| [at as u8; 32]).collect();
            let list = Bands::new(&whole, rows, digests);
            assert_eq!(Bands::from_bytes(&list.to_bytes(), (width * height) as u64), Some(list.clone()));
            assert_eq!(Bands::from_bytes(&list.to_bytes(), (width * height) as u64 - 1), None);
            let read = |at: usize| {
                let Region::Dense(dense) = mask_bytes::decoded_mask(&pieces[at], 1 << 40).unwrap() else {
                    panic!()
                };
                dense
            };
            let joined = list.joined(0..pieces.len(), (0..pieces.len()).map(read)).unwrap();
            assert!(joined.as_u8() == whole.as_u8(), "{width} x {height}");
            let last = pieces.len() - 1;
            let end = list.joined(last..last + 1, std::iter::once(read(last))).unwrap();
            assert!(end.as_u8().unwrap() == &whole.as_u8().unwrap()[width * list.first_row(last)..]);
            assert_eq!(list.joined(0..2, std::iter::once(read(0))), None, "a band is missing");
        }
        assert!(bands(&mask(1000, 1000)).is_none(), "a small mask stays whole");
    }

    #[test]
    fn images_of_any_pixels_are_joined_as_they_were_cut() {
        let (width, height) = (1500, 1300);
        let labels = Pixels::U32((0..width * height).map(|at| at as u32 % 977).collect());
        let colours = Pixels::U8((0..3 * width * height).map(|at| (at % 251) as u8).collect());
        for whole in [Dense::new(width, height, 1, labels), Dense::new(width, height, 3, colours)] {
            let whole = whole.unwrap();
            let (rows, pieces) = bands(&whole).unwrap();
            let list = Bands::new(&whole, rows, vec![[1; 32]; pieces.len()]);
            assert!(pieces.len() > 1 && pieces.iter().all(|piece| piece.len() < BAND + 100));
            let read = |piece: &Vec<u8>| {
                let Region::Dense(dense) = codec::decode(&mut &piece[..], piece.len() as u64).unwrap() else {
                    panic!()
                };
                dense
            };
            let joined = list.joined(0..pieces.len(), pieces.iter().map(read)).unwrap();
            assert!(joined.pixels() == whole.pixels() && joined.bounds() == whole.bounds());
            let narrow = Dense::new(1, rows, 1, Pixels::U8(vec![0; rows])).unwrap();
            assert_eq!(list.joined(0..1, std::iter::once(narrow)), None);
        }
    }

    #[test]
    fn lists_of_bands_that_were_made_up_are_refused() {
        let list = Bands { width: 3000, height: 1500, rows: 699, digests: vec![[7; 32]; 3] };
        let bytes = list.to_bytes();
        assert_eq!(Bands::from_bytes(&bytes, u64::MAX).as_ref(), Some(&list));
        for wrong in [&bytes[..bytes.len() - 1], &bytes[..HEAD], &bytes[..8], b""] {
            assert_eq!(Bands::from_bytes(wrong, u64::MAX), None);
        }
        for (at, value) in [(8, u64::MAX), (16, u64::MAX), (24, 0), (24, 1), (8, 0)] {
            let mut changed = bytes.clone();
            changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
            assert_eq!(Bands::from_bytes(&changed, u64::MAX), None, "{value} at {at}");
        }
    }

    #[test]
    fn only_the_bands_of_a_box_are_asked_for() {
        let list = Bands { width: 3000, height: 1500, rows: 699, digests: vec![[7; 32]; 3] };
        assert_eq!(list.holding(&(0..699)), 0..1);
        assert_eq!(list.holding(&(698..700)), 0..2);
        assert_eq!(list.holding(&(1400..1500)), 2..3);
    }
}
