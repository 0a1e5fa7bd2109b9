//! Blosc containers: blocks of compressed streams whose bytes or bits were shuffled before.
//!
//! <https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst>

use zstd::bulk::Decompressor;

use super::codec::{Corrupt, inflate};

/// What stands before the blocks.
struct BloscHeader {
    shuffled: Shuffled,
    /// Whether the bytes follow as they were.
    stored: bool,
    /// Whether the bytes of values are compressed apart.
    split: bool,
    /// Which compression it is.
    form: u8,
    /// Bytes of a value.
    value: usize,
    /// Bytes of all values.
    bytes: usize,
    /// Bytes of a block.
    block: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shuffled {
    No,
    Bytes,
    Bits,
}

const HEADER: usize = 16;

/// Values of more bytes, and blocks of fewer values, are never compressed apart.
const MOST_STREAMS: usize = 16;
const LEAST_VALUES: usize = 128;

/// Unpacks a container into a buffer; gives how many bytes it held.
pub(super) fn unpack(from: &[u8], to: &mut [u8]) -> Result<usize, Corrupt> {
    let header = BloscHeader::parse(from).ok_or("a Blosc container that is cut off")?;
    let to =
        to.get_mut(..header.bytes).ok_or_else(|| format!("a Blosc container of {} bytes", header.bytes))?;
    if header.stored {
        to.copy_from_slice(
            from.get(HEADER..HEADER + header.bytes).ok_or("a Blosc container that is cut off")?,
        );
        return Ok(header.bytes);
    }
    let mut shuffled = vec![0; header.block.min(to.len())];
    for (number, block) in to.chunks_mut(header.block.max(1)).enumerate() {
        let shuffled = &mut shuffled[..block.len()];
        let start = word(from, HEADER + 4 * number).ok_or("a Blosc container that is cut off")?;
        header.streams(from.get(start..).ok_or("a Blosc block outside")?, shuffled)?;
        match header.shuffled {
            Shuffled::Bytes if header.value > 1 => unshuffle(shuffled, block, header.value),
            Shuffled::Bits => unshuffle_bits(shuffled, block, header.value),
            _ => block.copy_from_slice(shuffled),
        }
    }
    Ok(header.bytes)
}

impl BloscHeader {
    fn parse(from: &[u8]) -> Option<BloscHeader> {
        let (flags, value) = (*from.get(2)?, usize::from(*from.get(3)?).max(1));
        let shuffled = match flags & 5 {
            0 => Shuffled::No,
            1 => Shuffled::Bytes,
            _ => Shuffled::Bits,
        };
        let (bytes, block) = (word(from, 4)?, word(from, 8)?);
        (bytes == 0 || block > 0).then_some(BloscHeader {
            shuffled,
            stored: flags & 2 != 0,
            split: flags & 0x10 == 0,
            form: flags >> 5,
            value,
            bytes,
            block,
        })
    }

    /// Unpacks the streams of a block, one after the other.
    fn streams(&self, mut from: &[u8], block: &mut [u8]) -> Result<(), Corrupt> {
        let apart = self.split
            && block.len() == self.block
            && self.value <= MOST_STREAMS
            && self.block / self.value >= LEAST_VALUES
            && self.block.is_multiple_of(self.value);
        let length = if apart { block.len() / self.value } else { block.len() };
        for stream in block.chunks_mut(length.max(1)) {
            let packed = word(from, 0).ok_or("a Blosc stream that is cut off")?;
            let bytes =
                from.get(4..).and_then(|from| from.get(..packed)).ok_or("a Blosc stream that is cut off")?;
            self.stream(bytes, stream)?;
            from = &from[4 + packed..];
        }
        Ok(())
    }

    fn stream(&self, from: &[u8], to: &mut [u8]) -> Result<(), Corrupt> {
        if from.len() == to.len() {
            to.copy_from_slice(from);
            return Ok(());
        }
        let written = match self.form {
            1 => lz4_flex::block::decompress_into(from, to).map_err(|error| error.to_string()),
            3 => inflate(flate2::read::ZlibDecoder::new(from), to).map_err(|error| error.to_string()),
            4 => Decompressor::new()
                .and_then(|mut zstd| zstd.decompress_to_buffer(from, to))
                .map_err(|error| error.to_string()),
            0 => Err("Blosc with BloscLZ, which we do not read".to_owned()),
            _ => Err("Blosc with a compression that we do not read".to_owned()),
        };
        match written? == to.len() {
            true => Ok(()),
            false => Err("a Blosc stream of too few bytes".to_owned()),
        }
    }
}

fn word(from: &[u8], at: usize) -> Option<usize> {
    let bytes = from.get(at..)?.first_chunk::<4>()?;
    usize::try_from(i32::from_le_bytes(*bytes)).ok()
}

/// The first bytes of all values, then the second ones, and so on; what fills no value stays at the end.
fn unshuffle(from: &[u8], to: &mut [u8], value: usize) {
    let count = from.len() / value;
    for (byte, plane) in from.chunks_exact(count.max(1)).take(value).enumerate() {
        to[byte..].iter_mut().step_by(value).zip(plane).for_each(|(to, from)| *to = *from);
    }
    let rest = count * value;
    to[rest..].copy_from_slice(&from[rest..]);
}

/// The lowest bits of the first bytes of all values, then the next bits, and so on. Only whole groups of eight values are
/// shuffled: a block of another number stays as it is.
fn unshuffle_bits(from: &[u8], to: &mut [u8], value: usize) {
    let count = from.len() / value;
    if count == 0 || !count.is_multiple_of(8) {
        to.copy_from_slice(from);
        return;
    }
    let row = count / 8;
    to[..count * value].fill(0);
    for (number, bits) in from.chunks_exact(row).take(value * 8).enumerate() {
        let (byte, bit) = (number / 8, number % 8);
        for (group, bits) in bits.iter().enumerate() {
            for place in 0..8 {
                to[(group * 8 + place) * value + byte] |= (bits >> place & 1) << bit;
            }
        }
    }
    to[count * value..].copy_from_slice(&from[count * value..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What numcodecs 0.16.6 made of so many numbers of 16 bits, with each compression and shuffle.
    const CONTAINERS: [(&str, u16, &str); 11] = [
        (
            "lz4 plain",
            304,
            "02012002600200006002000021010000140000008300000015000100150302001506020015090200150c0200150f0200151202001515020015180200151b0200151e0200152102001524020015270200152a0200152d020015300200153302001536020015390200153c0200153f0200154202001545020015480200154b0200154e02001551020015540200e0570057005700570057005a005a0082000000205a000200155d020015600200156302001566020015690200156c0200156f0200157202001575020015780200157b0200157e0200158102001584020015870200158a0200158d020015900200159302001596020015990200159c0200159f020015a2020015a5020015a8020015ab020015ae020015b1020080b400b400b400b400",
        ),
        (
            "lz4 bytes",
            304,
            "0201210260020000600200001e01000014000000f600000010000100100301001006010010090100100c0100100f0100101201001015010010180100101b0100101e0100102101001024010010270100102a0100102d010010300100103301001036010010390100103c0100103f0100104201001045010010480100104b0100104e0100105101001054010010570100105a0100105d010010600100106301001066010010690100106c0100106f0100107201001075010010780100107b0100107e0100108101001084010010870100108a0100108d010010900100109301001096010010990100109c0100109f010010a2010010a5010010a8010010ab010010ae010090b1b1b1b1b1b4b4b4b40c0000001f000100ff18500000000000",
        ),
        (
            "lz4 bits",
            304,
            "0201240260020000600200009e00000014000000760000005fe0830f3ef805000e5fe07f00fe0705000e5f007cf03ff805000eaf0080ff3f00ff7f00c0ff0a0009fe05000000c0ffff7f000000ffffff3f000080ffffff1400110001002180ff0100113f0d0011000c0002420001440020ffff09000502000112000402000326000f02000c03600050ffffffffff0c0000001f000100ff18500000000000",
        ),
        (
            "zlib plain",
            304,
            "020160026002000060020000ae0000001400000048000000785e3dc1d10683000000c08888888888888888182322628c8888e8ff3fa45ebabb20788546c626a666e6169656d636b676f60e7efc3a3a39bbf8f3efeae6eee1e9f5bc014dac1a324a000000785e3dc2e10683600000c09ef323c618111163444444c48888881123227ac0fa917317a2708979f0e445424a46ce9b0f052515350d2d1d5f7a064626667e2cfc59d9d8396e27aa5c5056",
        ),
        (
            "zlib bytes",
            304,
            "020161026002000060020000a10000001400000078000000785e15c1010602010000b08888888888888888888888888888888888888888888888888888888888881ed86d0b8502612244891127419214693264c991a7409112652a54a951a74193166d3a74e9d167c0901163264c993167c192156b366cd9b1e7c09113672e5cb971e7c193176f3e7cf905fe0a0c6a870d000000785e63601805a4000001300001",
        ),
        (
            "zlib bits",
            304,
            "020164026002000060020000800000001400000057000000785e7bd0cc6ff7e30121e2413dc33f76820443cd07fb1f04098686fff60cffeb190efcc7c7028203ffc1f4ffff4011a0f0ffff98620c60009283883040e4fe435441d4ff87aa62401281817a06624003920e00581988b80d000000785e63601805a4000001300001",
        ),
        (
            "zstd plain",
            304,
            "02019002600200006002000078000000140000006000000028b52ffd606001b50200540400000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b400b400b400b4003ca810f007e0c7104efc495de560a5",
        ),
        (
            "zstd bytes",
            304,
            "0201910260020000600200007b000000140000006300000028b52ffd606001cd0200540400000000000306090c0f1215181b1e2124272a2d303336393c3f4245484b4e5154575a5d606366696c6f7275787b7e8184878a8d909396999c9fa2a5a8abaeb1b4b4b4b4003c9810f8d2010011e0efffff7f072c7c60a7",
        ),
        (
            "zstd bits",
            304,
            "0201940260020000600200007e000000140000006600000028b52ffd606001e502006403e0830f3ef8e07f00fe07007cf03ff80080ff3f00ff7f00c0ff000000c0ffffffff3f000080ffffff0080ff3f7fc000c0ff7f0080ff0011a03056a66d0e1083ba032c5460232246a6d551d010e71cb8d5e54d2d8bc9486318630b",
        ),
        (
            "lz4 bits",
            301,
            "020124025a0200005a0200001e010000140000008000000015000100150302001506020015090200150c0200150f0200151202001515020015180200151b0200151e0200152102001524020015270200152a0200152d020015300200153302001536020015390200153c0200153f0200154202001545020015480200154b0200154e02001551020015540200b0570057005700570057005a8200000023005a0200155d020015600200156302001566020015690200156c0200156f0200157202001575020015780200157b0200157e0200158102001584020015870200158a0200158d020015900200159302001596020015990200159c0200159f020015a2020015a5020015a8020015ab020015ae0200c0b100b100b100b100b100b400",
        ),
        (
            "lz4 bytes",
            301,
            "020121025a0200005a0200001c01000014000000f400000010000100100301001006010010090100100c0100100f0100101201001015010010180100101b0100101e0100102101001024010010270100102a0100102d010010300100103301001036010010390100103c0100103f0100104201001045010010480100104b0100104e0100105101001054010010570100105a0100105d010010600100106301001066010010690100106c0100106f0100107201001075010010780100107b0100107e0100108101001084010010870100108a0100108d010010900100109301001096010010990100109c0100109f010010a2010010a5010010a8010010ab0100b0aeaeaeaeaeb1b1b1b1b1b40c0000001f000100ff15500000000000",
        ),
    ];

    fn bytes(digits: &str) -> Vec<u8> {
        let byte = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap();
        digits.as_bytes().chunks(2).map(byte).collect()
    }

    #[test]
    fn containers_of_others_are_unpacked() {
        for (name, count, digits) in CONTAINERS {
            let expected: Vec<u8> = (0..count).flat_map(|at| (at / 5 * 3).to_le_bytes()).collect();
            let mut room = vec![0; 1000];
            assert_eq!(unpack(&bytes(digits), &mut room), Ok(expected.len()), "{name}");
            assert_eq!(room[..expected.len()], expected, "{name}");
            assert!(
                unpack(&bytes(digits), &mut room[..expected.len() - 1]).is_err(),
                "{name}: no more room is made"
            );
        }
    }

    #[test]
    fn changed_containers_give_errors_or_bytes() {
        for (_, _, digits) in CONTAINERS {
            let (container, mut room) = (bytes(digits), vec![0; 1000]);
            for at in 0..container.len() {
                assert!(unpack(&container[..at], &mut room).is_err(), "cut to {at}");
                for bit in 0..8 {
                    let mut changed = container.clone();
                    changed[at] ^= 1 << bit;
                    let _ = unpack(&changed, &mut room);
                }
            }
        }
    }
}
