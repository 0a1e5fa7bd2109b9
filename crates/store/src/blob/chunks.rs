//! Chunks and their checksums. The digest of a blob is that of its length and its chunks' checksums, so that one pass
//! over the bytes gives both, and a stored table of checksums is itself checked by the blob's name.

use std::io;

use onceflow_region::{Digest, Digester};

/// Bytes of a chunk; the last one of a blob may be shorter.
pub const CHUNK: usize = 1 << 20;

/// The checksum of one chunk.
pub(super) type ChunkDigest = [u8; 32];

/// Digests are kept between runs: this text changes when their form does.
const CONTEXT: &str = "onceflow blob 2026-11 content v1";

pub(super) fn checksum(chunk: &[u8]) -> ChunkDigest {
    *blake3::hash(chunk).as_bytes()
}

/// How many chunks that many bytes make.
pub(super) fn count(length: u64) -> u64 {
    length.div_ceil(CHUNK as u64)
}

/// The digest of a blob of this length whose chunks have these checksums.
pub(super) fn digest(length: u64, checksums: &[ChunkDigest]) -> Digest {
    let mut digester = Digester::new(CONTEXT);
    digester.number(length);
    checksums.iter().for_each(|checksum| digester.bytes(checksum));
    digester.finish()
}

/// Hands bytes on and makes the checksums of their chunks on the way.
pub(super) struct Summing<W> {
    to: W,
    chunk: blake3::Hasher,
    filled: usize,
    length: u64,
    checksums: Vec<ChunkDigest>,
}

impl<W: io::Write> Summing<W> {
    pub(super) fn new(to: W) -> Summing<W> {
        Summing { to, chunk: blake3::Hasher::new(), filled: 0, length: 0, checksums: Vec::new() }
    }

    /// How many bytes there were, and the checksums of their chunks.
    pub(super) fn finish(mut self) -> (u64, Vec<ChunkDigest>) {
        if self.filled > 0 {
            self.end_chunk();
        }
        (self.length, self.checksums)
    }

    fn end_chunk(&mut self) {
        self.checksums.push(*self.chunk.finalize().as_bytes());
        self.chunk.reset();
        self.filled = 0;
    }
}

impl<W: io::Write> io::Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(CHUNK - self.filled)];
        let written = self.to.write(bytes)?;
        self.chunk.update(&bytes[..written]);
        (self.filled, self.length) = (self.filled + written, self.length + written as u64);
        if self.filled == CHUNK {
            self.end_chunk();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
