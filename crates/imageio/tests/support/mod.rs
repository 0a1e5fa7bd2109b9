//! Image files made by hand, so that what we read has a second opinion.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod jpeg;
pub(crate) mod tiff;

use onceflow_region::{Bounds, Dense, Pixels};
use png::{BitDepth, ColorType, Encoder};

/// Numbers that look random and are the same each time.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Bytes that differ from pixel to pixel and row to row.
pub(crate) fn texture(length: usize) -> Vec<u8> {
    (0..length).map(|i| ((i * 7 + i / 13) % 251) as u8).collect()
}

pub(crate) fn png(width: u32, height: u32, color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    png_with(width, height, color, depth, data, |_| ())
}

pub(crate) fn png_with(
    width: u32,
    height: u32,
    color: ColorType,
    depth: BitDepth,
    data: &[u8],
    set: impl FnOnce(&mut Encoder<'_, &mut Vec<u8>>),
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    set(&mut encoder);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

/// An interlaced 8-bit grey PNG, written chunk by chunk: the encoder that we use writes none.
pub(crate) fn interlaced_png(width: usize, height: usize, data: &[u8]) -> Vec<u8> {
    const PASSES: [[usize; 4]; 7] =
        [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
    let mut raw = Vec::new();
    for [left, top, right, down] in PASSES {
        for row in (top..height).step_by(down) {
            if left < width {
                raw.push(0);
                raw.extend((left..width).step_by(right).map(|column| data[row * width + column]));
            }
        }
    }
    png_file(width as u32, height as u32, true, &stored(&raw))
}

/// An 8-bit grey PNG with any sides and any data, right or wrong, under checksums that hold.
pub(crate) fn png_file(width: u32, height: u32, interlaced: bool, data: &[u8]) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 0, 0, 0, u8::from(interlaced)]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [(b"IHDR", &header[..]), (b"IDAT", data), (b"IEND", &[])] {
        file.extend((content.len() as u32).to_be_bytes());
        let body = [&name[..], content].concat();
        file.extend(&body);
        file.extend(crc(&body).to_be_bytes());
    }
    file
}

/// A zlib stream without compression.
pub(crate) fn stored(raw: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let blocks: Vec<&[u8]> = raw.chunks(65535).collect();
    for (index, block) in blocks.iter().enumerate() {
        stream.push(u8::from(index + 1 == blocks.len()));
        stream.extend((block.len() as u16).to_le_bytes());
        stream.extend((!(block.len() as u16)).to_le_bytes());
        stream.extend(*block);
    }
    let sums = raw.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (b + a) % 65521)
    });
    stream.extend((sums.1 << 16 | sums.0).to_be_bytes());
    stream
}

fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// What a hand-made TIFF file looks like.
#[derive(Clone, Copy)]
pub(crate) struct TiffForm {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) samples: usize,
    /// Bytes per value: 1 or 2.
    pub(crate) bytes: usize,
    /// Columns and rows of a tile; strips when there is none.
    pub(crate) tile: Option<(usize, usize)>,
    pub(crate) rows_per_strip: usize,
    pub(crate) big_endian: bool,
    pub(crate) big_tiff: bool,
    /// Pixels per centimetre.
    pub(crate) per_centimetre: Option<u32>,
}

impl TiffForm {
    pub(crate) fn new(width: usize, height: usize, samples: usize, bytes: usize) -> TiffForm {
        let (tile, rows_per_strip, per_centimetre) = (None, height, None);
        TiffForm {
            width,
            height,
            samples,
            bytes,
            tile,
            rows_per_strip,
            big_endian: false,
            big_tiff: false,
            per_centimetre,
        }
    }

    /// The file without compression; `values` are native numbers below 65536.
    pub(crate) fn write(&self, values: &[u16]) -> Vec<u8> {
        let mut file = self.head();
        let chunks = self.chunks();
        let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
        for (x, y, width, height) in chunks {
            offsets.push(file.len() as u64);
            let start = file.len();
            for row in y..y + height {
                for column in x..x + width {
                    self.pixel(&mut file, values, column, row);
                }
            }
            lengths.push((file.len() - start) as u64);
        }
        let entries = self.entries(offsets, lengths);
        self.directory(file, entries)
    }

    fn head(&self) -> Vec<u8> {
        let mut file = if self.big_endian { b"MM".to_vec() } else { b"II".to_vec() };
        self.put(&mut file, if self.big_tiff { 43 } else { 42 }, 2);
        if self.big_tiff {
            self.put(&mut file, 8, 2);
            self.put(&mut file, 0, 2);
        }
        self.put(&mut file, 0, self.word());
        file
    }

    fn word(&self) -> usize {
        if self.big_tiff { 8 } else { 4 }
    }

    fn chunks(&self) -> Vec<(usize, usize, usize, usize)> {
        let (width, height) = self.tile.unwrap_or((self.width, self.rows_per_strip));
        let rows = (0..self.height).step_by(height);
        let cut = |y: usize| if self.tile.is_some() { height } else { height.min(self.height - y) };
        rows.flat_map(|y| (0..self.width).step_by(width).map(move |x| (x, y, width, cut(y)))).collect()
    }

    /// A pixel, or zeros where a tile reaches beyond the image.
    fn pixel(&self, file: &mut Vec<u8>, values: &[u16], column: usize, row: usize) {
        let inside = column < self.width && row < self.height;
        for sample in 0..self.samples {
            let index = (row * self.width + column) * self.samples + sample;
            self.put(file, if inside { u64::from(values[index]) } else { 0 }, self.bytes);
        }
    }

    fn entries(&self, offsets: Vec<u64>, lengths: Vec<u64>) -> Vec<(u64, u64, Vec<u64>)> {
        let colour = if self.samples > 1 { 2 } else { 1 };
        let mut entries = vec![
            (256, 4, vec![self.width as u64]),
            (257, 4, vec![self.height as u64]),
            (258, 3, vec![self.bytes as u64 * 8; self.samples]),
            (259, 3, vec![1]),
            (262, 3, vec![colour]),
            (277, 3, vec![self.samples as u64]),
        ];
        match self.tile {
            Some((width, height)) => entries.extend([
                (322, 4, vec![width as u64]),
                (323, 4, vec![height as u64]),
                (324, 4, offsets),
                (325, 4, lengths),
            ]),
            None => entries.extend([
                (273, 4, offsets),
                (278, 4, vec![self.rows_per_strip as u64]),
                (279, 4, lengths),
            ]),
        }
        if let Some(number) = self.per_centimetre {
            let fraction = vec![u64::from(number), 1];
            entries.extend([(282, 5, fraction.clone()), (283, 5, fraction), (296, 3, vec![3])]);
        }
        if self.samples == 4 {
            entries.push((338, 3, vec![2]));
        }
        entries.sort();
        entries
    }

    fn directory(&self, mut file: Vec<u8>, entries: Vec<(u64, u64, Vec<u64>)>) -> Vec<u8> {
        let mut table = Vec::new();
        for (tag, kind, values) in &entries {
            let size = if *kind == 3 { 2 } else { 4 };
            let mut bytes = Vec::new();
            values.iter().for_each(|&value| self.put(&mut bytes, value, size));
            self.put(&mut table, *tag, 2);
            self.put(&mut table, *kind, 2);
            let count = if *kind == 5 { values.len() / 2 } else { values.len() };
            self.put(&mut table, count as u64, self.word());
            if bytes.len() <= self.word() {
                bytes.resize(self.word(), 0);
                table.extend(bytes);
            } else {
                self.put(&mut table, file.len() as u64, self.word());
                file.extend(bytes);
            }
        }
        let place = file.len() as u64;
        self.put(&mut file, entries.len() as u64, if self.big_tiff { 8 } else { 2 });
        file.extend(table);
        self.put(&mut file, 0, self.word());
        let mut offset = Vec::new();
        self.put(&mut offset, place, self.word());
        let start = if self.big_tiff { 8 } else { 4 };
        file[start..start + offset.len()].copy_from_slice(&offset);
        file
    }

    fn put(&self, file: &mut Vec<u8>, number: u64, bytes: usize) {
        let all = number.to_le_bytes();
        match self.big_endian {
            true => file.extend(all[..bytes].iter().rev()),
            false => file.extend(&all[..bytes]),
        }
    }
}

pub(crate) fn boxed(x: i64, y: i64, width: u64, height: u64) -> Bounds {
    Bounds::plane(x, y, width, height).unwrap()
}

pub(crate) fn grey(width: usize, height: usize, values: Vec<u8>) -> Dense {
    Dense::new(width, height, 1, Pixels::U8(values)).unwrap()
}
