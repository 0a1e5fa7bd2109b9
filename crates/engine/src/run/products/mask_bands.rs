//! Large masks in bands of rows, each with a digest of its own: a piece of a mask is read, and proven, without the rest.

use std::ops::Range;

use onceflow_region::{Dense, Region};

use super::mask_bytes::{self, decoded_mask};

/// How the list of the bands of a mask begins.
const BANDS: &[u8; 8] = b"ofmask 3";
/// Bytes before the digests: the mark, columns, rows, rows of a band.
const HEAD: usize = 32;
const DIGEST: usize = 32;

/// Pixels of a band; a mask of less than two bands stays whole.
pub(super) const BAND_PIXELS: usize = 1 << 21;

/// A mask in bands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaskBands {
    pub(super) width: usize,
    pub(super) height: usize,
    rows: usize,
    /// The digests of the bands, from top to bottom.
    pub(super) digests: Vec<[u8; 32]>,
}

/// The bands of a large mask as bytes; none for a small one, and for a region that is no mask.
pub(super) fn bands(dense: &Dense) -> Option<(usize, Vec<Vec<u8>>)> {
    let (width, height) = (dense.width(), dense.height());
    if width.saturating_mul(height) < 2 * BAND_PIXELS {
        return None;
    }
    let rows = (BAND_PIXELS / width.max(1)).max(1);
    let words = mask_bytes::bits(dense)?;
    let of_row = width.div_ceil(64);
    let band = |words: &[u64]| mask_bytes::encoded_words(words, width, words.len() / of_row);
    Some((rows, words.chunks(rows * of_row).map(band).collect()))
}

impl MaskBands {
    /// A mask of this size in bands of so many rows.
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

    /// From bytes; none where they are not those of a list of bands, or of a mask of more pixels.
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

    /// The mask of neighbouring bands from their bytes; none where they are not those of these bands.
    pub(super) fn joined<'b>(
        &self,
        bands: Range<usize>,
        bytes: impl Iterator<Item = &'b [u8]>,
    ) -> Option<Dense> {
        let of_row = self.width.div_ceil(64);
        let (mut words, mut height) = (Vec::new(), 0);
        for (band, bytes) in bands.zip(bytes) {
            let rows = self.rows.min(self.height - self.first_row(band));
            let Region::Dense(dense) = decoded_mask(bytes, (self.width * rows) as u64)? else { return None };
            if (dense.width(), dense.height()) != (self.width, rows) {
                return None;
            }
            words.extend_from_slice(dense.as_bits()?);
            height += rows;
        }
        (words.len() == of_row * height).then(|| Dense::of_bits(self.width, height, words).ok())?
    }
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
        for (width, height) in [(3000, 1500), (1, 2 * BAND_PIXELS), (2 * BAND_PIXELS, 2), (4097, 2049)] {
            let whole = mask(width, height);
            let (rows, pieces) = bands(&whole).unwrap();
            let digests: Vec<[u8; 32]> = (0..pieces.len()).map(|at| [at as u8; 32]).collect();
            let list = MaskBands::new(&whole, rows, digests);
            assert_eq!(MaskBands::from_bytes(&list.to_bytes(), (width * height) as u64), Some(list.clone()));
            assert_eq!(MaskBands::from_bytes(&list.to_bytes(), (width * height) as u64 - 1), None);
            let joined = list.joined(0..pieces.len(), pieces.iter().map(Vec::as_slice)).unwrap();
            assert!(joined.as_u8() == whole.as_u8(), "{width} x {height}");
            let last = pieces.len() - 1;
            let end = list.joined(last..last + 1, std::iter::once(&pieces[last][..])).unwrap();
            assert!(end.as_u8().unwrap() == &whole.as_u8().unwrap()[width * list.first_row(last)..]);
            assert_eq!(list.joined(0..2, [&pieces[0][..], &pieces[0][..8]].into_iter()), None);
        }
        assert!(bands(&mask(1000, 1000)).is_none(), "a small mask stays whole");
    }

    #[test]
    fn lists_of_bands_that_were_made_up_are_refused() {
        let list = MaskBands { width: 3000, height: 1500, rows: 699, digests: vec![[7; 32]; 3] };
        let bytes = list.to_bytes();
        assert_eq!(MaskBands::from_bytes(&bytes, u64::MAX).as_ref(), Some(&list));
        for wrong in [&bytes[..bytes.len() - 1], &bytes[..HEAD], &bytes[..8], b""] {
            assert_eq!(MaskBands::from_bytes(wrong, u64::MAX), None);
        }
        for (at, value) in [(8, u64::MAX), (16, u64::MAX), (24, 0), (24, 1), (8, 0)] {
            let mut changed = bytes.clone();
            changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
            assert_eq!(MaskBands::from_bytes(&changed, u64::MAX), None, "{value} at {at}");
        }
    }

    #[test]
    fn only_the_bands_of_a_box_are_asked_for() {
        let list = MaskBands { width: 3000, height: 1500, rows: 699, digests: vec![[7; 32]; 3] };
        assert_eq!(list.holding(&(0..699)), 0..1);
        assert_eq!(list.holding(&(698..700)), 0..2);
        assert_eq!(list.holding(&(1400..1500)), 2..3);
    }
}
