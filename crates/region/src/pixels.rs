//! Values of one type in a row, whatever the type.

use std::fmt;

/// The type of one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Element {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
    /// Floating point, 32 bits.
    F32,
    /// Floating point, 64 bits.
    F64,
}

impl Element {
    /// Bytes of one value.
    pub fn bytes(self) -> u64 {
        match self {
            Element::U8 => 1,
            Element::U16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::F64 => 8,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::U8 => "u8",
            Element::U16 => "u16",
            Element::I32 => "i32",
            Element::U32 => "u32",
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
    /// Grey values or labels of 16 bits.
    U16(Vec<u16>),
    /// Signed numbers.
    I32(Vec<i32>),
    /// Labels.
    U32(Vec<u32>),
    /// Real numbers.
    F32(Vec<f32>),
    /// Real numbers of double precision.
    F64(Vec<f64>),
}

/// Runs one expression over the values, whatever their type.
macro_rules! with_values {
    ($pixels:expr, $values:ident => $body:expr) => {
        match $pixels {
            $crate::Pixels::U8($values) => $body,
            $crate::Pixels::U16($values) => $body,
            $crate::Pixels::I32($values) => $body,
            $crate::Pixels::U32($values) => $body,
            $crate::Pixels::F32($values) => $body,
            $crate::Pixels::F64($values) => $body,
        }
    };
}

/// Makes pixels of the same type from an expression over the values.
macro_rules! map_values {
    ($pixels:expr, $values:ident => $body:expr) => {
        match $pixels {
            $crate::Pixels::U8($values) => $crate::Pixels::U8($body),
            $crate::Pixels::U16($values) => $crate::Pixels::U16($body),
            $crate::Pixels::I32($values) => $crate::Pixels::I32($body),
            $crate::Pixels::U32($values) => $crate::Pixels::U32($body),
            $crate::Pixels::F32($values) => $crate::Pixels::F32($body),
            $crate::Pixels::F64($values) => $crate::Pixels::F64($body),
        }
    };
}

pub(crate) use with_values;

impl Pixels {
    /// The type of the values.
    pub fn element(&self) -> Element {
        match self {
            Pixels::U8(_) => Element::U8,
            Pixels::U16(_) => Element::U16,
            Pixels::I32(_) => Element::I32,
            Pixels::U32(_) => Element::U32,
            Pixels::F32(_) => Element::F32,
            Pixels::F64(_) => Element::F64,
        }
    }

    /// How many values.
    pub fn len(&self) -> usize {
        with_values!(self, values => values.len())
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that the values take.
    pub fn bytes(&self) -> u64 {
        (self.len() as u64).saturating_mul(self.element().bytes())
    }

    /// Some values out of each of `rows` rows that lie `pitch` values apart.
    pub(crate) fn cut(&self, first: usize, pitch: usize, rows: usize, length: usize) -> Pixels {
        map_values!(self, values => {
            let mut kept = Vec::with_capacity(rows * length);
            for row in 0..rows {
                let start = first + row * pitch;
                kept.extend_from_slice(&values[start..start + length]);
            }
            kept
        })
    }
}
