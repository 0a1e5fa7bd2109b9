//! What can be kept as bytes without being bytes in one piece.

use std::io::{self, Write};

use onceflow_region::Digest;

use super::BlobError;
use super::chunks::{self, Summing};

/// Something that can be written as bytes, always the same ones.
pub trait BlobContent {
    /// How many bytes it has.
    fn length(&self) -> u64;

    /// Writes them.
    ///
    /// # Errors
    /// When the writer fails.
    fn write_to(&self, to: &mut dyn Write) -> io::Result<()>;
}

impl BlobContent for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn write_to(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(self)
    }
}

impl BlobContent for Vec<u8> {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn write_to(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(self)
    }
}

/// The digest under which a store keeps the content.
///
/// # Errors
/// When the content cannot be written.
pub fn digest(content: &dyn BlobContent) -> Result<Digest, BlobError> {
    let mut summing = Summing::new(io::sink());
    content.write_to(&mut summing).map_err(|error| BlobError::from_stream("content", &error))?;
    let (length, checksums) = summing.finish();
    Ok(chunks::digest(length, &checksums))
}

/// Writes content whose digest is known, and gives the checksums of its chunks.
pub(super) fn write_checked(
    content: &dyn BlobContent,
    expected: &Digest,
    to: &mut dyn Write,
) -> Result<Vec<chunks::ChunkDigest>, BlobError> {
    let mut summing = Summing::new(to);
    content.write_to(&mut summing)?;
    let (length, checksums) = summing.finish();
    if length != content.length() {
        let said = content.length();
        return Err(io::Error::other(format!("expected {said} bytes of content, found {length}")).into());
    }
    let found = chunks::digest(length, &checksums);
    match found == *expected {
        true => Ok(checksums),
        false => Err(BlobError::Content { expected: *expected, found }),
    }
}
