//! The checksums of a PNG file: whether its bytes are those that were written, found without unpacking pixels.

use std::io::Read;

use crc_fast::{CrcAlgorithm, Digest};

/// Bytes of a chunk that are read at once.
const BLOCK: usize = 1 << 16;

/// The signature in front of all chunks.
const SIGNATURE: u64 = 8;

/// The last chunk of a file.
const LAST: [u8; 4] = *b"IEND";

/// Why the chunks of a file cannot be trusted.
#[derive(Debug)]
pub(super) enum ChunkError {
    /// Reading failed; the file ends before its last chunk, for example.
    Io(std::io::Error),
    /// The bytes of a chunk, by its name, do not have the checksum that the file states.
    Checksum { chunk: String, stated: u32, found: u32 },
}

impl From<std::io::Error> for ChunkError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads a file from its first byte to its last chunk. Chunks that pixels do not depend on may be damaged, as for the decoder.
pub(super) fn check_chunks(file: &mut impl Read) -> Result<(), ChunkError> {
    let mut block = vec![0; BLOCK];
    file.read_exact(&mut block[..SIGNATURE as usize])?;
    loop {
        let (length, name) = (word(file)?, word(file)?.to_be_bytes());
        let mut digest = Digest::new(CrcAlgorithm::Crc32IsoHdlc);
        digest.update(&name);
        let mut left = length as usize;
        while left > 0 {
            let part = &mut block[..left.min(BLOCK)];
            file.read_exact(part)?;
            digest.update(part);
            left -= part.len();
        }
        let (stated, found) = (word(file)?, digest.finalize() as u32);
        let is_needed = name[0].is_ascii_uppercase() || &name == b"tRNS";
        if is_needed && stated != found {
            let chunk = String::from_utf8_lossy(&name).into_owned();
            return Err(ChunkError::Checksum { chunk, stated, found });
        }
        if name == LAST {
            return Ok(());
        }
    }
}

fn word(file: &mut impl Read) -> std::io::Result<u32> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes)?;
    Ok(u32::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut digest = Digest::new(CrcAlgorithm::Crc32IsoHdlc);
        digest.update(name);
        digest.update(data);
        let sum = (digest.finalize() as u32).to_be_bytes();
        [&(data.len() as u32).to_be_bytes()[..], name, data, &sum].concat()
    }

    fn file(chunks: &[Vec<u8>]) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat()].concat()
    }

    #[test]
    fn the_last_chunk_has_the_checksum_that_every_png_ends_with() {
        assert_eq!(chunk(b"IEND", b"")[8..], [0xae, 0x42, 0x60, 0x82]);
    }

    #[test]
    fn damage_is_found_where_pixels_depend_on_it() {
        let long = vec![7; 3 * BLOCK + 5];
        let chunks = [chunk(b"IDAT", &long), chunk(b"tEXt", b"words"), chunk(b"IEND", b"")];
        let whole = file(&chunks);
        assert!(check_chunks(&mut &whole[..]).is_ok());
        let (data, text) = (8 + 8 + long.len() - 1, 8 + chunks[0].len() + 9);
        let mut damaged = whole.clone();
        damaged[text] ^= 1;
        assert!(check_chunks(&mut &damaged[..]).is_ok());
        damaged[data] ^= 1;
        let found = check_chunks(&mut &damaged[..]);
        assert!(matches!(&found, Err(ChunkError::Checksum { chunk, .. }) if chunk == "IDAT"), "{found:?}");
        for length in [0, 7, 12, data, whole.len() - 1] {
            assert!(matches!(check_chunks(&mut &whole[..length]), Err(ChunkError::Io(_))), "{length}");
        }
    }
}
