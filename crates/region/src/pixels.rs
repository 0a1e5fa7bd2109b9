//! Vectors of values of one numeric type.

use std::fmt;

/// The type of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// Unsigned, 8 bits.
    U8,
    /// Signed, 8 bits.
    I8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 64 bits.
    U64,
    /// Floating point, 32 bits.
    F32,
    /// Floating point, 64 bits.
    F64,
}

impl Element {
    /// Bytes of one value.
    #[inline]
    pub fn bytes(self) -> u64 {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::U8 => "u8",
            Element::I8 => "i8",
            Element::U16 => "u16",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::U32 => "u32",
            Element::I64 => "i64",
            Element::U64 => "u64",
            Element::F32 => "f32",
            Element::F64 => "f64",
        })
    }
}

/// The values of a dense region: row by row, the channels of a pixel side by side.
#[derive(Debug, Clone, PartialEq)]
pub enum Pixels {
    /// Bytes: colours, grey values, masks.
    U8(Vec<u8>),
    /// Signed bytes.
    I8(Vec<i8>),
    /// Grey values or labels of 16 bits.
    U16(Vec<u16>),
    /// Signed numbers of 16 bits, such as those of a CT scanner.
    I16(Vec<i16>),
    /// Signed numbers.
    I32(Vec<i32>),
    /// Labels.
    U32(Vec<u32>),
    /// Signed numbers of 64 bits.
    I64(Vec<i64>),
    /// Labels of 64 bits.
    U64(Vec<u64>),
    /// Real numbers.
    F32(Vec<f32>),
    /// Real numbers of double precision.
    F64(Vec<f64>),
}

/// The order of the bytes of a number in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// The lowest first.
    Little,
    /// The highest first.
    Big,
}

/// Runs one expression over the values of any type.
#[macro_export]
macro_rules! with_values {
    ($pixels:expr, $values:ident => $body:expr) => {
        match $pixels {
            $crate::Pixels::U8($values) => $body,
            $crate::Pixels::I8($values) => $body,
            $crate::Pixels::U16($values) => $body,
            $crate::Pixels::I16($values) => $body,
            $crate::Pixels::I32($values) => $body,
            $crate::Pixels::U32($values) => $body,
            $crate::Pixels::I64($values) => $body,
            $crate::Pixels::U64($values) => $body,
            $crate::Pixels::F32($values) => $body,
            $crate::Pixels::F64($values) => $body,
        }
    };
}

/// Makes pixels of the same type from an expression over the values.
#[macro_export]
macro_rules! map_values {
    ($pixels:expr, $values:ident => $body:expr) => {
        match $pixels {
            $crate::Pixels::U8($values) => $crate::Pixels::U8($body),
            $crate::Pixels::I8($values) => $crate::Pixels::I8($body),
            $crate::Pixels::U16($values) => $crate::Pixels::U16($body),
            $crate::Pixels::I16($values) => $crate::Pixels::I16($body),
            $crate::Pixels::I32($values) => $crate::Pixels::I32($body),
            $crate::Pixels::U32($values) => $crate::Pixels::U32($body),
            $crate::Pixels::I64($values) => $crate::Pixels::I64($body),
            $crate::Pixels::U64($values) => $crate::Pixels::U64($body),
            $crate::Pixels::F32($values) => $crate::Pixels::F32($body),
            $crate::Pixels::F64($values) => $crate::Pixels::F64($body),
        }
    };
}

impl Pixels {
    /// The type of the values.
    #[inline]
    pub fn element(&self) -> Element {
        match self {
            Pixels::U8(_) => Element::U8,
            Pixels::I8(_) => Element::I8,
            Pixels::U16(_) => Element::U16,
            Pixels::I16(_) => Element::I16,
            Pixels::I32(_) => Element::I32,
            Pixels::U32(_) => Element::U32,
            Pixels::I64(_) => Element::I64,
            Pixels::U64(_) => Element::U64,
            Pixels::F32(_) => Element::F32,
            Pixels::F64(_) => Element::F64,
        }
    }

    /// How many values.
    #[inline]
    pub fn len(&self) -> usize {
        with_values!(self, values => values.len())
    }

    /// Whether there is no value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the values take.
    #[inline]
    pub fn bytes(&self) -> u64 {
        (self.len() as u64).saturating_mul(self.element().bytes())
    }

    /// The values whose bytes stand one after the other; what is left of a last one that is cut off is dropped.
    pub fn from_bytes(element: Element, bytes: Vec<u8>, order: ByteOrder) -> Pixels {
        macro_rules! numbers {
            ($kind:ident, $number:ty) => {
                Pixels::$kind(join(&bytes, order, <$number>::from_le_bytes, <$number>::from_be_bytes))
            };
        }
        match element {
            Element::U8 => Pixels::U8(bytes),
            Element::I8 => numbers!(I8, i8),
            Element::U16 => numbers!(U16, u16),
            Element::I16 => numbers!(I16, i16),
            Element::I32 => numbers!(I32, i32),
            Element::U32 => numbers!(U32, u32),
            Element::I64 => numbers!(I64, i64),
            Element::U64 => numbers!(U64, u64),
            Element::F32 => numbers!(F32, f32),
            Element::F64 => numbers!(F64, f64),
        }
    }

    /// So many zeros.
    pub fn zeros(element: Element, count: usize) -> Pixels {
        match element {
            Element::U8 => Pixels::U8(vec![0; count]),
            Element::I8 => Pixels::I8(vec![0; count]),
            Element::U16 => Pixels::U16(vec![0; count]),
            Element::I16 => Pixels::I16(vec![0; count]),
            Element::I32 => Pixels::I32(vec![0; count]),
            Element::U32 => Pixels::U32(vec![0; count]),
            Element::I64 => Pixels::I64(vec![0; count]),
            Element::U64 => Pixels::U64(vec![0; count]),
            Element::F32 => Pixels::F32(vec![0.0; count]),
            Element::F64 => Pixels::F64(vec![0.0; count]),
        }
    }

    /// Copies rows of `length` values each over rows that begin at `first` and lie `pitch` values apart; values of another
    /// type change nothing.
    pub fn paste(&mut self, first: usize, pitch: usize, rows: &Pixels, length: usize) {
        macro_rules! pasted {
            ($($kind:ident),*) => {
                match (self, rows) {
                    $((Pixels::$kind(to), Pixels::$kind(rows)) => {
                        let to = to[first..].chunks_mut(pitch.max(1));
                        to.zip(rows.chunks(length.max(1))).for_each(|(to, row)| to[..row.len()].copy_from_slice(row));
                    })*
                    _ => {}
                }
            };
        }
        pasted!(U8, I8, U16, I16, I32, U32, I64, U64, F32, F64);
    }

    /// The bytes of the values in the order of the machine.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        with_values!(self, values => bytemuck::cast_slice(values))
    }

    /// The bytes of the values in the order of the machine, to be written.
    #[inline]
    pub fn as_bytes_mut(&mut self) -> &mut [u8] {
        with_values!(self, values => bytemuck::cast_slice_mut(values))
    }

    /// Turns the bytes of values that were filled in another order than the machine's.
    pub fn swap_bytes_from(&mut self, order: ByteOrder) {
        let machine = if cfg!(target_endian = "little") { ByteOrder::Little } else { ByteOrder::Big };
        let bytes = self.element().bytes() as usize;
        if order != machine && bytes > 1 {
            self.as_bytes_mut().chunks_exact_mut(bytes).for_each(<[u8]>::reverse);
        }
    }

    /// So many values from each of some places on, one row after the other.
    pub fn rows(&self, starts: impl Iterator<Item = usize>, length: usize) -> Pixels {
        map_values!(self, values => {
            let mut kept = Vec::with_capacity(starts.size_hint().0.saturating_mul(length));
            starts.for_each(|start| kept.extend_from_slice(&values[start..start + length]));
            kept
        })
    }

    /// The values at some places.
    pub fn pick(&self, places: &[usize]) -> Pixels {
        map_values!(self, values => places.iter().map(|&place| values[place]).collect())
    }

    /// Zeros, but for these values at their places.
    pub fn spread(&self, places: &[usize], length: usize) -> Pixels {
        map_values!(self, values => {
            let mut spread = vec![Default::default(); length];
            places.iter().zip(values).for_each(|(&place, &value)| spread[place] = value);
            spread
        })
    }

    /// The places of the values of which not every bit is zero, so that a negative zero is one of them.
    pub fn set(&self) -> Vec<usize> {
        with_values!(self, values => {
            let set = |value: &[u8]| value.iter().any(|&byte| byte != 0);
            (0..values.len()).filter(|&place| set(&values[place].to_le_bytes())).collect()
        })
    }

    /// Some values out of each of `rows` rows that lie `pitch` values apart.
    pub fn cut(&self, first: usize, pitch: usize, rows: usize, length: usize) -> Pixels {
        map_values!(self, values => {
            let mut kept = Vec::with_capacity(rows * length);
            for row in 0..rows {
                let start = first + row * pitch;
                kept.extend_from_slice(&values[start..start + length]);
            }
            kept
        })
    }

    /// Adds values of the same type at the end; others are left out.
    pub fn append(&mut self, more: Pixels) {
        with_values!(self, values => extend(values, &more));
    }
}

/// A type of values, and how to see them.
trait ElementValues: Copy {
    /// The values when they are of this type.
    fn of(pixels: &Pixels) -> &[Self];
}

macro_rules! values {
    ($($kind:ident $number:ty),*) => {
        $(impl ElementValues for $number {
            fn of(pixels: &Pixels) -> &[Self] {
                if let Pixels::$kind(values) = pixels { values } else { &[] }
            }
        })*
    };
}

values!(U8 u8, I8 i8, U16 u16, I16 i16, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64);

fn extend<T: ElementValues>(values: &mut Vec<T>, more: &Pixels) {
    values.extend_from_slice(T::of(more));
}

fn join<T, const N: usize>(
    bytes: &[u8],
    order: ByteOrder,
    little: impl Fn([u8; N]) -> T,
    big: impl Fn([u8; N]) -> T,
) -> Vec<T> {
    let (numbers, _) = bytes.as_chunks::<N>();
    match order {
        ByteOrder::Little => numbers.iter().map(|&number| little(number)).collect(),
        ByteOrder::Big => numbers.iter().map(|&number| big(number)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_joined_in_either_order() {
        let join = |element, bytes: &[u8], order| Pixels::from_bytes(element, bytes.to_vec(), order);
        assert_eq!(join(Element::U16, &[1, 2, 3], ByteOrder::Little), Pixels::U16(vec![0x201]));
        assert_eq!(join(Element::U16, &[1, 2, 3, 4], ByteOrder::Big), Pixels::U16(vec![0x102, 0x304]));
        assert_eq!(join(Element::I8, &[255], ByteOrder::Big), Pixels::I8(vec![-1]));
        assert_eq!(join(Element::I16, &[255, 254], ByteOrder::Big), Pixels::I16(vec![-2]));
        let one = 1.5f64.to_be_bytes();
        assert_eq!(join(Element::F64, &one, ByteOrder::Big), Pixels::F64(vec![1.5]));
        let element = |element: Element| Pixels::from_bytes(element, vec![0; 16], ByteOrder::Little);
        for kind in [
            Element::U8,
            Element::I8,
            Element::U16,
            Element::I16,
            Element::I32,
            Element::U32,
            Element::I64,
            Element::U64,
            Element::F32,
            Element::F64,
        ] {
            assert_eq!((element(kind).element(), element(kind).bytes()), (kind, 16), "{kind}");
        }
    }
}
