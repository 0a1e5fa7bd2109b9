//! Regions as bytes of the store: masks as runs or bits, all others as the codec writes them. A mask has the same bytes whether it is
//! kept in bits or in bytes.

use onceflow_region::{Dense, Digest, Region};
use onceflow_store::codec;

use super::bands::{Bands, bands};
use super::mask_bytes::{decoded_mask, encoded_mask, is_mask};

/// A region as bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EncodedRegion {
    /// The digest that stands for it: that of the last of its pieces.
    pub(super) digest: [u8; 32],
    /// Its bytes with their digest; before these, those of the bands that they name.
    pub(super) pieces: Vec<(Vec<u8>, [u8; 32])>,
}

/// A region as bytes; none for one that has none.
pub(super) fn encoded(region: &Region) -> Option<EncodedRegion> {
    let mut pieces = Vec::new();
    let bytes = match region.as_dense().and_then(|dense| Some((dense, bands(dense)?))) {
        Some((dense, (rows, bands))) => {
            pieces = bands.into_iter().map(digested).collect::<Option<_>>()?;
            let digests = pieces.iter().map(|(_, digest)| *digest).collect();
            Bands::new(dense, rows, digests).to_bytes()
        }
        None => whole(region)?,
    };
    pieces.push(digested(bytes)?);
    Some(EncodedRegion { digest: pieces.last()?.1, pieces })
}

fn digested(bytes: Vec<u8>) -> Option<(Vec<u8>, [u8; 32])> {
    let digest = Digest::of_reader("onceflow region bytes v1", &bytes[..]).ok()?;
    Some((bytes, digest.0))
}

fn whole(region: &Region) -> Option<Vec<u8>> {
    Some(match region.as_dense().and_then(encoded_mask) {
        Some(bytes) => bytes,
        None => {
            let mut bytes = Vec::new();
            codec::encode(region, &mut bytes).ok()?;
            bytes
        }
    })
}

/// The region of bytes; an error in words where they are not those of a region, or of a mask of more pixels.
pub(super) fn decoded(bytes: &[u8], most_pixels: u64) -> Result<Region, String> {
    match is_mask(bytes) {
        true => {
            decoded_mask(bytes, most_pixels).ok_or_else(|| "expected a mask, found other bytes".to_owned())
        }
        false => codec::decode(&mut &bytes[..], bytes.len() as u64).map_err(|error| error.to_string()),
    }
}

/// The image of bytes; none where they are not those of one, or of a mask of more pixels.
pub(super) fn decoded_dense(bytes: &[u8], most_pixels: u64) -> Option<Dense> {
    match decoded(bytes, most_pixels).ok()? {
        Region::Dense(dense) => Some(dense),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use onceflow_region::Pixels;

    const SET: u8 = 255;

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
            let made = encoded(&mask).unwrap();
            let again = decoded(&made.pieces[0].0, 1000).unwrap();
            assert!(again.as_dense().unwrap().as_bits().is_some());
            assert_eq!(again.as_dense().unwrap().as_u8().unwrap(), values);
            assert_eq!(again.digest(), mask.digest());
            assert_eq!(encoded(&again), Some(made));
        }
    }

    #[test]
    fn other_regions_are_as_the_codec_writes_them() {
        let grey = bytes_of(3, vec![0, 1, 255]);
        let bytes = |region: &Region| encoded(region).unwrap().pieces.remove(0).0;
        assert_eq!(decoded(&bytes(&grey), 1000).unwrap().digest(), grey.digest());
        assert_eq!(decoded(&bytes(&Region::Nothing), 1000).unwrap().digest(), Region::Nothing.digest());
    }

    #[test]
    fn bytes_that_are_no_region_are_refused() {
        let (bytes, _) = encoded(&bytes_of(65, vec![SET; 130])).unwrap().pieces.remove(0);
        for wrong in
            [&bytes[..8], &bytes[..23], &bytes[..bytes.len() - 1], &bytes[..bytes.len() - 8], b"x", b""]
        {
            assert!(decoded(wrong, 1000).is_err(), "{wrong:?}");
        }
        let mut huge = bytes;
        huge[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(decoded(&huge, u64::MAX).is_err());
    }
}
