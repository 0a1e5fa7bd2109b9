//! The fields of a region on their way out: written, or only counted, from one description of the form.

use std::io::{self, Write};

use onceflow_region::{Pixels, with_values};

/// Takes the fields of a region in order.
pub(super) trait FieldWriter {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Values of several bytes each.
    fn wide<T: Copy, const N: usize>(
        &mut self,
        values: &[T],
        to_bytes: impl Fn(T) -> [u8; N],
    ) -> io::Result<()>;

    fn number(&mut self, number: u64) -> io::Result<()> {
        self.bytes(&number.to_le_bytes())
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.number(text.len() as u64)?;
        self.bytes(text.as_bytes())
    }

    fn pixels(&mut self, pixels: &Pixels) -> io::Result<()> {
        match pixels {
            Pixels::U8(values) => self.bytes(values),
            _ => with_values!(pixels, values => self.wide(values, |value| value.to_le_bytes())),
        }
    }
}

/// Writes the fields.
pub(super) struct Writing<'a> {
    to: &'a mut dyn Write,
    block: Vec<u8>,
}

impl<'a> Writing<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Writing<'a> {
        Writing { to, block: Vec::new() }
    }
}

impl FieldWriter for Writing<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }

    /// Through a small block: writing a region must not double its memory.
    fn wide<T: Copy, const N: usize>(
        &mut self,
        values: &[T],
        to_bytes: impl Fn(T) -> [u8; N],
    ) -> io::Result<()> {
        self.block.resize(BLOCK, 0);
        for values in values.chunks(BLOCK / N) {
            let (numbers, _) = self.block.as_chunks_mut::<N>();
            numbers.iter_mut().zip(values).for_each(|(number, &value)| *number = to_bytes(value));
            self.to.write_all(&self.block[..values.len() * N])?;
        }
        Ok(())
    }
}

const BLOCK: usize = 3 << 14;

/// Counts the bytes that the fields take.
#[derive(Default)]
pub(super) struct FieldCounter {
    pub(super) bytes: u64,
}

impl FieldWriter for FieldCounter {
    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    fn wide<T: Copy, const N: usize>(&mut self, values: &[T], _: impl Fn(T) -> [u8; N]) -> io::Result<()> {
        self.bytes += (values.len() * N) as u64;
        Ok(())
    }
}
