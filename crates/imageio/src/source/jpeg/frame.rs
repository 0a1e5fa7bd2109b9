//! What a JPEG stream says of itself, found by walking over its markers before a decoder takes memory for it.

use onceflow_region::size_words;

/// What a JPEG stream holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct Frame {
    pub(in crate::source) width: usize,
    pub(in crate::source) height: usize,
    /// Values per pixel: 1 or 3.
    pub(in crate::source) components: usize,
    pub(in crate::source) progressive: bool,
}

/// Why a stream cannot be decoded: what was expected and what was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::source) struct Refused {
    pub(in crate::source) expected: String,
    pub(in crate::source) found: String,
}

impl Refused {
    pub(super) fn new(expected: impl Into<String>, found: impl Into<String>) -> Refused {
        Refused { expected: expected.into(), found: found.into() }
    }

    fn early() -> Refused {
        Refused::new("a whole JPEG image", "one that ends too early")
    }
}

/// No JPEG stream grows by more than this: a block of 64 pixels takes at least a bit.
const MOST_GROWTH: usize = 2048;

impl Frame {
    /// Walks over the whole stream: what ends before its end marker is refused.
    pub(in crate::source) fn of(stream: &[u8]) -> Result<Frame, Refused> {
        let mut walk = MarkerWalk { stream, place: 2 };
        let mut frame = None;
        loop {
            match walk.marker()? {
                0xd9 => return frame.ok_or_else(Refused::early),
                0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf if frame.is_some() => {
                    return Err(Refused::new("one image in a JPEG stream", "a second one"));
                }
                kind @ (0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf) => {
                    let found = Frame::from_segment(kind, walk.segment()?)?;
                    found.check_growth(stream.len())?;
                    frame = Some(found);
                }
                0xd0..=0xd8 | 0x01 => {}
                0xda => {
                    walk.segment()?;
                    walk.skip_scan();
                }
                _ => {
                    walk.segment()?;
                }
            }
        }
    }

    fn from_segment(kind: u8, segment: &[u8]) -> Result<Frame, Refused> {
        let [bits, high, low, left, right, components, ..] = *segment else { return Err(Refused::early()) };
        let expected = "a baseline or progressive JPEG of 8 bits with 1 or 3 colours";
        let refuse = |found: String| Err(Refused::new(expected, found));
        match (kind, bits, components) {
            (0xc0..=0xc2, 8, 1 | 3) => {}
            (0xc0..=0xc2, 8, colours) => return refuse(format!("{colours} colours")),
            (0xc0..=0xc2, bits, _) => return refuse(format!("{bits} bits")),
            (0xc3 | 0xc7 | 0xcb | 0xcf, ..) => return refuse("a lossless one".into()),
            (0xc9..=0xcf, ..) => return refuse("one with arithmetic coding".into()),
            _ => return refuse("a hierarchical one".into()),
        }
        let side = |high, low| usize::from(u16::from_be_bytes([high, low]));
        let (width, height) = (side(left, right), side(high, low));
        if width == 0 || height == 0 {
            return Err(Refused::new("a JPEG with its sides", format!("{width} x {height} pixels")));
        }
        Ok(Frame { width, height, components: usize::from(components), progressive: kind == 0xc2 })
    }

    /// Bytes of the pixels.
    pub(in crate::source) fn bytes(&self) -> usize {
        self.width * self.height * self.components
    }

    fn check_growth(&self, length: usize) -> Result<(), Refused> {
        if self.bytes() <= length.saturating_mul(MOST_GROWTH) {
            return Ok(());
        }
        let expected = format!("data for {} x {} pixels", self.width, self.height);
        Err(Refused::new(
            expected,
            format!("a JPEG of {}, which cannot hold them", size_words(length as u64)),
        ))
    }
}

struct MarkerWalk<'a> {
    stream: &'a [u8],
    place: usize,
}

impl<'a> MarkerWalk<'a> {
    /// Goes behind the next marker, over bytes that belong to nothing.
    fn marker(&mut self) -> Result<u8, Refused> {
        loop {
            let rest = self.stream.get(self.place..).ok_or_else(Refused::early)?;
            let [first, second, ..] = *rest else { return Err(Refused::early()) };
            let found = first == 0xff && second != 0xff && second != 0;
            self.place += if found { 2 } else { 1 };
            if found {
                return Ok(second);
            }
        }
    }

    /// The content of a segment, behind which it goes.
    fn segment(&mut self) -> Result<&'a [u8], Refused> {
        let rest = self.stream.get(self.place..).ok_or_else(Refused::early)?;
        let [high, low, ..] = *rest else { return Err(Refused::early()) };
        let length = usize::from(u16::from_be_bytes([high, low]));
        self.place += length.max(2);
        rest.get(2..length.max(2)).ok_or_else(Refused::early)
    }

    /// Goes to the marker that ends a scan; those of restarts belong to it.
    fn skip_scan(&mut self) {
        let rest = self.stream.get(self.place..).unwrap_or_default();
        let ends = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0 | 0xd0..=0xd7 | 0xff);
        self.place += rest.windows(2).position(ends).unwrap_or(rest.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(kind: u8, bits: u8, height: u16, width: u16, components: u8) -> Vec<u8> {
        let mut stream = vec![0xff, 0xd8, 0xff, kind, 0, 8, bits];
        stream.extend(height.to_be_bytes());
        stream.extend(width.to_be_bytes());
        stream.extend([components, 0xff, 0xda, 0, 2, 1, 2, 0xff, 0, 0xff, 0xd0, 3, 0xff, 0xd9]);
        stream
    }

    #[test]
    fn sides_and_colours_are_found() {
        let found = Frame::of(&stream(0xc2, 8, 5, 7, 3));
        assert_eq!(found, Ok(Frame { width: 7, height: 5, components: 3, progressive: true }));
    }

    #[test]
    fn what_cannot_be_decoded_is_said() {
        let found = |kind, bits, height, width, components| {
            Frame::of(&stream(kind, bits, height, width, components)).unwrap_err().found
        };
        assert_eq!(found(0xc0, 12, 5, 5, 3), "12 bits");
        assert_eq!(found(0xc0, 8, 5, 5, 4), "4 colours");
        assert_eq!(found(0xc3, 8, 5, 5, 3), "a lossless one");
        assert_eq!(found(0xca, 8, 5, 5, 3), "one with arithmetic coding");
        assert_eq!(found(0xc5, 8, 5, 5, 3), "a hierarchical one");
        assert_eq!(found(0xc0, 8, 0, 5, 3), "5 x 0 pixels");
        assert_eq!(found(0xc0, 8, 60_000, 60_000, 3), "a JPEG of 25 bytes, which cannot hold them");
    }

    #[test]
    fn every_cut_ends_too_early() {
        let whole = stream(0xc0, 8, 5, 5, 1);
        for length in 0..whole.len() {
            assert_eq!(Frame::of(&whole[..length]).unwrap_err(), Refused::early(), "{length}");
        }
    }
}
