//! Regions as bytes of the store: masks as bits, all others as the codec writes them. A mask has the same bytes whether it is
//! kept in bits or in bytes.

use std::borrow::Cow;

use onceflow_region::{Dense, Digest, Region};
use onceflow_store::codec;

/// How masks begin; the codec begins otherwise.
const MASK: &[u8; 8] = b"ofmask 1";
/// Bytes before the bits: the mark, columns, rows.
const HEAD: usize = 24;
/// What stands for a pixel that is set.
const SET: u8 = 255;

/// A region as bytes, and their digest; none for one that has no bytes.
pub(super) fn encoded(region: &Region) -> Option<(Vec<u8>, [u8; 32])> {
    let bytes = match region.as_dense().and_then(|dense| Some((dense, bits(dense)?))) {
        Some((dense, words)) => mask_bytes(dense, &words),
        None => {
            let mut bytes = Vec::new();
            codec::encode(region, &mut bytes).ok()?;
            bytes
        }
    };
    let digest = Digest::of_reader("onceflow region bytes v1", &bytes[..]).ok()?;
    Some((bytes, digest.0))
}

/// The region of bytes; an error in words where they are not those of a region.
pub(super) fn decoded(bytes: &[u8]) -> Result<Region, String> {
    match bytes.starts_with(MASK) {
        true => mask(bytes).ok_or_else(|| "expected the bits of a mask, found other bytes".to_owned()),
        false => codec::decode(&mut &bytes[..], bytes.len() as u64).map_err(|error| error.to_string()),
    }
}

fn mask_bytes(dense: &Dense, words: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + 8 * words.len());
    bytes.extend_from_slice(MASK);
    bytes.extend_from_slice(&(dense.width() as u64).to_le_bytes());
    bytes.extend_from_slice(&(dense.height() as u64).to_le_bytes());
    words.iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
    bytes
}

/// The bits of a mask: one channel of bytes, each 0 or 255.
fn bits(dense: &Dense) -> Option<Cow<'_, [u64]>> {
    if let Some(words) = dense.as_bits() {
        return Some(words.into());
    }
    let values = dense.as_u8().filter(|_| dense.channels() == 1 && dense.width() > 0)?;
    if !values.iter().all(|value| matches!(*value, 0 | SET)) {
        return None;
    }
    let word = |pixels: &[u8]| {
        pixels.iter().enumerate().fold(0, |word, (at, value)| word | u64::from(*value == SET) << at)
    };
    Some(values.chunks(dense.width()).flat_map(|row| row.chunks(64).map(word)).collect())
}

fn mask(bytes: &[u8]) -> Option<Region> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let (width, height) = (usize::try_from(number(8)?).ok()?, usize::try_from(number(16)?).ok()?);
    let rest = bytes.get(HEAD..).filter(|rest| rest.len().is_multiple_of(8))?;
    let word = |bytes: &[u8]| Some(u64::from_le_bytes(bytes.try_into().ok()?));
    let words = rest.chunks_exact(8).map(word).collect::<Option<Vec<u64>>>()?;
    Dense::of_bits(width, height, words).ok().map(Region::Dense)
}

#[cfg(test)]
mod tests {
    use onceflow_region::Pixels;

    use super::*;

    fn bytes_of(width: usize, values: Vec<u8>) -> Region {
        let height = values.len() / width;
        Region::Dense(Dense::new(width, height, 1, Pixels::U8(values)).unwrap())
    }

    #[test]
    fn a_mask_has_the_same_bytes_in_bits_and_in_bytes() {
        for width in [1, 63, 64, 65, 130] {
            let values: Vec<u8> = (0..3 * width).map(|at| if at * at % 7 < 3 { SET } else { 0 }).collect();
            let mask = bytes_of(width, values.clone());
            let (bytes, digest) = encoded(&mask).unwrap();
            assert_eq!(bytes.len(), HEAD + 3 * 8 * width.div_ceil(64));
            let again = decoded(&bytes).unwrap();
            assert!(again.as_dense().unwrap().as_bits().is_some());
            assert_eq!(again.as_dense().unwrap().as_u8().unwrap(), values);
            assert_eq!(again.digest(), mask.digest());
            assert_eq!(encoded(&again), Some((bytes, digest)));
        }
    }

    #[test]
    fn other_regions_are_as_the_codec_writes_them() {
        let grey = bytes_of(3, vec![0, 1, 255]);
        let (bytes, _) = encoded(&grey).unwrap();
        assert_eq!(decoded(&bytes).unwrap().digest(), grey.digest());
        assert_eq!(
            decoded(&encoded(&Region::Nothing).unwrap().0).unwrap().digest(),
            Region::Nothing.digest()
        );
    }

    #[test]
    fn bytes_that_are_no_region_are_refused() {
        let (bytes, _) = encoded(&bytes_of(65, vec![SET; 130])).unwrap();
        for wrong in
            [&bytes[..8], &bytes[..23], &bytes[..bytes.len() - 1], &bytes[..bytes.len() - 8], b"x", b""]
        {
            assert!(decoded(wrong).is_err(), "{wrong:?}");
        }
        let mut huge = bytes;
        huge[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(decoded(&huge).is_err());
    }
}
