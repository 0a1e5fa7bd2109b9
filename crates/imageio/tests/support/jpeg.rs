//! JPEG streams written by hand: blocks of 8 x 8 equal pixels, whose values a decoder must give back exactly.

/// What a hand-made JPEG looks like.
#[derive(Clone, Copy)]
pub(crate) struct JpegForm {
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Values per pixel: 1 or 3.
    pub(crate) colours: usize,
    pub(crate) progressive: bool,
}

impl JpegForm {
    pub(crate) fn new(width: usize, height: usize, colours: usize) -> JpegForm {
        JpegForm { width, height, colours, progressive: false }
    }

    /// A stream with its tables; `value` gives the value of a colour in a block of some column and row.
    pub(crate) fn write(&self, value: impl Fn(usize, usize, usize) -> u8) -> Vec<u8> {
        [&[0xff, 0xd8][..], &tables(), &self.frame(), &self.scan(value), &[0xff, 0xd9]].concat()
    }

    /// A stream whose tables are elsewhere.
    pub(crate) fn write_short(&self, value: impl Fn(usize, usize, usize) -> u8) -> Vec<u8> {
        [&[0xff, 0xd8][..], &self.frame(), &self.scan(value), &[0xff, 0xd9]].concat()
    }

    /// The pixels that a decoder must give.
    pub(crate) fn pixels(&self, value: impl Fn(usize, usize, usize) -> u8) -> Vec<u8> {
        let colours = 0..self.colours;
        let pixel = |x: usize, y: usize| {
            colours.clone().map(|colour| value(colour, x / 8, y / 8)).collect::<Vec<u8>>()
        };
        (0..self.height)
            .flat_map(|y| (0..self.width).flat_map(move |x| pixel(x, y)).collect::<Vec<u8>>())
            .collect()
    }

    fn frame(&self) -> Vec<u8> {
        let mut frame = vec![8];
        frame.extend((self.height as u16).to_be_bytes());
        frame.extend((self.width as u16).to_be_bytes());
        frame.push(self.colours as u8);
        (1..=self.colours as u8).for_each(|colour| frame.extend([colour, 0x11, 0]));
        segment(if self.progressive { 0xc2 } else { 0xc0 }, &frame)
    }

    fn scan(&self, value: impl Fn(usize, usize, usize) -> u8) -> Vec<u8> {
        let mut head = vec![self.colours as u8];
        (1..=self.colours as u8).for_each(|colour| head.extend([colour, 0]));
        head.extend([0, if self.progressive { 0 } else { 63 }, 0]);
        let (mut bits, mut before) = (Bits::default(), [0i32; 3]);
        for row in 0..self.height.div_ceil(8) {
            for column in 0..self.width.div_ceil(8) {
                for (colour, before) in before.iter_mut().enumerate().take(self.colours) {
                    let level = i32::from(value(colour, column, row)) - 128;
                    bits.difference(level - *before);
                    *before = level;
                    // In a progressive image this scan holds nothing else; otherwise the block ends here.
                    if !self.progressive {
                        bits.push(0, 1);
                    }
                }
            }
        }
        [segment(0xda, &head), bits.finish()].concat()
    }
}

/// Steps of 8, so that a level is the value itself; codes of 4 bits for lengths, one of 1 bit for the end of a block.
pub(crate) fn tables() -> Vec<u8> {
    let steps = [&[0][..], &[8; 64]].concat();
    let mut lengths = vec![0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    lengths.extend(0..12);
    let end = [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    [segment(0xdb, &steps), segment(0xc4, &lengths), segment(0xc4, &end)].concat()
}

fn segment(kind: u8, content: &[u8]) -> Vec<u8> {
    [&[0xff, kind][..], &(content.len() as u16 + 2).to_be_bytes(), content].concat()
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    waiting: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        for bit in (0..count).rev() {
            self.waiting = self.waiting << 1 | (value >> bit & 1);
            self.count += 1;
            if self.count == 8 {
                let byte = self.waiting as u8;
                self.bytes.push(byte);
                if byte == 0xff {
                    self.bytes.push(0);
                }
                (self.waiting, self.count) = (0, 0);
            }
        }
    }

    fn difference(&mut self, number: i32) {
        let length = 32 - number.unsigned_abs().leading_zeros();
        self.push(length, 4);
        let coded = if number < 0 { number - 1 } else { number };
        self.push(coded as u32 & ((1 << length) - 1), length);
    }

    fn finish(mut self) -> Vec<u8> {
        self.push(0x7f, (8 - self.count) % 8);
        self.bytes
    }
}
