//! Pixels to the bytes of a shard. Rows of a region that are neither compressed nor put in another order are not copied.

use std::borrow::Cow;
use std::io;

use onceflow_region::Dense;
use zstd::bulk::Compressor;

use super::checksum::Crc32c;
use super::form::{ArrayForm, Compression};
use super::scatter::{Scatter, gather};
use super::shard::IndexBuilder;

/// Bytes of a chunk, one after the other.
pub(crate) type ChunkPieces<'a> = Vec<Cow<'a, [u8]>>;

/// Takes the bytes of a shard, chunk by chunk.
pub(crate) type PutPieces<'a> = dyn FnMut(&[Cow<'_, [u8]>]) -> io::Result<()> + 'a;

/// What stands for pixels beyond the image's end.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// Bytes of a page of most machines.
const PAGE: u64 = 1 << 12;

impl ArrayForm {
    /// The bytes of the shard whose pixels these are.
    ///
    /// # Errors
    /// When the compression fails.
    pub fn encode(&self, pixels: &Dense) -> io::Result<Vec<u8>> {
        let plain = self.compression == Compression::None;
        let mut shard =
            Vec::with_capacity(if plain { pixels.pixels().as_bytes().len() + (1 << 12) } else { 0 });
        self.write(pixels, [0, 0], &mut |pieces| {
            pieces.iter().for_each(|piece| shard.extend_from_slice(piece));
            Ok(())
        })?;
        Ok(shard)
    }

    /// Hands on the bytes of the shard whose pixels begin at a row and a column: each chunk right after its checksum was
    /// made, while it is in the processor's cache, and the index. Chunks of zeros alone are not written: the index says so.
    pub(crate) fn write(
        &self,
        pixels: &Dense,
        [row, column]: [usize; 2],
        put: &mut PutPieces<'_>,
    ) -> io::Result<()> {
        let mut packer = Packer::new(self.compression)?;
        let mut index = IndexBuilder::default();
        for top in (0..self.shard[1] as usize).step_by(self.chunk[1] as usize) {
            for left in (0..self.shard[2] as usize).step_by(self.chunk[2] as usize) {
                let values = self.values(pixels, [row + top, column + left]);
                if values.iter().all(|bytes| is_zero(bytes)) {
                    index.leave_out();
                } else {
                    let mut chunk = packer.pack(values)?;
                    let before = index.align(self.alignment());
                    index.add(chunk.iter().map(|piece| piece.len() as u64).sum());
                    if before > 0 {
                        chunk.insert(0, Cow::Borrowed(&ZEROS[..before]));
                    }
                    put(&chunk)?;
                }
            }
        }
        put(&[Cow::Owned(index.finish())])
    }

    /// Chunks that are read as they stand begin with a page: systems copy from page to page faster than across.
    fn alignment(&self) -> u64 {
        if self.compression == Compression::None { PAGE } else { 1 }
    }

    /// The values of the chunk that begins at a row and a column; beyond the image's end they are zero.
    fn values<'a>(&self, pixels: &'a Dense, [top, left]: [usize; 2]) -> ChunkPieces<'a> {
        if self.interleaved {
            return self.rows(pixels, [top, left]);
        }
        let mut chunk = vec![0; (self.chunk.iter().product::<u64>() * self.element.bytes()) as usize];
        self.gather(pixels, [top, left], &mut chunk);
        vec![Cow::Owned(chunk)]
    }

    /// The rows of a chunk as they lie in memory.
    fn rows<'a>(&self, pixels: &'a Dense, [top, left]: [usize; 2]) -> ChunkPieces<'a> {
        let [channels, rows, columns] = self.chunk.map(|side| side as usize);
        let pixel = channels * self.element.bytes() as usize;
        let high = rows.min(pixels.height().saturating_sub(top));
        let wide = columns.min(pixels.width().saturating_sub(left)) * pixel;
        let (bytes, pitch, full) = (pixels.pixels().as_bytes(), pixels.width() * pixel, columns * pixel);
        let mut pieces = Vec::with_capacity(high + 1);
        if (wide, high) == (pitch, rows) && wide == full {
            // Rows that lie together are one.
            pieces.push(Cow::Borrowed(&bytes[top * pitch..][..high * pitch]));
        } else if wide > 0 {
            for row in top..top + high {
                pieces.push(Cow::Borrowed(&bytes[row * pitch + left * pixel..][..wide]));
                add_zeros(&mut pieces, full - wide);
            }
        }
        let taken: usize = pieces.iter().map(|piece| piece.len()).sum();
        add_zeros(&mut pieces, rows * columns * pixel - taken);
        pieces
    }

    /// The values of one chunk, plane by plane.
    fn gather(&self, pixels: &Dense, [top, left]: [usize; 2], chunk: &mut [u8]) {
        let [channels, rows, columns] = self.chunk.map(|side| side as usize);
        let part = Scatter {
            from_first: 0,
            from: [rows * columns, columns, 1],
            to_first: (top * pixels.width() + left) * channels,
            channels,
            pitch: pixels.width() * channels,
            lengths: [
                channels,
                rows.min(pixels.height().saturating_sub(top)),
                columns.min(pixels.width().saturating_sub(left)),
            ],
        };
        gather(pixels.pixels().as_bytes(), chunk, &part, self.element.bytes());
    }
}

/// Some at a time, so that they are looked at side by side, but no more than the first that are not zero.
fn is_zero(bytes: &[u8]) -> bool {
    bytes.chunks(256).all(|some| some.iter().fold(0, |all, byte| all | byte) == 0)
}

fn add_zeros(pieces: &mut ChunkPieces<'_>, mut count: usize) {
    while count > 0 {
        let taken = count.min(ZEROS.len());
        pieces.push(Cow::Borrowed(&ZEROS[..taken]));
        count -= taken;
    }
}

/// Compresses chunk after chunk.
struct Packer(Option<Compressor<'static>>);

impl Packer {
    fn new(compression: Compression) -> io::Result<Packer> {
        Ok(Packer(match compression {
            Compression::None => None,
            Compression::Zstd(level) => Some(Compressor::new(level)?),
        }))
    }

    /// The chunk as it stands in a file, with its checksum.
    fn pack<'a>(&mut self, values: ChunkPieces<'a>) -> io::Result<ChunkPieces<'a>> {
        let mut packed = match (&mut self.0, &values[..]) {
            (None, _) => values,
            (Some(zstd), [whole]) => vec![Cow::Owned(zstd.compress(whole)?)],
            (Some(zstd), _) => vec![Cow::Owned(zstd.compress(&values.concat())?)],
        };
        let mut checksum = Crc32c::new();
        packed.iter().for_each(|piece| checksum.update(piece));
        packed.push(Cow::Owned(checksum.to_bytes().to_vec()));
        Ok(packed)
    }
}
