//! The bytes of a result, known by their digest.

use std::borrow::Cow;

use super::{Fields, Place, SUM, compress, digest, sum};
use crate::ProductError;

/// What every blob begins with; the number changes when the form does.
pub(crate) const MAGIC: [u8; 4] = *b"OFB2";

/// Bytes before those of the result.
pub(crate) const HEAD: usize = 64;

/// No result is longer than this.
pub(crate) const LONGEST: usize = 256 << 20;

/// The bytes of a result as they are stored.
#[derive(Debug)]
pub(crate) struct Blob<'a> {
    pub(crate) head: BlobHead,
    pub(crate) stored: Cow<'a, [u8]>,
}

/// What the head of a blob says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlobHead {
    /// The digest of the result.
    pub(crate) digest: [u8; 32],
    /// Bytes of the result.
    pub(crate) bytes: u32,
    /// Bytes that are stored.
    pub(crate) stored: u32,
    /// Whether they are compressed.
    pub(crate) compressed: bool,
}

impl<'a> Blob<'a> {
    /// The blob of a result with this digest.
    pub(crate) fn new(digest: [u8; 32], payload: &'a [u8]) -> Self {
        let packed = compress::compressed(payload);
        let compressed = packed.is_some();
        let stored = packed.map_or(Cow::Borrowed(payload), Cow::Owned);
        let head = BlobHead { digest, bytes: payload.len() as u32, stored: stored.len() as u32, compressed };
        Self { head, stored }
    }
}

/// Refuses a result that is too long.
pub(crate) fn check_length(payload: &[u8]) -> Result<(), ProductError> {
    let (bytes, limit) = (payload.len() as u64, LONGEST as u64);
    if bytes > limit { Err(ProductError::TooLarge { bytes, limit }) } else { Ok(()) }
}

impl BlobHead {
    /// Bytes of the whole record.
    pub(crate) fn length(&self) -> u64 {
        HEAD as u64 + u64::from(self.stored)
    }

    /// The head as bytes of a place.
    pub(crate) fn encode(&self, place: Place<'_>) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..4].copy_from_slice(&MAGIC);
        head[4..8].copy_from_slice(&self.stored.to_le_bytes());
        head[8..40].copy_from_slice(&self.digest);
        head[40..44].copy_from_slice(&self.bytes.to_le_bytes());
        head[44] = u8::from(self.compressed);
        let sum = sum(place, &head[..HEAD - SUM]);
        head[HEAD - SUM..].copy_from_slice(&sum);
        head
    }

    /// The head that these bytes are at a place; none when they were changed or are something else.
    pub(crate) fn decode(place: Place<'_>, bytes: &[u8]) -> Option<Self> {
        let (head, found) = bytes.get(..HEAD)?.split_at(HEAD - SUM);
        let mut fields = Fields(head.strip_prefix(&MAGIC)?);
        if sum(place, head) != found {
            return None;
        }
        let stored = u32::from_le_bytes(fields.array()?);
        let digest = fields.array()?;
        let bytes = u32::from_le_bytes(fields.array()?);
        let compressed = match fields.array()? {
            [0, 0, 0, 0] if stored == bytes => false,
            [1, 0, 0, 0] if stored < bytes => true,
            _ => return None,
        };
        (bytes as usize <= LONGEST).then_some(Self { digest, bytes, stored, compressed })
    }

    /// The result; none when the stored bytes are not those that were written.
    pub(crate) fn payload(&self, stored: Vec<u8>) -> Option<Vec<u8>> {
        let payload =
            if self.compressed { compress::decompressed(&stored, self.bytes as usize)? } else { stored };
        (payload.len() == self.bytes as usize && digest(&payload) == self.digest).then_some(payload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place<'_> = Place { pack: "here", offset: 7 };

    fn written(payload: &[u8]) -> (BlobHead, [u8; HEAD], Vec<u8>) {
        let blob = Blob::new(digest(payload), payload);
        (blob.head, blob.head.encode(HERE), blob.stored.into_owned())
    }

    #[test]
    fn a_changed_bit_is_found_or_gives_the_same_bytes() {
        for payload in [&b"dice"[..], &[7; 3000], &[]] {
            let (head, bytes, stored) = written(payload);
            assert_eq!(BlobHead::decode(HERE, &bytes), Some(head));
            assert_eq!(head.payload(stored.clone()).as_deref(), Some(payload));
            for bit in 0..8 * HEAD {
                let mut changed = bytes;
                changed[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(BlobHead::decode(HERE, &changed), None, "bit {bit} of the head");
            }
            for bit in 0..8 * stored.len() {
                let mut changed = stored.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                let found = head.payload(changed);
                assert!(found.is_none_or(|found| found == payload), "bit {bit} of the result");
            }
        }
    }

    #[test]
    fn a_blob_at_another_place_is_none() {
        let (_, bytes, _) = written(b"dice");
        assert_eq!(BlobHead::decode(Place { pack: "here", offset: 8 }, &bytes), None);
        assert_eq!(BlobHead::decode(Place { pack: "there", offset: 7 }, &bytes), None);
    }

    #[test]
    fn a_result_that_is_too_long_is_refused() {
        let error = check_length(&vec![0; LONGEST + 1]).unwrap_err().to_string();
        assert!(error.contains("at most 268435456 bytes"), "{error}");
        check_length(&vec![0; LONGEST]).unwrap();
    }

    #[test]
    fn lengths_that_were_made_up_take_no_memory() {
        // A head with a right checksum may still lie about what the stored bytes become.
        let packed = zstd::bulk::compress(&vec![0; 1 << 20], 1).unwrap();
        let head = |bytes| BlobHead { digest: [0; 32], bytes, stored: packed.len() as u32, compressed: true };
        assert_eq!(head(1 << 10).payload(packed.clone()), None, "longer than it says");
        let too_long = head(LONGEST as u32 + 1).encode(HERE);
        assert_eq!(BlobHead::decode(HERE, &too_long), None);
    }
}
