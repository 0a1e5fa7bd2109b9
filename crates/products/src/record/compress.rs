//! Whether and how the bytes of a result are made smaller.

/// Bytes below this length stay as they are.
const WORTH_TRYING: usize = 512;

/// Of longer results three pieces of this length say first whether compression pays.
const PIECE: usize = 16 << 10;

/// The level of zstd: the fastest of its ordinary ones.
const LEVEL: i32 = 1;

/// The bytes made smaller by a tenth or more; none where that is not possible.
pub(super) fn compressed(bytes: &[u8]) -> Option<Vec<u8>> {
    if bytes.len() < WORTH_TRYING || !looks_worth_it(bytes) {
        return None;
    }
    let packed = zstd::bulk::compress(bytes, LEVEL).ok()?;
    pays(packed.len(), bytes.len()).then_some(packed)
}

fn looks_worth_it(bytes: &[u8]) -> bool {
    if bytes.len() <= 4 * PIECE {
        return true;
    }
    let middle = bytes.len() / 2;
    let pieces = [&bytes[..PIECE], &bytes[middle..middle + PIECE], &bytes[bytes.len() - PIECE..]];
    let packed = |piece: &&[u8]| zstd::bulk::compress(piece, LEVEL).map_or(PIECE, |packed| packed.len());
    pays(pieces.iter().map(packed).sum(), 3 * PIECE)
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
