//! Pixels row by row: in memory, or in a file without a name, which the system removes with the process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use onceflow_kernels::Window;

/// Pixels of `depth` bytes.
#[derive(Debug)]
pub(crate) struct PixelBuffer {
    bytes: PixelStorage,
    width: usize,
    depth: usize,
}

#[derive(Debug)]
enum PixelStorage {
    Memory(Vec<u8>),
    File(File),
}

impl PixelBuffer {
    /// Pixels in memory, row by row.
    pub(crate) fn in_memory(bytes: Vec<u8>, width: usize, depth: usize) -> Self {
        Self { bytes: PixelStorage::Memory(bytes), width, depth }
    }

    /// A temporary file of zeros in a folder.
    pub(crate) fn on_disk(folder: &Path, image: Window, depth: usize) -> io::Result<Self> {
        let bytes = (image.width as u64).checked_mul(image.height as u64);
        let bytes = bytes.and_then(|pixels| pixels.checked_mul(depth as u64));
        let file = tempfile::tempfile_in(folder)?;
        file.set_len(bytes.ok_or(io::ErrorKind::FileTooLarge)?)?;
        Ok(Self { bytes: PixelStorage::File(file), width: image.width, depth })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The bytes of a window, row by row.
    pub(crate) fn read(&mut self, window: Window) -> io::Result<Vec<u8>> {
        let length = window.width * self.depth;
        let mut bytes = vec![0; length * window.height];
        // Whole rows follow each other without a gap.
        let rows = if window.width == self.width { window.height } else { 1 };
        for (step, part) in bytes.chunks_mut((length * rows).max(1)).enumerate() {
            self.read_at(self.place(window, step), part)?;
        }
        Ok(bytes)
    }

    /// Writes the bytes of a window.
    pub(crate) fn write<'a>(
        &mut self,
        window: Window,
        rows: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        rows.enumerate().try_for_each(|(y, row)| self.write_at(self.place(window, y), row))
    }

    fn place(&self, window: Window, y: usize) -> u64 {
        let pixel = (window.top + y) as u64 * self.width as u64 + window.left as u64;
        pixel * self.depth as u64
    }

    fn read_at(&mut self, place: u64, part: &mut [u8]) -> io::Result<()> {
        match &mut self.bytes {
            PixelStorage::Memory(bytes) => {
                let kept = held(place, part.len()).and_then(|range| bytes.get(range));
                part.copy_from_slice(kept.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            PixelStorage::File(file) => {
                file.seek(SeekFrom::Start(place))?;
                file.read_exact(part)
            }
        }
    }

    fn write_at(&mut self, place: u64, part: &[u8]) -> io::Result<()> {
        match &mut self.bytes {
            PixelStorage::Memory(bytes) => {
                let kept = held(place, part.len()).and_then(|range| bytes.get_mut(range));
                kept.ok_or(io::ErrorKind::WriteZero)?.copy_from_slice(part);
                Ok(())
            }
            PixelStorage::File(file) => {
                file.seek(SeekFrom::Start(place))?;
                file.write_all(part)
            }
        }
    }
}

fn held(place: u64, length: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(place).ok()?;
    Some(start..start.checked_add(length)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_disk_hold_the_same() {
        let image = Window { left: 0, top: 0, width: 5, height: 4 };
        let mut buffers = [
            PixelBuffer::in_memory(vec![0; 60], 5, 3),
            PixelBuffer::on_disk(&std::env::temp_dir(), image, 3).unwrap(),
        ];
        let inside = Window { left: 1, top: 1, width: 2, height: 3 };
        let pixels: Vec<u8> = (1..=18).collect();
        for buffer in &mut buffers {
            buffer.write(inside, pixels.chunks(6)).unwrap();
            assert_eq!(buffer.read(inside).unwrap(), pixels);
            assert_eq!(
                buffer.read(Window { left: 2, top: 3, width: 3, height: 1 }).unwrap(),
                [16, 17, 18, 0, 0, 0, 0, 0, 0]
            );
        }
        let [memory, disk] = buffers.each_mut().map(|buffer| buffer.read(image).unwrap());
        assert_eq!(memory, disk);
        let beyond = Window { left: 0, top: 3, width: 5, height: 2 };
        assert!(buffers.iter_mut().all(|buffer| buffer.read(beyond).is_err()));
    }
}
