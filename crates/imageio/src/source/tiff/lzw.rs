//! LZW as TIFF has it: codes of 9 to 12 bits, the first bit of a byte first, one code earlier wider than need be.
//!
//! Every string of the table has been written already, so that the table holds places of what was written and nothing else.

/// Forgets all strings.
const CLEAR: usize = 256;
/// Nothing follows.
const END: usize = 257;
/// The first string of more than one byte.
const FIRST: usize = END + 1;
/// How wide codes are at first and at most.
const WIDTHS: [u32; 2] = [9, 12];

/// Bytes that are copied at once; those beyond a string are written over.
const STEP: usize = 16;

/// A string: where it was written first.
#[derive(Clone, Copy, Default)]
struct LzwString {
    start: usize,
    length: usize,
}

/// The first `wanted` bytes; `None` when there are fewer, or a code means nothing.
pub(super) fn decompress(data: &[u8], wanted: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; wanted];
    let mut codes = Codes { data, bits: 0, count: 0 };
    let mut texts = [LzwString::default(); 1 << WIDTHS[1]];
    let (mut next, mut width, mut written) = (FIRST, WIDTHS[0], 0);
    let mut before: Option<LzwString> = None;
    while written < wanted {
        let code = codes.next(width)?;
        if code == CLEAR {
            (next, width, before) = (FIRST, WIDTHS[0], None);
            continue;
        }
        // With its first byte, which may be that of the very string that begins here.
        if let Some(LzwString { start, length }) = before.filter(|_| next < texts.len()) {
            texts[next] = LzwString { start, length: length + 1 };
            next += 1;
            width += u32::from(next + 1 == 1 << width && width < WIDTHS[1]);
        }
        let length = match code {
            0..CLEAR => {
                bytes[written] = code as u8;
                1
            }
            FIRST.. if code < next => copy(&mut bytes, texts[code], written),
            _ => return None,
        };
        before = Some(LzwString { start: written, length });
        written += length;
    }
    Some(bytes)
}

/// Writes a string again, as far as there is room; says how long it is.
fn copy(bytes: &mut [u8], LzwString { start, length }: LzwString, to: usize) -> usize {
    let length = length.min(bytes.len() - to);
    if length <= STEP && start + length <= to && to + STEP <= bytes.len() {
        let (from, into) = bytes.split_at_mut(to);
        if let (Some(from), Some(into)) = (from[start..].first_chunk::<STEP>(), into.first_chunk_mut()) {
            *into = *from;
            return length;
        }
    }
    // One after another: a string may go on with what is written here.
    (0..length).for_each(|at| bytes[to + at] = bytes[start + at]);
    length
}

/// Codes, the first bit of a byte first.
struct Codes<'a> {
    data: &'a [u8],
    /// Those that were read and not taken, from the highest.
    bits: u64,
    count: u32,
}

impl Codes<'_> {
    /// The next code of so many bits; `None` when there are not as many.
    #[inline(always)]
    fn next(&mut self, width: u32) -> Option<usize> {
        if self.count < width {
            self.read();
        }
        self.count = self.count.checked_sub(width)?;
        let code = self.bits >> (64 - width);
        self.bits <<= width;
        Some(code as usize)
    }

    fn read(&mut self) {
        if let Some((word, rest)) = self.data.split_first_chunk() {
            self.bits |= u64::from(u32::from_be_bytes(*word)) << (32 - self.count);
            (self.data, self.count) = (rest, self.count + 32);
            return;
        }
        while let Some((byte, rest)) = self.data.split_first() {
            self.bits |= u64::from(*byte) << (56 - self.count);
            (self.data, self.count) = (rest, self.count + 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weezl::{BitOrder, decode, encode};

    use super::*;

    /// An independent decoder of the same.
    fn expected(data: &[u8], wanted: usize) -> Option<Vec<u8>> {
        let mut decoder = decode::Decoder::with_tiff_size_switch(BitOrder::Msb, 8);
        let mut bytes = Vec::new();
        let _ = decoder.into_stream(&mut bytes).decode_all(data);
        bytes.truncate(wanted);
        (bytes.len() == wanted).then_some(bytes)
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        encode::Encoder::with_tiff_size_switch(BitOrder::Msb, 8).encode(bytes).unwrap()
    }

    /// Bytes that repeat more or less, so that strings are short and long.
    fn bytes(seed: u64, length: usize, letters: u64) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % letters) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn what_was_compressed_comes_back_however_much_of_it_is_wanted() {
        for (seed, letters) in [1, 2, 3, 17, 256].into_iter().enumerate() {
            for length in [0, 1, 2, 15, 16, 17, 511, 5000, 70_000] {
                let text = bytes(seed as u64, length, letters);
                let data = compressed(&text);
                assert_eq!(decompress(&data, length).as_ref(), Some(&text), "{letters} {length}");
                for wanted in [0, 1, length / 3, length.saturating_sub(1)].map(|wanted| wanted.min(length)) {
                    assert_eq!(decompress(&data, wanted).as_deref(), Some(&text[..wanted]));
                }
                assert_eq!(decompress(&data, length + 1), None);
                assert_eq!(decompress(&data[..data.len() / 2], length + 1), None);
            }
        }
    }

    /// An encoder that never clears the full table goes on with codes of 12 bits.
    #[test]
    fn a_full_table_stays() {
        let (text, mut bits) = (bytes(5, 6000, 200), String::new());
        for (at, byte) in text.iter().enumerate() {
            let width = [9, 10, 11].into_iter().find(|width| FIRST + at < 1 << width).unwrap_or(12);
            bits += &format!("{byte:0width$b}");
        }
        bits += "0000000";
        let data: Vec<u8> = bits
            .as_bytes()
            .chunks(8)
            .map(|eight| eight.iter().fold(0, |byte, bit| byte << 1 | (bit & 1)))
            .collect();
        assert!(decompress(&data, text.len()).as_ref() == Some(&text));
        assert!(expected(&data, text.len()) == Some(text));
    }

    proptest! {
        #[test]
        fn whatever_is_no_lzw_never_panics_and_what_others_read_is_read(
            data in proptest::collection::vec(any::<u8>(), 0..300),
            wanted in 0usize..2000,
        ) {
            let found = decompress(&data, wanted);
            if let Some(expected) = expected(&data, wanted) {
                prop_assert_eq!(found, Some(expected));
            }
        }
    }
}
