//! The values of a box out of a file: from where they are, or from all that is unpacked before.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use onceflow_region::Bounds;

use super::header::{VolumeHeader, VolumePacking};
use crate::origin::OriginReader;

/// The bytes of the values of a box.
pub(super) fn read(
    reader: OriginReader,
    header: &VolumeHeader,
    bounds: &Bounds,
    target: &mut Vec<u8>,
) -> io::Result<()> {
    let mut stream = ValueStream::new(reader, header.packing)?;
    let mut waiting = (0, 0);
    for (at, length) in rows(header, bounds) {
        // Rows that follow each other without a gap are read as one.
        if waiting.0 + waiting.1 == at {
            waiting.1 += length;
            continue;
        }
        stream.take_at(header.start + waiting.0, waiting.1, target)?;
        waiting = (at, length);
    }
    stream.take_at(header.start + waiting.0, waiting.1, target)?;
    if Some(waiting.0 + waiting.1) == header.bytes() { stream.verify() } else { Ok(()) }
}

/// Where the rows of a box begin among the bytes of the values, and how long they are.
fn rows(header: &VolumeHeader, bounds: &Bounds) -> impl Iterator<Item = (u64, u64)> {
    let (value, width) = (header.stored.bytes(), bounds.width());
    header.bounds.row_offsets(bounds).map(move |first| (first * value, width * value))
}

enum ValueStream {
    Plain { reader: OriginReader, place: u64 },
    Packed { unpacked: Box<dyn Read>, place: u64 },
}

impl ValueStream {
    fn new(mut reader: OriginReader, packing: VolumePacking) -> io::Result<ValueStream> {
        let unpacked: Box<dyn Read> = match packing {
            VolumePacking::None => return Ok(ValueStream::Plain { reader, place: 0 }),
            VolumePacking::Gzip => Box::new(MultiGzDecoder::new(reader)),
            VolumePacking::Zlib { at } => {
                reader.seek(SeekFrom::Start(at))?;
                Box::new(ZlibDecoder::new(reader))
            }
        };
        Ok(ValueStream::Packed { unpacked, place: 0 })
    }

    /// Takes bytes from a later place on.
    fn take_at(&mut self, at: u64, length: u64, target: &mut Vec<u8>) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        let found = match self {
            ValueStream::Plain { reader, place } => {
                reader.seek_relative(at.saturating_sub(*place) as i64)?;
                *place = at + length;
                reader.take(length).read_to_end(target)?
            }
            ValueStream::Packed { unpacked, place } => {
                // When the stream ends meanwhile, there is nothing left to take either.
                io::copy(&mut unpacked.take(at.saturating_sub(*place)), &mut io::sink())?;
                *place = at + length;
                unpacked.take(length).read_to_end(target)?
            }
        };
        if found as u64 == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Reads the end of what is packed, so that its checksum is seen to hold.
    fn verify(&mut self) -> io::Result<()> {
        if let ValueStream::Packed { unpacked, .. } = self {
            let _more = unpacked.read(&mut [0])?;
        }
        Ok(())
    }
}
