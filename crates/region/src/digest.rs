//! Content digests: 32 bytes that two different contents do not share.

use std::fmt;
use std::io;
use std::str::FromStr;

use thiserror::Error;

use crate::{Bounds, Pixels, with_values};

/// A BLAKE3 digest of content, printed as hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of a text that stands for content, such as the description of an image that is computed.
    pub fn of_text(kind: &str, text: &str) -> Digest {
        let mut digester = Digester::new(kind);
        digester.text(text);
        digester.finish()
    }

    /// The digest of all bytes that a reader gives, in little memory.
    ///
    /// # Errors
    /// When the reader fails.
    pub fn of_reader(kind: &str, mut reader: impl io::Read) -> io::Result<Digest> {
        let mut digester = Digester::new(kind);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(digester.finish()),
                Ok(length) => digester.bytes(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Digest, NotADigest> {
        let digits = text.as_bytes();
        // One digest has one text: capital digits are refused.
        let proper = |digit: &u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(digit);
        if digits.len() != 64 || !digits.iter().all(proper) {
            return Err(NotADigest { found: text.to_owned() });
        }
        let value = |digit: u8| (digit as char).to_digit(16).map_or(0, |value| value as u8);
        Ok(Digest(std::array::from_fn(|at| value(digits[2 * at]) << 4 | value(digits[2 * at + 1]))))
    }
}

/// A text that is no digest.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a digest of 64 hexadecimal digits, found {found}")]
pub struct NotADigest {
    /// The text.
    pub found: String,
}

/// Digests numbers and texts with their lengths, so that no two sequences of fields look alike.
pub struct Digester(blake3::Hasher);

impl Digester {
    /// A digest of one kind of thing, apart from those of all other kinds.
    pub fn new(kind: &str) -> Digester {
        Digester(blake3::Hasher::new_derive_key(kind))
    }

    /// A number of 64 bits.
    #[inline]
    pub fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    /// A text with its length.
    #[inline]
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    /// Bytes without their length.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Where a box begins and how long it is along each axis.
    pub fn bounds(&mut self, bounds: &Bounds) {
        for span in [bounds.columns(), bounds.rows(), bounds.z(), bounds.time()] {
            self.bytes(&span.start().to_le_bytes());
            self.number(span.length());
        }
    }

    /// The values in little-endian order on every machine.
    pub fn pixels(&mut self, pixels: &Pixels) {
        match pixels {
            Pixels::U8(values) => self.bytes(values),
            _ => with_values!(pixels, values => self.wide(values, |value| value.to_le_bytes())),
        }
    }

    /// Wide values pass through a small buffer: a digest must not double the memory of a region.
    pub fn wide<T: Copy, const N: usize>(&mut self, values: &[T], to_bytes: impl Fn(T) -> [u8; N]) {
        let mut buffer = Vec::with_capacity(BLOCK * N);
        for block in values.chunks(BLOCK) {
            buffer.clear();
            block.iter().for_each(|&value| buffer.extend_from_slice(&to_bytes(value)));
            self.0.update(&buffer);
        }
    }

    /// The digest of all that was given.
    pub fn finish(self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

const BLOCK: usize = 4096;
