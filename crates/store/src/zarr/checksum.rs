//! The checksum of chunks and indices: CRC-32C, as Zarr has it.

use crc_fast::{CrcAlgorithm, Digest};

/// A checksum while bytes are added to it.
pub(super) struct Crc32c(Digest);

impl Crc32c {
    pub(super) fn new() -> Crc32c {
        Crc32c(Digest::new(CrcAlgorithm::Crc32Iscsi))
    }

    pub(super) fn of(bytes: &[u8]) -> Crc32c {
        let mut checksum = Crc32c::new();
        checksum.update(bytes);
        checksum
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// As it stands in a file.
    pub(super) fn to_bytes(&self) -> [u8; 4] {
        (self.0.finalize() as u32).to_le_bytes()
    }

    /// Whether it is the one that a file says; else what was found.
    pub(super) fn compare(&self, stated: [u8; 4]) -> Result<(), String> {
        let found = self.to_bytes();
        if found == stated {
            return Ok(());
        }
        let [found, stated] = [found, stated].map(u32::from_le_bytes);
        Err(format!("bytes with checksum {found:08x} instead of {stated:08x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_one_however_bytes_come() {
        // RFC 3720, B.4.
        let published: [(Vec<u8>, u32); 4] = [
            (vec![0; 32], 0x8a9136aa),
            (vec![0xff; 32], 0x62a8ab43),
            ((0..32).collect(), 0x46dd794e),
            ((0..32).rev().collect(), 0x113fdb5c),
        ];
        for (bytes, expected) in published {
            assert_eq!(Crc32c::of(&bytes).to_bytes(), expected.to_le_bytes());
            for cut in 0..32 {
                let mut checksum = Crc32c::new();
                [&bytes[..cut], &bytes[cut..]].iter().for_each(|some| checksum.update(some));
                assert!(checksum.compare(expected.to_le_bytes()).is_ok());
                assert!(checksum.compare((expected ^ 1 << cut).to_le_bytes()).is_err());
            }
        }
    }
}
