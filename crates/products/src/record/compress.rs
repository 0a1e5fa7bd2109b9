//! Whether and how the bytes of a result are made smaller.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

/// Bytes below this length stay as they are.
const WORTH_TRYING: usize = 512;

/// Of results that are longer than this, three pieces say first whether compression pays: each an eighth, and at most so many
/// bytes.
const SHORT: usize = 4 << 10;
const PIECE: usize = 16 << 10;

/// The level of zstd: the fastest of its ordinary ones.
const LEVEL: i32 = 1;

thread_local! {
    /// What the compressor works with takes longer to make than a small result to compress.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some(compressor) => compressor,
            none => none.insert(Compressor::new(LEVEL).ok()?),
        };
        compressor.compress(bytes).ok()
    })
}

/// The bytes that were made smaller, at most so many; none where these are others.
pub(super) fn decompressed(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            none => none.insert(Decompressor::new().ok()?),
        };
        decompressor.decompress(packed, most).ok()
    })
}

/// The bytes made smaller by a tenth or more; none where that is not possible.
pub(super) fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < WORTH_TRYING || !looks_worth_it(bytes) {
        return None;
    }
    packed(bytes).filter(|packed| pays(packed.len(), bytes.len()))
}

fn looks_worth_it(bytes: &[u8]) -> bool {
    if bytes.len() <= SHORT {
        return true;
    }
    let (middle, piece) = (bytes.len() / 2, (bytes.len() / 8).min(PIECE));
    let pieces = [&bytes[..piece], &bytes[middle..middle + piece], &bytes[bytes.len() - piece..]];
    let length = |piece: &&[u8]| packed(piece).map_or(piece.len(), |packed| packed.len());
    pays(pieces.iter().map(length).sum(), 3 * piece)
}

fn pays(packed: usize, plain: usize) -> bool {
    packed < plain - plain / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        bytes
    }

    #[test]
    fn bytes_are_compressed_where_that_saves_a_tenth() {
        for length in [512, 4096, 1 << 20] {
            assert!(compressed(&vec![3; length]).unwrap().len() < length / 10);
            assert_eq!(compressed(&noise(length)), None);
        }
        assert_eq!(compressed(&[3; 511]), None, "too short");
    }

    #[test]
    fn long_bytes_that_only_seem_compressible_stay_as_they_are() {
        let mut bytes = noise(10 << 20);
        for at in [0, 5 << 20, (10 << 20) - PIECE] {
            bytes[at..at + PIECE].fill(0);
        }
        assert!(looks_worth_it(&bytes));
        assert_eq!(compressed(&bytes), None);
    }
}
