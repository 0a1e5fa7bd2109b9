//! The fields of a region on their way in: nothing is allocated before as many bytes are known to be left.

use std::io::Read;

use onceflow_region::{Element, Pixels};

use super::CodecError;

/// The bytes that are left of a region.
pub(super) struct FieldReader<'a> {
    from: &'a mut dyn Read,
    left: u64,
}

impl<'a> FieldReader<'a> {
    pub(super) fn new(from: &'a mut dyn Read, length: u64) -> FieldReader<'a> {
        FieldReader { from, left: length }
    }

    pub(super) fn bytes<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], CodecError> {
        self.take(what, 1, N as u64)?;
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn number(&mut self, what: &'static str) -> Result<u64, CodecError> {
        self.bytes(what).map(u64::from_le_bytes)
    }

    pub(super) fn text(&mut self, what: &'static str) -> Result<String, CodecError> {
        let length = self.number(what)?;
        self.take(what, length, 1)?;
        String::from_utf8(self.read(length)?).map_err(|error| CodecError::form("a text in UTF-8", error))
    }

    /// A count of things that take at least `size` bytes each, all of which must be left.
    pub(super) fn count(&mut self, what: &'static str, size: u64) -> Result<usize, CodecError> {
        let count = self.number(what)?;
        self.check(what, count, size)?;
        Ok(count as usize)
    }

    /// Values of `N` bytes each.
    pub(super) fn wide<T, const N: usize>(
        &mut self,
        what: &'static str,
        count: u64,
        from_bytes: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, CodecError> {
        self.take(what, count, N as u64)?;
        let mut values = Vec::with_capacity(count as usize);
        let mut block = vec![0; BLOCK.min(count as usize) * N];
        while values.len() < count as usize {
            let some = &mut block[..BLOCK.min(count as usize - values.len()) * N];
            self.from.read_exact(some)?;
            values.extend(some.as_chunks::<N>().0.iter().map(|&value| from_bytes(value)));
        }
        Ok(values)
    }

    pub(super) fn pixels(&mut self, element: Element, count: u64) -> Result<Pixels, CodecError> {
        macro_rules! values {
            ($kind:ident, $number:ty) => {
                Pixels::$kind(self.wide("values", count, <$number>::from_le_bytes)?)
            };
        }
        Ok(match element {
            Element::U8 => {
                self.take("values", count, 1)?;
                Pixels::U8(self.read(count)?)
            }
            Element::I8 => values!(I8, i8),
            Element::U16 => values!(U16, u16),
            Element::I16 => values!(I16, i16),
            Element::I32 => values!(I32, i32),
            Element::U32 => values!(U32, u32),
            Element::I64 => values!(I64, i64),
            Element::U64 => values!(U64, u64),
            Element::F32 => values!(F32, f32),
            Element::F64 => values!(F64, f64),
        })
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self) -> Result<(), CodecError> {
        match self.left {
            0 => Ok(()),
            left => Err(CodecError::form("the end", format!("{left} more bytes"))),
        }
    }

    /// Bytes that have been taken already.
    fn read(&mut self, length: u64) -> Result<Vec<u8>, CodecError> {
        let mut bytes = Vec::with_capacity(length as usize);
        let found = self.from.take(length).read_to_end(&mut bytes)? as u64;
        match found == length {
            true => Ok(bytes),
            false => Err(CodecError::Size { what: "bytes", asked: length, left: found }),
        }
    }

    fn take(&mut self, what: &'static str, count: u64, size: u64) -> Result<(), CodecError> {
        self.check(what, count, size)?;
        self.left -= count * size;
        Ok(())
    }

    fn check(&self, what: &'static str, count: u64, size: u64) -> Result<(), CodecError> {
        let asked = count.saturating_mul(size);
        match asked <= self.left && usize::try_from(asked).is_ok() {
            true => Ok(()),
            false => Err(CodecError::Size { what, asked, left: self.left }),
        }
    }
}

const BLOCK: usize = 4096;
